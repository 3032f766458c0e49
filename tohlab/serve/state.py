"""The one server that was left running: which process, where it answers, and whether it still is that one.

A process id is used again by the system after its process ended. So the state keeps the process's start time
beside it, and a process that started at another time is never touched.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tohlab.errors import MissingExtra
from tohlab.serve.weights import cache_dir

_START_TOLERANCE_S = 2.0
"""How far two readings of one start time may differ; systems derive it from a clock that is adjusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """A server that runs by itself."""

    pid: int
    started: float
    """When its process started, in seconds since 1970, as the system tells it."""
    model: str
    """The name that requests use."""
    base_url: str
    """Where it answers, such as `http://127.0.0.1:8123/v1`; empty while the model is being loaded."""
    gguf: str
    log: str
    n_ctx: int
    n_threads: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return asdict(self)


def state_path() -> Path:
    """Return where the state of the running server is kept."""
    return cache_dir() / "server" / "server.json"


def process_started(pid: int) -> float | None:
    """Return when a process started, in seconds since 1970, or None where there is no such live process.

    Raises:
        MissingExtra: psutil is not installed.
    """
    try:
        import psutil
    except ImportError as error:
        raise MissingExtra("psutil", "model") from error
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return float(process.create_time())
    except psutil.NoSuchProcess:
        return None


def is_alive(state: ServerState) -> bool:
    """Return whether the very process that was started still runs."""
    started = process_started(state.pid)
    return started is not None and abs(started - state.started) <= _START_TOLERANCE_S


def read_state() -> ServerState | None:
    """Return what is known of a running server; None if there is no state, or none that can be read."""
    try:
        row = json.loads(state_path().read_text(encoding="utf-8"))
        state = ServerState(**row)
        return state if isinstance(state.pid, int) and isinstance(state.started, float) else None
    except (FileNotFoundError, ValueError, TypeError):
        return None


def claim_state(state: ServerState) -> bool:
    """Write the state if there is none yet; return whether it was written. Of two callers one gets False."""
    written = _write_beside(state)
    try:
        os.link(written, state_path())
    except FileExistsError:
        return False
    finally:
        written.unlink()
    return True


def replace_state(state: ServerState) -> None:
    """Write the state over what is there, in one step."""
    _write_beside(state).replace(state_path())


def drop_state() -> None:
    """Remove the state, if there is one."""
    state_path().unlink(missing_ok=True)


def _write_beside(state: ServerState) -> Path:
    folder = state_path().parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=folder, prefix=".state-", suffix=".json", delete=False
    ) as out:
        json.dump(state.to_dict(), out)
    return Path(out.name)
