"""A run over several processes or machines: shards out, workers' stores in, one report."""

from __future__ import annotations

import concurrent.futures
import contextlib
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Unpack

from tohlab.errors import EndpointError, RoutingError, RunInterrupted, StoreError
from tohlab.routing.budget import Budget
from tohlab.routing.client import ChatClient, ChatRequest
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.recording import dump, shrink
from tohlab.routing.report import RoutingReport
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.run_settings import Progress
from tohlab.routing.sharded.places import RateLimit
from tohlab.routing.sharded.worker import Outcome, Shard, ask_shard
from tohlab.routing.store import ReplyStore
from tohlab.routing.wanted import Asking, Failure, Unit, Wanted, check_budget, report_of, want
from tohlab.skills.model import SkillSource

DIED: Final = frozenset({"KilledWorker", "CommClosedError", "FutureCancelledError"})
"""What Dask calls it when a worker is gone (by name, since Dask may not be installed); executors of the
standard library raise `BrokenExecutor`."""
_LARGE: Final = 500
"""Requests of one shard, at most, where their number is left to us: its answers are merged when it is
done."""


def run_sharded(
    dataset: RoutingDataset,
    source: SkillSource,
    make_client: Callable[[], ChatClient],
    *,
    executor: Executor | Callable[[], Executor],
    model: str,
    store: ReplyStore,
    folder: str | Path | None = None,
    shards: int | None = None,
    attempts: int = 3,
    rate: RateLimit | None = None,
    concurrency: int = 8,
    replicates: int = 1,
    budget: Budget | None = None,
    retry: RetryPolicy | None = None,
    progress: Callable[[Progress], None] | None = None,
    **asking: Unpack[Asking],
) -> RoutingReport:
    """Ask a model for every case from several workers and return the scored result.

    The requests are split by their hash. Each worker keeps its answers in a store of its own as they
    arrive, and they are merged into `store`; so a worker that is killed loses nothing that was paid for,
    nor does this process: the same call again merges what is in the folder and asks only the rest. One API
    key has one limit, whatever
    asks: a cluster helps where the service is many machines, too.

    Args:
        dataset: as in `run_routing`, like the arguments that have the same name there.
        source: the skills.
        make_client: called in each worker; a function at the top level of a module, or such as
            `functools.partial(OpenAIClient, url)`, since it travels to other processes. The key is read
            there, from their environment.
        executor: anything with `submit` as in `concurrent.futures`, such as a `ThreadPoolExecutor` or
            `dask_client.get_executor(pure=False)`; or a function that makes one, such as
            `lambda: ProcessPoolExecutor(4)`. A pool that broke cannot be used again, so only a function
            lets a process pool go on after a worker died.
        model: the model's name at the service.
        store: where the answers are in the end, and what is in it is not asked.
        folder: where the workers' stores are; all workers and this process must see it. By default beside the
            store.
        shards: in how many pieces; by default 16, or more so that each has at most 500 requests.
        attempts: how often a shard is begun whose worker dies without having answered anything; after that,
            the
            requests that are left of it count as `infra:connection`.
        rate: how many requests may be under way at once in all workers together; None: only `concurrency`,
            in each.
        concurrency: requests at once in one shard, at most.
        replicates: how often each case is asked.
        budget: nothing is asked if everything together could cost more, every answer at its longest.
        retry: when to try again and when to stop, in each worker.
        progress: called whenever a shard is done, and about once a second between.
        asking: `dialect`, `choice`, `placement`, `temperature`, `seed`, `max_tokens`, `logprobs`, `earlier`,
            `description_limit`, `enumerate_names`.

    Raises:
        BudgetExceeded: it could cost more than the budget.
        DatasetError: an expected skill is not in the catalog, or there is no labelled case.
        EndpointError: the service refused the key, is out of quota, is down, or answered nothing at all.
        RoutingError: a worker could not be given its work, or the folder is not the same for it.
        RunInterrupted: Ctrl-C.
        StoreError: a store could not be read or written.
    """
    if attempts < 1 or concurrency < 1 or (shards is not None and shards < 1):
        raise RoutingError("attempts, concurrency and shards must be at least 1")
    if rate is not None and not hasattr(rate, "acquire"):
        raise RoutingError(
            "rate is a limit that workers share, such as ProcessPlaces(folder, 8) or LocalPlaces(8), not "
            f"{rate!r}"
        )
    if folder is None and store.path == ":memory:":
        raise RoutingError("the workers' answers need a folder: give one, or a store in a file")
    endpoint = getattr(make_client(), "endpoint", "")
    wanted = want(dataset, source, model=model, endpoint=endpoint, replicates=replicates, asking=asking)
    place = Path(folder if folder is not None else f"{store.path}.shards").absolute()
    left_over = merge(store, sorted(place.glob("shard-*.sqlite")))
    missing = wanted.missing(store)
    old = set(wanted.requests) - set(missing)
    check_budget(missing.values(), budget)
    run = _Sharded(
        wanted,
        store,
        place,
        make_client,
        executor,
        rate,
        concurrency,
        attempts,
        retry or RetryPolicy(),
        progress,
    )
    run.ask(missing, shards or max(16, -(-len(missing) // _LARGE)))
    report = report_of(wanted, store, run.failures, old=old)
    for path in (*left_over, *place.glob("stop-*")):
        remove(path)
    with contextlib.suppress(OSError):
        place.rmdir()  # others may have theirs in it
    return report


def merge(store: ReplyStore, paths: Iterable[Path]) -> tuple[Path, ...]:
    """Add the answers of other stores; what is here already stays. Return the paths that were read.

    Raises:
        StoreError: one cannot be read.
    """
    read = []
    with tempfile.TemporaryDirectory(prefix="tohlab-merge-") as folder:
        for path in paths:
            with ReplyStore(path) as other:
                if len(other):
                    other.export(Path(folder) / "answers.jsonl")
                    store.import_(Path(folder) / "answers.jsonl")
            read.append(path)
    return tuple(read)


def remove(path: Path) -> None:
    """Delete a store's file, with what SQLite has beside it."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


class _Sharded:
    """One call of `run_sharded`."""

    def __init__(
        self,
        wanted: Wanted,
        store: ReplyStore,
        folder: Path,
        make_client: Callable[[], ChatClient],
        executor: Executor | Callable[[], Executor],
        rate: RateLimit | None,
        concurrency: int,
        attempts: int,
        retry: RetryPolicy,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._wanted = wanted
        self._store = store
        self._folder = folder
        self._make_client = make_client
        self._executor = executor
        self._rate = rate
        self._concurrency = concurrency
        self._attempts = attempts
        self._retry = replace(retry, attempts=dict(retry.attempts))  # so that it can travel
        self._progress = progress
        self._run = uuid.uuid4().hex[:12]
        self._shards: dict[int, Shard] = {}
        self._tries: Counter[int] = Counter()
        self._suspects: set[int] = set()
        self._stored = len(wanted.requests)
        self._done = 0
        self._sent = 0
        self.failures: dict[Unit, Failure] = {}

    def ask(self, missing: Mapping[Unit, ChatRequest], shards: int) -> None:
        """Ask all of `missing`; afterwards each is in the store or in `failures`."""
        self._shards = self._split(missing, shards)
        self._stored = len(self._wanted.requests) - len(missing)
        self._tell()
        todo = sorted(self._shards)
        while todo:
            # Shards that may have broken a pool are sent one by one, so that no other one pays for it.
            sent = [number for number in todo if number not in self._suspects] or todo[:1]
            made = not hasattr(self._executor, "submit")
            pool: Any = self._executor() if callable(self._executor) and made else self._executor
            finished = False
            try:
                again = self._round(pool, sent, made=made)
                todo = sorted({*todo} - {*sent} | {*again})
                finished = True
            except KeyboardInterrupt:
                raise self._interrupted() from None
            finally:
                if made:
                    pool.shutdown(wait=finished, cancel_futures=True)

    def _split(self, missing: Mapping[Unit, ChatRequest], shards: int) -> dict[int, Shard]:
        parts: dict[int, list[tuple[str, int, str]]] = {}
        texts: dict[int, dict[str, str]] = {}
        for (key, replicate), request in missing.items():
            number = int(key[:12], 16) % shards
            body, found = shrink(request.body())
            parts.setdefault(number, []).append((key, replicate, dump(body)))
            texts.setdefault(number, {}).update(found)
        return {
            number: Shard(
                run=self._run,
                number=number,
                attempt=0,
                folder=str(self._folder),
                endpoint=self._wanted.endpoint,
                bodies=tuple(bodies),
                texts=texts[number],
                concurrency=self._concurrency,
                retry=self._retry,
            )
            for number, bodies in parts.items()
        }

    def _round(self, pool: Any, sent: list[int], *, made: bool) -> list[int]:
        """Send shards out and take them in; return those whose workers died and that are to be sent again."""
        futures: dict[Future[Outcome], int] = {}
        dead: dict[int, BaseException] = {}
        for number in sent:
            self._sent += 1
            shard = self._shards[number] = replace(self._shards[number], attempt=self._sent)
            try:
                futures[pool.submit(ask_shard, shard, self._make_client, self._rate)] = number
            except BrokenExecutor as error:
                dead[number] = error
        waiting = set(futures)
        try:
            while waiting:
                done, waiting = concurrent.futures.wait(
                    waiting, timeout=1.0, return_when=concurrent.futures.FIRST_COMPLETED
                )
                for future in done:
                    number = futures[future]
                    try:
                        outcome = future.result()
                    except (CancelledError, Exception) as error:
                        if not (
                            isinstance(error, BrokenExecutor | CancelledError) or type(error).__name__ in DIED
                        ):
                            raise self._not_sent(error) from error
                        dead[number] = error
                    else:
                        self._take(number, outcome)
                self._tell(f"{len(waiting)} of {len(self._shards)} shards are under way")
        except BaseException:
            self._call_off(waiting)
            raise
        return self._bury(dead, alone=len(sent) == 1, made=made)

    def _call_off(self, waiting: Iterable[Future[Outcome]]) -> None:
        """Let no worker begin another request: those that run look for this file."""
        going = [future for future in waiting if not future.cancel()]
        if going:
            with contextlib.suppress(OSError):
                next(iter(self._shards.values())).stop_path.touch()

    def _take(self, number: int, outcome: Outcome) -> None:
        shard = self._shards[number]
        path = Path(outcome.path)
        if outcome.answered and not path.is_file() and not self._files(shard):
            raise RoutingError(
                f"{len(outcome.answered)} answers are on {outcome.host} in {outcome.path}, and this "
                f"process does not "
                "see that file. Give a folder that all workers and this process share; to keep these "
                "answers, copy "
                f"the file into {self._folder} and run the same again."
            )
        self._merge(shard)
        self._done += len(outcome.answered)
        for told in outcome.failures:
            self.failures[told.key, told.replicate] = Failure(kind=told.kind, detail=told.detail)
        if outcome.stopped is not None:
            raise self._stop(outcome)
        if outcome.trouble:
            raise StoreError(
                f"a worker on {outcome.host} could not go on: {outcome.trouble} What was answered is "
                f"kept; run the "
                "same again for the rest."
            )

    def _files(self, shard: Shard) -> list[Path]:
        return sorted(self._folder.glob(f"{shard.stem}*.sqlite"))

    def _merge(self, shard: Shard) -> None:
        for path in merge(self._store, self._files(shard)):
            remove(path)

    def _bury(self, dead: Mapping[int, BaseException], *, alone: bool, made: bool) -> list[int]:
        """Keep what dead workers had answered; return the shards to be sent again, without that."""
        begun = {number for number in dead if self._files(self._shards[number])}
        todo = []
        for number, error in sorted(dead.items()):
            before = len(self._shards[number].bodies)
            self._merge(self._shards[number])
            left = self._left(self._shards[number])
            self._shards[number] = replace(self._shards[number], bodies=left)
            self._done += before - len(left)
            broke = isinstance(error, BrokenExecutor)
            if len(left) == before:
                if alone or not broke or not begun:
                    self._tries[number] += 1
                elif (
                    number in begun
                ):  # a pool that breaks takes others with it, and those that only waited, too
                    self._suspects.add(number)
            usable = made or not broke
            if left and usable and self._tries[number] < self._attempts:
                todo.append(number)
                continue
            said = " ".join(str(error).split())[:300] or type(error).__name__
            why = f"its worker died {self._tries[number]} times without an answer ({said})"
            if not usable:
                why = (
                    f"its worker died and broke the pool ({said}); give a function that makes a new one, "
                    f"such as "
                    "executor=lambda: ProcessPoolExecutor(4), or run the same again"
                )
            for key, replicate, _ in left:
                self.failures[key, replicate] = Failure(kind="connection", detail=why)
        return todo

    def _left(self, shard: Shard) -> tuple[tuple[str, int, str], ...]:
        """The requests of a shard that have no answer."""
        requests, endpoint = self._wanted.requests, self._wanted.endpoint
        return tuple(
            one
            for one in shard.bodies
            if self._store.get(requests[one[0], one[1]], one[1], endpoint=endpoint) is None
        )

    def _stop(self, outcome: Outcome) -> EndpointError:
        assert outcome.stopped is not None
        got, total = self._stored + self._done, len(self._wanted.requests)
        kept = f" {got} of {total} requests were answered; they are kept in {self._store.path}."
        return EndpointError(
            outcome.stopped.kind,
            f"the run was stopped: {outcome.stopped.detail}{kept if got else ''}",
            status=outcome.status,
        )

    def _interrupted(self) -> RunInterrupted:
        for shard in self._shards.values():
            merge(self._store, self._files(shard))  # not deleted: its worker may still write the last answers
        total = len(self._wanted.requests)
        answered = total - len(self._wanted.missing(self._store))
        return RunInterrupted(
            f"stopped after {answered} of {total} answers. They are kept in {self._store.path} and "
            f"{self._folder}; the same call again asks only the rest.",
            answered=answered,
            total=total,
        )

    @staticmethod
    def _not_sent(error: BaseException) -> RoutingError:
        return RoutingError(
            f"a worker failed: {type(error).__name__}: {error}. make_client and rate travel to the workers: "
            "give a function at the top level of a module, or functools.partial(OpenAIClient, url)."
        )

    def _tell(self, waiting: str = "") -> None:
        if self._progress is not None:
            failed = len(self.failures)
            self._progress(
                Progress(
                    done=self._stored + self._done + failed,
                    total=len(self._wanted.requests),
                    stored=self._stored,
                    failed=failed,
                    waiting=waiting,
                )
            )
