"""The one protocol of this room, and the signal by which a turn takes its question back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from tohlab.errors import AskError
from tohlab.questions.model import Answer, AskRequest
from tohlab.questions.rules import ABORTED, CANCELLED


class AbortSignal:
    """Tells an asker that nobody waits for the answer any more. Once aborted it stays so."""

    def __init__(self) -> None:
        self._aborted = False
        self._listeners: list[Callable[[], None]] = []

    @property
    def aborted(self) -> bool:
        """Whether `abort` was called."""
        return self._aborted

    def abort(self) -> None:
        """Take the question back. Calling it again does nothing."""
        if self._aborted:
            return
        self._aborted = True
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def on_abort(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` once when aborted (at once if it already is); return what takes it off again."""
        if self._aborted:
            listener()
            return lambda: None
        self._listeners.append(listener)

        def forget() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return forget

    async def wait(self) -> None:
        """Return when aborted."""
        event = asyncio.Event()
        loop = asyncio.get_running_loop()
        forget = self.on_abort(lambda: loop.call_soon_threadsafe(event.set) and None)
        try:
            await event.wait()
        finally:
            forget()


@runtime_checkable
class Asker(Protocol):
    """Anything that gets a batch of questions answered.

    `ask` waits as long as it takes and never blocks the event loop. It gives one answer per question, in their
    order. A person who dismisses the batch is `dismissed()`, an `AskError` with the code `ASK_CANCELLED`. When
    `signal` is aborted it stops waiting, leaves nothing open, and raises `AskError` with `ASK_ABORTED`.
    """

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> Sequence[Answer]: ...


def dismissed() -> AskError:
    """Return the error for a person who dismissed the whole batch."""
    return AskError("ASK_CANCELLED", CANCELLED)


def aborted() -> AskError:
    """Return the error for a question that was taken back."""
    return AskError("ASK_ABORTED", ABORTED)
