"""The one server that is left running: found again, ended, and never confused with another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.serve.conftest import MakeServer
from tests.serve.test_server import gone, health
from tohlab.errors import MissingExtra, ServerNotReady
from tohlab.serve import ServerState, answers, server_status, start_detached, stop_detached
from tohlab.serve.state import claim_state, process_started, read_state, replace_state, state_path


@pytest.fixture(autouse=True)
def _nothing_is_left_running(cache: Path) -> Iterator[None]:
    yield
    stop_detached()


def state_of(pid: int, started: float) -> ServerState:
    return ServerState(
        pid=pid,
        started=started,
        model="tiny",
        base_url="http://127.0.0.1:9/v1",
        gguf="tiny.gguf",
        log="tiny.log",
        n_ctx=4096,
        n_threads=1,
    )


def test_a_detached_server_is_found_again_and_stopped(make_server: MakeServer, cache: Path) -> None:
    state = start_detached(make_server())

    assert server_status() == state
    assert answers(state)
    assert health(state.base_url) == 200
    assert Path(state.log) == cache / "server" / "server.log"
    assert stop_detached() == state
    assert gone(state.pid)
    assert not state_path().exists()
    assert server_status() is None
    assert stop_detached() is None


def test_a_detached_server_outlives_the_program_that_started_it(
    make_server: MakeServer, tmp_path: Path
) -> None:
    gguf = make_server().gguf
    script = (
        "import sys; from tohlab.serve import ModelServer, start_detached\n"
        f"command = (sys.executable, '-P', {str(tmp_path / 'stub.py')!r}, 'ready')\n"
        f"start_detached(ModelServer({str(gguf)!r}, command=command))\n"
    )
    root = Path(__file__).parents[2]
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, cwd=root, check=False
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    state = server_status()
    assert state is not None
    assert health(state.base_url) == 200


def test_a_second_start_says_where_the_first_one_is(make_server: MakeServer) -> None:
    first = start_detached(make_server())

    with pytest.raises(ServerNotReady, match=f"already runs at {first.base_url}, process {first.pid}"):
        start_detached(make_server())

    assert server_status() == first


def test_a_server_that_dies_at_start_leaves_no_state(make_server: MakeServer) -> None:
    with pytest.raises(ServerNotReady, match="wanted 9 GB"):
        start_detached(make_server("dies"))

    assert not state_path().exists()


def test_a_state_whose_process_ended_is_cleared_and_does_not_stand_in_the_way(
    make_server: MakeServer,
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert claim_state(state_of(ended.pid, 1.0))

    assert stop_detached() is None
    assert not state_path().exists()
    assert claim_state(state_of(ended.pid, 1.0))
    assert health(start_detached(make_server()).base_url) == 200


def test_a_process_that_got_the_same_id_later_is_never_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        started = process_started(bystander.pid)
        assert started is not None
        assert claim_state(state_of(bystander.pid, started - 60))

        assert server_status() is None
        assert stop_detached() is None
        assert bystander.poll() is None
        bystander.communicate(b"\n")


def test_a_process_that_has_ended_but_was_not_collected_counts_as_gone() -> None:
    child = psutil.Popen([sys.executable, "-c", ""])
    try:
        assert gone(child.pid)
        assert process_started(child.pid) is None
    finally:
        child.wait()


def test_of_two_claims_one_wins() -> None:
    assert claim_state(state_of(1, 1.0))
    assert not claim_state(state_of(2, 2.0))

    state = read_state()
    assert state is not None
    assert state.pid == 1
    assert list(state_path().parent.iterdir()) == [state_path()]


def test_a_server_that_still_loads_is_known_and_does_not_answer() -> None:
    started = process_started(os.getpid())
    assert started is not None
    loading = replace(state_of(os.getpid(), started), base_url="")
    replace_state(loading)

    assert server_status() == loading
    assert not answers(loading)
    state_path().unlink()  # else the fixture would end this very process


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"pid": 1}', json.dumps({"pid": "x"})])
def test_a_state_that_cannot_be_read_counts_as_none(text: str) -> None:
    state_path().parent.mkdir(parents=True)
    state_path().write_text(text)

    assert read_state() is None
    assert server_status() is None


def test_a_missing_psutil_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)

    with pytest.raises(MissingExtra, match=r"tohlab\[model\]"):
        process_started(os.getpid())
