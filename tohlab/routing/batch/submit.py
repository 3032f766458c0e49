"""Requests to files, files to batches; what was submitted already is not submitted again."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Unpack

from tohlab.errors import EndpointError, RoutingError
from tohlab.routing.batch.ledger import EXPIRED, PLANNED, BatchRow, Ledger, custom_id_of
from tohlab.routing.batch.limits import OPENAI_LIMITS, BatchLimits
from tohlab.routing.batch.patience import Tell, insist
from tohlab.routing.batch.service import BatchClient, RemoteBatch
from tohlab.routing.budget import Budget
from tohlab.routing.client import ChatRequest
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.run_settings import Progress
from tohlab.routing.store import ReplyStore
from tohlab.routing.wanted import Asking, Unit, Wanted, check_budget, want
from tohlab.skills.model import SkillSource

REFUSED: Final = frozenset({"bad_request", "context_length", "content_filter"})
"""Failures that the same request would have again; only `again=True` submits them once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What one call of `submit_batch` did."""

    batch_ids: tuple[str, ...]
    """The batches that were made now, in the order of their files."""
    submitted: int
    """How many requests are in them."""
    stored: int
    """How many are in the store already."""
    under_way: int
    """How many are in a batch that was submitted earlier and is not collected."""
    refused: int
    """How many the service refused earlier for what they are; `again` submits them once more."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return asdict(self)


def submit_batch(
    dataset: RoutingDataset,
    source: SkillSource,
    client: BatchClient,
    *,
    model: str,
    store: ReplyStore,
    replicates: int = 1,
    budget: Budget | None = None,
    limits: BatchLimits = OPENAI_LIMITS,
    again: bool = False,
    retry: RetryPolicy | None = None,
    progress: Callable[[Progress], None] | None = None,
    **asking: Unpack[Asking],
) -> Submission:
    """Submit every case that has no answer to the service's Batch API, and return at once.

    What is in the store or in a batch under way is left out, so calling it twice submits once, and a call
    after a killed one goes on where that was. Requests that expired, were cancelled or failed for the
    service's sake are submitted again; two cases with the same text are one request.

    Args:
        dataset: as in `run_routing`, like the arguments that have the same name there.
        source: the skills.
        client: the service.
        model: the model's name there.
        store: a store in a file; the batches are remembered in it.
        replicates: how often each case is asked.
        budget: nothing is submitted if everything together could cost more (at the batch's price, every
            answer
            at its longest).
        limits: how large a file may be; more requests are split over several.
        again: submit also what the service refused for what it is (`REFUSED`).
        retry: when an upload or the making of a batch is tried again.
        progress: called while files are sent and while waiting; `done` counts requests that are submitted.
        asking: `dialect`, `choice`, `placement`, `temperature`, `seed`, `max_tokens`, `logprobs`, `earlier`,
            `description_limit`, `enumerate_names`.

    Raises:
        BudgetExceeded: it could cost more than the budget.
        DatasetError: an expected skill is not in the catalog, or there is no labelled case.
        EndpointError: the service did not take a file or a batch; what it took is remembered.
        RoutingError: one request alone is larger than a file may be.
        StoreError: the store is none in a file, or cannot be written.
    """
    wanted = want(
        dataset, source, model=model, endpoint=client.endpoint, replicates=replicates, asking=asking
    )
    return submit(
        wanted, client, store, budget=budget, limits=limits, again=again, retry=retry, progress=progress
    )


