"""A live model on loopback: a child process that serves, and the handle that starts, awaits and ends it."""

from __future__ import annotations

import atexit
import http.client
import importlib.util
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tohlab.errors import MissingExtra, ServerNotReady, WeightsUnavailable
from tohlab.serve.enginecache import EngineCache
from tohlab.serve.models import get_model
from tohlab.serve.weights import cache_dir, fetched_weights

DEFAULT_CTX = 4096
"""Context of a server where nothing else is asked for, in tokens."""

_LISTENING = re.compile(r"^tohlab: listening on (http://127\.0\.0\.1:(\d+))$", re.MULTILINE)
_LOG_TAIL_LINES = 12
_END_TIMEOUT_S = 10.0


class ModelServer:
    """A local OpenAI-compatible server for one model file, as long as the `with` block lasts.

    The server is a process of its own that listens on 127.0.0.1 only. It ends with the block, also after an
    exception; it ends by itself when the process that started it is gone.

    Args:
        gguf: the model file.
        model: the name that requests use; None takes the file's name without `.gguf`.
        chat_template: a Jinja chat template; None takes the model's own.
        port: 0 takes a free one.
        n_ctx: the longest context, in tokens.
        n_threads: None takes every processor that this process may use.
        cache: the engine's slots and store of prompts; by default one slot and no store, so that what is
            reused can be repeated.
        timeout_s: how long loading may take, in seconds.
        log: where the server's output goes; None takes a new file in the cache folder, which is removed
            when the server was ended in the normal way and kept when it failed.
        command: what to run instead of our own server, for tests; gets the same options.

    Raises (on entering):
        MissingExtra: xllamacpp is not installed.
        WeightsUnavailable: the file is not there.
        ServerNotReady: the server ended, or did not answer in time; shows the end of its log.
    """

    def __init__(
        self,
        gguf: Path | str,
        *,
        model: str | None = None,
        chat_template: Path | None = None,
        port: int = 0,
        n_ctx: int = DEFAULT_CTX,
        n_threads: int | None = None,
        cache: EngineCache | None = None,
        timeout_s: float = 120.0,
        log: Path | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        self.gguf = Path(gguf).expanduser().absolute()
        self.model = model or self.gguf.name.removesuffix(".gguf")
        self.chat_template = chat_template.absolute() if chat_template else None
        self.port = port
        self.n_ctx = n_ctx
        self.n_threads = n_threads or usable_cpus()
        self.cache = cache or EngineCache()
        self.timeout_s = timeout_s
        self.log = log
        self.base_url = ""
        """Where the server answers, such as `http://127.0.0.1:8123/v1`; empty before it is ready."""
        self._own_log = log is None
        self._command = tuple(command) if command else None
        self._child: subprocess.Popen[bytes] | None = None

    @classmethod
    def named(
        cls,
        name: str,
        *,
        port: int = 0,
        n_ctx: int = DEFAULT_CTX,
        n_threads: int | None = None,
        timeout_s: float = 120.0,
        log: Path | None = None,
    ) -> Self:
        """Return a server for a model that was fetched before, with the chat template that belongs to it.

        Raises:
            WeightsUnavailable: no such model, or it was not fetched; says how to fetch it.
        """
        entry = get_model(name)
        return cls(
            fetched_weights(entry),
            model=entry.name,
            chat_template=entry.template_path,
            port=port,
            n_ctx=n_ctx,
            n_threads=n_threads,
            timeout_s=timeout_s,
            log=log,
        )

    @property
    def pid(self) -> int | None:
        """The id of the server's process, or None where none runs."""
        return self._child.pid if self._child and self._child.poll() is None else None

    def start(self) -> Self:
        """Start the server and return when it answers; see the class for what may be raised."""
        self.launch(parent=os.getpid())
        atexit.register(self.stop)
        try:
            self.wait_until_ready()
        except BaseException:
            atexit.unregister(self.stop)
            self.end_child()
            raise
        return self

    def stop(self) -> None:
        """End the server and wait until it is gone; nothing happens where none runs."""
        atexit.unregister(self.stop)
        in_order = self.pid is not None and bool(self.base_url)
        self.end_child()
        self.base_url = ""
        if in_order and self._own_log and self.log:
            self.log.unlink(missing_ok=True)

    def wait(self) -> int:
        """Wait until the server ends by itself and return its exit code."""
        assert self._child is not None, "start() comes first"
        return self._child.wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def launch(self, *, parent: int | None) -> int:
        """Start the process without waiting for it and return its id; a step of `start`.

        With `parent`, the id of a process, it ends by itself when that one is gone.
        """
        if self.pid is not None:
            raise ServerNotReady(f"this server already runs (process {self.pid})", self.log)
        if not self.gguf.is_file():
            raise WeightsUnavailable(f"{self.gguf} is not a file; --gguf wants a model file (.gguf)")
        if self._command is None and importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtra("xllamacpp", "model")
        if self.port and _is_taken(self.port):
            raise ServerNotReady(
                f"port {self.port} on 127.0.0.1 is taken by another program; choose another --port, "
                "or 0 for a free one"
            )
        if self.log is None:
            folder = cache_dir() / "server"
            folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix="server-", suffix=".log", dir=folder)
            os.close(handle)
            self.log = Path(name)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        command = self._command or (sys.executable, "-P", str(Path(__file__).with_name("child.py")))
        options = ["--gguf", str(self.gguf), "--alias", self.model, "--port", str(self.port)]
        options += ["--ctx", str(self.n_ctx), "--threads", str(self.n_threads)]
        options += self.cache.options
        if self.chat_template:
            options += ["--template", str(self.chat_template)]
        if parent is not None:
            options += ["--parent", str(parent)]
        with self.log.open("wb") as out:
            # a session of its own: Ctrl-C in the terminal is for us, and we end the child ourselves
            self._child = subprocess.Popen(
                [*command, *options],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=self.log.parent,
            )
        return self._child.pid

    def wait_until_ready(self) -> None:
        """Return when the launched process answers; ending it after ServerNotReady is the caller's."""
        assert self._child is not None
        assert self.log is not None
        deadline = time.monotonic() + self.timeout_s
        while time.monotonic() < deadline:
            if (code := self._child.poll()) is not None:
                raise ServerNotReady(
                    f"the server of {self.model} ended with exit code {code} before it was ready; "
                    f"{_tail(self.log)}\nCheck that {self.gguf} is a whole model file, and that memory is "
                    "enough: a smaller --ctx needs less",
                    self.log,
                )
            found = _LISTENING.search(self.log.read_text(encoding="utf-8", errors="replace"))
            if found and is_healthy(int(found[2])):
                self.port = int(found[2])
                self.base_url = f"{found[1]}/v1"
                return
            time.sleep(0.05)
        raise ServerNotReady(
            f"the server of {self.model} was not ready after {self.timeout_s:g} s and was ended; "
            f"{_tail(self.log)}\nGive it more time, or fewer tokens of context",
            self.log,
        )

    def let_go(self) -> None:
        """Leave the process running when this handle and this program are gone."""
        if self._child is not None:
            self._child.returncode = 0  # without this Python warns that a process of ours still runs
            self._child = None

    def end_child(self) -> None:
        """End the process, by force where it does not end by itself, and wait until it is gone."""
        child, self._child = self._child, None
        if child is None:
            return
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(_END_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                child.kill()
        child.wait()


def is_healthy(port: int) -> bool:
    """Return whether a server on that loopback port says that it is ready."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def usable_cpus() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        if os.name == "posix":  # elsewhere this option would let two servers share the port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_TAIL_LINES:]
    if not lines:
        return f"its log {log} is empty"
    return f"its log {log} ends with:\n" + "\n".join(f"  {line}" for line in lines)
