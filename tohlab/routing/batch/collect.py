"""Results to answers in the store, whatever their order; and how each request ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tohlab.errors import EndpointError
from tohlab.routing.batch.ledger import ANSWERED, EXPIRED, BatchRow, Item, Ledger
from tohlab.routing.batch.patience import Tell, insist, wait
from tohlab.routing.batch.results import Result, other_model, read_results
from tohlab.routing.batch.service import BatchClient, RemoteBatch
from tohlab.routing.client import ChatReply, mark_batch
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.run_settings import Progress
from tohlab.routing.store import ReplyStore


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """Where one batch is."""

    batch_id: str
    """Empty: it is written down here, and the service has not made it yet."""
    model: str
    base_url: str
    status: str
    """The service's word (`in_progress`, `completed`, `expired`, ...), or `planned`."""
    requests: int
    done: int
    """Requests that the service has finished, as far as it said."""
    collected: bool
    """Whether its results are in the store."""
    detail: str = ""
    """What the service said of a batch that failed."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """What one call of `collect_batch` found."""

    batches: tuple[BatchState, ...]
    """All batches of this store at this service, the oldest first."""
    answered: int
    """Answers that are in the store now and were not before."""
    expired: int
    """Requests that the service had no time for; the next submit takes them up."""
    failed: tuple[tuple[str, int], ...]
    """Other requests without an answer, by kind (as `EndpointError.kind` has it), sorted."""
    duplicates: int
    """Lines for a request that had one already; the first answer counts."""
    unknown: int
    """Lines for a request that is in no such batch; they are not stored."""
    unreadable: int
    """Lines that are not whole."""
    other_models: tuple[str, ...]
    """Names of models that answered in the place of the one that was asked; their answers are not stored."""
    under_way: int
    """Requests in batches that are not finished."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {name: getattr(self, name) for name in self.__slots__}
        return {
            **data,
            "batches": [batch.to_dict() for batch in self.batches],
            "failed": dict(self.failed),
            "other_models": list(self.other_models),
        }


