"""The form that steps through a batch of questions, as a pure state machine.

A `Composer` is a value; each thing that a person does gives the next one. What it would send to the host
stands in `sent`. The widget draws it and adds nothing to its rules. Source: the behaviour of TheOpen Harness
0.1.1-rc.2's question composer; the `composer` vectors are traces of the real component.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, Self

from tohlab.ecma import trim
from tohlab.questions.model import Answer, Question

UNANSWERED: Final = "Please select an option or enter a custom answer."
INCOMPLETE: Final = "Please complete this question first."
CANCEL_MESSAGE: Final = "the user closed this question request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What stands in the form for one question so far."""

    selected: tuple[str, ...] = ()
    custom: str = ""
    skipped: bool = False

    @property
    def answered(self) -> bool:
        """Whether something is selected or written; blanks alone are not."""
        return bool(self.selected) or trim(self.custom) != ""

    @property
    def completed(self) -> bool:
        """Whether it is answered or skipped."""
        return self.answered or self.skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What the form gives to the host: a whole batch of answers, or None for a dismissal."""

    answers: tuple[Answer, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Composer:
    """One state of the form. Every method gives the next state; none changes this one."""

    questions: tuple[Question, ...]
    index: int = 0
    """Which question is shown, from 0."""
    drafts: tuple[Draft, ...] = ()
    busy: Literal["answer", "cancel"] | None = None
    """What is on its way to the host; everything is locked meanwhile."""
    feedback: str | None = None
    sent: tuple[Sent, ...] = ()
    """Everything given to the host so far, oldest first."""

    def __post_init__(self) -> None:
        if not self.questions:
            raise ValueError("a form needs at least one question")
        if not self.drafts:
            object.__setattr__(self, "drafts", tuple(Draft() for _ in self.questions))

    # what is seen

    @property
    def question(self) -> Question:
        """The question that is shown."""
        return self.questions[self.index]

    @property
    def draft(self) -> Draft:
        """What stands in the form for it."""
        return self.drafts[self.index]

    @property
    def position(self) -> str:
        """`n / N`."""
        return f"{self.index + 1} / {len(self.questions)}"

    @property
    def is_last(self) -> bool:
        """Whether the last question is shown."""
        return self.index == len(self.questions) - 1

    @property
    def primary_label(self) -> str:
        """What the main button says: `Next`, `Submit` or `Submitting…`."""
        if self.busy == "answer":
            return "Submitting…"
        return "Submit" if self.is_last else "Next"

    @property
    def primary_disabled(self) -> bool:
        """Whether the main button is locked: something is on its way, or this question has no answer yet."""
        return self.busy is not None or not self.draft.answered

    @property
    def previous_disabled(self) -> bool:
        """Whether there is no question before, or something is on its way."""
        return self.busy is not None or self.index == 0

    @property
    def next_disabled(self) -> bool:
        """Whether there is no question after, or something is on its way."""
        return self.busy is not None or self.is_last

    # what a person does

    def choose(self, label: str) -> Self:
        """Click an option: one choice replaces and moves on, several toggle in click order.

        Raises:
            ValueError: the question offers no such label.
        """
        if self.busy:
            return self
        if label not in self.question.labels:
            raise ValueError(f"{label!r} is not one of {list(self.question.labels)}")
        if self.question.multi_select:
            old = self.draft.selected
            selected = tuple(s for s in old if s != label) if label in old else (*old, label)
            return self._with_draft(replace(self.draft, selected=selected, skipped=False))
        chosen = self._with_draft(Draft(selected=(label,)))
        return chosen if self.is_last else replace(chosen, index=self.index + 1)

    def write(self, text: str) -> Self:
        """Change the own words; for one choice they take the selection's place."""
        if self.busy:
            return self
        selected = self.draft.selected if self.question.multi_select else ()
        return self._with_draft(Draft(selected=selected, custom=text))

    def primary(self) -> Self:
        """Press the main button, or Enter in the text field: move on, or submit on the last question."""
        if self.busy:
            return self
        if not self.draft.answered:
            return replace(self, feedback=UNANSWERED)
        if not self.is_last:
            return replace(self, index=self.index + 1, feedback=None)
        return self._submit()

    def enter_on_option(self) -> Self:
        """Press Enter on an option: submit if every question is answered or skipped, else nothing."""
        if self.busy or not all(draft.completed for draft in self.drafts):
            return self
        return self._submit()

    def skip(self) -> Self:
        """Skip this question: its draft is dropped; on the last question the batch is submitted."""
        if self.busy:
            return self
        skipped = self._with_draft(Draft(skipped=True))
        return skipped._submit() if self.is_last else replace(skipped, index=self.index + 1)

    def previous(self) -> Self:
        """Go back one question."""
        return self if self.previous_disabled else replace(self, index=self.index - 1, feedback=None)

    def next(self) -> Self:
        """Go on one question, answered or not."""
        return self if self.next_disabled else replace(self, index=self.index + 1, feedback=None)

    def dismiss(self) -> Self:
        """Dismiss the whole batch."""
        if self.busy:
            return self
        return replace(self, busy="cancel", feedback=None, sent=(*self.sent, Sent(answers=None)))

    # what the host says

    def rejected(self, reason: str) -> Self:
        """The host did not take it: the reason is shown and the form is open again, with nothing lost."""
        what = "cancellation" if self.busy == "cancel" else "response"
        return self.failed(f"question {what} rejected: {reason}")

    def failed(self, message: str) -> Self:
        """It did not reach the host: the message is shown and the form is open again."""
        return replace(self, busy=None, feedback=message)

    def _with_draft(self, draft: Draft) -> Self:
        drafts = (*self.drafts[: self.index], draft, *self.drafts[self.index + 1 :])
        return replace(self, drafts=drafts, feedback=None)

    def _submit(self) -> Self:
        gap = next((i for i, draft in enumerate(self.drafts) if not draft.completed), None)
        if gap is not None:
            return replace(self, index=gap, feedback=INCOMPLETE)
        answers = tuple(_answer(q, d) for q, d in zip(self.questions, self.drafts, strict=True))
        return replace(self, busy="answer", feedback=None, sent=(*self.sent, Sent(answers=answers)))


def _answer(question: Question, draft: Draft) -> Answer:
    if draft.skipped:
        return Answer(id=question.id)
    custom = trim(draft.custom) or None
    selected = draft.selected if custom is None or question.multi_select else ()
    return Answer(id=question.id, selected=selected, custom=custom)
