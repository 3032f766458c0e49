"""The signal by which one side tells another that nobody waits for an answer any more."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

T = TypeVar("T")

STUBBORN_S: Final = 1.0
"""How long work that was cancelled may take to end, in seconds, before nobody waits for it any more."""


class AbortSignal:
    """A wish to stop, given by one side and looked at or waited for by the other. Once given it stays.

    It may be given from any thread. Source of its words: the `AbortSignal` of the web platform.
    """

    __slots__ = ("_listeners", "_lock", "reason")

    def __init__(self) -> None:
        self.reason: str | None = None
        self._listeners: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def aborted(self) -> bool:
        """Whether somebody wished to stop."""
        return self.reason is not None

    def abort(self, reason: str = "This operation was aborted") -> None:
        """Wish to stop. The first reason stays; calling it again does nothing."""
        with self._lock:
            if self.reason is not None:
                return
            self.reason = reason
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def on_abort(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` once when aborted (at once if it already is); return what takes it off again.

        It is called on the thread that aborts.
        """
        with self._lock:
            waiting = self.reason is None
            if waiting:
                self._listeners.append(listener)
        if not waiting:
            listener()

        def forget() -> None:
            with self._lock, contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return forget

    async def wait(self) -> None:
        """Return when aborted."""
        event = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits there any more
                loop.call_soon_threadsafe(event.set)

        forget = self.on_abort(wake)
        try:
            await event.wait()
        finally:
            forget()


class Abandoned(Exception):  # never leaves the room that waits
    """Work that did not end by itself after its signal was aborted, and was cancelled."""


async def until_aborted(work: Awaitable[T], signal: AbortSignal | None, *, grace_s: float = 0.0) -> T:
    """Return what `work` gives, and leave nothing running if `signal` is aborted or the caller cancelled.

    Args:
        work: a coroutine or another awaitable.
        signal: aborted, it ends the wait; None just awaits.
        grace_s: how long the work may take after the abort to end in its own way, in seconds.

    Raises:
        Abandoned: the work had to be cancelled.
        BaseException: whatever the work raises, also after the abort.
    """
    if signal is None:
        return await work
    task = asyncio.ensure_future(work)
    stop = asyncio.ensure_future(signal.wait())
    try:
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            await asyncio.wait({task}, timeout=grace_s)
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=STUBBORN_S)
        if not task.done() or task.cancelled():
            raise Abandoned
        return task.result()
    finally:
        stop.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=STUBBORN_S)
        if not task.done():
            task.add_done_callback(_look_away)
        else:
            _look_away(task)


def _look_away(task: asyncio.Future[T]) -> None:
    """Take notice of an error that nobody waits for any more."""
    if not task.cancelled():
        task.exception()
