"""Picks who answers here: the person in front, a script, or nobody, which is an error at once."""

from __future__ import annotations

from typing import Any, Final

from tohlab.askers.base import AbortSignal, Asker
from tohlab.askers.console import ConsoleAsker
from tohlab.askers.scripted import Script, ScriptedAsker
from tohlab.errors import AskError, AskerUnavailable
from tohlab.notebook.asker import Pending, WidgetAsker, show
from tohlab.notebook.record import Record
from tohlab.notebook.surface import forced, nobody_here, running_kernel, surface
from tohlab.questions.model import Answer, AskRequest
from tohlab.questions.rules import check_request

KINDS: Final = ("console", "off", "scripted", "widget")
"""What `TOHLAB_ASKER` may say."""


class RecordedScript:
    """Answers from a script and leaves the record that a person's answer would leave.

    Args:
        script: as for `ScriptedAsker`, or such an asker.
    """

    def __init__(self, script: Script | ScriptedAsker) -> None:
        self.script = script if isinstance(script, ScriptedAsker) else ScriptedAsker(script)

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> tuple[Answer, ...]:
        """Return the script's answers; raises what `ScriptedAsker.ask` raises."""
        check_request(request.questions)
        try:
            answers = await self.script.ask(request, signal)
        except AskError as error:
            _leave(Record(questions=request.questions, state=_STATES.get(error.code, "interrupted")))
            raise
        _leave(Record(questions=request.questions, state="answered", answers=answers))
        return answers

    def post(self, request: AskRequest, signal: AbortSignal | None = None) -> Pending:
        """Answer at once; the result is the one to await that a person's would be."""
        pending = _Answered(request)
        # the script never waits, so its coroutine ends in one step
        try:
            self.ask(request, signal).send(None)
        except StopIteration as done:
            pending.settle("answered", done.value, None)
        except AskError as error:
            pending.settle(_STATES.get(error.code, "interrupted"), None, error)
        return pending


_STATES: Final[dict[str, Any]] = {"ASK_CANCELLED": "cancelled", "ASK_ABORTED": "interrupted"}


class _Answered(Pending):
    def settle(self, state: str, answers: tuple[Answer, ...] | None, error: AskError | None) -> None:
        self.state, self._answers, self._error = state, answers, error


def _leave(record: Record) -> None:
    if running_kernel() is not None:
        show(record)


class AutoAsker:
    """Asks whoever is there, decided anew at each question, so that one notebook serves a person and a test.

    A person in front of the notebook is asked by the form; a notebook run by a program is answered by the
    script, which leaves the same record; a terminal is asked by text. The environment variable `TOHLAB_ASKER`
    (`widget`, `console`, `scripted` or `off`) overrides that.

    Args:
        script: what a person would answer, as for `ScriptedAsker`; used where no person is.
    """

    def __init__(self, script: Script | ScriptedAsker | None = None) -> None:
        self._scripted = None if script is None else RecordedScript(script)
        self._widget = WidgetAsker()

    def pick(self, request: AskRequest) -> WidgetAsker | RecordedScript | ConsoleAsker:
        """Return who answers here and now.

        Raises:
            AskerUnavailable: nobody does; the text names the question and what to do.
        """
        check_request(request.questions)
        question = request.questions[0]
        where, kind = surface(), forced()
        if kind is not None and kind not in KINDS:
            raise AskerUnavailable(f"TOHLAB_ASKER is {kind!r}; it may be one of: {', '.join(KINDS)}")
        if kind == "off":
            raise AskerUnavailable(f"question {question.id!r} was asked, but TOHLAB_ASKER is 'off'")
        if kind == "scripted" and self._scripted is None:
            raise AskerUnavailable(
                f"question {question.id!r} was asked and TOHLAB_ASKER is 'scripted', but there is no script: "
                f"asker_here(script={{{question.id!r}: ...}})"
            )
        if kind == "widget" or (kind is None and where == "notebook"):
            return self._widget
        if kind == "console" or (kind is None and where == "terminal"):
            return ConsoleAsker(read=input) if running_kernel() is not None else ConsoleAsker()
        if self._scripted is not None:
            return self._scripted
        raise AskerUnavailable(nobody_here(where, question))

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> tuple[Answer, ...]:
        """Return the answers of whoever is there; raises what `pick` and that asker's `ask` raise."""
        return tuple(await self.pick(request).ask(request, signal))

    def post(self, request: AskRequest, signal: AbortSignal | None = None) -> Pending:
        """Ask without waiting, by form or script; raises what `pick` and that asker's `post` raise."""
        asker = self.pick(request)
        if isinstance(asker, ConsoleAsker):
            raise AskerUnavailable(
                "a terminal cannot be asked without waiting; use `await asker.ask(request)`"
            )
        return asker.post(request, signal)


def asker_here(script: Script | ScriptedAsker | None = None) -> AutoAsker:
    """Return an asker for wherever this runs: `AutoAsker(script)`.

    Example:
        >>> asker = asker_here(script={"deploy": "Yes"})
        >>> isinstance(asker, Asker)
        True
    """
    return AutoAsker(script)


__all__ = ["Asker", "AutoAsker", "RecordedScript", "asker_here"]
