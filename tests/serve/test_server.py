"""A server lives as long as its block, says what went wrong, and leaves no process behind."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from tests.serve.conftest import MakeServer
from tohlab.errors import MissingExtra, ServerNotReady, WeightsUnavailable
from tohlab.serve import ModelServer


def health(base_url: str) -> int:
    host = base_url.removeprefix("http://").removesuffix("/v1")
    connection = http.client.HTTPConnection(host, timeout=10)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status
    finally:
        connection.close()


def gone(pid: int) -> bool:
    """Whether the process ends within a generous time."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


def test_the_block_has_a_server_that_answers_on_loopback(make_server: MakeServer) -> None:
    with make_server() as server:
        assert server.base_url.startswith("http://127.0.0.1:")
        assert server.base_url.endswith("/v1")
        assert health(server.base_url) == 200
        pid = server.pid
        assert pid is not None
        assert server.model == "tiny"

    assert gone(pid)
    assert server.pid is None
    assert server.base_url == ""


def test_the_server_ends_after_an_exception_too(make_server: MakeServer) -> None:
    pids = []

    def fail_inside() -> None:
        with make_server() as server:
            pids.append(server.pid)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_inside()

    assert gone(pids[0])


def test_a_log_of_our_own_is_removed_when_all_went_well(make_server: MakeServer, cache: Path) -> None:
    with make_server() as server:
        assert server.log is not None
        assert "listening on" in server.log.read_text()

    assert list((cache / "server").iterdir()) == []


def test_a_log_that_the_caller_named_is_kept(make_server: MakeServer, tmp_path: Path) -> None:
    with make_server(log=tmp_path / "logs" / "run.log"):
        pass

    assert "listening on" in (tmp_path / "logs" / "run.log").read_text()


def test_a_server_that_dies_at_start_shows_the_end_of_its_log(make_server: MakeServer) -> None:
    server = make_server("dies")

    with pytest.raises(ServerNotReady, match="exit code 7") as caught:
        server.start()

    assert "out of memory: wanted 9 GB" in str(caught.value)
    assert caught.value.log is not None
    assert "loading tensors" in caught.value.log.read_text()
    assert server.pid is None


def test_a_server_that_never_gets_ready_is_ended_at_the_deadline(make_server: MakeServer) -> None:
    server = make_server("never-ready", timeout_s=1.5)
    pid = server.launch(parent=os.getpid())
    try:
        with pytest.raises(ServerNotReady, match=r"not ready after 1\.5 s"):
            server.wait_until_ready()
    finally:
        server.end_child()

    assert gone(pid)


def test_the_server_ends_when_the_process_that_started_it_is_killed(
    make_server: MakeServer, tmp_path: Path
) -> None:
    stub = make_server()  # for its files: the handle itself is made in the other process
    script = textwrap.dedent(f"""
        import sys, time
        from tohlab.serve import ModelServer
        command = (sys.executable, "-P", {str(tmp_path / "stub.py")!r}, "ready")
        server = ModelServer({str(stub.gguf)!r}, command=command)
        server.start()
        print(server.pid, flush=True)
        time.sleep(600)
    """)
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=root) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        starter.send_signal(signal.SIGKILL)

    assert gone(pid)


def test_a_server_that_is_not_stopped_ends_with_the_program(make_server: MakeServer, tmp_path: Path) -> None:
    stub = make_server()
    script = textwrap.dedent(f"""
        import sys
        from tohlab.serve import ModelServer
        command = (sys.executable, "-P", {str(tmp_path / "stub.py")!r}, "ready")
        server = ModelServer({str(stub.gguf)!r}, command=command)
        print(server.start().pid, flush=True)
    """)
    root = Path(__file__).parents[2]
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=root, check=True)

    assert gone(int(ran.stdout))
    assert ran.stderr == ""


def test_the_child_writes_nothing_to_our_own_streams(
    make_server: MakeServer, capfd: pytest.CaptureFixture[str]
) -> None:
    with make_server(), pytest.raises(ServerNotReady):
        make_server("dies").start()

    assert capfd.readouterr() == ("", "")


def test_a_taken_port_is_said_before_a_model_is_loaded(make_server: MakeServer) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        with pytest.raises(ServerNotReady, match=f"port {port} on 127.0.0.1 is taken"):
            make_server(port=port).start()


def test_starting_a_running_server_again_is_refused(make_server: MakeServer) -> None:
    with make_server() as server:
        with pytest.raises(ServerNotReady, match=f"already runs .process {server.pid}"):
            server.start()
        assert health(server.base_url) == 200


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(WeightsUnavailable, match=r"nothing\.gguf is not a file"):
        ModelServer(tmp_path / "nothing.gguf").start()


def test_a_missing_engine_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)

    with pytest.raises(MissingExtra, match=r"pip install 'tohlab\[model\]'"):
        ModelServer(tmp_path / "tiny.gguf").start()


def test_a_file_that_is_no_model_shows_the_engines_own_reason(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"this is no model file")

    with pytest.raises(ServerNotReady, match="invalid magic characters"):
        ModelServer(tmp_path / "tiny.gguf").start()
