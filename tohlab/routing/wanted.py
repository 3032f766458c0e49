"""What a run wants answered, as a list that can be split; and the report once the answers are in the store.

A batch of a provider and a run over several processes are alike: they know beforehand which requests they
want (each by its key and replicate, the store's own names), others carry them out in any order, and at the
end the store has the answers and somebody has a word on each of those that failed. The report is then made
by the one runner there is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from tohlab.dialects import Dialect
from tohlab.dialects.harness import Harness
from tohlab.errors import BudgetExceeded, EndpointError, RoutingError
from tohlab.routing.budget import Budget, estimate
from tohlab.routing.client import ChatReply, ChatRequest
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.prompts import Choice, Placement, Prompter, prompter
from tohlab.routing.report import RoutingReport
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.runner import run_routing
from tohlab.routing.statistics import wilson
from tohlab.routing.store import ReplyStore, request_key
from tohlab.routing.wires import Fixed, Limit
from tohlab.skills.model import SkillSource

Unit = tuple[str, int]
"""The store's key of a request, and the number of the replicate."""


class Asking(TypedDict, total=False):
    """How the cases are asked; the arguments of `run_routing` with the same names and defaults."""

    dialect: str | Dialect | Harness
    choice: Choice
    placement: Placement
    temperature: float | None
    seed: int | None
    max_tokens: int | None
    logprobs: int | None
    earlier: SkillSource | None
    description_limit: Limit
    enumerate_names: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why one request has no answer."""

    kind: str
    """As `EndpointError.kind` has it."""
    detail: str
    """One sentence."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """All the requests of one run, with what is needed to score their answers."""

    dataset: RoutingDataset
    source: SkillSource
    """The skills as they were at the start, however long the answers take."""
    prompts: Prompter
    asking: Asking
    endpoint: str
    replicates: int
    units: Sequence[Unit]
    """Each case with each replicate, in the order of the report; equal requests have equal units."""
    requests: Mapping[Unit, ChatRequest]
    """Each different request once."""

    def missing(self, store: ReplyStore) -> dict[Unit, ChatRequest]:
        """Return the requests that the store has no answer to, in order."""
        return {
            unit: request
            for unit, request in self.requests.items()
            if store.get(request, unit[1], endpoint=self.endpoint) is None
        }


def want(
    dataset: RoutingDataset,
    source: SkillSource,
    *,
    model: str,
    endpoint: str,
    replicates: int,
    asking: Asking,
) -> Wanted:
    """Return what a run wants answered.

    Raises:
        DatasetError: an expected skill is not in the catalog, or there is no labelled case.
        RoutingError: a setting that cannot be.
    """
    if replicates < 1:
        raise RoutingError("replicates must be at least 1")
    if (earlier := asking.get("earlier")) is not None:
        asking = {**asking, "earlier": Fixed(earlier)}
    source = Fixed(source)
    prompts = prompter(source, model=model, **asking)
    dataset.check_scorable(prompts.names, prompts.unloaded)
    wilson(0, 1)  # if what the score needs is not installed, that is said before anything is asked
    units: list[Unit] = []
    requests: dict[Unit, ChatRequest] = {}
    for case in dataset.cases:
        for replicate in range(replicates):
            request = prompts.request(case.query, replicate)
            unit = (request_key(request, endpoint), replicate)
            units.append(unit)
            requests.setdefault(unit, request)
    return Wanted(dataset, source, prompts, asking, endpoint, replicates, units, requests)


def check_budget(requests: Collection[ChatRequest], budget: Budget | None, *, share: float = 1.0) -> None:
    """Make sure that all the requests fit a budget with every answer at its longest.

    Work that others carry out cannot be stopped at a cent, so it is not begun if it may cost more.

    Args:
        requests: what is about to be asked.
        budget: the limit; None: no limit.
        share: of the budget's price, what such a request costs.

    Raises:
        BudgetExceeded: they may not fit; the text says what they need.
    """
    if budget is None or not requests:
        return
    found = estimate(requests, price=budget.price)
    if found.completion_tokens is None:
        raise BudgetExceeded(
            f"the budget of {budget} cannot be kept without a longest answer; give one (--max-tokens N)"
        )
    tokens = found.prompt_tokens + found.completion_tokens
    usd = None if found.high_usd is None else found.high_usd * share
    if (budget.tokens is not None and tokens > budget.tokens) or (
        budget.usd is not None and usd is not None and usd > budget.usd
    ):
        money = "" if usd is None else f", {usd:.4f} USD"
        raise BudgetExceeded(
            f"the budget of {budget} may not do: {found.requests} requests are up to {tokens:,} tokens "
            f"({found.meter}{money}), every answer at its longest. Nothing was asked. Raise it, or take a "
            f"sample "
            "(--limit N)."
        )


def request_of(body: Mapping[str, Any]) -> ChatRequest:
    """Return the request that has this body; the inverse of `ChatRequest.body`."""
    fields = {**body, "messages": tuple(body["messages"]), "tools": tuple(body.get("tools", ()))}
    if fields.pop("logprobs", False):
        fields["logprobs"] = fields.pop("top_logprobs")
    return ChatRequest(**fields)


def report_of(
    wanted: Wanted,
    store: ReplyStore,
    failures: Mapping[Unit, Failure],
    *,
    old: Collection[Unit] = (),
) -> RoutingReport:
    """Return the report over the answers of the store; what has failed stands beside the score.

    Args:
        wanted: what was asked.
        store: has the answers.
        failures: why the others have none.
        old: what the store had before it was asked now (`RoutingReport.n_stored`, and the cost of today).

    Raises:
        EndpointError: nothing was answered.
    """
    teller = _Teller(wanted, store, failures)
    report = run_routing(
        wanted.dataset,
        wanted.source,
        teller,
        model=wanted.prompts.model,
        store=store,
        mode="replay_or_record",
        replicates=wanted.replicates,
        concurrency=1,
        endpoint=wanted.endpoint,
        retry=_Once(),
        **wanted.asking,
    )
    # By order and not by id: trials have the order of the cases, and ids may repeat in a set made by hand.
    trials = tuple(
        replace(trial, stored=trial.stored and unit in old)
        for trial, unit in zip(report.trials, wanted.units, strict=True)
    )
    return replace(report, trials=trials, n_stored=sum(trial.stored for trial in trials))


class _Teller:
    """A client that asks nobody: it says again why each request failed."""

    def __init__(self, wanted: Wanted, store: ReplyStore, failures: Mapping[Unit, Failure]) -> None:
        self.endpoint = wanted.endpoint
        self._left: dict[str, list[Failure]] = {}
        for unit in _open(wanted.units, wanted, store):
            told = failures.get(unit) or Failure(kind="server", detail="nothing was heard of this request")
            self._left.setdefault(unit[0], []).append(told)

    async def complete(self, request: ChatRequest) -> ChatReply:
        told = self._left[request_key(request, self.endpoint)].pop(0)
        raise EndpointError(told.kind, told.detail)


def _open(units: Iterable[Unit], wanted: Wanted, store: ReplyStore) -> Iterable[Unit]:
    missing = wanted.missing(store)
    return (unit for unit in units if unit in missing)


class _Once(RetryPolicy):
    """Nothing is tried again, and nothing stops the run: what failed has failed already."""

    __slots__ = ()

    def wait_s(self, error: EndpointError, attempt: int) -> float | None:
        return None

    def stops_run(self, error: EndpointError, *, in_a_row: int, answered: int) -> bool:
        return False
