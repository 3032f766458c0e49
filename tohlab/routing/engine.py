"""One run: what is to be asked, what the store has, who asks the rest, and when to give up."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tohlab.errors import EndpointError, RunInterrupted
from tohlab.routing.aggregate import make_report
from tohlab.routing.answers import Names, read_answer
from tohlab.routing.client import ChatClient, ChatReply, ChatRequest
from tohlab.routing.dataset import RoutingCase, RoutingDataset
from tohlab.routing.prompts import Prompter
from tohlab.routing.report import RoutingReport
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.scoring import Trial, judge
from tohlab.routing.store import ReplyStore


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
class Job:
    case: RoutingCase
    replicate: int
    request: ChatRequest
    names: Names


@dataclass(slots=True)
class Settings:
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


class Run:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.jobs = [
            Job(case, replicate, *settings.prompter.ask(case.query, replicate))
            for case in settings.dataset.cases
            for replicate in range(settings.replicates)
        ]
        self.trials: dict[int, Trial] = {}
        self.stored = 0
        self.answered = 0
        self.failed = 0
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
            none = f"none of {len(self.jobs)} requests was answered ({told}), so there is no score."
            raise _again(self.last_error, f"{none} {self.last_error}")
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
            f"They are kept in {store.path}; to resume, run the same again with --store {store.path}{mode}: "
            f"only the other {len(self.jobs) - got} are asked then."
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

    async def _work(self, missing: Iterator[int]) -> None:
        for i in missing:
            self.trials[i] = await self._ask(self.jobs[i])
            self._tell()

    async def _ask(self, job: Job) -> Trial:
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

    def _failed(self, job: Job, error: EndpointError, failures: tuple[str, ...]) -> Trial:
        self.last_error = error
        self.failed += 1
        self.in_a_row += 1
        if self.settings.retry.stops_run(error, in_a_row=self.in_a_row, answered=self.answered):
            got = self.answered + self.stored
            row = f"{self.in_a_row} requests in a row failed, the last one so: " if self.in_a_row > 1 else ""
            kept = f" {got} of {len(self.jobs)} requests were answered. {self.kept(got)}" if got else ""
            raise _again(error, f"the run was stopped: {row}{error}{kept}")
        return Trial(
            case=job.case,
            label=f"infra:{error.kind}",
            replicate=job.replicate,
            detail=str(error),
            attempts=failures,
        )

    def _judge(self, job: Job, reply: ChatReply, failures: tuple[str, ...], *, stored: bool = False) -> Trial:
        p = self.settings.prompter
        answer = read_answer(reply, job.names, choice=p.choice, tool_name=p.tool_name)
        return Trial(
            case=job.case,
            label=judge(job.case, answer),
            replicate=job.replicate,
            loaded=answer.loaded,
            invalid=answer.invalid,
            near=answer.near,
            repeats=answer.repeats,
            detail=answer.detail,
            cut=answer.cut,
            usage=reply.usage,
            latency_s=reply.latency_s,
            attempts=failures,
            stored=stored,
        )

    def _tell(self, waiting: str = "") -> None:
        if self.settings.progress is not None:
            self.settings.progress(
                Progress(
                    done=len(self.trials),
                    total=len(self.jobs),
                    stored=self.stored,
                    failed=self.failed,
                    waiting=waiting,
                )
            )


def _again(error: EndpointError, message: str) -> EndpointError:
    return EndpointError(error.kind, message, status=error.status, retry_after_s=error.retry_after_s)
