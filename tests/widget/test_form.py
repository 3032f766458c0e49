"""The two bodies of the form, without a front end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tohlab.notebook.form import AnyForm, CoreForm, answers_of_form, form_module, questions_for_form
from tohlab.questions import Answer, Question

COLOUR = Question.from_wire(
    {
        "id": "c",
        "question": "Which?",
        "options": [{"label": "Blue (Recommended)", "description": "d"}, {"label": "Red"}],
    }
)
TOOLS = Question.from_wire(
    {
        "id": "t",
        "question": "$5 or $6?",
        "multiSelect": True,
        "options": [{"label": x} for x in ("<b>a</b>", "b")],
    }
)
NAME = Question.from_wire({"id": "n", "question": "Name?"})
PLAN = Question.from_wire(
    {
        "id": "p",
        "question": "Go on?",
        "detail": "# Plan",
        "options": [{"label": "No"}, {"label": "Yes"}],
        "intent": {"kind": "plan-review", "approve": "Yes"},
    }
)


def drawn(*questions: Question) -> dict[str, Any]:
    return dict(json.loads(questions_for_form(questions)))


def test_a_label_is_shown_without_its_suffix_and_known_by_its_index() -> None:
    options = drawn(COLOUR)["questions"][0]["options"]
    assert options[0] == {"label": "Blue", "recommended": True, "about": "d", "same": 0}
    assert answers_of_form([COLOUR], [{"selected": [0]}]) == (
        Answer(id="c", selected=("Blue (Recommended)",)),
    )


def test_equal_labels_are_one_choice() -> None:
    question = Question.from_wire({"id": "x", "question": "?", "options": [{"label": x} for x in "aba"]})
    assert [option["same"] for option in drawn(question)["questions"][0]["options"]] == [0, 1, 0]


def test_a_plan_review_names_its_two_options_and_anything_else_has_none() -> None:
    assert drawn(PLAN)["review"] == {"approve": 1, "decline": 0}
    assert drawn(PLAN, NAME)["review"] is None
    assert drawn(COLOUR)["review"] is None


def test_what_the_form_gets_can_be_sent_whatever_the_texts_hold() -> None:
    question = Question.from_wire({"id": "x", "question": "\ud83d", "options": [{"label": "\udc00\u2028"}]})
    questions_for_form([question]).encode("ascii")


def test_the_wheel_carries_the_form() -> None:
    module = form_module()
    assert "export function choose" in module
    assert "export default { initialize, render }" in module
    assert "innerHTML" not in module


class Taken:
    """What a form handed over, with the reason that it gets back."""

    def __init__(self) -> None:
        self.batches: list[tuple[Answer, ...] | None] = []
        self.reason: str | None = None

    def __call__(self, answers: tuple[Answer, ...] | None) -> str | None:
        self.batches.append(answers)
        return self.reason


@pytest.fixture
def taken() -> Taken:
    return Taken()


def everything(widget: Any) -> list[Any]:
    children = getattr(widget, "children", ())
    return [widget, *(one for child in children for one in everything(child))]


def click(form: CoreForm, text: str) -> None:
    buttons = [w for w in everything(form.shown) if type(w).__name__ == "Button"]
    next(b for b in buttons if b.description.removeprefix("☐ ").startswith(text)).click()


def write(form: CoreForm, text: str) -> None:
    areas = [w for w in everything(form.shown) if type(w).__name__ == "Textarea" and not w.disabled]
    areas[0].value = text


def said(form: CoreForm) -> str:
    areas = [w for w in everything(form.shown) if type(w).__name__ == "Textarea" and w.disabled]
    return "\n".join(area.value for area in areas)


def test_the_plain_form_steps_as_the_composer_does(taken: Taken) -> None:
    form = CoreForm([COLOUR, TOOLS, NAME], taken)
    assert not form.begun
    click(form, "Blue (Recommended) - d")
    assert form.begun
    assert "2 / 3" in said(form)
    click(form, "b")
    click(form, "<b>a</b>")
    write(form, " more ")
    click(form, "Next")
    click(form, "Submit")
    assert "Please select an option" in said(form)
    write(form, "x")
    click(form, "Submit")
    assert taken.batches == [
        (
            Answer(id="c", selected=("Blue (Recommended)",)),
            Answer(id="t", selected=("b", "<b>a</b>"), custom="more"),
            Answer(id="n", custom="x"),
        )
    ]


def test_the_plain_form_says_what_was_refused_and_stays_open(taken: Taken) -> None:
    form = CoreForm([NAME], taken)
    taken.reason = "not today"
    click(form, "Dismiss")
    assert "question cancellation rejected: not today" in said(form)
    click(form, "Skip")
    assert "question response rejected: not today" in said(form)
    assert taken.batches == [None, (Answer(id="n"),)]


def test_the_plain_form_shows_texts_only_where_nothing_reads_them_as_html_or_formula(taken: Taken) -> None:
    form = CoreForm([TOOLS], taken)
    kinds = {type(widget).__name__ for widget in everything(form.shown)}
    assert kinds <= {"VBox", "HBox", "Button", "Textarea"}
    form.end("<i>closed</i>")
    assert said(form) == "<i>closed</i>"
    form.discard()


def test_our_form_judges_what_it_gets_and_answers_with_a_receipt(taken: Taken) -> None:
    form = AnyForm([COLOUR], taken)
    receipts: list[Any] = []
    form.shown.send = receipts.append
    taken.reason = "not today"
    form._receive(None, {"type": "sent", "number": 1, "body": '{"answers":[{"selected":[1]}]}'}, None)
    form._receive(None, {"type": "sent", "number": 2, "body": '{"answers":[{"selected":[9]}]}'}, None)
    form._receive(None, {"type": "something else"}, None)
    form._receive(None, "no message", None)
    assert receipts == [
        {"type": "receipt", "number": 1, "accepted": False, "reason": "not today"},
        {"type": "receipt", "number": 2, "accepted": False, "reason": "bad-response"},
    ]
    assert taken.batches == [(Answer(id="c", selected=("Red",)),)]
    form.discard()