def collect_batch(
    store: ReplyStore,
    client: BatchClient,
    *,
    again: bool = False,
    answers_as: Iterable[str] = (),
    wait_for_all: bool = False,
    first_poll_s: float = 5.0,
    longest_poll_s: float = 120.0,
    retry: RetryPolicy | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Collection:
    """Put the answers of all finished batches into the store; batches under way are looked at, and left.

    It needs no dataset: what was asked stands beside the answers. Several may collect at once, and one that
    is killed is simply called again. An answer has the key that a live answer has, so scoring, resuming and
    exporting work as with those; it is marked as one from a batch, for its price. Where the store has an
    answer already (a live one, or an earlier one), that stays.

    Args:
        store: the store that the batches were submitted from.
        client: the service.
        again: read the results of batches that were collected before, too.
        answers_as: other names under which the service may answer for the model; by default only longer and
            shorter forms of its name, such as a dated snapshot, are taken for it.
        wait_for_all: return only when no batch is under way any more.
        first_poll_s: then, seconds to the second look; the waits grow by a half each time.
        longest_poll_s: and no wait is longer.
        retry: when a call is tried again.
        progress: called while results are stored and while waiting.

    Raises:
        EndpointError: the service could not be asked.
        StoreError: an answer could not be stored, such as on a full disk; call it again, nothing is lost.
    """
    with client.session(), Ledger(store.path) as ledger:
        work = _Collecting(ledger, store, client, frozenset(answers_as), retry or RetryPolicy(), progress)
        poll_s = first_poll_s
        while True:
            for row in ledger.rows(client.endpoint):
                if row.batch_id is not None and (again or not row.closed):
                    work.take(row)
            rows = ledger.rows(client.endpoint)
            waited = [state_of(row) for row in rows if row.batch_id is not None and not row.closed]
            if not (wait_for_all and waited):
                break
            again = False
            wait(poll_s, where(waited), work.tell)
            poll_s = min(poll_s * 1.5, longest_poll_s)
    return Collection(
        batches=tuple(map(state_of, rows)),
        answered=work.answered,
        expired=work.ended.pop(EXPIRED, 0),
        failed=tuple(sorted(work.ended.items())),
        duplicates=work.duplicates,
        unknown=work.unknown,
        unreadable=work.unreadable,
        other_models=tuple(sorted(work.others)),
        under_way=sum(row.requests for row in rows if not row.closed),
    )


def nothing_collected(store: ReplyStore) -> Collection:
    """Return what `collect_batch` returns where there is nothing to ask for."""
    with Ledger(store.path) as ledger:
        rows = ledger.rows()
    return Collection(
        batches=tuple(map(state_of, rows)),
        answered=0,
        expired=0,
        failed=(),
        duplicates=0,
        unknown=0,
        unreadable=0,
        other_models=(),
        under_way=sum(row.requests for row in rows if not row.closed),
    )


def state_of(row: BatchRow) -> BatchState:
    """Return what a reader wants to know of a batch."""
    return BatchState(
        batch_id=row.batch_id or "",
        model=row.model,
        base_url=row.base_url,
        status=row.state,
        requests=row.requests,
        done=row.done,
        collected=row.closed,
        detail=row.detail,
    )


def where(waited: Sequence[BatchState]) -> str:
    """Return which batches are waited for, and how far they are, in one line."""
    named = ", ".join(f"{b.batch_id} {b.status} {b.done}/{b.requests}" for b in waited[:2])
    more = f" and {len(waited) - 2} more" if len(waited) > 2 else ""
    return f"{named}{more}; next look"


def look(row: BatchRow, ledger: Ledger, client: BatchClient, retry: RetryPolicy, tell: Tell) -> RemoteBatch:
    """Ask where a batch is, and write it down.

    Raises:
        EndpointError: the service could not be asked, or does not know the batch.
    """
    batch_id = row.batch_id or ""
    try:
        found = insist(lambda: client.retrieve(batch_id), f"looking at {batch_id}", retry, tell)
    except EndpointError as error:
        if error.status != 404:
            raise
        raise EndpointError(
            error.kind,
            f"{client.base_url} knows no batch {batch_id}: is it the key of another account, or was the "
            f"batch "
            "deleted? `tohlab route batch cancel --store FILE --forget` forgets it here.",
            status=404,
        ) from None
    done = found.completed + found.failed
    detail = "; ".join(found.errors)
    if (found.status, done, detail) != (row.state, row.done, row.detail) and not row.closed:
        ledger.note(row.number, state=found.status, done=done, detail=detail)
    return found


class _Collecting:
    """One call of `collect_batch`, and what it counts."""

    def __init__(
        self,
        ledger: Ledger,
        store: ReplyStore,
        client: BatchClient,
        answers_as: frozenset[str],
        retry: RetryPolicy,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._ledger = ledger
        self._store = store
        self._client = client
        self._answers_as = answers_as
        self._retry = retry
        self._progress = progress
        self._seen: dict[int, int] = {}
        self.answered = self.duplicates = self.unknown = self.unreadable = 0
        self.ended: Counter[str] = Counter()
        self.others: set[str] = set()

    def take(self, row: BatchRow) -> None:
        """Read the results of a batch, if it is over."""
        self._seen[row.number] = row.requests
        found = look(row, self._ledger, self._client, self._retry, self.tell)
        if not found.over:
            return
        items = {item.custom_id: item for item in self._ledger.items(row.number)}
        outcomes: dict[str, tuple[str, str]] = {}
        # The output before the errors: of a request that is in both, the answer counts.
        for file_id in filter(None, (found.output_file_id, found.error_file_id)):
            self.tell(f"reading the results of {found.id}")
            read = partial(self._client.content, file_id)
            for result in read_results(insist(read, "reading results", self._retry, self.tell)):
                self.unreadable += not result.whole
                if item := items.get(result.custom_id or ""):
                    self._line(result, item, row, found, outcomes)
                else:
                    self.unknown += result.custom_id is not None
        rest = _silent(found)
        for custom_id, item in items.items():
            if custom_id not in outcomes:
                # Read again later (`again`), a file may be gone that was read before.
                outcomes[custom_id] = (ANSWERED, "") if item.outcome == ANSWERED else rest
        self._ledger.close(row.number, outcomes, state=found.status, detail="; ".join(found.errors))
        self.ended.update(outcome for outcome, _ in outcomes.values() if outcome != ANSWERED)
        self.tell()

    def _line(
        self,
        result: Result,
        item: Item,
        row: BatchRow,
        found: RemoteBatch,
        outcomes: dict[str, tuple[str, str]],
    ) -> None:
        if item.custom_id in outcomes:
            self.duplicates += 1
            if result.raw is None or outcomes[item.custom_id][0] == ANSWERED:
                return
        if result.raw is None:
            outcomes[item.custom_id] = (result.outcome, result.detail)
            return
        name = result.raw.get("model")
        if other_model(row.model, name) and name not in self._answers_as:
            self.others.add(str(name))
            outcomes[item.custom_id] = (
                "garbage",
                f"the answer is one of the model {name!r}, and {row.model!r} was asked; if that is its other "
                "name, collect again and say so (answers_as, or --again --answers-as)",
            )
            return
        self._keep(item, result.raw, row, found.id)
        outcomes[item.custom_id] = (ANSWERED, "")

    def _keep(self, item: Item, raw: Mapping[str, Any], row: BatchRow, batch_id: str) -> None:
        request = self._ledger.request(item)
        if self._store.get(request, item.replicate, endpoint=row.endpoint) is not None:
            return
        # A store keeps a number here; read again, the mark says that there is none.
        reply = replace(ChatReply.from_raw(mark_batch(raw, batch_id)), latency_s=0.0)
        self._store.put(request, reply, item.replicate, endpoint=row.endpoint)
        self.answered += 1
        if self.answered % 100 == 0:
            self.tell()

    def tell(self, waiting: str = "") -> None:
        """Tell where this is."""
        if self._progress is not None:
            failed = self.ended.total()
            self._progress(
                Progress(
                    done=self.answered,
                    total=sum(self._seen.values()),
                    stored=0,
                    failed=failed,
                    waiting=waiting,
                )
            )


def _silent(found: RemoteBatch) -> tuple[str, str]:
    """How a request ended that is in neither file."""
    if found.status == EXPIRED:
        return EXPIRED, f"the batch {found.id} expired before this request was carried out"
    if found.status == "cancelled":
        return "cancelled", f"the batch {found.id} was cancelled before this request was carried out"
    if found.status == "failed":
        said = "; ".join(found.errors) or "the service did not say why"
        return _failed_kind(said), f"the batch {found.id} failed: {said}"
    return "server", f"the batch {found.id} ended without a word of this request"


def _failed_kind(said: str) -> str:
    text = said.lower()
    if "token_limit" in text or "rate_limit" in text or "too_many" in text:
        return "rate_limit"  # too much was waiting already; later there is room
    return "quota" if "quota" in text or "billing" in text else "bad_request"
