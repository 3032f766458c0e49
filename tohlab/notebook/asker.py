"""Asks a person in a notebook: a form below the cell, and a record of the answer in its place.

    answers = await asker.ask(request)      # in one cell

    pending = asker.post(request)           # or in one cell,
    answers = await pending                 # and in a later one

What happens to an open question is never silent. A kernel interrupt of the cell that waits closes it as
"interrupted"; running the asking cell again closes the old one as "superseded"; two open at once are answered
in any order, each in its own form. Closing the tab closes nothing: the question keeps waiting, and the form
is there again when the notebook is opened on the same kernel, if it was saved meanwhile (else interrupt the
kernel and run the cell again).
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Generator
from typing import Any, Final

from tohlab.askers.base import AbortSignal, aborted, dismissed
from tohlab.errors import AskError, AskerUnavailable, MissingExtra
from tohlab.notebook.form import AnyForm, CoreForm, Form
from tohlab.notebook.pump import check_kernel, comm_pump
from tohlab.notebook.record import Record, State
from tohlab.notebook.surface import cell_in_hand, nobody_here, running_kernel, surface
from tohlab.questions.model import Answer, AskRequest
from tohlab.questions.rules import check_request, why_refused

NOT_PENDING: Final = "not-pending"
HEARTBEAT_S: Final = 0.25
"""How often a waiting cell wakes up: an interrupt does not wake an event loop that sleeps."""
FALL_BACK_AFTER_S: Final = 3.0
"""How long the form may stay unloaded before the plain one is shown."""
DISCARD_AFTER_S: Final = 1.0
"""How long the widget of a closed form is kept. One that was loaded in several pages is kept for good: no
update of an output reaches a page that was loaded again, so there the form itself says how it ended."""

_open: dict[str, list[Pending]] = {}
"""The open questions of each cell."""


class Pending:
    """A question that was put to somebody. Await it for the answers; awaiting it again gives the same.

    Attributes:
        request: what was asked.
        state: `waiting`, or how it ended: `answered`, `cancelled`, `interrupted`, `superseded`.
    """

    def __init__(self, request: AskRequest) -> None:
        self.request = request
        self.state: State | str = "waiting"
        self._answers: tuple[Answer, ...] | None = None
        self._error: BaseException | None = None

    @property
    def answers(self) -> tuple[Answer, ...] | None:
        """The answers, or None while nobody has answered.

        Raises:
            AskError: the person dismissed it (`ASK_CANCELLED`), or it was taken back (`ASK_ABORTED`).
        """
        if self._error is not None:
            raise self._error.with_traceback(None)
        return self._answers

    def close(self, state: State = "interrupted") -> None:
        """Take the question back. Whoever awaits it gets `ASK_ABORTED`; a closed one stays as it ended."""

    def __await__(self) -> Generator[Any, None, tuple[Answer, ...]]:
        return self._wait().__await__()

    async def _wait(self) -> tuple[Answer, ...]:
        answers = self.answers
        if answers is None:
            raise AskError("ASK_ABORTED", "this question is not waiting for an answer")
        return answers

    def __repr__(self) -> str:
        ids = ", ".join(repr(q.id) for q in self.request.questions[:5])
        return f"<{len(self.request.questions)} question(s) ({ids}), {self.state}>"


class _OnScreen(Pending):
    """A pending question with a form. Clicks may come from another thread; all else happens on the loop."""

    def __init__(self, request: AskRequest, kernel: Any, signal: AbortSignal | None) -> None:
        super().__init__(request)
        self._kernel = kernel
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._taken = False
        self._done = asyncio.Event()
        self._form: Form | None = None
        self._spare: CoreForm | None = None
        self._handle: Any = None
        cell = cell_in_hand(kernel)
        self._execution = cell.get("header", {}).get("msg_id")
        self._cell = _cell_key(cell)
        self._forget: Callable[[], None] = lambda: None
        if signal is not None:
            self._forget = signal.on_abort(lambda: self.close("interrupted"))

    # on the screen

    def show(self, fall_back_after_s: float | None) -> None:
        """Draw the form below the cell in hand, and close those of its earlier runs."""
        if self._taken:
            return
        for other in list(_open.get(self._cell, ())):
            if isinstance(other, _OnScreen) and other._execution != self._execution:
                other.close("superseded")
        flush_pending_figures()
        _open.setdefault(self._cell, []).append(self)
        try:
            self._form = AnyForm(self.request.questions, self._take, self._loaded)
        except MissingExtra:
            self._form = CoreForm(self.request.questions, self._take)
            fall_back_after_s = None
        self._handle = show(self._form.shown, display_id=True)
        if fall_back_after_s is not None:
            self._loop.call_later(fall_back_after_s, self._fall_back)

    def _fall_back(self) -> None:
        """Put the plain form in the place of one that no front end has loaded."""
        if not self._taken and self._form is not None and not self._form.pages:
            self._spare = CoreForm(self.request.questions, self._take)
            self._handle.update(self._spare.shown)

    def _loaded(self) -> None:
        """Our form is there after all: it gets its place back, unless the plain one is in use."""
        self._loop.call_soon_threadsafe(self._swap_back)

    def _swap_back(self) -> None:
        spare = self._spare
        if spare is not None and self._form is not None and not self._taken and not spare.begun:
            self._spare = None
            self._handle.update(self._form.shown)
            spare.discard()

    # how it ends

    def _take(self, answers: tuple[Answer, ...] | None) -> str | None:
        """Take what a form sent, or say why not. Called from whichever thread handles widget messages."""
        refused = None if answers is None else why_refused(self.request.questions, answers)
        if refused is not None:
            return refused
        if answers is None:
            taken = self._settle("cancelled", None, dismissed())
        else:
            taken = self._settle("answered", answers, None)
        return None if taken else NOT_PENDING

    def close(self, state: State = "interrupted") -> None:
        self._settle(state, None, aborted())

    def _settle(self, state: State, answers: tuple[Answer, ...] | None, error: BaseException | None) -> bool:
        with self._lock:
            if self._taken:
                return False
            self._taken = True
        self._answers, self._error, self.state = answers, error, state
        if threading.current_thread() is threading.main_thread():
            # at once, so that the record stands before the interrupt or the next run goes on
            self._finish()
        else:
            self._loop.call_soon_threadsafe(self._finish)
        return True

    def _finish(self) -> None:
        self._forget()
        mine = _open.get(self._cell, [])
        if self in mine:
            mine.remove(self)
        if not mine:
            _open.pop(self._cell, None)
        state: Any = self.state
        record = Record(questions=self.request.questions, state=state, answers=self._answers or ())
        try:
            if self._handle is not None:
                self._handle.update(record)
            for form in (self._form, self._spare):
                if form is not None:
                    form.end(repr(record))
                    if len(form.pages) <= 1:
                        self._loop.call_later(DISCARD_AFTER_S, form.discard)
        finally:
            self._done.set()  # whatever the front end made of it, whoever waits goes on

    async def _wait(self) -> tuple[Answer, ...]:
        if not self._done.is_set():
            try:
                async with comm_pump(self._kernel):
                    await self._heartbeat()
            except (asyncio.CancelledError, KeyboardInterrupt):
                self.close("interrupted")
                raise
        answers = self.answers
        assert answers is not None
        return answers

    async def _heartbeat(self) -> None:
        done = asyncio.ensure_future(self._done.wait())
        try:
            while not done.done():
                await asyncio.wait({done}, timeout=HEARTBEAT_S)
        finally:
            done.cancel()


class WidgetAsker:
    """Asks by a form below the cell, in JupyterLab, Notebook 7 and what else attends a Jupyter kernel.

    Args:
        fall_back_after_s: how long our own form may stay unloaded before one of plain ipywidgets takes its
            place, in seconds; None for never.
    """

    def __init__(self, *, fall_back_after_s: float | None = FALL_BACK_AFTER_S) -> None:
        self._fall_back_after_s = fall_back_after_s

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> tuple[Answer, ...]:
        """Return what the person answers, however long it takes.

        Raises:
            AskError: dismissed (`ASK_CANCELLED`); taken back or superseded (`ASK_ABORTED`); or a batch that
                is refused before anybody is asked (`EMPTY_QUESTIONS`, `BAD_INTENT`).
            AskerUnavailable: nobody can be asked here; raised at once.
        """
        return await self.post(request, signal)

    def post(self, request: AskRequest, signal: AbortSignal | None = None) -> Pending:
        """Show the form and return at once; await the result in a later cell, or read its `answers`.

        Raises:
            AskError, AskerUnavailable: as for `ask`.
        """
        check_request(request.questions)
        if signal is not None and signal.aborted:
            raise aborted()
        where = surface()
        if where != "notebook":
            raise AskerUnavailable(nobody_here(where, request.questions[0]))
        kernel = running_kernel()
        check_kernel(kernel)
        pending = _OnScreen(request, kernel, signal)
        pending.show(self._fall_back_after_s)
        return pending


def flush_pending_figures() -> None:
    """Show the figures that the cell has plotted so far.

    Handling a widget message ends a cell in IPython's eyes, so open figures would be published then, under
    the wrong parent, and be lost.
    """
    backend = sys.modules.get("matplotlib_inline.backend_inline")
    matplotlib = sys.modules.get("matplotlib")
    if backend is not None and matplotlib is not None and "inline" in matplotlib.get_backend():
        backend.flush_figures()


def show(thing: Any, **how: Any) -> Any:
    """Display `thing` below the cell in hand; gives a handle where IPython's `display` does."""
    from IPython.display import display

    put: Any = display  # IPython leaves it untyped
    return put(thing, **how)


def _cell_key(cell: dict[str, Any]) -> str:
    cell_id = cell.get("metadata", {}).get("cellId")
    return f"id {cell_id}" if cell_id else f"code {cell.get('content', {}).get('code', '')}"


__all__ = ["Pending", "WidgetAsker", "flush_pending_figures", "show"]
