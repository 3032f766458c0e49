"""Questions, answers and how they are written and drawn."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.questions import (
    Answer,
    Intent,
    Option,
    Question,
    accepts,
    answers_to_json,
    parse_recommended_label,
    plan_review_of,
    why_refused,
)

PLAN = Question(
    id="p",
    question="Ship it?",
    detail="# Plan",
    options=(Option(label="No"), Option(label="Yes")),
    intent=Intent(kind="plan-review", approve="Yes"),
)

TEXT = st.text(st.characters(codec=None), max_size=8)


def test_an_answer_is_written_compactly_in_the_harness_s_order() -> None:
    answers = [Answer(id="é", selected=("B", "A"), custom=""), Answer(id="\ud83d")]
    assert (
        answers_to_json(answers)
        == '{"answers":[{"id":"é","selected":["B","A"],"custom":""},{"id":"\\ud83d","selected":[]}]}'
    )


@given(st.lists(st.tuples(TEXT, st.lists(TEXT, max_size=3), st.none() | TEXT), max_size=4))
def test_what_is_written_can_be_read_back(rows: list[tuple[str, list[str], str | None]]) -> None:
    answers = [Answer(id=i, selected=tuple(s), custom=c) for i, s, c in rows]
    read = json.loads(answers_to_json(answers))["answers"]
    assert json.dumps(read) == json.dumps([a.to_wire() for a in answers])


def test_a_string_is_not_a_list_of_labels() -> None:
    with pytest.raises(TypeError, match="sequence of labels"):
        Answer(id="a", selected="pnpm")  # type: ignore[arg-type]  # a text for a list is the point


@pytest.mark.parametrize(
    "row",
    [
        {"id": "a", "question": "Q"},
        {"id": "a", "question": "Q", "header": "", "options": [], "multi_select": False},
        {"id": "a", "question": "Q", "options": [{"label": "A", "description": "d", "more": [1]}]},
    ],
)
def test_a_model_s_question_is_written_as_it_was_read(row: dict[str, Any]) -> None:
    assert Question.from_model(row).to_model() == row


def test_a_provider_s_question_is_written_as_it_was_read() -> None:
    assert Question.from_wire(PLAN.to_wire()) == PLAN


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("Fast (Recommended)", "Fast"),
        ("Fast\u3000（recommended）\n", "Fast"),
        ("(推荐)", ""),
        ("A (recommended) (Recommended)", "A (recommended)"),
    ],
)
def test_the_mark_of_a_recommended_label_is_cut_off_once(label: str, shown: str) -> None:
    assert parse_recommended_label(label).label == shown
    assert parse_recommended_label(label).recommended


@pytest.mark.parametrize("label", ["Fast (Recommended", "（Recommended)", "(recom\u017fended)", "Fast", ""])
def test_other_labels_are_shown_whole(label: str) -> None:
    shown = parse_recommended_label(label)
    assert (shown.label, shown.recommended) == (label, False)


def test_a_hostile_label_takes_no_time() -> None:
    start = time.process_time()
    parse_recommended_label(" " * 200_000 + "x")
    parse_recommended_label("(recommended) " * 20_000 + "x")
    assert time.process_time() - start < 1


def test_a_plan_review_shows_which_option_approves() -> None:
    review = plan_review_of([PLAN])
    assert review is not None
    assert (review.approve.label, review.decline and review.decline.label) == ("Yes", "No")


def test_a_plan_review_with_one_option_has_no_other() -> None:
    review = plan_review_of([Question.from_wire(PLAN.to_wire() | {"options": [{"label": "Yes"}]})])
    assert review is not None
    assert review.decline is None


@pytest.mark.parametrize(
    "change",
    [
        {"options": [{"label": "Yes"}, {"label": "No"}, {"label": "Later"}]},
        {"options": []},
        {"multiSelect": True},
        {"intent": {"kind": "other", "approve": "Yes"}},
    ],
)
def test_anything_else_is_an_ordinary_question(change: dict[str, Any]) -> None:
    assert plan_review_of([Question.from_wire(PLAN.to_wire() | change)]) is None
    assert plan_review_of([PLAN, PLAN]) is None


def test_a_refusal_of_500_long_labels_stays_short() -> None:
    options = tuple(Option(label=f"{i} " + "x" * 100_000) for i in range(500))
    question = Question(id="a", question="Q", options=options)
    refused = why_refused([question], [Answer(id="a", selected=("y" * 100_000,))])
    assert refused is not None
    assert "and 490 more" in refused
    assert len(refused) < 2_000
    assert accepts([question], [Answer(id="a", selected=(options[7].label,))])
