"""A wish to stop: given once, heard by everyone, and forgotten by those who left."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tohlab.askers import AbortSignal as OfAskers
from tohlab.signals import Abandoned, AbortSignal, until_aborted
from tohlab.tools import AbortSignal as OfTools


def test_there_is_one_signal_in_the_whole_project() -> None:
    assert OfAskers is OfTools is AbortSignal


def test_the_first_reason_stays() -> None:
    signal = AbortSignal()
    assert (signal.aborted, signal.reason) == (False, None)
    signal.abort("turn cancelled")
    signal.abort("again")
    assert (signal.aborted, signal.reason) == (True, "turn cancelled")


def test_a_listener_is_called_once_and_at_once_where_it_comes_late() -> None:
    signal, heard = AbortSignal(), []
    signal.on_abort(lambda: heard.append("early"))
    forget = signal.on_abort(lambda: heard.append("left"))
    forget()
    forget()
    signal.abort()
    signal.abort()
    signal.on_abort(lambda: heard.append("late"))
    assert heard == ["early", "late"]


async def test_a_wait_ends_when_another_thread_aborts() -> None:
    signal = AbortSignal()
    thread = threading.Timer(0.01, signal.abort)
    thread.start()
    await asyncio.wait_for(signal.wait(), 10)
    await asyncio.wait_for(signal.wait(), 10)
    thread.join()


def test_an_abort_after_the_loop_was_closed_is_no_error() -> None:
    signal = AbortSignal()

    async def main() -> None:
        waiting = asyncio.create_task(signal.wait())
        await asyncio.sleep(0)
        signal._listeners *= 2  # as if the wait had been left without tidying up
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(main())
    signal.abort()
    assert signal.aborted


async def test_work_that_ends_in_time_gives_its_value_also_after_the_abort() -> None:
    signal = AbortSignal()

    async def work() -> str:
        await signal.wait()
        return "done"

    asyncio.get_running_loop().call_soon(signal.abort)
    assert await until_aborted(work(), signal, grace_s=5) == "done"


async def test_work_that_does_not_end_is_cancelled() -> None:
    signal = AbortSignal()
    asyncio.get_running_loop().call_soon(signal.abort)
    with pytest.raises(Abandoned):
        await until_aborted(asyncio.Event().wait(), signal)
    assert len(asyncio.all_tasks()) == 1
