"""A whole run by the Batch API: submit, wait, collect, report; and looking, stopping and reporting alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Unpack

from tohlab.errors import EndpointError, RunInterrupted
from tohlab.routing.batch.collect import BatchState, collect_batch, look, state_of, where
from tohlab.routing.batch.ledger import Ledger, as_failure
from tohlab.routing.batch.limits import OPENAI_LIMITS, BatchLimits
from tohlab.routing.batch.patience import insist, wait
from tohlab.routing.batch.service import BatchClient
from tohlab.routing.batch.submit import submit
from tohlab.routing.budget import Budget
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.report import RoutingReport
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.run_settings import Progress
from tohlab.routing.store import ReplyStore
from tohlab.routing.wanted import Asking, Unit, Wanted, report_of, want
from tohlab.skills.model import SkillSource

_PATIENT = RetryPolicy(
    attempts={"rate_limit": 12, "server": 12, "connection": 12, "timeout": 12, "garbage": 3},
    first_wait_s=1.0,
    longest_wait_s=120.0,
)
"""While waiting for hours, a service that is away for a quarter of an hour is nothing."""


def run_batch(
    dataset: RoutingDataset,
    source: SkillSource,
    client: BatchClient,
    *,
    model: str,
    store: ReplyStore,
    replicates: int = 1,
    budget: Budget | None = None,
    limits: BatchLimits = OPENAI_LIMITS,
    rounds: int = 3,
    again: bool = False,
    answers_as: Iterable[str] = (),
    first_poll_s: float = 5.0,
    longest_poll_s: float = 120.0,
    retry: RetryPolicy | None = None,
    progress: Callable[[Progress], None] | None = None,
    **asking: Unpack[Asking],
) -> RoutingReport:
    """Ask a model for every case by the Batch API and return the scored result; it may take a day.

    Stop it whenever you like: the batches go on at the service, and the same call later takes them up. What
    expired is submitted again, and only that. Requests that failed stand beside the score as `infra:*`.

    Args:
        dataset: as in `submit_batch`, like all the arguments that have the same name there.
        source: the skills; read once, at the start.
        client: the service.
        model: the model's name there.
        store: a store in a file.
        replicates: how often each case is asked.
        budget: as there.
        limits: as there.
        rounds: how often requests are submitted at most, the first time among them.
        again: as there.
        answers_as: as in `collect_batch`.
        first_poll_s: seconds to the first look; the waits grow by a half each time.
        longest_poll_s: and no wait is longer.
        retry: when a call is tried again; by default for about a quarter of an hour.
        progress: called while waiting, with the reason; `done` counts answers.
        asking: as there.

    Raises:
        EndpointError: the service refused the key, or nothing at all was answered.
        RunInterrupted: Ctrl-C.
        TohlabError: what `submit_batch` and `collect_batch` raise.
    """
    retry = retry or _PATIENT
    answers_as = tuple(answers_as)
    wanted = want(
        dataset, source, model=model, endpoint=client.endpoint, replicates=replicates, asking=asking
    )
    old = set(wanted.requests) - set(wanted.missing(store))
    told = _Told(wanted, store, progress)
    try:
        for number in range(max(1, rounds)):
            submit(
                wanted, client, store, budget=budget, limits=limits, again=again and not number,
                only_expired=number > 0, retry=retry, progress=told.other,
            )  # fmt: skip
            expired = _wait(wanted, store, client, answers_as, first_poll_s, longest_poll_s, retry, told)
            if not expired:
                break
    except KeyboardInterrupt:
        raise _interrupted(wanted, store) from None
    return _report(wanted, store, old)


def batch_report(
    dataset: RoutingDataset,
    source: SkillSource,
    *,
    model: str,
    store: ReplyStore,
    endpoint: str,
    replicates: int = 1,
    **asking: Unpack[Asking],
) -> RoutingReport:
    """Return the report of batches that were collected, without asking anybody.

    Args:
        dataset: as in `submit_batch`, like the other arguments.
        source: the skills.
        model: the model's name.
        store: what `collect_batch` filled.
        endpoint: host and port of the service, as the store has it (`BatchClient.endpoint`).
        replicates: how often each case was asked.
        asking: as there.

    Raises:
        EndpointError: nothing at all was answered, or requests are still under way.
    """
    wanted = want(dataset, source, model=model, endpoint=endpoint, replicates=replicates, asking=asking)
    with Ledger(store.path) as ledger:
        under_way = len(set(wanted.missing(store)) & ledger.open_units())
    if under_way:
        raise EndpointError(
            "timeout", f"{under_way} requests are still under way, so there is no report; collect them first"
        )
    return _report(wanted, store, set(wanted.requests))


def batch_status(
    store: ReplyStore, client: BatchClient | None = None, *, retry: RetryPolicy | None = None
) -> tuple[BatchState, ...]:
    """Return where each batch of a store is, the oldest first.

    Args:
        store: what the batches were submitted from.
        client: asks its service for what is under way; None: what was known last, of every service.
        retry: when a call is tried again.

    Raises:
        EndpointError: the service could not be asked.
    """
    with Ledger(store.path) as ledger:
        if client is not None:
            for row in ledger.rows(client.endpoint):
                if row.batch_id is not None and not row.closed:
                    look(row, ledger, client, retry or RetryPolicy(), lambda why: None)
        return tuple(map(state_of, ledger.rows(None if client is None else client.endpoint)))


def cancel_batch(
    store: ReplyStore,
    client: BatchClient,
    batch_ids: Iterable[str] = (),
    *,
    forget: bool = False,
    retry: RetryPolicy | None = None,
) -> tuple[BatchState, ...]:
    """Stop batches that are under way; what was answered until then can be collected.

    A batch that the service has not made yet is forgotten at once. Stopping takes the service some minutes
    (`cancelling`); collect after that.

    Args:
        store: what they were submitted from.
        client: the service.
        batch_ids: which ones; by default all that are under way.
        forget: do not ask the service: give up here what it no longer knows. Answers that it has are lost.
        retry: when a call is tried again.

    Returns:
        The batches that were stopped.

    Raises:
        EndpointError: the service could not be asked.
    """
    chosen = set(batch_ids)
    stopped = []
    with client.session(), Ledger(store.path) as ledger, ledger.alone(lambda: None):
        for row in ledger.rows(client.endpoint):
            if row.closed or (chosen and row.batch_id not in chosen):
                continue
            if row.batch_id is None or forget:
                why = ("cancelled", "the batch was given up before it was collected")
                outcomes = {item.custom_id: why for item in ledger.items(row.number)}
                ledger.close(row.number, outcomes, state="forgotten")
            elif not look(row, ledger, client, retry or RetryPolicy(), lambda why: None).over:
                batch_id = row.batch_id
                found = insist(
                    partial(client.stop, batch_id),
                    f"stopping {batch_id}",
                    retry or RetryPolicy(),
                    lambda why: None,
                )
                ledger.note(row.number, state=found.status)
            stopped.append(row.number)
        return tuple(state_of(row) for row in ledger.rows() if row.number in stopped)


class _Told:
    """Turns what submitting and collecting tell into where the whole run is."""

    def __init__(
        self, wanted: Wanted, store: ReplyStore, progress: Callable[[Progress], None] | None
    ) -> None:
        self._progress = progress
        self._wanted = wanted
        self._store = store
        self.count()

    def count(self) -> None:
        """Look how many answers there are."""
        self._done = len(self._wanted.requests) - len(self._wanted.missing(self._store))

    def __call__(self, waiting: str = "") -> None:
        self.other(Progress(done=0, total=0, stored=0, failed=0, waiting=waiting))

    def other(self, progress: Progress) -> None:
        """Pass on why nothing moves."""
        if self._progress is not None:
            total = len(self._wanted.requests)
            self._progress(replace(progress, done=self._done, total=total, stored=self._done))


def _wait(
    wanted: Wanted,
    store: ReplyStore,
    client: BatchClient,
    answers_as: tuple[str, ...],
    first_poll_s: float,
    longest_poll_s: float,
    retry: RetryPolicy,
    told: _Told,
) -> int:
    """Collect until nothing that is wanted is under way; return how many requests expired."""
    poll_s = first_poll_s
    while True:
        found = collect_batch(store, client, answers_as=answers_as, retry=retry, progress=told.other)
        if found.answered:
            told.count()
        with Ledger(store.path) as ledger:
            under_way = len(ledger.open_units() & set(wanted.requests))
            if not under_way:
                told()
                ended = ledger.failures(wanted.missing(store))
                return sum(outcome == "expired" for outcome, _ in ended.values())
        waited = [batch for batch in found.batches if batch.batch_id and not batch.collected]
        wait(poll_s, where(waited), told)
        poll_s = min(poll_s * 1.5, longest_poll_s)


def _report(wanted: Wanted, store: ReplyStore, old: set[Unit]) -> RoutingReport:
    with Ledger(store.path) as ledger:
        ended = ledger.failures(wanted.missing(store))
    return report_of(wanted, store, {unit: as_failure(*what) for unit, what in ended.items()}, old=old)


def _interrupted(wanted: Wanted, store: ReplyStore) -> RunInterrupted:
    answered = len(wanted.requests) - len(wanted.missing(store))
    return RunInterrupted(
        f"stopped after {answered} of {len(wanted.requests)} answers. The batches go on at the service; "
        f"to take "
        f"them up, run the same again with --store {store.path}.",
        answered=answered,
        total=len(wanted.requests),
    )
