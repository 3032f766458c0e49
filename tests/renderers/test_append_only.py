"""Whether a format lets a conversation grow at its end only, and where it does not."""

from __future__ import annotations

from datetime import date

import pytest

from tests.renderers.templates import DATED, THINKS, TOOLS_FIRST, TOOLS_LAST, TURNS
from tohlab.errors import RenderError
from tohlab.renderers import (
    AppendOnlyReport,
    AppendOnlyRow,
    HarmonyRenderer,
    JinjaRenderer,
    PlainRenderer,
    append_only,
)
from tohlab.request import Request, text_message

SITUATIONS = [
    "tool loop",
    "new user turn",
    "reasoning in a tool loop",
    "reasoning before a new user turn",
    "another date",
]


def row(report: AppendOnlyReport, situation: str) -> AppendOnlyRow:
    return next(row for row in report.rows if row.situation == situation)


def broken(report: AppendOnlyReport) -> list[str]:
    return [row.situation for row in report.rows if not row.append_only]


@pytest.mark.parametrize("renderer", [PlainRenderer(), JinjaRenderer(TURNS), JinjaRenderer(TOOLS_FIRST)])
def test_a_format_that_only_appends_says_so(renderer: PlainRenderer | JinjaRenderer) -> None:
    report = append_only(renderer)
    assert [r.situation for r in report.rows] == SITUATIONS
    assert report.append_only
    assert {(r.kept_share, r.path, r.before, r.after, r.prompt_kept) for r in report.rows} == {
        (1.0, "", "", "", True)
    }
    assert report.sentence == f"{renderer.name} only appends, in all 5 situations."


def test_tools_before_the_last_user_message_move_in_every_turn() -> None:
    report = append_only(JinjaRenderer(TOOLS_LAST))
    assert broken(report) == ["new user turn", "reasoning before a new user turn", "another date"]
    turn = row(report, "new user turn")
    assert turn.before.startswith("AVAILABLE_TOOLS]")
    assert turn.after.startswith("user]What is the weather")
    assert 0.05 < turn.kept_share < 0.15
    assert "only 9% of the characters sent before are kept; its own text in the" in report.sentence


def test_stripped_reasoning_rewrites_history() -> None:
    report = append_only(JinjaRenderer(THINKS))
    assert broken(report) == ["reasoning before a new user turn"]
    turn = row(report, "reasoning before a new user turn")
    assert turn.before.startswith("hink>\nFirst I look up Ulm.")
    assert turn.after.startswith("ool_call>")
    assert 0.3 < turn.kept_share < 0.6
    # The prompt for an answer opens a thought that history does not keep.
    assert not row(report, "new user turn").prompt_kept


def test_harmony_strips_reasoning_too() -> None:
    report = append_only(HarmonyRenderer())
    assert broken(report) == ["reasoning before a new user turn"]
    assert not report.append_only


@pytest.mark.parametrize(
    "renderer", [JinjaRenderer(DATED, day=date(2026, 1, 1)), HarmonyRenderer(day=date(2026, 1, 1))]
)
def test_a_date_in_front_breaks_every_session_at_midnight(renderer: JinjaRenderer | HarmonyRenderer) -> None:
    report = append_only(renderer)
    midnight = row(report, "another date")
    assert not midnight.append_only
    assert midnight.kept_share < 0.15
    assert (midnight.before[0], midnight.after[0]) == ("1", "2")
    assert row(report, "tool loop").append_only


def test_conversations_of_ones_own_are_checked_too() -> None:
    start = text_message("user", "one")
    grows = (Request(messages=(start,)), Request(messages=(start, text_message("assistant", "two"))))
    edited = (grows[1], Request(messages=(text_message("user", "One"), text_message("assistant", "two"))))
    shorter = (grows[1], grows[0])
    report = append_only(
        PlainRenderer(), {"grows": grows, "edited": edited, "shorter": shorter, "alone": grows[:1]}
    )
    assert broken(report) == ["edited", "shorter"]
    assert row(report, "edited").path == "messages[0].content[0]"
    assert (row(report, "edited").before, row(report, "edited").after) == ("onetwo", "Onetwo")
    assert (row(report, "shorter").kept_share, row(report, "shorter").path) == (0.5, "messages[1].content[0]")
    assert row(report, "alone").append_only
    assert report.to_dict()["rows"][1]["step"] == 1


def test_the_worst_step_is_named() -> None:
    texts = ["abcdef", "abcdefgh", "abXdefgh", "abXdefghi"]
    steps = [Request(messages=(text_message("user", text),)) for text in texts]
    report = append_only(PlainRenderer(), {"edits": steps})
    assert (row(report, "edits").step, row(report, "edits").kept_share) == (2, 0.25)
    assert report.sentence == (
        "plain does not only append: in the situation “edits” only 25% of the characters sent before are "
        "kept; messages[0].content[0] changes first."
    )


def test_what_a_template_cannot_write_is_said_and_not_passed_over() -> None:
    no_tools = (
        "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools here') }}{% endif %}"
        "{{ m.content }}{% endfor %}"
    )
    report = append_only(JinjaRenderer(no_tools, name="mine"))
    assert [name for name, _ in report.skipped] == SITUATIONS
    assert report.skipped[0][1] == "mine, line 1: the template raised: no tools here"
    assert (report.rows, report.append_only) == ((), False)
    assert report.sentence == (
        "mine writes none of the conversations (mine, line 1: the template raised: no tools here)."
    )
    undated = append_only(JinjaRenderer(DATED))
    assert not undated.append_only
    assert "today's date" in undated.skipped[0][1]
    with pytest.raises(RenderError, match="today's date"):
        append_only(JinjaRenderer(DATED), {"mine": (Request(), Request())})


@pytest.mark.parametrize("template", ["", "always the same"])
def test_a_template_that_writes_nothing_of_a_conversation_does_not_only_append(template: str) -> None:
    report = append_only(JinjaRenderer(template, name="mine"))
    assert not report.append_only
    assert report.sentence == (
        "mine writes none of the conversations (mine: it writes the same text for a longer conversation)."
    )


def test_situations_that_are_not_written_are_not_counted_as_kept() -> None:
    thinks_not = (
        "{% for m in messages %}{% if m.reasoning_content %}{{ raise_exception('no thoughts') }}{% endif %}"
        "{{ m.role }}: {{ m.content }}{% endfor %}"
    )
    report = append_only(JinjaRenderer(thinks_not, name="mine"))
    assert report.append_only
    assert report.sentence == (
        "mine only appends, in 3 of 5 situations; the others it does not write "
        "(mine, line 1: the template raised: no thoughts)."
    )
