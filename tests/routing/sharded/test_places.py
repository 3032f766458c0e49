"""So many requests under way in all workers together, and a place comes back from a worker that was
killed."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tohlab.errors import RoutingError
from tohlab.routing.sharded import LocalPlaces, ProcessPlaces, RateLimit

ROOT = Path(__file__).parents[3]


def places(kind: str, folder: Path, n: int) -> RateLimit:
    return LocalPlaces(n) if kind == "local" else ProcessPlaces(folder, n)


@pytest.mark.parametrize("kind", ["local", "process"])
def test_there_are_so_many_places_and_no_more(tmp_path: Path, kind: str) -> None:
    found = places(kind, tmp_path, 3)
    assert [found.acquire(0.01) for _ in range(4)] == [True, True, True, False]
    found.release()
    assert found.acquire(0.01)
    assert not found.acquire(0.01)


@pytest.mark.parametrize("kind", ["local", "process"])
def test_who_waits_gets_a_place_as_soon_as_there_is_one(tmp_path: Path, kind: str) -> None:
    found = places(kind, tmp_path, 1)
    assert found.acquire(0.01)
    got: list[bool] = []
    thread = threading.Thread(target=lambda: got.append(found.acquire(30)))
    thread.start()
    found.release()
    thread.join(30)
    assert got == [True]


@pytest.mark.parametrize("kind", ["local", "process"])
def test_no_places_are_refused(tmp_path: Path, kind: str) -> None:
    with pytest.raises(RoutingError, match="at least 1 place"):
        places(kind, tmp_path, 0)


def test_a_copy_in_another_process_is_the_same_places_and_holds_none(tmp_path: Path) -> None:
    one = ProcessPlaces(tmp_path, 1)
    assert one.acquire(0.01)
    other = pickle.loads(pickle.dumps(one))
    assert not other.acquire(0.01)
    one.release()
    assert other.acquire(0.01)


def test_places_of_one_process_do_not_travel() -> None:
    with pytest.raises(TypeError, match="ProcessPlaces"):
        pickle.dumps(LocalPlaces(1))


def test_a_killed_process_gives_its_places_back_at_once(tmp_path: Path) -> None:
    code = (
        "import sys, time\n"
        "from tohlab.routing.sharded import ProcessPlaces\n"
        "places = ProcessPlaces(sys.argv[1], 2)\n"
        "places.acquire(9), places.acquire(9)\n"
        "print('held', flush=True)\n"
        "time.sleep(600)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        own = ProcessPlaces(tmp_path, 2)
        assert not own.acquire(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
    start = time.monotonic()
    assert own.acquire(30)
    assert own.acquire(30)
    assert time.monotonic() - start < 15
