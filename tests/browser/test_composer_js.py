"""The form's own rules, run in the browser, give what the traces of the real form and `Composer` give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.test_vectors import read_vectors
from tohlab.notebook.form import answers_of_form, form_module, questions_for_form
from tohlab.questions import Composer, Question

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

VECTORS = Path(__file__).parents[1] / "conformance" / "toh.jsonl"
TRACES = [row for row in read_vectors(VECTORS) if row["group"] == "composer"]

PLAY = """
([given, labels, actions, receipts]) => {
  const { questions } = JSON.parse(given), form = window.composer, answers = [...receipts];
  const find = (state, label) => labels[state.index].indexOf(label);
  const act = (state, action) => {
    if (action.option !== undefined) return form.choose(state, find(state, action.option));
    if (action.option_enter !== undefined) return form.enterOnOption(state);
    if (action.type !== undefined) return form.write(state, action.type);
    const { previous: prev, next, skip, dismiss: cancel, primary } = form;
    const locked = form.look(state).primaryDisabled;
    const step = { prev, next, skip, cancel, primary: locked ? null : primary, enter: primary }[action.do];
    return step ? step(state) : state; // a key that the form leaves to the text field changes nothing
  };
  const show = (state) => {
    const now = form.look(state);
    return {
      position: now.position, index: state.index, custom: now.draft.custom, feedback: now.feedback,
      options: now.question.options.map((option, i) => [option.label, form.isSelected(state, i)]),
      primary: { label: now.primaryLabel, disabled: now.primaryDisabled },
      prev_disabled: now.previousDisabled, next_disabled: now.nextDisabled,
      skip_disabled: now.skipDisabled, sent: state.sent,
    };
  };
  let state = form.start(questions);
  const trace = [show(state)];
  for (const action of actions) {
    const sent = state.sent.length;
    state = act(state, action);
    if (state.sent.length > sent && answers.length) {
      const receipt = answers.shift();
      if (receipt.throws !== undefined) state = form.failed(state, receipt.throws);
      else if (receipt.accepted === false) state = form.rejected(state, receipt.reason);
    }
    trace.push(show(state));
  }
  return trace;
}
"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.evaluate(
        "async (text) => { window.composer = await import(URL.createObjectURL("
        "new Blob([text], { type: 'text/javascript' }))); }",
        form_module(),
    )
    yield page
    page.close()


def play(
    page: Page, questions: list[Question], actions: list[Any], receipts: list[Any]
) -> list[dict[str, Any]]:
    """Take the steps in the browser; what was sent comes back through the kernel's own reader."""
    labels = [list(question.labels) for question in questions]
    trace = page.evaluate(PLAY, [questions_for_form(questions), labels, actions, receipts])
    for row, question in ((row, questions[row["index"]]) for row in trace):
        row["title"] = question.question
        row["sent"] = [wire(questions, sent) for sent in row["sent"]]
    return list(trace)


def wire(questions: list[Question], sent: dict[str, Any]) -> dict[str, Any]:
    if sent["answers"] is None:
        message = "the user closed this question request"
        return {"cancelled": {"code": "cancelled", "message": message, "details": {}}}
    return {"answers": [answer.to_wire() for answer in answers_of_form(questions, sent["answers"])]}


@pytest.mark.parametrize("row", TRACES, ids=[row["id"] for row in TRACES])
def test_a_recorded_trace(page: Page, row: dict[str, Any]) -> None:
    questions = [Question.from_wire(question) for question in row["input"]["questions"]]
    trace = play(page, questions, row["input"]["actions"], row["input"]["receipts"])
    expected = row["output"]["trace"]
    assert [
        {key: one[key] for key in wanted if key != "action"}
        for one, wanted in zip(trace, expected, strict=True)
    ] == [{key: value for key, value in wanted.items() if key != "action"} for wanted in expected]


def test_there_are_recorded_traces() -> None:
    assert len(TRACES) == 14


QUESTIONS = [
    Question.from_wire(row)
    for row in (
        {
            "id": "s",
            "question": "one",
            "options": [{"label": "A (Recommended)"}, {"label": "B"}, {"label": "B"}],
        },
        {"id": "m", "question": "many", "multiSelect": True, "options": [{"label": x} for x in "XYZY"]},
        {"id": "f", "question": "own"},
    )
]
LABELS = st.sampled_from(["A (Recommended)", "B", "X", "Y", "Z"])
ACTIONS = st.lists(
    st.one_of(
        st.builds(lambda label: {"option": label}, LABELS),
        st.builds(lambda text: {"type": text}, st.sampled_from(["", " ", "\u3000", "own", " own\nwords "])),
        st.builds(lambda word: {"do": word}, st.sampled_from(["prev", "next", "skip", "cancel", "enter"])),
        st.just({"option_enter": "B"}),
    ),
    max_size=14,
)
RECEIPTS = st.lists(
    st.sampled_from([{"accepted": True}, {"accepted": False, "reason": "not-pending"}, {"throws": "gone"}]),
    max_size=3,
)


def in_python(actions: list[dict[str, str]], receipts: list[dict[str, Any]]) -> Composer:
    form, left = Composer(questions=tuple(QUESTIONS)), list(receipts)
    words = {"prev": "previous", "cancel": "dismiss", "enter": "primary"}
    for action in actions:
        before = len(form.sent)
        if "option" in action:
            form = form.choose(action["option"])
        elif "type" in action:
            form = form.write(action["type"])
        elif "option_enter" in action:
            form = form.enter_on_option()
        else:
            form = getattr(form, words.get(action["do"], action["do"]))()
        if len(form.sent) > before and left:
            receipt = left.pop(0)
            if "throws" in receipt:
                form = form.failed(receipt["throws"])
            elif not receipt["accepted"]:
                form = form.rejected(receipt["reason"])
    return form


@given(ACTIONS, RECEIPTS)
def test_any_steps_lead_where_the_kernels_composer_leads(
    page: Page, actions: list[dict[str, str]], receipts: list[dict[str, Any]]
) -> None:
    possible, form = [], Composer(questions=tuple(QUESTIONS))
    for action in actions:  # only what the question shown offers can be clicked
        if "option" in action and action["option"] not in form.question.labels:
            continue
        possible.append(action)
        form = in_python(possible, receipts)
    last = play(page, QUESTIONS, possible, receipts)[-1]
    assert last["position"] == form.position
    assert last["custom"] == form.draft.custom
    assert last["feedback"] == form.feedback
    assert last["primary"] == {"label": form.primary_label, "disabled": form.primary_disabled}
    assert [chosen for _, chosen in last["options"]] == [
        x in form.draft.selected for x in form.question.labels
    ]
    assert [json.dumps(sent.get("answers")) for sent in last["sent"]] == [
        json.dumps(None if sent.answers is None else [answer.to_wire() for answer in sent.answers])
        for sent in form.sent
    ]
