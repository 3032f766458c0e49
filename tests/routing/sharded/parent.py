"""A process of its own with a pool of workers: `python -m tests.routing.sharded.parent URL STORE CASES`."""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.routing import shapes
from tests.routing.sharded.helpers import many
from tohlab.routing import OpenAIClient, ReplyStore
from tohlab.routing.sharded import run_sharded


def pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


def main(base_url: str, path: str, n: str) -> None:
    with ReplyStore(path) as store:
        report = run_sharded(
            many(int(n)),
            shapes.source(),
            partial(OpenAIClient, base_url),
            executor=pool,
            model="m",
            store=store,
            shards=2,
            concurrency=1,
        )
        print(report.exact.value)


if __name__ == "__main__":
    main(*sys.argv[1:])
