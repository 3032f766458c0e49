"""One run: what is to be asked, what the store has, who asks the rest, and when to give up."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

from tohlab.errors import AnswerNotKept, BudgetExceeded, EndpointError, RunInterrupted, StoreError
from tohlab.routing.aggregate import make_report
from tohlab.routing.baselines.beside import with_baselines
from tohlab.routing.budget import Purse
from tohlab.routing.client import ChatReply
from tohlab.routing.limiter import Limiter
from tohlab.routing.margins import read_margin
from tohlab.routing.report import RoutingReport
from tohlab.routing.retry import Patience, failure_name
from tohlab.routing.run_settings import Job, Progress, Settings
from tohlab.routing.scoring import AnswerReader, Trial
from tohlab.routing.wires import digests_of


class Run:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        replicates = range(settings.replicates)
        self.jobs = [
            Job(case, replicate, request, names)
            for case in settings.dataset.cases
            for replicate, (request, names) in zip(
                replicates, settings.prompter.ask_often(case.query, replicates), strict=True
            )
        ]
        self.reader = AnswerReader(settings.prompter.read)
        self.trials: dict[int, Trial] = {}
        self.stored = 0
        self.failed = 0
        self.last_error: EndpointError | None = None
        self.patience = Patience(settings.retry)
        self.limiter = Limiter(1, 1)
        self.purse: Purse | None = None

    async def __call__(self) -> RoutingReport:
        self._read_store()
        wanted = [i for i in range(len(self.jobs)) if i not in self.trials]
        if self.settings.budget is not None and wanted:
            given = self.settings.budget
            self.purse = given if isinstance(given, Purse) else Purse(given)
            self.purse.check(self.jobs[i].request for i in wanted)
        missing = iter(wanted)
        self.patience = Patience(self.settings.retry, stored=self.stored)
        self.limiter = Limiter(self.settings.start, self.settings.concurrency)
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
        if report is None and self.purse is not None and self.purse.closed:
            raise BudgetExceeded(
                f"the budget of {self.purse.budget} was used up before a case with a label was answered; "
                "raise it"
            )
        if report is None:
            raise EndpointError(
                "server", "no case with a label was answered, so there is no score; try again later"
            )
        skills = self.settings.baselines_over
        if skills is not None and report.skills:
            report = with_baselines(report, skills, dialect=self.settings.prompter.dialect)
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
                notes=(*s.prompter.notes, *self._notes()),
                digests=digests_of(s.prompter.wire.shown),
            )
        except ValueError:
            return None

    def _notes(self) -> tuple[str, ...]:
        if self.purse is None or not self.purse.closed or len(self.trials) == len(self.jobs):
            return ()
        return (
            f"stopped at the budget of {self.purse.budget} ({self.purse.spent_tokens:,} tokens spent): "
            f"{len(self.trials)} of {len(self.jobs)} requests were asked, the first ones of the file and no "
            "sample of it.",
        )

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
            return "There is nothing to resume: the same command starts again."
        mode = " and mode replay_or_record" if self.settings.mode == "record" else ""
        return (
            f"They are kept in {store.path}; to resume, run the same again with --store {store.path}{mode}: "
            f"only the other {len(self.jobs) - got} are asked then."
        )

    def _read_store(self) -> None:
        s = self.settings
        if s.store is None or s.mode not in ("replay", "replay_or_record"):
            return
        asked = ((job.request, job.replicate) for job in self.jobs)
        stored = s.store.get_many(asked, endpoint=s.endpoint)
        for i, (job, found) in enumerate(zip(self.jobs, stored, strict=True)):
            if found is not None:
                self.stored += 1
                self.trials[i] = self._judge(job, found.reply, found.attempts, stored=True)
                self._tell(trial=self.trials[i])
            elif s.mode == "replay":
                raise s.store.miss(job.request, job.replicate, endpoint=s.endpoint)

    async def _work(self, missing: Iterator[int]) -> None:
        for i in missing:
            reserved = None
            if self.purse is not None and (reserved := self.purse.reserve(self.jobs[i].request)) is None:
                return
            trial = None
            try:
                trial = await self._ask(i)
            finally:
                if self.purse is not None and reserved is not None:
                    paid = trial is not None and trial.answered
                    self.purse.release(reserved, trial.usage if trial is not None and paid else None)
            self.trials[i] = trial
            self._tell(trial=trial)

    async def _ask(self, i: int) -> Trial:
        s, job = self.settings, self.jobs[i]
        assert s.client is not None
        failures: list[str] = []
        while True:
            await self.patience.hold(lambda left_s: self._tell_wait(left_s, failures))
            place = await self.limiter.enter()
            if self.patience.left_s() > 0:  # told to wait while waiting for a place
                self.limiter.leave(place, "later")
                continue
            kind: str | None = "stopped"
            try:
                reply = await self.patience.attempt(s.client, job.request)
                kind = None
            except EndpointError as error:
                kind = error.kind
                failures.append(failure_name(error))
                if not self.patience.tries_again(error, len(failures)):
                    return self._failed(job, error, tuple(failures))
                continue
            finally:
                self.limiter.leave(place, kind)
            self.patience.got_answer()
            trial = self._judge(job, reply, tuple(failures))
            self._keep(i, reply, trial)
            return trial

    def _keep(self, i: int, reply: ChatReply, trial: Trial) -> None:
        s, job = self.settings, self.jobs[i]
        if s.store is None or s.mode == "off":
            return
        try:
            s.store.put(job.request, reply, job.replicate, endpoint=s.endpoint, attempts=trial.attempts)
        except StoreError as error:
            self.trials[i] = trial  # in the report at least
            got = sum(t.state != "service_error" for t in self.trials.values())
            raise AnswerNotKept(
                f"the run was stopped after {got} of {len(self.jobs)} answers, since the last one could not "
                f"be kept: {error} Make room, and run the same again with --store {s.store.path}: what is "
                "in it is not asked again.",
                answered=got,
                total=len(self.jobs),
                report=self.report(),
            ) from error

    def _failed(self, job: Job, error: EndpointError, failures: tuple[str, ...]) -> Trial:
        self.last_error = error
        self.failed += 1
        if self.patience.stops_run(error):
            got, in_a_row = self.patience.answered + self.stored, self.patience.in_a_row
            row = f"{in_a_row} requests in a row failed, the last one so: " if in_a_row > 1 else ""
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
        answer, label = self.reader.judge(job.case, reply, job.names)
        return Trial(
            case=job.case,
            label=label,
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
            margin=read_margin(reply, job.names.catalog, choice=self.settings.prompter.choice),
        )

    def _tell_wait(self, left_s: float, failures: list[str]) -> None:
        why = f"{failures[-1]}, attempt {len(failures) + 1}" if failures else "the service asked to wait"
        self._tell(f"{why} in {left_s:.0f} s")

    def _tell(self, waiting: str = "", trial: Trial | None = None) -> None:
        if self.settings.progress is not None:
            self.settings.progress(
                Progress(
                    done=len(self.trials),
                    total=len(self.jobs),
                    stored=self.stored,
                    failed=self.failed,
                    waiting=waiting,
                    at_once=self.limiter.places,
                    trial=trial,
                )
            )


def _again(error: EndpointError, message: str) -> EndpointError:
    return EndpointError(error.kind, message, status=error.status, retry_after_s=error.retry_after_s)
