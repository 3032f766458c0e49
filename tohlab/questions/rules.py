"""What a host accepts, what the service refuses, and how two kinds of question are drawn.

Source: TheOpen Harness 0.1.1-rc.2, `interaction/user-questions` (service checks), `host/apiproxy`
(acceptance), `client/ui-user-questions` (recommended label, plan review); the `ask_service_error`,
`host_accepts_answer`, `recommended_label` and `plan_review_of` vectors are the judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tohlab.ecma import json_stringify, trim
from tohlab.errors import AskError
from tohlab.questions.model import Answer, Option, Question

ABORTED: Final = "ask_user_question was aborted before the user answered"
EMPTY: Final = "ask_user_question requires at least one question"
NOT_LIVE: Final = "human interaction requires the exact live calling agent when an agent is supplied"
DELEGATED: Final = (
    "human interaction is unavailable while the calling agent is owned by another live agent; "
    "include the unresolved question or decision in the child agent's final result"
)
NO_PROVIDER: Final = "no user-questions provider is registered"
DUPLICATE_PROVIDER: Final = "a user-questions provider is already registered"
CANCELLED: Final = "the user cancelled ask_user_question"
MISSING_AGENT: Final = "web user interaction requires an agent-owned session"
DISPOSED: Final = "web user-questions provider was disposed"

_MARK: Final = re.compile(
    r"(?:\((?:recommended|推荐)\)|（(?:recommended|推荐)）)\Z", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecommendedLabel:
    """A label as it is shown; the value stays the whole label."""

    label: str
    recommended: bool


def parse_recommended_label(label: str) -> RecommendedLabel:
    """Return the label without a closing `(Recommended)` or `（推荐）`, and whether it had one."""
    end = len(label)
    while end and label[end - 1] in _BLANK:
        end -= 1
    mark = _MARK.search(label, max(0, end - _LONGEST_MARK), end)
    if mark is None:
        return RecommendedLabel(label=label, recommended=False)
    start = mark.start()
    while start and label[start - 1] in _BLANK:
        start -= 1
    return RecommendedLabel(label=label[:start], recommended=True)


_LONGEST_MARK: Final = len("(recommended)")
_BLANK: Final = frozenset(chr(c) for c in range(0x10000) if not trim(chr(c)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReview:
    """A single decision over a plan, drawn as a card with two buttons."""

    id: str
    question: str
    plan: str
    """Markdown."""
    approve: Option
    decline: Option | None = None
    """The other option, or None where the asker offered no other."""


def plan_review_of(questions: Sequence[Question]) -> PlanReview | None:
    """Return the plan review that a batch means, or None to leave it to the ordinary form.

    It is one exactly when two buttons can give every answer there is: a single question with the intent, its
    detail, the approve label among at most two options, and one choice.
    """
    if len(questions) != 1:
        return None
    question = questions[0]
    intent = question.intent
    if intent is None or intent.kind != "plan-review" or question.detail is None or question.multi_select:
        return None
    if len(question.choices) > 2:
        return None
    approve = next((o for o in question.choices if o.label == intent.approve), None)
    if approve is None:
        return None
    decline = next((o for o in question.choices if o.label != intent.approve), None)
    return PlanReview(
        id=question.id, question=question.question, plan=question.detail, approve=approve, decline=decline
    )


def check_request(questions: Sequence[Question]) -> None:
    """Raise for a batch that the service refuses before anybody is asked.

    Raises:
        AskError: `EMPTY_QUESTIONS` or `BAD_INTENT`, with the harness's own text.
    """
    if not questions:
        raise AskError("EMPTY_QUESTIONS", EMPTY)
    check_intents(questions)


def check_intents(questions: Sequence[Question]) -> None:
    """Raise `BAD_INTENT` for an intent that names no option, or that has nothing to review."""
    for question in questions:
        intent = question.intent
        if intent is None:
            continue
        if intent.approve not in question.labels:
            raise AskError(
                "BAD_INTENT",
                f"question {question.id} declares intent {intent.kind} whose approve label "
                f"{json_stringify(intent.approve)} names none of its options",
            )
        if question.detail is None:
            raise AskError(
                "BAD_INTENT",
                f"question {question.id} declares intent {intent.kind} without the detail it reviews",
            )


def why_refused(questions: Sequence[Question], answers: Sequence[Answer]) -> str | None:
    """Return what a host has against these answers, as a sentence for a person, or None if it takes them.

    A host takes one answer per question, in the same order; offered labels, none twice; own words that are
    not blank; and for a single choice one label or own words, not both.
    """
    if len(answers) != len(questions):
        return f"{len(questions)} questions need {len(questions)} answers, not {len(answers)}"
    for question, answer in zip(questions, answers, strict=True):
        name = f"question {shortened(question.id)}"
        if answer.id != question.id:
            return (
                f"the answer to {name} carries the id {shortened(answer.id)}; "
                "answers stand in the questions' order"
            )
        if len(set(answer.selected)) != len(answer.selected):
            return f"{name}: a label is selected twice"
        for label in answer.selected:
            if label not in question.labels:
                return f"{name}: {shortened(label)} is not one of its labels (offered: {_offered(question)})"
        if answer.custom is not None and not trim(answer.custom):
            return f"{name}: own words that are blank are not an answer"
        if not question.multi_select and len(answer.selected) + (answer.custom is not None) > 1:
            return f"{name} takes one answer: one label or own words"
    return None


def accepts(questions: Sequence[Question], answers: Sequence[Answer]) -> bool:
    """Return whether a host takes these answers; a refused one leaves the wait open."""
    return why_refused(questions, answers) is None


def _offered(question: Question) -> str:
    labels = question.labels
    if not labels:
        return "none, so only own words"
    more = f", and {len(labels) - 10:,} more" if len(labels) > 10 else ""
    return ", ".join(map(shortened, labels[:10])) + more


def shortened(value: object) -> str:
    """Return `repr(value)` for a sentence: of a long text the first 80 characters, and nothing that is not
    printable as it is."""
    if isinstance(value, str):
        return repr(value if len(value) <= 80 else value[:79] + "…")
    shown = repr(value)
    return shown if len(shown) <= 200 else shown[:199] + "…"
