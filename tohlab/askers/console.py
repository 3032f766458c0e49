"""An asker at a terminal: numbered options, several of them, own words, skip, back, dismiss."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable
from typing import Final

from tohlab.askers.base import AbortSignal, aborted, dismissed
from tohlab.errors import AskerUnavailable
from tohlab.questions.composer import Composer
from tohlab.questions.model import Answer, AskRequest, Question
from tohlab.questions.rules import parse_recommended_label

_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
HELP: Final = ":skip  :back  :next  :cancel  (a line that starts with = is your own words as they stand)"


def _visible(text: str) -> str:
    """Return `text` with control and direction characters as escapes, so that no text moves the cursor."""
    return _CONTROL.sub(lambda m: f"\\u{ord(m.group()):04x}", text)


class ConsoleAsker:
    """Asks at a terminal, one question at a time, by the composer's rules.

    Args:
        read: takes a prompt and gives a line; `input` by default. EOF dismisses the batch.
        write: takes a line of text; prints to standard error by default, so that output can be piped.
    """

    def __init__(
        self, read: Callable[[str], str] | None = None, write: Callable[[str], None] | None = None
    ) -> None:
        self._read = read
        self._write = write or (lambda text: print(text, file=sys.stderr, flush=True))

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> tuple[Answer, ...]:
        """Return what the person answers.

        Raises:
            AskError: dismissed with `:cancel` or end of input (`ASK_CANCELLED`), or aborted (`ASK_ABORTED`).
            AskerUnavailable: there is no terminal to ask at; the error names the question and what to do.
        """
        if self._read is None and not (sys.stdin and sys.stdin.isatty()):
            first = request.questions[0]
            raise AskerUnavailable(
                f"question {first.id!r} ({first.question!r}) was asked, but there is no terminal to ask at; "
                "answer it with a ScriptedAsker"
            )
        form = Composer(questions=request.questions)
        shown: int | None = None
        while not form.sent:
            if signal is not None and signal.aborted:
                raise aborted()
            if shown != form.index:
                self._show(form)
                shown = form.index
            try:
                line = await asyncio.to_thread(self._read or input, _prompt(form.question))
            except EOFError:
                raise dismissed() from None
            before = form
            form = self._step(form, line)
            if form is before:
                continue
            if form.feedback:
                self._write(form.feedback)
        if signal is not None and signal.aborted:
            raise aborted()
        answers = form.sent[-1].answers
        if answers is None:
            raise dismissed()
        return answers

    def _show(self, form: Composer) -> None:
        question = form.question
        head = f"{question.header}: " if question.header else ""
        self._write(f"\n[{form.position}] {_visible(head + question.question)}")
        if question.detail is not None:
            self._write(_visible(question.detail))
        for number, option in enumerate(question.choices, 1):
            shown = parse_recommended_label(option.label)
            badge = " (recommended)" if shown.recommended else ""
            about = f" - {option.description}" if option.description else ""
            mark = "*" if option.label in form.draft.selected else " "
            self._write(f" {mark}{number}. {_visible(shown.label)}{badge}{_visible(about)}")
        if form.draft.custom:
            self._write(f"  so far: {_visible(form.draft.custom)}")
        self._write(f"  {HELP}")

    def _step(self, form: Composer, line: str) -> Composer:
        word = line.strip()
        if word == ":cancel":
            return form.dismiss()
        if word == ":skip":
            return form.skip()
        if word == ":back":
            return form.previous()
        if word == ":next":
            return form.next()
        if line.startswith("="):
            return form.write(line[1:]).primary()
        numbers = word.replace(",", " ").split()
        question = form.question
        if question.choices and numbers and all(n.isascii() and n.isdigit() for n in numbers):
            return self._choose(form, [int(n) for n in numbers])
        if not word:
            return form.primary()
        return form.write(line).primary()

    def _choose(self, form: Composer, numbers: list[int]) -> Composer:
        question = form.question
        if not question.multi_select and len(numbers) > 1:
            self._write("One of them, please.")
            return form
        bad = [n for n in numbers if not 1 <= n <= len(question.choices)]
        if bad:
            self._write(f"There is no option {bad[0]}; they are numbered 1 to {len(question.choices)}.")
            return form
        if not question.multi_select:
            chosen = form.choose(question.choices[numbers[0] - 1].label)
            return chosen.primary() if form.is_last else chosen
        for label in form.draft.selected:
            form = form.choose(label)
        for number in dict.fromkeys(numbers):
            form = form.choose(question.choices[number - 1].label)
        return form.primary()


def _prompt(question: Question) -> str:
    if not question.choices:
        return "your answer> "
    return "numbers or your own words> " if question.multi_select else "number or your own words> "
