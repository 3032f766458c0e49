"""A run in a thread with a loop of its own, so that it works where a loop is running already."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable
from typing import Any

from tohlab.routing.engine import Run
from tohlab.routing.report import RoutingReport


class OwnThread:
    """A run in a thread with a loop of its own, begun at once.

    Args:
        run: what to run.
        finished: called in that thread when the run has ended, however it did.
    """

    def __init__(self, run: Run, finished: Callable[[], None] = lambda: None) -> None:
        self._run = run
        self._finished = finished
        self._box: concurrent.futures.Future[RoutingReport] = concurrent.futures.Future()
        self._task: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._target, name="tohlab-routing", daemon=True)
        self._thread.start()

    def result(self) -> RoutingReport:
        """Wait for the report; Ctrl-C stops the run and raises what it had so far.

        Raises:
            RunInterrupted: Ctrl-C.
            TohlabError: what the run raised.
        """
        try:
            while True:
                try:
                    return self._box.result(timeout=0.5)  # a wait with an end lets Ctrl-C through everywhere
                except concurrent.futures.TimeoutError:
                    if self._box.done():
                        raise
        except KeyboardInterrupt:
            self.cancel()
            raise self._run.interrupted() from None
        finally:
            if self._box.done():
                self._thread.join()

    def cancel(self) -> None:
        """Stop the run and wait until it has stopped; nothing if it has ended."""
        self._started.wait()
        if self._task is not None and not self._box.done():
            loop, task = self._task
            with contextlib.suppress(RuntimeError):  # it ended in between
                loop.call_soon_threadsafe(task.cancel)
        self._thread.join()

    def _target(self) -> None:
        try:
            self._box.set_result(asyncio.run(self._main()))
        except BaseException as error:
            self._box.set_exception(error)
        finally:
            self._started.set()
            self._finished()

    async def _main(self) -> RoutingReport:
        task = asyncio.current_task()
        assert task is not None
        self._task = (asyncio.get_running_loop(), task)
        self._started.set()
        return await self._run()
