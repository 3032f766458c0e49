"""A model's arguments in, the text that it reads back out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.skills.model import Invocation, LoadedSkill, ResourceBase, SkillSource, Snapshot
from tohlab.skills.sources import MemorySource
from tohlab.tools import AbortSignal, SkillTool, parse_arguments

SKILLS = MemorySource(
    [
        LoadedSkill(name="pdf", description="PDF files", content="Read <it>."),
        LoadedSkill(
            name="user-only", description="d", content="", invocation=Invocation(model_invocable=False)
        ),
        LoadedSkill(
            name="model-only", description="d", content="m", invocation=Invocation(user_invocable=False)
        ),
        LoadedSkill(
            name="shelf",
            description="d",
            content="s",
            resource_base=ResourceBase(kind="directory", value="/s"),
        ),
    ]
)


class Loads:
    """Lists what `SKILLS` lists, and loads as a test says."""

    def __init__(self, load: Callable[[str], Any]) -> None:
        self._load = load

    def snapshot(self) -> Snapshot:
        return SKILLS.snapshot()

    def load(self, name: str) -> Any:
        return self._load(name)


def call(arguments: Any, source: SkillSource = SKILLS) -> Any:
    return SkillTool(source).call(arguments)


def test_a_skill_is_loaded_with_its_frame_and_its_value() -> None:
    result = call({"name": "pdf"})
    assert not result.is_error
    assert result.text.startswith('<skill_content name="pdf">\n<skill_resources>\n')
    assert "\nRead <it>.\n" in result.text
    assert result.value == {"name": "pdf", "provider": "runtime", "content": "Read <it>."}


def test_the_value_names_the_resource_base_by_its_kind() -> None:
    assert list(call({"name": "shelf"}).value.items()) == [
        ("name", "shelf"),
        ("provider", "runtime"),
        ("resourceBase", {"kind": "directory", "path": "/s"}),
        ("content", "s"),
    ]


def test_further_arguments_are_ignored() -> None:
    assert call({"name": "pdf", "extra": True}) == call({"name": "pdf"})


def test_a_skill_that_users_may_not_start_is_loaded_all_the_same() -> None:
    assert not call({"name": "model-only"}).is_error


@pytest.mark.parametrize(
    ("arguments", "text", "code"),
    [
        (None, 'Error: invalid arguments: "arguments" must be an object', "INVALID_ARGS"),
        ([], 'Error: invalid arguments: "arguments" must be an object', "INVALID_ARGS"),
        ("pdf", 'Error: invalid arguments: "arguments" must be an object', "INVALID_ARGS"),
        ({}, 'Error: invalid arguments: missing required property "name"', "INVALID_ARGS"),
        ({"Name": "pdf"}, 'Error: invalid arguments: missing required property "name"', "INVALID_ARGS"),
        ({"name": None}, 'Error: invalid arguments: "name" must be a string', "INVALID_ARGS"),
        ({"name": ["pdf"]}, 'Error: invalid arguments: "name" must be a string', "INVALID_ARGS"),
        ({"name": ""}, 'Error: invalid skill name ""', None),
        ({"name": " pdf"}, 'Error: invalid skill name " pdf"', None),
        ({"name": "pdf\n"}, 'Error: invalid skill name "pdf\n"', None),
        ({"name": 'a"b'}, 'Error: invalid skill name "a"b"', None),
        ({"name": "{name}"}, 'Error: invalid skill name "{name}"', None),
        ({"name": "missing"}, 'Error: skill "missing" is unknown or no longer available', None),
        ({"name": "user-only"}, 'Error: skill "user-only" is not available for model invocation', None),
    ],
)
def test_a_call_that_fails_is_told_in_the_harness_s_words(
    arguments: Any, text: str, code: str | None
) -> None:
    result = call(arguments)
    assert (result.text, result.code, result.is_error, result.value) == (text, code, True, None)
    assert result.text == f"Error: {result.message}"


def renamed(name: str) -> LoadedSkill:
    return LoadedSkill(name="other", description="d", content="")


def no_longer_for_models(name: str) -> LoadedSkill:
    return LoadedSkill(name=name, description="d", content="", invocation=Invocation(model_invocable=False))


def no_text(name: str) -> LoadedSkill:
    return LoadedSkill(name=name, description="d", content=3)  # type: ignore[arg-type]  # a body that is no text is the point


def rogue(name: str) -> LoadedSkill:
    base = ResourceBase(kind="rogue", value="x")  # type: ignore[arg-type]  # a kind that there is not is the point
    return LoadedSkill(name=name, description="d", content="", resource_base=base)


def throws(name: str) -> LoadedSkill:
    raise OSError("backend down")


@pytest.mark.parametrize(
    ("load", "text"),
    [
        (lambda name: None, 'Error: skill "pdf" is unknown or no longer available'),
        (renamed, 'Error: skill "pdf" is unknown or no longer available'),
        (no_longer_for_models, 'Error: skill "pdf" is not available for model invocation'),
        (no_text, 'Error: loaded skill "pdf" content must be a string'),
        (throws, "Error: backend down"),
        (
            rogue,
            'Error: tool "skill" returned invalid output: "value.resourceBase" must match exactly one oneOf '
            "branch (matched 0)",
        ),
    ],
)
def test_a_skill_that_goes_wrong_after_it_was_listed_is_told(load: Callable[[str], Any], text: str) -> None:
    assert call({"name": "pdf"}, Loads(load)).text == text


def test_an_unlisted_skill_is_never_asked_for() -> None:
    asked: list[str] = []
    call({"name": "missing"}, Loads(asked.append))
    call({"name": "user-only"}, Loads(asked.append))
    assert asked == []


def test_a_call_aborted_before_it_began_loads_nothing() -> None:
    asked: list[str] = []
    signal = AbortSignal()
    signal.abort()
    result = SkillTool(Loads(asked.append)).call({"name": "pdf"}, signal=signal)
    assert (result.text, result.code) == (
        "Error: tool call aborted before dispatch",
        "ABORTED_BEFORE_DISPATCH",
    )
    assert asked == []


def test_a_success_after_an_abort_is_thrown_away() -> None:
    signal = AbortSignal()

    def load(name: str) -> LoadedSkill | None:
        signal.abort("stop")
        signal.abort("again")
        return SKILLS.load(name)

    result = SkillTool(Loads(load)).call({"name": "pdf"}, signal=signal)
    assert (result.text, result.value) == ("Error: tool call aborted", None)
    assert signal.reason == "stop"


def test_stopping_by_hand_is_no_answer_to_a_model() -> None:
    def load(name: str) -> LoadedSkill | None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call({"name": "pdf"}, Loads(load))


# What the model wrote.


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("", {}),
        ('{"name":"a"}', {"name": "a"}),
        (' \n{"name" : "a"}', {"name": "a"}),
        ("null", None),
        ("[1]", [1]),
        ('"x"', "x"),
        ("{bad", "{bad"),
        (" ", " "),
        ("NaN", "NaN"),
        ('{"a":Infinity}', '{"a":Infinity}'),
        ("{'name':'a'}", "{'name':'a'}"),
        ('\ufeff{"name":"a"}', '\ufeff{"name":"a"}'),
        ('{"name":"a","name":"b"}', {"name": "b"}),
        ('"\\ud83d"', "\ud83d"),
    ],
)
def test_arguments_are_parsed_as_the_harness_does(raw: str, value: Any) -> None:
    assert parse_arguments(raw) == value


def test_a_number_of_any_length_is_a_number() -> None:
    assert math.isinf(parse_arguments("9" * 9_999))


def test_arguments_nested_without_end_stay_text() -> None:
    raw = "[" * 200_000
    assert parse_arguments(raw) == raw


@given(st.text(max_size=30))
def test_whatever_a_model_writes_it_gets_a_text_back(raw: str) -> None:
    result = SkillTool(SKILLS).call_text(raw)
    assert result.text
    assert result.is_error == result.text.startswith("Error: ")


# What a user interface shows.


def test_a_pending_call_is_shown_by_its_name() -> None:
    assert SkillTool(SKILLS).present_call({"name": "no {such} skill"}) == {
        "card": "generic",
        "title": "Load skill no {such} skill",
        "kind": "read",
        "rawInput": "no {such} skill",
    }


@pytest.mark.parametrize("arguments", [{}, {"name": 3}, "x", None, []])
def test_a_call_without_a_name_is_not_shown(arguments: Any) -> None:
    assert SkillTool(SKILLS).present_call(arguments) is None