def submit(
    wanted: Wanted,
    client: BatchClient,
    store: ReplyStore,
    *,
    budget: Budget | None = None,
    limits: BatchLimits = OPENAI_LIMITS,
    again: bool = False,
    only_expired: bool = False,
    retry: RetryPolicy | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Submission:
    """Submit what is missing of `wanted` (see `submit_batch`).

    Args:
        wanted: the requests.
        client: the service.
        store: where answers are.
        budget: as in `submit_batch`, like the others.
        limits: as there.
        again: as there.
        only_expired: of what a batch ended without an answer, submit only what it had no time for.
        retry: as there.
        progress: as there.
    """
    retry = retry or RetryPolicy()
    sent = 0
    total = len(wanted.requests)

    def tell(waiting: str = "") -> None:
        if progress is not None:
            progress(Progress(done=sent, total=total, stored=0, failed=0, waiting=waiting))

    def waiting() -> None:
        tell("another process is submitting from this store")

    with client.session(), Ledger(store.path) as ledger, ledger.alone(waiting):
        # First what is under way, then the store: a batch that is collected in between is in the second.
        under_way = ledger.open_units()
        missing = wanted.missing(store)
        ended = ledger.failures(missing)
        new: dict[Unit, ChatRequest] = {}
        refused = 0
        for unit, request in missing.items():
            if unit in under_way:
                continue
            if unit in ended and not again:
                if ended[unit][0] in REFUSED:
                    refused += 1
                    continue
                if only_expired and ended[unit][0] != EXPIRED:
                    continue
            new[unit] = request
        if new:
            share = budget.price.batch_share if budget is not None and budget.price is not None else 1.0
            check_budget(new.values(), budget, share=share)
            ledger.plan(
                split(new, client.line, limits),
                endpoint=client.endpoint,
                base_url=client.base_url,
                model=wanted.prompts.model,
            )
        batch_ids = []
        for row in ledger.rows(client.endpoint):
            if row.state == PLANNED and not row.closed:
                batch_ids.append(_send(row, ledger, client, limits, retry, tell))
                sent += row.requests
                tell()
    return Submission(
        batch_ids=tuple(batch_ids),
        submitted=sent,
        stored=total - len(missing),
        under_way=sum(unit in under_way for unit in missing),
        refused=refused,
    )


def split(
    requests: Mapping[Unit, ChatRequest],
    line: Callable[[str, ChatRequest], bytes],
    limits: BatchLimits,
) -> Iterator[list[tuple[Unit, ChatRequest]]]:
    """Yield the requests of one file after the other, each as full as the limits allow.

    Args:
        requests: in their order.
        line: writes a request, given its name in the file; its length counts.
        limits: how large a file may be.

    Raises:
        RoutingError: one request alone is larger than a file may be.
    """
    file: list[tuple[Unit, ChatRequest]] = []
    size = 0
    for unit, request in requests.items():
        length = len(line(custom_id_of(unit), request))
        if length > limits.file_bytes:
            raise RoutingError(
                f"one request alone is {length:,} bytes, and a batch file may have {limits.file_bytes:,}; "
                f"use a "
                "smaller catalog"
            )
        if file and (len(file) == limits.requests or size + length > limits.file_bytes):
            yield file
            file, size = [], 0
        file.append((unit, request))
        size += length
    if file:
        yield file


def write_file(row: BatchRow, ledger: Ledger, client: BatchClient, folder: Path) -> Path:
    """Write a batch's request file; return where it is. Its name has the batch's mark."""
    path = folder / f"tohlab-{row.mark}.jsonl"
    with path.open("wb") as file:
        for item in ledger.items(row.number):
            file.write(client.line(item.custom_id, ledger.request(item)))
    return path


def _send(
    row: BatchRow, ledger: Ledger, client: BatchClient, limits: BatchLimits, retry: RetryPolicy, tell: Tell
) -> str:
    file_id = row.file_id
    known = None if file_id is None else _made_before(row, file_id, client, retry, tell)
    if known is None and file_id is None:
        with tempfile.TemporaryDirectory(prefix="tohlab-batch-") as folder:
            path = write_file(row, ledger, client, Path(folder))
            tell(f"uploading {row.requests:,} requests ({path.stat().st_size / 1e6:.1f} MB)")
            file_id = insist(lambda: client.upload(path), "uploading", retry, tell)
        ledger.note(row.number, file_id=file_id)
    if known is None:
        assert file_id is not None
        made_of = file_id
        try:
            known = insist(
                lambda: client.create(made_of, row.mark, limits.window),
                "making a batch",
                retry,
                tell,
                before=lambda: client.find(made_of, row.mark, row.planned_s),
            )
        except EndpointError as error:
            if error.kind in REFUSED and row.file_id is not None:
                ledger.note(row.number, file_id=None)  # perhaps the file is gone: the next call sends it anew
            elif error.kind in REFUSED:
                why = (error.kind, f"the service made no batch of it: {error}")
                outcomes = {item.custom_id: why for item in ledger.items(row.number)}
                ledger.close(row.number, outcomes, state="refused", detail=str(error))
            raise
    ledger.note(row.number, batch_id=known.id, state=known.status)
    return known.id


def _made_before(
    row: BatchRow, file_id: str, client: BatchClient, retry: RetryPolicy, tell: Tell
) -> RemoteBatch | None:
    """The batch that an earlier process made without hearing of it, or None."""
    try:
        found = insist(
            lambda: (client.find(file_id, row.mark, row.planned_s),), "looking for a batch", retry, tell
        )
    except EndpointError as error:
        if error.status not in (404, 405):
            raise
        raise EndpointError(
            error.kind,
            f"{client.base_url} does not list its batches, so it cannot be told whether the batch of file "
            f"{file_id} "
            f"was made before this was stopped. Look there: if not, `tohlab route batch cancel --store FILE` "
            "forgets it, and the next submit sends it again.",
            status=error.status,
        ) from None
    return found[0]
