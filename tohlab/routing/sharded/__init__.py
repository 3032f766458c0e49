"""Past one process: a run over any executor of `concurrent.futures`' kind, with one limit for all workers.

`run_sharded` sends shards of requests to workers (threads, processes, the machines of a Dask cluster); each
keeps its answers in a store of its own, and they are merged here. `LocalPlaces`, `ProcessPlaces` and
`DaskPlaces` say how many requests may be under way in all workers together.
"""

from tohlab.routing.sharded.places import DaskPlaces, LocalPlaces, ProcessPlaces, RateLimit
from tohlab.routing.sharded.run import merge, run_sharded

__all__ = ["DaskPlaces", "LocalPlaces", "ProcessPlaces", "RateLimit", "merge", "run_sharded"]
