"""An asker with a script: what a person would say, written down beforehand."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tohlab.askers.base import AbortSignal, aborted, dismissed
from tohlab.errors import ScriptError
from tohlab.questions.model import Answer, AskRequest, Question
from tohlab.questions.rules import why_refused


class _Word:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


SKIP: Final = _Word("SKIP")
"""In a script: skip this question."""
DISMISS: Final = _Word("DISMISS")
"""In a script: dismiss the whole batch."""

Script = Mapping[str, Any] | Sequence[Any] | Callable[[Question], Any]


class ScriptedAsker:
    """Answers from a script and refuses to guess: a question that the script does not answer is an error.

    Args:
        script: `{question id: value}`, or a sequence of values used in the order in which questions come, or
            a function from question to value. A value is a label or own words (a string that is a label is
            the label), a list of labels, `{"selected": [...], "custom": "..."}`, an `Answer`, `SKIP`,
            `DISMISS`, an exception to raise, or a function from question to any of these.

    The answers are checked as a host checks them, so a script cannot say what a person could not.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._position = 0
        self._used: set[str] = set()
        self.asked: list[Question] = []
        """Every question that was asked, oldest first."""

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> tuple[Answer, ...]:
        """Return the script's answers.

        Raises:
            ScriptError: the script has no answer for a question, or one that a host would refuse.
            AskError: the script says `DISMISS` (`ASK_CANCELLED`), or the signal is aborted (`ASK_ABORTED`).
        """
        if signal is not None and signal.aborted:
            raise aborted()
        answers = tuple(self._answer(question) for question in request.questions)
        refused = why_refused(request.questions, answers)
        if refused is not None:
            raise ScriptError(f"the script's answer cannot be given: {refused}")
        return answers

    def assert_all_used(self) -> None:
        """Raise `ScriptError` if the script holds answers that no question asked for."""
        if isinstance(self._script, Mapping):
            left = [key for key in self._script if key not in self._used]
        elif callable(self._script):
            left = []
        else:
            left = [repr(value) for value in self._script[self._position :]]
        if left:
            raise ScriptError(f"the script has answers that nobody asked for: {', '.join(left)}")

    def _answer(self, question: Question) -> Answer:
        self.asked.append(question)
        value = self._value(question)
        if callable(value):
            value = value(question)
        if isinstance(value, BaseException):
            raise value
        if value is DISMISS:
            raise dismissed()
        if value is SKIP:
            return Answer(id=question.id)
        if isinstance(value, Answer):
            return value
        if isinstance(value, str):
            if value in question.labels:
                return Answer(id=question.id, selected=(value,))
            return Answer(id=question.id, custom=value)
        if isinstance(value, Mapping):
            return Answer(
                id=question.id, selected=tuple(value.get("selected", ())), custom=value.get("custom")
            )
        if isinstance(value, Sequence):
            return Answer(id=question.id, selected=tuple(value))
        raise ScriptError(
            f"the script's answer to question {question.id!r} is a {type(value).__name__}: {value!r}"
        )

    def _value(self, question: Question) -> Any:
        script = self._script
        if isinstance(script, Mapping):
            if question.id not in script:
                near = difflib.get_close_matches(question.id, list(script), n=1)
                hint = f" (the script has {near[0]!r})" if near else ""
                raise ScriptError(
                    f"the script has no answer for question {question.id!r}: {question.question!r}{hint}; "
                    f"add {question.id!r} to it, or SKIP"
                )
            self._used.add(question.id)
            return script[question.id]
        if callable(script):
            return script(question)
        if self._position >= len(script):
            raise ScriptError(
                f"the script ended after {len(script)} answers; question {question.id!r} has none: "
                f"{question.question!r}"
            )
        self._position += 1
        return script[self._position - 1]
