"""Killed at any stage, two at once, on a full disk: nothing is asked twice, and nothing answered is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.routing import shapes
from tests.routing.batch.batch_service import BatchService, Faults, batching
from tests.routing.batch.child import cases
from tohlab.errors import EndpointError, StoreError
from tohlab.routing import ReplyStore, RetryPolicy, RoutingReport
from tohlab.routing.batch import (
    BatchClient,
    batch_status,
    cancel_batch,
    collect_batch,
    run_batch,
    submit_batch,
)
from tohlab.routing.batch.ledger import Ledger

ROOT = Path(__file__).parents[3]
QUICK = RetryPolicy(first_wait_s=0.01)


def _nothing() -> None:
    pass


@contextmanager
def child(service: BatchService, path: Path, n: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.routing.batch.child", service.base_url, str(path), str(n)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def run(service: BatchService, path: Path, n: int) -> RoutingReport:
    with ReplyStore(path) as store:
        client = BatchClient(service.base_url)
        return run_batch(
            cases(n), shapes.source(), client, model="m", store=store, first_poll_s=0.01, retry=QUICK
        )


@pytest.mark.parametrize("stage", ["upload", "create", "retrieve", "content"])
def test_killed_while_the_service_has_not_answered_yet(tmp_path: Path, stage: str) -> None:
    path = tmp_path / "s.sqlite"
    with batching(shapes.perfect(cases(12)), Faults(hold=stage)) as service:
        with child(service, path, 12) as process:
            assert service.held.wait(60)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        service.faults.hold = ""
        service.let_go.set()
        report = run(service, path, 12)
        assert len(service.batches) == 1
        assert set(service.asked.values()) == {1}
        assert service.operations.count("list") == (stage == "create")
    assert (report.n_scored, report.exact.value) == (12, 1.0)


def test_killed_while_answers_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    n = 500
    with batching(shapes.perfect(cases(n))) as service:
        with child(service, path, n) as process, ReplyStore(path) as store:
            while len(store) < 50:
                assert process.poll() is None
                time.sleep(0.005)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            kept = len(store)
        assert 50 <= kept < n
        report = run(service, path, n)
        assert len(service.batches) == 1
    assert (report.n_scored, report.exact.value) == (n, 1.0)
    assert kept <= report.n_stored < n


def test_two_submitters_at_once_submit_once(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with batching(shapes.perfect(cases(12)), Faults(hold="upload")) as service:
        with child(service, path, 12) as one:
            assert service.held.wait(60)
            with child(service, path, 12) as other:
                time.sleep(1.0)
                assert service.operations == ["upload"]
                service.let_go.set()
                assert [p.communicate(timeout=60)[0] for p in (one, other)] == ["1.0\n", "1.0\n"]
        assert len(service.batches) == 1
        assert set(service.asked.values()) == {1}


def test_two_collectors_at_once_store_each_answer_once(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    n = 300
    answered: list[int] = []
    with batching(shapes.perfect(cases(n)), Faults(looks=0)) as service, ReplyStore(path) as store:
        submit_batch(cases(n), shapes.source(), BatchClient(service.base_url), model="m", store=store)

        def collect() -> None:
            with ReplyStore(path) as own:
                answered.append(collect_batch(own, BatchClient(service.base_url)).answered)

        threads = [threading.Thread(target=collect) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(store) == n
        assert sum(answered) >= n
        (state,) = batch_status(store)
        assert state.collected
        with Ledger(path) as ledger:
            assert {item.outcome for item in ledger.items(1)} == {"answered"}


def test_a_batch_whose_making_was_not_heard_is_not_made_again_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    faults = Faults(hold="create", lists=False)
    with batching(shapes.perfect(cases(12)), faults) as service:
        with child(service, path, 12) as process:
            assert service.held.wait(60)
            process.kill()
            process.wait()
        faults.hold = ""
        service.let_go.set()
        with pytest.raises(EndpointError, match=r"does not list its batches.*batch cancel"):
            run(service, path, 12)
        assert len(service.batches) == 1
        with ReplyStore(path) as store:
            cancel_batch(store, BatchClient(service.base_url))
        assert run(service, path, 12).exact.value == 1.0


def on_a_small_disk(call: str, path: Path, service: BatchService) -> str:
    """Run a call in a process whose files cannot grow over 200 kB; return the error that it ends with."""
    code = (
        "import resource, signal, sys\n"
        "from tests.routing import shapes\n"
        "from tests.routing.batch.child import cases\n"
        "from tohlab.routing import ReplyStore\n"
        "from tohlab.routing.batch import BatchClient, collect_batch, submit_batch\n"
        "from tohlab.errors import StoreError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "store, client = ReplyStore(sys.argv[1]), BatchClient(sys.argv[2])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "try:\n"
        f"    {call}\n"
        "except StoreError as error:\n"
        "    print(error)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, str(path), service.base_url]
    return subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a file's size there")
def test_what_cannot_be_written_down_is_not_submitted(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with batching(shapes.perfect(cases(900))) as service:
        call = "submit_batch(cases(900), shapes.source(), client, model='m', store=store)"
        said = on_a_small_disk(call, path, service)
        assert "cannot be read or written" in said
        assert service.operations == []
        with ReplyStore(path) as store:
            assert batch_status(store) == ()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a file's size there")
def test_a_full_disk_says_what_to_do_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    n = 400
    with batching(shapes.perfect(cases(n)), Faults(looks=0)) as service:
        with ReplyStore(path) as store:
            submit_batch(cases(n), shapes.source(), BatchClient(service.base_url), model="m", store=store)
        said = on_a_small_disk("collect_batch(store, client)", path, service)
        assert "cannot be used" in said
        assert "Give another file" in said
        with ReplyStore(path) as store:
            assert 0 < len(store) < n
        report = run(service, path, n)
        assert len(service.batches) == 1
    assert report.exact.value == 1.0


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_store_that_cannot_be_written_is_told_before_anything_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with ReplyStore(path):
        pass
    path.chmod(0o400)
    with batching(shapes.perfect(cases(2))) as service, pytest.raises(StoreError):
        run(service, path, 2)
    assert service.operations == []


def test_the_right_to_submit_comes_back_from_a_killed_process(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    hold = Faults(hold="upload")
    with batching(shapes.perfect(cases(3)), hold) as service, child(service, path, 3) as process:
        assert service.held.wait(60)
        with Ledger(path) as ledger:
            with pytest.raises(StoreError, match="another process"), ledger.alone(_nothing, wait_s=0.1):
                pass
            process.kill()
            process.wait()
            with ledger.alone(_nothing, wait_s=0.1):
                pass


def test_ctrl_c_leaves_the_batches_to_the_service_and_says_how_to_go_on(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with batching(shapes.perfect(cases(3)), Faults(looks=10_000)) as service:
        code = (
            "import signal, sys\n"
            "from tests.routing.batch import child\n"
            "from tohlab.errors import RunInterrupted\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests' parent ignores\n"
            "try:\n"
            "    child.main(*sys.argv[1:])\n"
            "except RunInterrupted as error:\n"
            "    print(error)\n"
        )
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", code, service.base_url, str(path), "3"]
        with subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            while service.operations.count("retrieve") < 2:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            try:
                said = process.communicate(timeout=60)[0]
            finally:
                process.kill()
        assert "stopped after 0 of 3 answers. The batches go on at the service" in said
        assert str(path) in said
