"""An asker with a script: what a person would say, written down beforehand."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Self

from tohlab.askers.base import AbortSignal, aborted, dismissed
from tohlab.ecma import trim
from tohlab.errors import ScriptError
from tohlab.questions.model import Answer, AskRequest, Question
from tohlab.questions.rules import parse_recommended_label, shortened, why_refused


class _Word:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


SKIP: Final = _Word("SKIP")
"""In a script: skip this question."""
DISMISS: Final = _Word("DISMISS")
"""In a script: dismiss the whole batch."""

_LONGEST_NAME: Final = 200
"""In characters: a longer id is no slip of the pen that a near one could explain."""

Script = Mapping[str, Any] | Sequence[Any] | Callable[[Question], Any]


class ScriptedAsker:
    """Answers from a script and refuses to guess: a question that the script does not answer is an error.

    Args:
        script: `{question id: value}`, or a sequence of values used in the order in which questions come, or
            a function from question to value. A value is a label or own words (a string that is a label is
            the label), a list of labels, `{"selected": [...], "custom": "..."}`, an `Answer`, `SKIP`,
            `DISMISS`, an exception to raise, or a function from question to any of these. Own words are
            trimmed, as the form does.

    The answers are checked as a host checks them, so a script cannot say what a person could not. Two
    questions of one id get the same answer from a script by id.

    Raises:
        ScriptError: the script is none of these, such as a single string.
    """

    def __init__(self, script: Script) -> None:
        if isinstance(script, (str, bytes)) or not (
            isinstance(script, (Mapping, Sequence)) or callable(script)
        ):
            raise ScriptError(
                f"a script is a dict by question id, a list in order, or a function, not {script!r}"
            )
        self._script = script
        self._position = 0
        self._used: set[str] = set()
        self.asked: list[Question] = []
        """Every question that was asked, oldest first."""

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Return the asker for a script that was read from JSON.

        Args:
            data: `{question id: value}` or a list of values, as above; in JSON null is `SKIP` and
                `{"dismiss": true}` is `DISMISS`.

        Raises:
            ScriptError: it is neither an object nor a list.
        """
        if isinstance(data, Mapping):
            return cls({key: _from_json(value) for key, value in data.items()})
        if isinstance(data, list):
            return cls([_from_json(value) for value in data])
        raise ScriptError(
            f"a script is an object by question id or a list in order, not {type(data).__name__}"
        )

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> tuple[Answer, ...]:
        """Return the script's answers.

        Raises:
            ScriptError: the script has no answer for a question, or one that a host would refuse.
            AskError: the script says `DISMISS` (`ASK_CANCELLED`), or the signal is aborted (`ASK_ABORTED`).
        """
        if signal is not None and signal.aborted:
            raise aborted()
        answers = tuple(self._answer(question) for question in request.questions)
        if signal is not None and signal.aborted:
            raise aborted()
        refused = why_refused(request.questions, answers)
        if refused is not None:
            raise ScriptError(f"the script's answer cannot be given: {refused}")
        return answers

    def assert_all_used(self) -> None:
        """Raise `ScriptError` if the script holds answers that no question asked for."""
        if isinstance(self._script, Mapping):
            left = [shortened(key) for key in self._script if key not in self._used]
        elif callable(self._script):
            left = []
        else:
            left = [shortened(value) for value in self._script[self._position :]]
        if left:
            more = f", and {len(left) - 10:,} more" if len(left) > 10 else ""
            raise ScriptError(
                f"the script has answers that nobody asked for: {', '.join(left[:10])}{more}; remove them, "
                "or mend the question's id"
            )

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
            self._refuse_near_label(question, value)
            return Answer(id=question.id, custom=trim(value))
        if isinstance(value, Mapping):
            return self._of_parts(question, value)
        if isinstance(value, Sequence) and not isinstance(value, bytes):
            return Answer(id=question.id, selected=self._labels(question, value))
        raise self._wrong(question, value)

    def _of_parts(self, question: Question, value: Mapping[str, Any]) -> Answer:
        unknown = [key for key in value if key not in ("id", "selected", "custom")]
        custom = value.get("custom")
        if unknown or not value or not (custom is None or isinstance(custom, str)):
            raise self._wrong(question, value)
        if value.get("id", question.id) != question.id:
            raise self._wrong(question, value)
        labels = self._labels(question, value.get("selected", ()))
        return Answer(id=question.id, selected=labels, custom=None if custom is None else trim(custom))

    def _labels(self, question: Question, value: Any) -> tuple[str, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise self._wrong(question, value)
        if not all(isinstance(label, str) for label in value):
            raise self._wrong(question, value)
        return tuple(value)

    @staticmethod
    def _refuse_near_label(question: Question, text: str) -> None:
        """Own words that are a label but for case or the `(Recommended)` mark are a slip of the script."""
        for label in question.labels:
            shown = parse_recommended_label(label).label
            if text.casefold() in (label.casefold(), shown.casefold()):
                raise ScriptError(
                    f"the script's answer to question {shortened(question.id)} is {shortened(text)}, but the "
                    f"label is {shortened(label)}; write the whole label, or "
                    f'{{"custom": {shortened(text)}}} for own words'
                )

    @staticmethod
    def _wrong(question: Question, value: Any) -> ScriptError:
        return ScriptError(
            f"the script's answer to question {shortened(question.id)} cannot be used: {shortened(value)}; "
            'give a label, own words, a list of labels, {"selected": [...], "custom": "..."}, or SKIP (in a '
            "JSON file null)"
        )

    def _value(self, question: Question) -> Any:
        script = self._script
        if isinstance(script, Mapping):
            if question.id not in script:
                name = shortened(question.id)
                keys = [key for key in script if isinstance(key, str) and len(key) <= _LONGEST_NAME]
                near = difflib.get_close_matches(question.id[:_LONGEST_NAME], keys, n=1)
                hint = f" (the script has {near[0]!r})" if near else ""
                raise ScriptError(
                    f"the script has no answer for question {name}: {shortened(question.question)}{hint}; "
                    f"add {name} to it, with SKIP (in a JSON file null) as its value to skip the question"
                )
            self._used.add(question.id)
            return script[question.id]
        if callable(script):
            return script(question)
        if self._position >= len(script):
            raise ScriptError(
                f"the script ended after {len(script)} answers; question {shortened(question.id)} has none: "
                f"{shortened(question.question)}"
            )
        self._position += 1
        return script[self._position - 1]


def _from_json(value: Any) -> Any:
    if value is None:
        return SKIP
    return DISMISS if value == {"dismiss": True} else value
