"""The one server that is left running: start it, see whether it answers, end it."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from tohlab.errors import ServerNotReady
from tohlab.serve.server import ModelServer, is_healthy
from tohlab.serve.state import (
    ServerState,
    claim_state,
    drop_state,
    is_alive,
    process_started,
    read_state,
    replace_state,
)
from tohlab.serve.weights import cache_dir

_END_TIMEOUT_S = 10.0


def start_detached(server: ModelServer) -> ServerState:
    """Start a server that goes on when this process ends, and return where it is.

    There is at most one such server for a cache folder.

    Raises:
        ServerNotReady: one runs already (says where), or this one did not become ready.
        MissingExtra, WeightsUnavailable: as for `ModelServer`.
    """
    running = server_status()
    if running:
        raise _already_running(running)
    if server.log is None:
        server.log = cache_dir() / "server" / "server.log"
    pid = server.launch(parent=None)
    try:
        state = ServerState(
            pid=pid,
            started=process_started(pid) or 0.0,
            model=server.model,
            base_url="",
            gguf=str(server.gguf),
            log=str(server.log),
            n_ctx=server.n_ctx,
            n_threads=server.n_threads,
        )
        if not claim_state(state):
            other = server_status()
            if other:
                raise _already_running(other)
            raise ServerNotReady("another server was started and ended just now; try again", server.log)
    except BaseException:
        server.end_child()
        raise
    try:
        server.wait_until_ready()
        state = ServerState(**{**state.to_dict(), "base_url": server.base_url})
        replace_state(state)
    except BaseException:
        server.end_child()
        drop_state()
        raise
    server.let_go()
    return state


def server_status() -> ServerState | None:
    """Return the server that was left running, or None; a state whose process is gone is removed."""
    state = read_state()
    if state and is_alive(state):
        return state
    drop_state()
    return None


def stop_detached() -> ServerState | None:
    """End the server that was left running and return what it was; None where none runs.

    A process that merely got the same id later is not touched.
    """
    state = server_status()
    if state is None:
        return None
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(state.pid)
        process.terminate()
        try:
            process.wait(_END_TIMEOUT_S)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(_END_TIMEOUT_S)
    drop_state()
    return state


def answers(state: ServerState) -> bool:
    """Return whether the server of that state says that it is ready; False while it loads."""
    found = re.search(r":(\d+)/", state.base_url)
    return found is not None and is_healthy(int(found[1]))


def _already_running(state: ServerState) -> ServerNotReady:
    where = f"at {state.base_url}" if state.base_url else "(still loading)"
    return ServerNotReady(
        f"a server of {state.model} already runs {where}, process {state.pid}; "
        "use it, or end it with: tohlab model stop",
        Path(state.log),
    )
