"""A process of its own that asks by batch: `python -m tests.routing.batch.child URL STORE CASES`."""

from __future__ import annotations

import sys

from tests.routing import shapes
from tohlab.routing import ReplyStore, RetryPolicy, RoutingDataset
from tohlab.routing.batch import BatchClient, run_batch


def cases(n: int) -> RoutingDataset:
    return RoutingDataset(cases=tuple(shapes.case(i, shapes.NAMES[i % 3]) for i in range(n)), name="many")


def main(base_url: str, path: str, n: str) -> None:
    with ReplyStore(path) as store:
        report = run_batch(
            cases(int(n)),
            shapes.source(),
            BatchClient(base_url),
            model="m",
            store=store,
            first_poll_s=0.01,
            retry=RetryPolicy(first_wait_s=0.01),
        )
        print(report.exact.value)


if __name__ == "__main__":
    main(*sys.argv[1:])
