"""Asks every case, keeps every answer, and gives the report.

`arun_routing` is asyncio; `run_routing` runs it in a thread with a loop of its own, so that it works in a script
and in a notebook's cell alike, where a loop is running already.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from tohlab.dialects import Dialect
from tohlab.errors import EndpointError, ReplayMiss, RoutingError, RunInterrupted, StoreError
from tohlab.routing.client import ChatClient, ChatReply, ChatRequest
from tohlab.routing.dataset import RoutingCase, RoutingDataset
from tohlab.routing.prompts import Choice, Placement, Prompter, prompter
from tohlab.routing.report import RoutingReport, make_report
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.scoring import Trial, judge, read_answer
from tohlab.routing.store import ReplyStore, check_mode
from tohlab.skills.model import SkillSource

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a run is."""

    done: int
    """Answers and final failures so far, those read from the store among them."""
    total: int
    stored: int
    """How many were read from the store."""
    failed: int
    """How many failed for the service's sake."""
    waiting: str = ""
    """Why nothing moves just now, such as `rate_limit, attempt 2 of 5 in 12 s`; empty if it does."""


@dataclass(frozen=True, slots=True)
class _Job:
    case: RoutingCase
    replicate: int
    request: ChatRequest


@dataclass(slots=True)
class _Settings:
    dataset: RoutingDataset
    client: ChatClient | None
    prompter: Prompter
    store: ReplyStore | None
    mode: str
    endpoint: str
    replicates: int
    concurrency: int
    retry: RetryPolicy
    progress: Callable[[Progress], None] | None


