"""An asker at a terminal: numbered options, several of them, own words, skip, back, cancel."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Final, TextIO

from tohlab.askers.base import AbortSignal, aborted, dismissed
from tohlab.askers.terminal import TerminalLines, in_thread, visible
from tohlab.errors import AskerUnavailable
from tohlab.questions.composer import Composer
from tohlab.questions.model import Answer, AskRequest, Question
from tohlab.questions.rules import parse_recommended_label, shortened
from tohlab.signals import Abandoned, until_aborted

HELP: Final = ":skip  :back  :next  :cancel   (a line that starts with = is your own words as they stand)"
LONGEST_LABEL: Final = 500
"""How many characters of a label or description are shown; the value is the whole label."""

_COMMANDS: Final[dict[str, Callable[[Composer], Composer]]] = {
    ":cancel": Composer.dismiss,
    ":skip": Composer.skip,
    ":back": Composer.previous,
    ":next": Composer.next,
}


class ConsoleAsker:
    """Asks at a terminal, one question at a time, by the composer's rules.

    A line is a number or several, a label, own words, or a command (`:skip`, `:back`, `:next`, `:cancel`).
    With several choices, `1 3 = my words` gives both. The end of input cancels. Batches that are asked at
    once take turns, and what was typed for a batch that was taken back answers no later one.

    Args:
        read: takes a prompt and gives a line; where it is given, no terminal is needed. It is called on a
            thread of its own. Its `EOFError` is the end of input.
        write: takes a line of text; prints to standard error by default, so that output can be piped.
        terminal: the text stream to read from instead of standard input.
    """

    def __init__(
        self,
        read: Callable[[str], str] | None = None,
        write: Callable[[str], None] | None = None,
        *,
        terminal: TextIO | None = None,
    ) -> None:
        self._read = read
        self._write = write or (lambda text: print(text, file=sys.stderr, flush=True))
        self._prints = write is None
        self._terminal = terminal
        self._lines: TerminalLines | None = None
        self._turn: asyncio.Event | None = None
        self._stale = False

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> tuple[Answer, ...]:
        """Return what the person answers.

        Raises:
            AskError: cancelled with `:cancel` or the end of input (`ASK_CANCELLED`), or aborted
                (`ASK_ABORTED`).
            AskerUnavailable: there is no terminal to ask at; the error names the question and what to do.
        """
        if not request.questions:
            return ()
        if self._read is None and self._lines is None:
            stream = self._terminal if self._terminal is not None else sys.stdin
            if not _is_terminal(stream):
                raise _unavailable(request)
            self._lines = TerminalLines(stream)
        try:
            while self._turn is not None:
                await until_aborted(self._turn.wait(), signal)
            if signal is not None and signal.aborted:
                raise aborted()
            self._turn = turn = asyncio.Event()
            try:
                return await self._answers(request, signal)
            finally:
                self._turn = None
                turn.set()
        except Abandoned:
            raise aborted() from None

    async def _answers(self, request: AskRequest, signal: AbortSignal | None) -> tuple[Answer, ...]:
        if self._stale and self._lines is not None:
            self._lines.drop_typed()
        self._stale = True
        form = Composer(questions=request.questions)
        shown: Composer | None = None
        while not form.sent:
            if shown is None or shown.index != form.index:
                self._show(form)
                shown = form
            try:
                line = await until_aborted(self._line(_prompt(form.question)), signal)
            except EOFError:
                raise dismissed() from None
            if signal is not None and signal.aborted:
                raise aborted()
            form = self._step(form, line)
            if form.feedback:
                self._write(form.feedback)
        self._stale = False
        answers = form.sent[-1].answers
        if answers is None:
            raise dismissed()
        return answers

    async def _line(self, prompt: str) -> str:
        if self._read is not None:
            read = self._read
            return await in_thread(lambda: read(prompt))
        if self._lines is None:
            raise RuntimeError("ask() opens the terminal first")
        if self._prints:
            sys.stderr.write(prompt)
            sys.stderr.flush()
        else:
            self._write(prompt)
        return await self._lines.read()

    def _show(self, form: Composer) -> None:
        question = form.question
        head = f"{visible(question.header, limit=LONGEST_LABEL)}: " if question.header else ""
        first, *more = question.question.splitlines() or [""]
        self._write(f"\n[{form.position}] {head}{visible(first)}")
        for line in more:
            self._write(f"  | {visible(line)}")
        for line in (question.detail or "").splitlines():
            self._write(f"  | {visible(line)}")
        for number, option in enumerate(question.choices, 1):
            label = parse_recommended_label(option.label)
            badge = " (recommended)" if label.recommended else ""
            about = f" - {visible(option.description, limit=LONGEST_LABEL)}" if option.description else ""
            mark = "*" if option.label in form.draft.selected else " "
            self._write(f" {mark}{number}. {visible(label.label, limit=LONGEST_LABEL)}{badge}{about}")
        if form.draft.custom:
            self._write(f"  so far: {visible(form.draft.custom, limit=LONGEST_LABEL)}")
        if form.draft.answered:
            self._write("  Enter keeps what is there.")
        self._write(f"  {HELP}")

    def _step(self, form: Composer, line: str) -> Composer:
        word = line.strip()
        if word in _COMMANDS:
            moved = _COMMANDS[word](form)
            if moved is form:
                self._write(f"There is no question {'before' if word == ':back' else 'after'} this one.")
            return moved
        if word.startswith(":"):
            self._write(f"There is no {visible(word, limit=40)}. {HELP}")
            return form
        question = form.question
        before, equals, after = line.partition("=")
        if equals and not before.strip():
            return form.write(after).primary()
        if equals and question.multi_select:
            numbers = _numbers(before)
            if numbers is not None:
                chosen = self._choose(form, numbers)
                return form if chosen is None else chosen.write(after).primary()
        numbers = _numbers(word) if question.choices else None
        if numbers is not None:
            chosen = self._choose(form, numbers)
            return form if chosen is None else _go_on(chosen, form)
        for option in question.choices:
            if word and word in (option.label, parse_recommended_label(option.label).label):
                return _go_on(form.choose(option.label), form)
        return form.write(line).primary() if word else form.primary()

    def _choose(self, form: Composer, numbers: list[int]) -> Composer | None:
        """Return the form with exactly these chosen; None, after saying why, if that cannot be."""
        question = form.question
        if not question.multi_select and len(numbers) > 1:
            self._write("One of them, please.")
            return None
        bad = [n for n in numbers if not 1 <= n <= len(question.choices)]
        if bad:
            self._write(f"There is no option {bad[0]}; they are numbered 1 to {len(question.choices)}.")
            return None
        labels = dict.fromkeys(question.choices[n - 1].label for n in numbers)
        if not question.multi_select:
            return form.choose(next(iter(labels)))
        for label in (*form.draft.selected, *labels):
            form = form.choose(label)  # first off, then on, in the order of the line
        return form


def _go_on(chosen: Composer, before: Composer) -> Composer:
    """One choice moves on by itself, except on the last question; several need the button."""
    return chosen if chosen.index != before.index else chosen.primary()


def _numbers(text: str) -> list[int] | None:
    parts = text.replace(",", " ").split()
    if not parts or not all(p.isascii() and p.isdigit() and len(p) < 10 for p in parts):
        return None
    return [int(p) for p in parts]


def _prompt(question: Question) -> str:
    if not question.choices:
        return "your answer> "
    return "numbers or your own words> " if question.multi_select else "number or your own words> "


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it was closed
        return False


def _unavailable(request: AskRequest) -> AskerUnavailable:
    first = request.questions[0]
    return AskerUnavailable(
        f"question {shortened(first.id)} ({shortened(first.question)}) was asked, but there is no terminal "
        "to ask at; run it in a terminal, or answer it with a ScriptedAsker (tohlab ask: --script ANSWERS)"
    )
