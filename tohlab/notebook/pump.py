"""How clicks reach a kernel that is waiting in a cell, for each generation of ipykernel.

ipykernel 7.4 and newer hands comm messages on while an async cell awaits: nothing is to be done. 6.29 to 6.31
takes one message at a time, so while somebody waits the pump takes the comm messages out of the kernel's
queue, handles them, and puts all others back in their order; no request of the user is replayed or overtaken.
7.0 to 7.3 loses execute requests (ipython/ipykernel#1529) and is refused.

The parts of ipykernel used here are its own (`dispatch_shell`, `msg_queue`, `_main_asyncio_lock`); each is
looked for before it is used, and a kernel without them is refused in words. The protocol tests drive
whichever ipykernel is installed; 7.4.0 (main shell and subshell) and 6.31.0 were tried by hand with the same
tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

from tohlab.errors import AskerUnavailable

Generation = Literal["native", "queued", "losing", "unknown"]

_COMM: Final = frozenset({"comm_open", "comm_msg", "comm_close"})

LOSING: Final = (
    "this kernel is ipykernel 7.0 to 7.3, which loses messages while a cell waits (ipython/ipykernel#1529); "
    "install another one with: pip install 'ipykernel>=7.4'"
)
UNKNOWN: Final = (
    "this kernel is not an ipykernel that tohlab knows, so no click would reach the waiting cell; install "
    "'ipykernel>=7.4', or pass an asker of your own (CallbackAsker)"
)


def generation(kernel: Any) -> Generation:
    """Return how `kernel` treats a click while a cell waits; features are tested, not version numbers."""
    try:
        if "concurrent" in inspect.signature(kernel.dispatch_shell).parameters:
            return "native"
    except (TypeError, ValueError, AttributeError):
        return "unknown"
    if hasattr(kernel, "_main_asyncio_lock"):
        return "losing"
    return "queued" if hasattr(kernel, "msg_queue") and hasattr(kernel, "session") else "unknown"


def check_kernel(kernel: Any) -> None:
    """Raise `AskerUnavailable` for a kernel in which a click would be lost; the text says what to install."""
    kind = generation(kernel)
    if kind in ("losing", "unknown"):
        raise AskerUnavailable(LOSING if kind == "losing" else UNKNOWN)


@dataclass(slots=True)
class _Pump:
    depth: int = 0
    undo: Callable[[], Awaitable[None]] | None = None


_pump: Final = _Pump()


@contextlib.asynccontextmanager
async def comm_pump(kernel: Any) -> AsyncIterator[None]:
    """Let widget messages reach `kernel` although its cell waits; nested uses share one pump.

    Raises:
        AskerUnavailable: the kernel is one in which that cannot work.
    """
    check_kernel(kernel)
    if generation(kernel) == "native":
        yield
        return
    if _pump.depth == 0:
        _pump.undo = _install(kernel)
    _pump.depth += 1
    try:
        yield
    finally:
        _pump.depth -= 1
        if _pump.depth == 0 and _pump.undo is not None:
            undo, _pump.undo = _pump.undo, None
            await undo()


def _install(kernel: Any) -> Callable[[], Awaitable[None]]:
    queue, deferred = kernel.msg_queue, []

    async def consume() -> None:
        while True:
            item = await queue.get()
            _, dispatch, args = item
            if args and _kind_of(kernel, args[0]) in _COMM:
                try:
                    await _handle(kernel, partial(dispatch, *args))
                except Exception:
                    kernel.log.exception("a widget message could not be handled")
            else:
                deferred.append(item)

    task = asyncio.create_task(consume())

    async def undo() -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        rest = []
        while not queue.empty():
            rest.append(queue.get_nowait())
        for item in [*deferred, *rest]:
            queue.put_nowait(item)

    return undo


async def _handle(kernel: Any, call: Callable[[], Awaitable[Any]]) -> None:
    """Handle one widget message and leave the waiting cell as the parent of what comes after."""
    parent = kernel.get_parent("shell")
    identities = getattr(kernel, "_parent_ident", {})
    identity = identities.get("shell", b"") if hasattr(identities, "get") else b""
    handler = getattr(kernel, "saved_sigint_handler", None)
    try:
        await call()
    finally:
        if handler is not None:
            kernel.saved_sigint_handler = handler
        kernel.set_parent(identity, parent, channel="shell")


def _kind_of(kernel: Any, frames: Any) -> str | None:
    try:
        _, rest = kernel.session.feed_identities(frames, copy=False)
        header = kernel.session.deserialize(rest, content=False, copy=False)["header"]
    except Exception:
        # not a message that can be read: it is left for the kernel, which answers for it
        return None
    kind = header.get("msg_type")
    return kind if isinstance(kind, str) else None
