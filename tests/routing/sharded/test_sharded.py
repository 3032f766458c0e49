"""Several workers give the report of one, and a worker that dies takes no answer with it."""

from __future__ import annotations

import _thread
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.routing import shapes
from tests.routing.service import Service, asked_text, completion, fails, ok, serving
from tests.routing.sharded.helpers import Dying, many
from tests.routing.sharded.parent import pool
from tohlab.errors import BudgetExceeded, EndpointError, RoutingError, RunInterrupted, StoreError
from tohlab.routing import (
    Budget,
    OpenAIClient,
    Progress,
    ReplyStore,
    RetryPolicy,
    RoutingDataset,
    RoutingReport,
    run_routing,
)
from tohlab.routing.sharded import LocalPlaces, ProcessPlaces, merge, run_sharded

ROOT = Path(__file__).parents[3]
QUICK = RetryPolicy(first_wait_s=0.01)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with ReplyStore(tmp_path / "s.sqlite") as found:
        yield found


def threads() -> Executor:
    return ThreadPoolExecutor(3)


def run(
    dataset: RoutingDataset,
    service: Service,
    store: ReplyStore,
    *,
    executor: Executor | Callable[[], Executor] = threads,
    make_client: Any = None,
    **more: Any,
) -> RoutingReport:
    return run_sharded(
        dataset,
        shapes.source(),
        make_client or partial(OpenAIClient, service.base_url),
        executor=executor,
        model="m",
        store=store,
        **{"retry": QUICK, **more},
    )


def often(service: Service) -> Counter[str]:
    return Counter(asked_text(body) for body in service.bodies)


def test_threads_score_as_one_run_does_and_leave_nothing_behind(store: ReplyStore, tmp_path: Path) -> None:
    dataset = many(40)
    with serving(shapes.perfect(dataset)) as service:
        report = run(dataset, service, store, replicates=2)
        assert (report.n_total, report.n_stored, report.exact.value) == (80, 0, 1.0)
        assert set(often(service).values()) == {2}
        assert run(dataset, service, store, replicates=2).n_stored == 80
        live = run_routing(
            dataset, shapes.source(), OpenAIClient(service.base_url), model="m", store=store, replicates=2
        )
        assert len(service.bodies) == 80
    assert live.exact == report.exact
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []


def test_processes_share_one_limit(store: ReplyStore, tmp_path: Path) -> None:
    dataset = many(40)
    lock = threading.Lock()
    now = most = 0

    def script(body: dict[str, Any], number: int) -> Any:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1
        return shapes.perfect(dataset)(body, number)

    with serving(script) as service:
        rate = ProcessPlaces(tmp_path / "places", 3)
        report = run(dataset, service, store, executor=pool, rate=rate, concurrency=6, shards=4)
        assert set(often(service).values()) == {1}
    assert report.exact.value == 1.0
    assert 2 <= most <= 3


def test_a_killed_worker_loses_no_answer_and_its_shard_is_run_again(
    store: ReplyStore, tmp_path: Path
) -> None:
    dataset = many(30)
    once = str(tmp_path / "died")
    with serving(shapes.perfect(dataset)) as service:
        dying = partial(Dying, service.base_url, 5, once)
        report = run(dataset, service, store, executor=pool, make_client=dying, shards=2, concurrency=1)
        # The one that died had four answers; the other one may have been asking when its pool went down.
        assert sum(often(service).values()) <= 31
    assert Path(once).exists()
    assert (report.n_scored, report.n_service_error, report.exact.value) == (30, 0, 1.0)


# With so many shards each of these requests has one of its own.
def test_a_shard_that_always_kills_its_worker_is_given_up_and_the_others_are_not(store: ReplyStore) -> None:
    dataset = many(12)
    with serving(shapes.perfect(dataset)) as service:
        dying = partial(Dying, service.base_url, 1, query="request number 7")
        report = run(
            dataset, service, store, executor=pool, make_client=dying, shards=997, concurrency=1, attempts=2
        )
        assert set(often(service).values()) == {1}
    assert dict(report.labels) == {"ok": 11, "infra:connection": 1}
    (failed,) = (trial for trial in report.trials if trial.state == "service_error")
    assert failed.case.id == "c7"
    assert "its worker died 2 times without an answer" in failed.detail


def test_a_pool_that_cannot_be_made_again_says_so_and_keeps_what_was_answered(
    store: ReplyStore, tmp_path: Path
) -> None:
    dataset = many(20)
    with serving(shapes.perfect(dataset)) as service:
        dying = partial(Dying, service.base_url, 5, str(tmp_path / "died"))
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as one:
            report = run(dataset, service, store, executor=one, make_client=dying, shards=1, concurrency=1)
        assert dict(report.labels) == {"infra:connection": 16, "ok": 4}
        assert any("executor=lambda" in trial.detail for trial in report.trials)
        again = run(dataset, service, store)
        assert (again.n_stored, again.exact.value, len(service.bodies)) == (4, 1.0, 20)


