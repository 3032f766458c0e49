"""An answer has one label, and the label follows from the answer and the case alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.routing.service import completion
from tests.routing.shapes import NAMES
from tohlab.routing import ChatReply, RoutingCase
from tohlab.routing.answers import MODEL_ERRORS, Names, read_answer
from tohlab.routing.nearness import NearName, edit_distance
from tohlab.routing.scoring import JUDGED, UNLABELLED, Trial, judge

DOCX, PDF, SQL = NAMES


def label(raw: dict[str, Any], *expected: str, choice: str = "tools") -> str:
    case = RoutingCase(id="c", query="q", expected=tuple(sorted(expected)))
    return judge(case, read_answer(ChatReply.from_raw(raw), NAMES, choice=choice))


@pytest.mark.parametrize(
    ("called", "expected", "want"),
    [
        ((PDF,), (PDF,), "ok"),
        ((), (), "ok"),
        ((PDF, SQL), (SQL, PDF), "ok"),
        ((), (PDF,), "missed"),
        ((PDF,), (), "spurious"),
        ((PDF, SQL), (PDF,), "ok_extra"),
        ((PDF,), (PDF, SQL), "partial"),
        ((PDF, DOCX), (PDF, SQL), "partial"),
        ((DOCX,), (PDF,), "wrong_skill"),
        ((PDF, PDF), (PDF,), "double_load"),
        (("pdf-form",), (PDF,), "unknown_name"),
        (("pdf-form",), (), "unknown_name"),
        (("PDF_Forms",), (PDF,), "invalid_name"),
        (("",), (PDF,), "invalid_name"),
        ((" pdf-forms",), (PDF,), "invalid_name"),
        ((PDF, "nonsense"), (PDF,), "unknown_name"),
    ],
)
def test_calls_are_compared_as_sets(called: tuple[str, ...], expected: tuple[str, ...], want: str) -> None:
    assert label(completion(*called, content=None if called else "Done."), *expected) == want


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "{}",
        '{}""',
        '{"name": "pdf',
        '{"name": 1}',
        '{"name": null}',
        "[]",
        '"pdf-forms"',
        '{"name":"a"}{"name":"b"}',
        "nul",
        "[" * 2000,
    ],
)
def test_arguments_that_cannot_be_read_are_malformed(arguments: str) -> None:
    assert label(completion(arguments=[arguments]), PDF) == "malformed_args"
    assert label(completion(arguments=[arguments])) == "malformed_args"


def test_arguments_that_are_no_text_are_malformed() -> None:
    raw = completion(PDF)
    raw["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = {"name": PDF}
    assert label(raw, PDF) == "malformed_args"


@pytest.mark.parametrize("tool", ["bash", "", "parallel", "multi_tool_use.parallel", "Skill"])
def test_another_tool_is_wrong_even_where_no_skill_fits(tool: str) -> None:
    assert label(completion(PDF, tool=tool), PDF) == "wrong_tool"
    assert label(completion(PDF, tool=tool)) == "wrong_tool"


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "skill", "arguments": {"name": "pdf-forms"}}</tool_call>',
        '```json\n{"name": "skill", "arguments": {"name": "pdf-forms"}}\n```',
        '{"name": "pdf-forms"}',
        "<tool_call>{bad",
        "<function=skill>",
        '[TOOL_CALLS] [{"name": "x"}]',
        'skill(name="pdf-forms")',
        'I will load it: skill({"name": "pdf-forms"})',
    ],
)
def test_a_call_written_as_text_is_no_call_and_no_abstention(text: str) -> None:
    assert label(completion(content=text), PDF) == "text_call"
    assert label(completion(content=text)) == "text_call"


@pytest.mark.parametrize(
    "text",
    ["Error during inference: 429", 'Use {"name": "Ada"} as the body.', "print(name='x')", "skill is needed"],
)
def test_other_text_is_an_answer_without_a_call(text: str) -> None:
    assert label(completion(content=text)) == "ok"
    assert label(completion(content=text), PDF) == "missed"


def test_nothing_at_all_is_empty_and_not_an_abstention() -> None:
    assert label(completion(content=None)) == "empty"
    assert label(completion(content=" \n")) == "empty"


def test_text_cut_at_the_limit_is_an_abstention_only_where_no_skill_fits() -> None:
    assert label(completion(content="A long stor", finish="length")) == "ok"
    assert label(completion(content="A long stor", finish="length"), PDF) == "length_cut"
    assert label(completion(content="", finish="length")) == "length_cut"


def test_a_call_cut_at_the_limit_is_length_cut_and_a_whole_one_counts() -> None:
    assert label(completion(arguments=['{"name": "pdf-fo'], finish="length"), PDF) == "length_cut"
    assert label(completion(PDF, finish="length"), PDF) == "ok"


def test_a_refusal_that_the_service_marks_is_a_refusal() -> None:
    raw = completion()
    raw["choices"][0]["message"]["refusal"] = "I cannot help with that."
    assert label(raw) == "refusal"
    assert label(raw, PDF) == "refusal"


def test_an_answer_cut_by_the_content_filter_is_not_scored() -> None:
    raw = completion(content="", finish="content_filter")
    assert label(raw, PDF) == "infra:content_filter"


@pytest.mark.parametrize(
    ("content", "expected", "want"),
    [
        ('{"skills": ["pdf-forms"]}', (PDF,), "ok"),
        (' {"skills": []}\n', (), "ok"),
        ('{"skills": ["(none)"]}', (), "ok"),
        ('{"skills": ["(none)"]}', (PDF,), "missed"),
        ('{"skills": ["(none)", "pdf-forms"]}', (PDF,), "malformed_args"),
        ('{"skills": []}', (PDF,), "missed"),
        ('{"skills": ["pdf-forms", "pdf-forms"]}', (PDF,), "double_load"),
        ('{"skills": ["pdf"]}', (PDF,), "unknown_name"),
        ('{"skills": "pdf-forms"}', (PDF,), "malformed_args"),
        ('{"skills": [1]}', (PDF,), "malformed_args"),
        ("pdf-forms", (PDF,), "malformed_args"),
        ("[]", (), "malformed_args"),
        ("", (), "empty"),
    ],
)
def test_a_json_answer_is_read_from_the_content(content: str, expected: tuple[str, ...], want: str) -> None:
    assert label(completion(content=content), *expected, choice="json") == want


def test_a_json_answer_that_is_cut_says_so() -> None:
    assert (
        label(completion(content='{"skills": ["pdf-f', finish="length"), PDF, choice="json") == "length_cut"
    )


def test_a_case_that_only_says_what_is_wrong_is_avoided_or_not() -> None:
    case = RoutingCase(id="c", query="q", expected=None, not_expected=(PDF,))
    for names, want in (((SQL,), "avoided"), ((), "avoided"), ((PDF, SQL), "not_avoided")):
        reply = ChatReply.from_raw(completion(*names, content=None if names else "Fine."))
        assert judge(case, read_answer(reply, NAMES, choice="tools")) == want


def test_the_detail_names_the_nearest_skill() -> None:
    answer = read_answer(ChatReply.from_raw(completion("PDF_Form")), NAMES, choice="tools")
    assert answer.detail == "asked for 'PDF_Form', nearest 'pdf-forms' (6 edits away)"
    assert answer.invalid == ("PDF_Form",)
    assert answer.near == (NearName(asked="PDF_Form", name=PDF, edits=6, variant=False),)


@pytest.mark.parametrize("name", ["PDF_Forms", "pdf forms", "PdfForms", "pdf_forms", " pdf-forms"])
def test_a_name_that_differs_in_case_and_joints_only_is_a_variant(name: str) -> None:
    (near,) = read_answer(ChatReply.from_raw(completion(name)), NAMES, choice="tools").near
    assert (near.name, near.variant) == (PDF, True)


def test_a_name_like_no_other_has_no_nearest() -> None:
    answer = read_answer(ChatReply.from_raw(completion("zzzz")), NAMES, choice="tools")
    assert (answer.invalid, answer.near, answer.detail) == (("zzzz",), (), "asked for 'zzzz'")


def distance_slowly(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    return min(
        distance_slowly(one[1:], other) + 1,
        distance_slowly(one, other[1:]) + 1,
        distance_slowly(one[1:], other[1:]) + (one[0] != other[0]),
    )


@given(one=st.text("ab-", max_size=5), other=st.text("ab-", max_size=5))
def test_the_edit_distance_is_the_slow_one(one: str, other: str) -> None:
    assert edit_distance(one, other) == distance_slowly(one, other)


KNOWN = Names(catalog=NAMES, stale=("old-skill", "Old_Skill"), hidden=("release-cut",), loaded=(PDF,))


@pytest.mark.parametrize(
    ("called", "want"),
    [
        (("old-skill",), "stale_name"),
        (("Old_Skill",), "stale_name"),
        (("release-cut",), "not_model_invocable"),
        (("no-such-skill",), "unknown_name"),
        (("NO SUCH",), "invalid_name"),
        (("release-cut", "no-such-skill"), "not_model_invocable"),
        (("old-skill", "release-cut"), "stale_name"),
        ((PDF,), "reload_after_user_load"),
        ((PDF, PDF), "double_load"),
        ((SQL,), "spurious"),
    ],
)
def test_what_the_conversation_knows_of_a_name_is_in_the_label(called: tuple[str, ...], want: str) -> None:
    case = RoutingCase(id="c", query="q", expected=())
    answer = read_answer(ChatReply.from_raw(completion(*called)), KNOWN, choice="tools")
    assert judge(case, answer) == want


@pytest.mark.parametrize(
    ("called", "want"),
    [
        ((), "missed"),
        ((PDF,), "ok"),
        ((PDF, SQL), "ok"),
        ((SQL,), "missed"),
        ((PDF, SQL, DOCX), "ok_extra"),
        ((SQL, DOCX), "wrong_skill"),
    ],
)
def test_an_optional_skill_is_neither_right_nor_wrong(called: tuple[str, ...], want: str) -> None:
    case = RoutingCase(id="c", query="q", expected=(PDF,), optional=(SQL,))
    reply = ChatReply.from_raw(completion(*called, content=None if called else "Done."))
    answer = read_answer(reply, NAMES, choice="tools")
    assert judge(case, answer) == want
    counted = Trial(case=case, label=want, loaded=answer.loaded).counted
    assert counted == tuple(name for name in called if name != SQL)


@pytest.mark.parametrize(
    ("called", "want"),
    [
        ((DOCX,), "ok"),
        ((PDF,), "ok"),
        ((DOCX, PDF), "ok"),
        ((DOCX, SQL), "ok_extra"),
        ((SQL,), "wrong_skill"),
    ],
)
def test_a_twin_counts_as_the_skill_that_is_labelled(called: tuple[str, ...], want: str) -> None:
    case = RoutingCase(id="c", query="q", expected=(PDF,), aliases=((DOCX, PDF),))
    answer = read_answer(ChatReply.from_raw(completion(*called)), NAMES, choice="tools")
    assert judge(case, answer) == want
    assert set(Trial(case=case, label=want, loaded=answer.loaded).counted) == {
        PDF if name == DOCX else name for name in called
    }


def test_every_label_of_an_answer_can_be_had() -> None:
    refused = completion()
    refused["choices"][0]["message"]["refusal"] = "No."
    replies: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
        "wrong_tool": (completion(PDF, tool="bash"), ()),
        "malformed_args": (completion(arguments=['{}""']), ()),
        "invalid_name": (completion("NO SUCH"), ()),
        "stale_name": (completion("old-skill"), ()),
        "not_model_invocable": (completion("release-cut"), ()),
        "unknown_name": (completion("no-such-skill"), ()),
        "double_load": (completion(SQL, SQL), (SQL,)),
        "reload_after_user_load": (completion(PDF), ()),
        "text_call": (completion(content="<tool_call>{bad"), ()),
        "refusal": (refused, ()),
        "length_cut": (completion(content="", finish="length"), ()),
        "empty": (completion(content=None), ()),
        "ok": (completion(SQL), (SQL,)),
        "missed": (completion(content="Done."), (SQL,)),
        "spurious": (completion(SQL), ()),
        "ok_extra": (completion(SQL, DOCX), (SQL,)),
        "partial": (completion(SQL), (DOCX, SQL)),
        "wrong_skill": (completion(DOCX), (SQL,)),
    }
    assert set(replies) == {*MODEL_ERRORS, *JUDGED}
    for want, (raw, expected) in replies.items():
        case = RoutingCase(id="c", query="q", expected=expected)
        assert judge(case, read_answer(ChatReply.from_raw(raw), KNOWN, choice="tools")) == want


names_or_noise = st.sampled_from([*NAMES, "pdf", "PDF", ""])
arguments = st.one_of(names_or_noise.map(lambda n: f'{{"name": "{n}"}}'), st.text(max_size=5))


@given(
    calls=st.lists(st.tuples(st.sampled_from(["skill", "bash"]), arguments), max_size=4),
    content=st.one_of(st.none(), st.text(max_size=20)),
    finish=st.sampled_from(["stop", "length", "tool_calls"]),
    expected=st.sets(st.sampled_from(NAMES)),
    choice=st.sampled_from(["tools", "json"]),
)
def test_every_answer_has_exactly_one_known_label_and_ok_means_the_set(
    calls: list[tuple[str, str]], content: str | None, finish: str, expected: set[str], choice: str
) -> None:
    raw = completion(content=content, finish=finish)
    raw["choices"][0]["message"]["tool_calls"] = [{"function": {"name": n, "arguments": a}} for n, a in calls]
    case = RoutingCase(id="c", query="q", expected=tuple(sorted(expected)))
    answer = read_answer(ChatReply.from_raw(raw), NAMES, choice=choice)
    found = judge(case, answer)
    assert found in (*MODEL_ERRORS, *JUDGED)
    assert found not in UNLABELLED
    if found == "ok":
        assert set(answer.loaded) == expected
        assert not answer.invalid
    trial = Trial(case=case, label=found)
    assert trial.right == (found == "ok")
    assert (trial.state == "model_error") == (found in MODEL_ERRORS)
