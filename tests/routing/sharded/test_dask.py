"""A real Dask cluster on this machine: one of its workers is killed, and the report is whole."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster

from tests.routing import shapes
from tests.routing.service import asked_text, serving
from tests.routing.sharded.helpers import Dying, many
from tohlab.routing import OpenAIClient, ReplyStore
from tohlab.routing.sharded import DaskPlaces, run_sharded


@pytest.fixture(scope="module")
def cluster() -> Iterator[Client]:
    settings = {
        "distributed.scheduler.allowed-failures": 0,  # each death is told to us at once
        "distributed.scheduler.locks.lease-timeout": "6s",
        "distributed.scheduler.locks.lease-validation-interval": "200ms",
        "distributed.worker.daemon": True,
    }
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as local,
        Client(local) as client,
    ):
        yield client


def test_the_workers_of_a_cluster_share_one_limit(cluster: Client, tmp_path: Path) -> None:
    dataset = many(24)
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

    with serving(script) as service, ReplyStore(tmp_path / "s.sqlite") as store:
        report = run_sharded(
            dataset,
            shapes.source(),
            partial(OpenAIClient, service.base_url),
            executor=cluster.get_executor(pure=False),
            model="m",
            store=store,
            rate=DaskPlaces(2),
            shards=4,
        )
        assert len(service.bodies) == 24
    assert report.exact.value == 1.0
    assert most <= 2


def test_a_worker_that_is_killed_gives_its_lease_back_and_loses_no_answer(
    cluster: Client, tmp_path: Path
) -> None:
    dataset = many(24)
    with serving(shapes.perfect(dataset)) as service, ReplyStore(tmp_path / "s.sqlite") as store:
        report = run_sharded(
            dataset,
            shapes.source(),
            partial(Dying, service.base_url, 4, str(tmp_path / "died")),
            executor=cluster.get_executor(pure=False),
            model="m",
            store=store,
            rate=DaskPlaces(1),  # the dead worker held the only place
            shards=2,
            concurrency=1,
        )
        asked = [asked_text(body) for body in service.bodies]
    assert (tmp_path / "died").exists()
    assert (report.n_scored, report.n_service_error, report.exact.value) == (24, 0, 1.0)
    assert len(set(asked)) == len(asked) == 24


def test_a_worker_that_is_killed_from_outside_is_made_up_for(cluster: Client, tmp_path: Path) -> None:
    dataset = many(24)
    pids = list(cluster.run(os.getpid).values())
    killed = threading.Event()

    def script(body: dict[str, Any], number: int) -> Any:
        if number == 8 and not killed.is_set():
            killed.set()
            os.kill(pids[0], signal.SIGKILL)
        time.sleep(0.02)
        return shapes.perfect(dataset)(body, number)

    with serving(script) as service, ReplyStore(tmp_path / "s.sqlite") as store:
        report = run_sharded(
            dataset,
            shapes.source(),
            partial(OpenAIClient, service.base_url),
            executor=cluster.get_executor(pure=False),
            model="m",
            store=store,
            shards=2,
            concurrency=2,
        )
        assert len(service.bodies) <= 24 + 2  # what was under way in the killed worker
    assert killed.is_set()
    assert (report.n_scored, report.exact.value) == (24, 1.0)