def test_a_killed_run_goes_on_with_what_its_workers_had(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    dataset = many(60)

    def slow(body: dict[str, Any], number: int) -> Any:
        time.sleep(0.05)
        return shapes.perfect(dataset)(body, number)

    with serving(slow) as service, ReplyStore(path) as store:
        command = [sys.executable, "-m", "tests.routing.sharded.parent", service.base_url, str(path), "60"]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(command, env=env, cwd=ROOT) as parent:
            while len(service.bodies) < 20:
                assert parent.poll() is None
                time.sleep(0.01)
            workers = psutil.Process(parent.pid).children()
            parent.send_signal(signal.SIGKILL)
            parent.wait()
        before = -1
        while before != len(service.bodies):  # the workers see that nobody wants more, and end
            before = len(service.bodies)
            time.sleep(1.0)
        assert before < 60
        assert len(store) == 0
        report = run(dataset, service, store)
        assert report.exact.value == 1.0
        assert report.n_stored >= before - 2  # each worker may have lost the one it was killed with
        assert len(service.bodies) <= 62
    assert not Path(f"{path}.shards").exists()
    assert workers
    assert not psutil.wait_procs(workers, timeout=30)[1]  # also those that had nothing to do


def test_requests_that_fail_stand_beside_the_score(store: ReplyStore) -> None:
    dataset = many(12)
    bad = {"request number 3", "request number 8"}

    def script(body: dict[str, Any], number: int) -> Any:
        return fails(500) if asked_text(body) in bad else shapes.perfect(dataset)(body, number)

    with serving(script) as service:
        report = run(dataset, service, store)
        assert often(service)["request number 3"] == 3
    assert dict(report.labels) == {"ok": 10, "infra:server": 2}
    assert report.exact.n == 10


def test_workers_try_again_as_one_run_does(store: ReplyStore) -> None:
    dataset = many(6)

    def refusing() -> Callable[[dict[str, Any], int], Any]:
        asked: Counter[str] = Counter()

        def script(body: dict[str, Any], number: int) -> Any:
            asked[asked_text(body)] += 1
            first = {1: fails(429, retry_after="0.01"), 2: fails(503)}
            return first.get(asked[asked_text(body)]) or shapes.perfect(dataset)(body, number)

        return script

    with serving(refusing()) as service:
        live = run_routing(
            dataset, shapes.source(), OpenAIClient(service.base_url), model="m", retry=QUICK, concurrency=1
        )
    with serving(refusing()) as service:
        report = run(dataset, service, store, concurrency=1)
    assert {trial.attempts for trial in live.trials} == {("rate_limit 429", "server 503")}
    assert [trial.attempts for trial in report.trials] == [trial.attempts for trial in live.trials]


def test_a_key_that_is_refused_stops_all_workers(store: ReplyStore) -> None:
    with serving(lambda body, number: fails(401)) as service:
        with pytest.raises(EndpointError, match=r"the run was stopped: .*401"):
            run(many(60), service, store, concurrency=1)
        assert len(service.bodies) <= 3 * 2  # each thread had begun a shard, and perhaps another one


def test_ctrl_c_keeps_what_was_answered(store: ReplyStore) -> None:
    dataset = many(60)

    def slow(body: dict[str, Any], number: int) -> Any:
        time.sleep(0.05)
        return shapes.perfect(dataset)(body, number)

    def stop(progress: Progress) -> None:
        if progress.waiting and progress.done:
            _thread.interrupt_main()

    with serving(slow) as service:
        with pytest.raises(RunInterrupted, match="the same call again asks only the rest") as caught:
            run(dataset, service, store, progress=stop, shards=12, concurrency=1)
        assert 0 < caught.value.answered < 60
        before = -1
        while before != len(service.bodies):
            before = len(service.bodies)
            time.sleep(0.3)
        assert before < 60
        report = run(dataset, service, store)
        assert report.exact.value == 1.0
        assert report.n_stored == before
        assert len(service.bodies) == 60


@pytest.mark.parametrize("what", ["client", "rate"])
def test_what_cannot_travel_to_a_process_is_told_with_the_remedy(store: ReplyStore, what: str) -> None:
    with serving(shapes.perfect(many(4))) as service:
        url = service.base_url
        client = (lambda: OpenAIClient(url)) if what == "client" else None
        rate = LocalPlaces(2) if what == "rate" else None
        remedy = "functools.partial" if what == "client" else "ProcessPlaces"
        with pytest.raises(RoutingError, match=remedy):
            run(many(4), service, store, executor=pool, make_client=client, rate=rate)
        assert service.bodies == []


def test_a_worker_that_cannot_write_stops_the_run_with_its_reason(store: ReplyStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with serving(shapes.perfect(many(4))) as service:
        with pytest.raises(StoreError, match=r"a worker on .* could not go on"):
            run(many(4), service, store, folder=tmp_path / "file" / "folder")
        assert service.bodies == []


def test_a_budget_refuses_before_anything_is_asked(store: ReplyStore) -> None:
    with serving(shapes.perfect(many(4))) as service:
        with pytest.raises(BudgetExceeded, match="Nothing was asked"):
            run(many(4), service, store, budget=Budget(tokens=100))
        assert service.bodies == []


def test_merging_twice_changes_nothing_and_what_is_there_stays(store: ReplyStore, tmp_path: Path) -> None:
    dataset = many(6)
    with serving(shapes.perfect(dataset)) as service, ReplyStore(tmp_path / "o.sqlite") as other:
        run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m", store=other)
    with serving(lambda body, number: ok(completion(content="other"))) as service:
        run(RoutingDataset(cases=dataset.cases[:2], name="two"), service, store)
    for _ in range(2):
        merge(store, [tmp_path / "o.sqlite"])
        assert len(store) == 6
    report = run_routing(dataset, shapes.source(), None, model="m", store=store)
    assert [trial.label for trial in report.trials] == ["missed", "missed", "ok", "ok", "ok", "ok"]


def test_a_limit_that_is_a_number_is_told_what_a_limit_is(store: ReplyStore) -> None:
    dataset = many(2)
    with (
        serving(shapes.perfect(dataset)) as service,
        pytest.raises(RoutingError, match=r"such as ProcessPlaces\(folder, 8\)"),
    ):
        run(dataset, service, store, rate=8)