class _Run:
    def __init__(self, settings: _Settings) -> None:
        self.settings = settings
        self.jobs = [
            _Job(case, replicate, settings.prompter.request(case.query, replicate))
            for case in settings.dataset.cases
            for replicate in range(settings.replicates)
        ]
        self.trials: dict[int, Trial] = {}
        self.stored = 0
        self.answered = 0
        self.in_a_row = 0
        self.not_before = 0.0
        self.last_error: EndpointError | None = None

    async def __call__(self) -> RoutingReport:
        self._read_store()
        missing = iter([i for i in range(len(self.jobs)) if i not in self.trials])
        self._tell()
        workers = [asyncio.create_task(self._work(missing)) for _ in range(self.settings.concurrency)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            if (close := getattr(self.settings.client, "aclose", None)) is not None:
                await close()
        if self.last_error is not None and all(t.state == "service_error" for t in self.trials.values()):
            kinds = Counter(t.label.removeprefix("infra:") for t in self.trials.values())
            told = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
            raise _again(
                self.last_error,
                f"none of {len(self.jobs)} requests was answered ({told}), so there is no score. {self.last_error}",
            )
        report = self.report()
        if report is None:
            raise EndpointError(
                "server", "no case with a label was answered, so there is no score; try again later"
            )
        return report

    def report(self) -> RoutingReport | None:
        """The report of what there is so far; None if nothing was scored."""
        s = self.settings
        try:
            return make_report(
                [self.trials[i] for i in sorted(self.trials)],
                model=s.prompter.model,
                dataset=s.dataset.name,
                skills=s.prompter.names,
                dialect=s.prompter.dialect.name,
                choice=s.prompter.choice,
                placement=s.prompter.placement,
                replicates=s.replicates,
                sample_of=s.dataset.sample_of,
                sample_seed=s.dataset.sample_seed,
            )
        except ValueError:
            return None

    def interrupted(self) -> RunInterrupted:
        """The error for a run that was stopped by hand."""
        got = sum(t.state != "service_error" for t in self.trials.values())
        return RunInterrupted(
            f"stopped after {got} of {len(self.jobs)} answers. {self.kept(got)}",
            answered=got,
            total=len(self.jobs),
            report=self.report(),
        )

    def kept(self, got: int) -> str:
        store = self.settings.store
        if store is None or store.path == ":memory:" or self.settings.mode == "off":
            return (
                "They are not kept, since the run had no store; give one (--store FILE) to be able to resume."
            )
        if not got:
            return f"There is nothing to resume; the same command starts again with {store.path}."
        mode = " and mode replay_or_record" if self.settings.mode == "record" else ""
        return (
            f"They are kept in {store.path}; to resume, run the same again with this store (--store {store.path})"
            f"{mode}: only the other {len(self.jobs) - got} are asked then."
        )

    def _read_store(self) -> None:
        s = self.settings
        if s.store is None or s.mode not in ("replay", "replay_or_record"):
            return
        for i, job in enumerate(self.jobs):
            found = s.store.get(job.request, job.replicate, endpoint=s.endpoint)
            if found is not None:
                self.stored += 1
                self.trials[i] = self._judge(job, found.reply, found.attempts, stored=True)
            elif s.mode == "replay":
                raise s.store.miss(job.request, job.replicate, endpoint=s.endpoint)

    async def _work(self, missing: Any) -> None:
        for i in missing:
            self.trials[i] = await self._ask(self.jobs[i])
            self._tell()

    async def _ask(self, job: _Job) -> Trial:
        s = self.settings
        assert s.client is not None
        failures: list[str] = []
        while True:
            await self._wait(failures)
            try:
                reply = await s.client.complete(job.request)
            except EndpointError as error:
                failures.append(f"{error.kind}{'' if error.status is None else f' {error.status}'}")
                dead = error.kind == "connection" and not self.answered and not self.stored
                wait_s = None if dead else s.retry.wait_s(error, len(failures))
                if wait_s is None:
                    return self._failed(job, error, tuple(failures))
                self.not_before = max(self.not_before, asyncio.get_running_loop().time() + wait_s)
                continue
            if s.store is not None and s.mode != "off":
                s.store.put(job.request, reply, job.replicate, endpoint=s.endpoint, attempts=tuple(failures))
            self.answered += 1
            self.in_a_row = 0
            return self._judge(job, reply, tuple(failures))

    async def _wait(self, failures: list[str]) -> None:
        loop = asyncio.get_running_loop()
        while (left := self.not_before - loop.time()) > 0:
            why = f"{failures[-1]}, attempt {len(failures) + 1}" if failures else "the service asked to wait"
            self._tell(f"{why} in {left:.0f} s")
            await asyncio.sleep(min(left, 1.0))

    def _failed(self, job: _Job, error: EndpointError, failures: tuple[str, ...]) -> Trial:
        self.last_error = error
        self.in_a_row += 1
        if self.settings.retry.stops_run(error, in_a_row=self.in_a_row, answered=self.answered):
            got = self.answered + self.stored
            kept = f" {got} of {len(self.jobs)} requests were answered. {self.kept(got)}" if got else ""
            raise _again(error, f"the run was stopped: {error}{kept}" if got else str(error))
        return Trial(
            case=job.case,
            label=f"infra:{error.kind}",
            replicate=job.replicate,
            detail=str(error),
            attempts=failures,
        )

    def _judge(
        self, job: _Job, reply: ChatReply, failures: tuple[str, ...], *, stored: bool = False
    ) -> Trial:
        p = self.settings.prompter
        answer = read_answer(reply, p.names, choice=p.choice, tool_name=p.tool_name)
        return Trial(
            case=job.case,
            label=judge(job.case, answer),
            replicate=job.replicate,
            loaded=answer.loaded,
            invalid=answer.invalid,
            detail=answer.detail,
            cut=answer.cut,
            usage=reply.usage,
            latency_s=reply.latency_s,
            attempts=failures,
            stored=stored,
        )

    def _tell(self, waiting: str = "") -> None:
        if self.settings.progress is not None:
            failed = sum(t.state == "service_error" for t in self.trials.values())
            self.settings.progress(
                Progress(
                    done=len(self.trials),
                    total=len(self.jobs),
                    stored=self.stored,
                    failed=failed,
                    waiting=waiting,
                )
            )


async def arun_routing(
    dataset: RoutingDataset,
    source: SkillSource,
    client: ChatClient | None,
    *,
    model: str,
    dialect: str | Dialect = "toh",
    store: ReplyStore | None = None,
    mode: str | None = None,
    replicates: int = 1,
    concurrency: int | None = None,
    choice: Choice = "tools",
    placement: Placement = "opening",
    temperature: float | None = 0.0,
    seed: int | None = None,
    max_tokens: int | None = 256,
    endpoint: str | None = None,
    retry: RetryPolicy | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> RoutingReport:
    """Ask a model for every case and return the scored result; the asyncio form of `run_routing`."""
    return await _prepare(**locals())()


def run_routing(
    dataset: RoutingDataset,
    source: SkillSource,
    client: ChatClient | None,
    *,
    model: str,
    dialect: str | Dialect = "toh",
    store: ReplyStore | None = None,
    mode: str | None = None,
    replicates: int = 1,
    concurrency: int | None = None,
    choice: Choice = "tools",
    placement: Placement = "opening",
    temperature: float | None = 0.0,
    seed: int | None = None,
    max_tokens: int | None = 256,
    endpoint: str | None = None,
    retry: RetryPolicy | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> RoutingReport:
    """Ask a model for every case and return the scored result.

    Works in a plain script and in a notebook's cell. Every answer is in the store as soon as it arrives; Ctrl-C
    stops the run, and the same run again asks only the rest.

    Args:
        dataset: the labelled requests.
        source: the skills; read once, at the start.
        client: who is asked; None only in mode `replay`.
        model: the model's name at the service.
        dialect: which harness's texts are sent.
        store: where answers are kept, or None.
        mode: `record`, `replay`, `replay_or_record` or `off`; by default `off` without a store, `replay` without
            a client, else `replay_or_record`.
        replicates: how often each case is asked. They are no further cases: the rates' n stays the cases.
        concurrency: requests at once; by default 1 for a service on this machine, else 8.
        choice: `tools` (what the harness sends) or `json` (see `tohlab.routing.prompts`).
        placement: `opening` or `same-step`, where the catalog stands (see there).
        temperature: None leaves it to the service.
        seed: the sampling seed; replicate number r gets seed + r. None sends none.
        max_tokens: the longest answer; None leaves it to the service.
        endpoint: host and port that recorded answers came from; by default the client's, or the only one there is.
        retry: when to try again and when to stop.
        progress: called after each answer and while waiting, from the run's thread.

    Raises:
        DatasetError: an expected skill is not in the catalog, or there is no labelled case.
        EndpointError: the service refused the key, is out of quota, is down, or answered nothing at all.
        ReplayMiss: mode `replay`, and an answer is missing.
        RunInterrupted: Ctrl-C; has the report of what was answered.
        StoreError: an unknown mode, or a store that cannot be used.
    """
    run = _prepare(**locals())
    return _in_own_thread(run)


def _prepare(
    *,
    dataset: RoutingDataset,
    source: SkillSource,
    client: ChatClient | None,
    model: str,
    dialect: str | Dialect,
    store: ReplyStore | None,
    mode: str | None,
    replicates: int,
    concurrency: int | None,
    choice: Choice,
    placement: Placement,
    temperature: float | None,
    seed: int | None,
    max_tokens: int | None,
    endpoint: str | None,
    retry: RetryPolicy | None,
    progress: Callable[[Progress], None] | None,
) -> _Run:
    if mode is None:
        mode = "off" if store is None else "replay" if client is None else "replay_or_record"
    mode = check_mode(mode)
    if store is None and mode != "off":
        raise StoreError(f"mode {mode} needs a store")
    if client is None and mode != "replay":
        raise RoutingError(
            f"mode {mode} needs a service to ask; give a client (--base-url), or use mode replay"
        )
    if replicates < 1 or (concurrency is not None and concurrency < 1):
        raise RoutingError("replicates and concurrency must be at least 1")
    prompts = prompter(
        source,
        model=model,
        dialect=dialect,
        choice=choice,
        placement=placement,
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
    )
    dataset.check_scorable(prompts.names)
    if endpoint is None:
        endpoint = getattr(client, "endpoint", "") if client is not None else _only_endpoint(store, model)
    return _Run(
        _Settings(
            dataset=dataset,
            client=client,
            prompter=prompts,
            store=store,
            mode=mode,
            endpoint=endpoint,
            replicates=replicates,
            concurrency=concurrency or (8 if endpoint else 1),
            retry=retry or RetryPolicy(),
            progress=progress,
        )
    )


def _only_endpoint(store: ReplyStore | None, model: str) -> str:
    found = store.endpoints(model) if store is not None else ()
    if not found and store is not None:
        known = ", ".join(store.models()) or "none at all"
        raise ReplayMiss(
            f"there are no recorded answers of the model {model!r}; recorded: {known}. Give one of them as the model.",
            key="",
            nearest_key=None,
            difference=(),
        )
    if len(found) > 1:
        named = ", ".join(name or "this machine" for name in found)
        raise StoreError(f"answers of {model!r} come from several services ({named}); say which (--base-url)")
    return found[0] if found else ""


def _again(error: EndpointError, message: str) -> EndpointError:
    return EndpointError(error.kind, message, status=error.status, retry_after_s=error.retry_after_s)


def _in_own_thread(run: _Run) -> RoutingReport:
    box: concurrent.futures.Future[RoutingReport] = concurrent.futures.Future()
    loop_and_task: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []
    started = threading.Event()

    async def main() -> RoutingReport:
        task = asyncio.current_task()
        assert task is not None
        loop_and_task.append((asyncio.get_running_loop(), task))
        started.set()
        return await run()

    def target() -> None:
        try:
            box.set_result(asyncio.run(main()))
        except BaseException as error:
            box.set_exception(error)
        finally:
            started.set()

    thread = threading.Thread(target=target, name="tohlab-routing", daemon=True)
    thread.start()
    try:
        while True:
            try:
                return box.result(timeout=0.5)  # a wait with an end lets Ctrl-C through on every system
            except concurrent.futures.TimeoutError:
                if box.done():
                    raise
    except KeyboardInterrupt:
        started.wait()
        if loop_and_task and not box.done():
            loop, task = loop_and_task[0]
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise run.interrupted() from None
    finally:
        if box.done():
            thread.join()
