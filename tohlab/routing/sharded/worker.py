"""What runs in a worker: one shard of requests asked, each answer in the worker's own store as it arrives."""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import multiprocessing.connection
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tohlab.errors import EndpointError, TohlabError
from tohlab.routing.client import ChatClient, ChatReply, ChatRequest
from tohlab.routing.limiter import Limiter
from tohlab.routing.recording import grow
from tohlab.routing.retry import Patience, RetryPolicy, failure_name
from tohlab.routing.sharded.places import RateLimit
from tohlab.routing.store import ReplyStore
from tohlab.routing.wanted import Unit, request_of

_LOOK_S = 0.5
"""How long one wait for a place lasts before it is looked whether to go on."""
_GRACE_S = 5.0
"""How long a shard has to stop by itself once the process that wanted it is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Some of the requests of a run, as they travel to a worker."""

    run: str
    """One name for each call of `run_sharded`."""
    number: int
    attempt: int
    """Counted from 1; a shard whose worker died is sent again."""
    folder: str
    """Where the worker's store is written."""
    endpoint: str
    bodies: tuple[tuple[str, int, str], ...]
    """The store's key, the replicate, and the request as JSON, its long texts by their hash."""
    texts: Mapping[str, str]
    """Those texts: the catalog travels once and not in every request."""
    concurrency: int
    retry: RetryPolicy

    @property
    def stem(self) -> str:
        """How the files of this shard begin, whatever attempt wrote them."""
        return f"shard-{self.run}-{self.number:05d}-"

    @property
    def stop_path(self) -> Path:
        """If this file is there, nobody wants more answers of this run."""
        return Path(self.folder) / f"stop-{self.run}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One request that failed for good."""

    key: str
    replicate: int
    kind: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a worker says at the end; its answers are in its store."""

    path: str
    """Where that store is."""
    host: str
    """On which machine."""
    answered: tuple[Unit, ...]
    failures: tuple[Told, ...] = ()
    stopped: Told | None = None
    """Set if a failure showed that the others would fail too; the rest was not asked."""
    status: int | None = None
    """The HTTP status of that failure."""
    trouble: str = ""
    """Not empty: the worker could not go on, for a reason of its own (such as a full disk)."""


def ask_shard(shard: Shard, make_client: Callable[[], ChatClient], rate: RateLimit | None) -> Outcome:
    """Ask the requests of a shard; what an earlier attempt at it has answered is not asked again."""
    _end_with_parent()
    folder = Path(shard.folder)
    path = folder / f"{shard.stem}{shard.attempt}-{uuid.uuid4().hex[:12]}.sqlite"
    if (register := getattr(rate, "register", None)) is not None:
        register()  # Dask's semaphore finds its scheduler only from the thread of the task
    if rate is not None:
        with contextlib.suppress(ImportError):
            import openai  # noqa: F401 (it takes seconds, and no place should be held meanwhile)
    asking = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ReplyStore(path) as store:
            client = make_client()
            asking = _Asking(shard, client, store, rate)
            asyncio.run(asking())
    except (TohlabError, OSError) as error:
        # As a value: an exception with more than a message does not survive its way back.
        answered = () if asking is None else tuple(asking.answered)
        return Outcome(path=str(path), host=socket.gethostname(), answered=answered, trouble=str(error))
    return Outcome(
        path=str(path),
        host=socket.gethostname(),
        answered=tuple(asking.answered),
        failures=tuple(asking.failures),
        stopped=asking.stopped,
        status=asking.status,
    )


def before(shard: Shard, own: str = "") -> set[Unit]:
    """Return what the other attempts at a shard have answered; `own` is the file of this one."""
    found: set[Unit] = set()
    for path in sorted(Path(shard.folder).glob(f"{shard.stem}*.sqlite")):
        if str(path) == own:
            continue
        with ReplyStore(path) as store:
            for key, replicate, body in shard.bodies:
                request = request_of(grow(json.loads(body), shard.texts))
                if store.get(request, replicate, endpoint=shard.endpoint) is not None:
                    found.add((key, replicate))
    return found


class _Asking:
    """One shard being asked, with the patience of a run in one process."""

    def __init__(self, shard: Shard, client: ChatClient, store: ReplyStore, rate: RateLimit | None) -> None:
        self._shard = shard
        self._client = client
        self._store = store
        self._rate = rate
        self._limiter = Limiter(8, shard.concurrency)
        self._patience = Patience(shard.retry)
        self.answered: list[Unit] = []
        self.failures: list[Told] = []
        self.stopped: Told | None = None
        self.status: int | None = None

    async def __call__(self) -> None:
        done = before(self._shard, self._store.path)
        self.answered += [
            (key, replicate) for key, replicate, _ in self._shard.bodies if (key, replicate) in done
        ]
        self._patience = Patience(self._shard.retry, answered=len(self.answered))
        todo = iter([one for one in self._shard.bodies if one[:2] not in done])
        with ThreadPoolExecutor(self._shard.concurrency, thread_name_prefix="tohlab-places") as threads:
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(self._shard.concurrency):
                        group.create_task(self._work(todo, threads))
            except ExceptionGroup as found:
                raise found.exceptions[0] from None
            finally:
                if (close := getattr(self._client, "aclose", None)) is not None:
                    await close()

    async def _work(self, todo: Iterator[tuple[str, int, str]], threads: ThreadPoolExecutor) -> None:
        for key, replicate, body in todo:
            if self._needless():
                return
            request = request_of(grow(json.loads(body), self._shard.texts))
            found = await self._ask(request, threads)
            if isinstance(found, EndpointError):
                self._failed(key, replicate, found)
            elif found is not None:
                reply, failures = found
                self._patience.got_answer()
                self._store.put(request, reply, replicate, endpoint=self._shard.endpoint, attempts=failures)
                self.answered.append((key, replicate))

    def _failed(self, key: str, replicate: int, error: EndpointError) -> None:
        told = Told(key=key, replicate=replicate, kind=error.kind, detail=str(error))
        self.failures.append(told)
        if self._patience.stops_run(error):
            self.stopped = self.stopped or told
            self.status = error.status

    async def _ask(
        self, request: ChatRequest, threads: ThreadPoolExecutor
    ) -> tuple[ChatReply, tuple[str, ...]] | EndpointError | None:
        """The answer and why earlier attempts failed; or why all did; None if there is no need any more."""
        loop = asyncio.get_running_loop()
        failures: list[str] = []
        while True:
            await self._patience.hold()
            place = await self._limiter.enter()
            if self._patience.left_s() > 0:  # told to wait while waiting for a place
                self._limiter.leave(place, "later")
                continue
            kind: str | None = "stopped"
            try:
                if not await self._leased(threads):
                    return None
                try:
                    reply = await self._patience.attempt(self._client, request)
                    kind = None
                    return reply, tuple(failures)
                finally:
                    if self._rate is not None:
                        await loop.run_in_executor(threads, self._rate.release)
            except EndpointError as error:
                kind = error.kind
                failures.append(failure_name(error))
                if self.stopped is not None or not self._patience.tries_again(error, len(failures)):
                    return error
            finally:
                self._limiter.leave(place, kind)

    async def _leased(self, threads: ThreadPoolExecutor) -> bool:
        """Wait for one of the places of all workers; False if there is no need any more."""
        if self._rate is None:
            return True
        while not self._needless():
            asked = threads.submit(self._rate.acquire, _LOOK_S)
            try:
                if await asyncio.wrap_future(asked):
                    return True
            except asyncio.CancelledError:
                asked.add_done_callback(self._give_back)
                raise
        return False

    def _give_back(self, asked: Future[bool]) -> None:
        """A place that was got after nobody wanted it any more."""
        if self._rate is not None and not asked.cancelled() and asked.exception() is None and asked.result():
            self._rate.release()

    def _needless(self) -> bool:
        """Whether nobody wants more answers, or none will come."""
        return self.stopped is not None or _orphaned() or self._shard.stop_path.exists()


def _orphaned() -> bool:
    """Whether the process that wanted the answers is gone, so that nobody pays for more of them in vain."""
    parent = multiprocessing.parent_process()
    return parent is not None and not parent.is_alive()


@cache
def _end_with_parent() -> None:
    """See to it that this process ends some time after the one that made it.

    A worker that has nothing to do when its pool's process is killed would wait for work for ever.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    time.sleep(_GRACE_S)  # a shard that is under way stops by itself and closes its store
    os._exit(1)
