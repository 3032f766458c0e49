"""opencode: what the tool answers, and what a user's text becomes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.opencode.driver import OPENCODE, call, listed, load, options, skill, user
from tohlab.dialects.harness import Setting
from tohlab.errors import UnsupportedByDialect


def test_a_loaded_skill_names_ten_files_at_most_and_no_skill_file() -> None:
    files = {"a/SKILL.md": skill("a"), "a/b/SKILL.md": skill("b"), "a/.git/HEAD": "x", "a/.env": "x"}
    files |= {f"a/f{at:02}.txt": "x" for at in range(12)}
    text = call("a", files).text or ""
    assert text.count("<file>") == 10
    assert "<file>/p/a/.env</file>" in text
    assert ".git" not in text
    assert "SKILL.md" not in text
    assert call("a", files).notes


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({}, 'Missing key\n  at ["name"]'),
        ({"name": 3}, 'Expected string, got 3\n  at ["name"]'),
        ({"name": None}, 'Expected string, got null\n  at ["name"]'),
        ({"name": {"a": 1}}, 'Expected string, got {"a":1}\n  at ["name"]'),
        ([1], "Expected object, got [1]"),
    ],
)
def test_arguments_that_do_not_fit_are_answered_in_the_words_of_the_schema(
    arguments: Any, detail: str
) -> None:
    answer = call(arguments, {"a/SKILL.md": skill("a")})
    assert answer.is_error
    assert answer.text == (
        f"The skill tool was called with invalid arguments: SchemaError({detail}).\n"
        "Please rewrite the input so it satisfies the expected schema."
    )


def test_further_keys_and_capitals_in_the_tool_name_do_no_harm() -> None:
    files = {"a/SKILL.md": skill("a")}
    assert call({"name": "a", "x": 1}, files, tool="Skill") == call("a", files)
    assert call("A", files).is_error


def test_an_unknown_tool_is_answered_and_another_tool_is_not_ours() -> None:
    assert call({}, {}, tool="nope").text == (
        "The arguments provided to the tool are invalid: Model tried to call unavailable tool 'nope'. "
        "Available tools: bash, edit, glob, grep, invalid, question, read, skill, "
        "task, todowrite, webfetch, write."
    )
    with pytest.raises(UnsupportedByDialect):
        call({}, {}, tool="bash")
    with pytest.raises(UnsupportedByDialect):
        call("customize-opencode", {}, Setting())


def test_a_denied_skill_is_hidden_and_its_call_tells_the_rules() -> None:
    files = {"t/SKILL.md": skill("tide-table"), "b/SKILL.md": skill("bread")}
    denied = options(permission={"tide-*": "deny"})
    assert listed(files, denied) == ["bread"]
    assert call("tide-table", files, denied).text == (
        "The user has specified a rule which prevents you from using this specific tool call. "
        'Here are some of the relevant rules [{"permission":"*","action":"allow","pattern":"*"},'
        '{"permission":"skill","pattern":"tide-*","action":"deny"}]'
    )
    assert listed(files, options(permission={"*": "deny", "tide-*": "allow"})) == ["tide-table"]


def test_where_all_skills_are_denied_there_is_neither_list_nor_tool() -> None:
    off = options(permission={"*": "deny"})
    loaded = load({"a/SKILL.md": skill("a")}, off)
    assert OPENCODE.listing(loaded, off).text == ""
    assert OPENCODE.tools(loaded, off) == ()
    assert "unavailable tool 'skill'" in (call("a", {}, off).text or "")


BODY = {"go/SKILL.md": skill("go", body="One: $1 Rest: $2"), "plain/SKILL.md": skill("plain")}


TAIL = (
    "\n\nBase directory for this skill: /p/{}\nRelative paths in this skill (e.g., scripts/, references/) "
    "are relative to this base directory."
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("/go a b c", "One: a Rest: b c\n" + TAIL.format("go")),
        ("/go 'a b' c", "One: a b Rest: c\n" + TAIL.format("go")),
        ("/go", "One:  Rest: \n" + TAIL.format("go")),
        ("/plain a b", "Do it.\n" + TAIL.format("plain") + "\n\na b"),
        ("/plain a\nb", "Do it.\n" + TAIL.format("plain") + "\n\na\nb"),
        ("/nope a", "/nope a"),
        ("say /go a", "say /go a"),
        ("/Go a", "/Go a"),
    ],
)
def test_a_command_takes_its_arguments(text: str, wanted: str) -> None:
    assert user(text, BODY).texts == (wanted,)


def test_through_the_command_call_an_unknown_name_reaches_no_model() -> None:
    turn = user("/nope x", BODY, options(command="nope", arguments="x"))
    assert (turn.sent, turn.texts) == (False, ())
    known = user("anything", BODY, options(command="go", arguments="a"))
    assert known.texts[0].startswith("One: a Rest: ")


def test_a_shell_line_stays_and_is_told_and_an_argument_may_bring_one() -> None:
    files = {"sh/SKILL.md": skill("sh", body="Say !`touch /tmp/x` $ARGUMENTS")}
    turn = user("/sh !`rm -r y`", files)
    assert "!`touch /tmp/x` !`rm -r y`" in turn.texts[0]
    assert [note.split(": ")[1] for note in turn.notes] == ["touch /tmp/x", "rm -r y"]


def test_hidden_and_denied_skills_can_be_started_by_a_user() -> None:
    files = {"a/SKILL.md": skill("a", None)}
    assert user("/a", files, options(permission={"*": "deny"})).texts[0].startswith("Do it.")


def test_the_commands_of_the_program_come_first() -> None:
    turn = user("/init", {"a/SKILL.md": skill("init")})
    assert turn.texts == ("/init",)
    assert turn.notes
