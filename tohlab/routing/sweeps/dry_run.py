"""What a sweep would use, told without asking anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tohlab.routing.budget import Estimate, estimate
from tohlab.routing.client import ChatClient, ChatRequest
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.pricing import Price
from tohlab.routing.store import ReplyStore
from tohlab.routing.sweeps.covariates import Covariates, covariates
from tohlab.routing.sweeps.grid import plan_grid, wanted
from tohlab.routing.sweeps.plan import Axis, Plan
from tohlab.skills.model import SkillSource
from tohlab.tokens import TokenMeter, get_meter

_ASKING = (
    "dialect",
    "description_limit",
    "choice",
    "placement",
    "enumerate_names",
    "earlier",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointEstimate:
    """What one point of a sweep would use."""

    settings: tuple[tuple[str, str], ...]
    estimate: Estimate
    n_skills: int
    catalog_tokens: int
    tool_tokens: int
    nearest: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepEstimate:
    """What a whole sweep would use."""

    points: tuple[PointEstimate, ...]
    requests: int
    """How many would be asked with a store, which has those that two points share the second time."""
    stored: int
    """How many are in the store."""
    total: Estimate
    """Of the requests that would be asked, each once."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "requests": self.requests,
            "stored": self.stored,
            "total": self.total.to_dict(),
            "points": [
                {
                    "settings": dict(point.settings),
                    "n_skills": point.n_skills,
                    "catalog_tokens": point.catalog_tokens,
                    "tool_tokens": point.tool_tokens,
                    "nearest": point.nearest,
                    **point.estimate.to_dict(),
                }
                for point in self.points
            ],
        }


def estimate_sweep(
    dataset: RoutingDataset,
    source: SkillSource,
    asked: ChatClient | str | None = None,
    *,
    over: Axis | Sequence[Axis],
    model: str = "",
    price: Price | None = None,
    store: ReplyStore | None = None,
    meter: TokenMeter | None = None,
    **options: Any,
) -> SweepEstimate:
    """Return what a sweep would use, without asking anything; a baseline asks nothing.

    Args:
        dataset: as in `sweep`; likewise `source`, `asked`, `over`, `model`, `price`, `store`, `meter`.
        source: the skills.
        asked: a client, a baseline's name, or None.
        over: one axis or several.
        model: the model's name.
        price: what tokens cost; None: no money.
        store: answers that it has are not asked again.
        meter: what counts; by default o200k_base.
        options: the other arguments of `sweep` that change a request, and `replicates` and `endpoint`.

    Raises:
        TohlabError: as `sweep`, for a point that cannot be asked.
    """
    meter = meter or get_meter()
    settings = {key: options.pop(key) for key in _ASKING if key in options}
    plan = Plan(dataset=dataset, source=source, asked=asked, model=model, price=price, **settings)
    points = []
    kept = 0
    once: dict[tuple[str, int], tuple[ChatRequest, Price | None]] = {}
    for chosen, made in plan_grid(plan, over).plans:
        known: Covariates = covariates(made, meter)
        requests, stored = wanted(made, store, options)
        kept += stored
        seen: dict[str, int] = {}
        for request in requests:
            # Replicates without a seed are the same request and are asked apart.
            text = request.canonical_json()
            seen[text] = seen.get(text, -1) + 1
            once[text, seen[text]] = request, made.price
        points.append(
            PointEstimate(
                settings=chosen,
                estimate=estimate(requests, stored=stored, price=made.price, meter=meter),
                n_skills=known.n_skills,
                catalog_tokens=known.catalog_tokens,
                tool_tokens=known.tool_tokens,
                nearest=known.nearest,
            )
        )
    return SweepEstimate(
        points=tuple(points),
        requests=len(once),
        stored=kept,
        total=_total(tuple(once.values()), kept, meter),
    )


def _total(once: Sequence[tuple[ChatRequest, Price | None]], stored: int, meter: TokenMeter) -> Estimate:
    """Each request at the price of its own point."""
    found = estimate([request for request, _ in once], stored=stored, meter=meter)
    prices = dict.fromkeys(price for _, price in once)
    parts = [
        estimate([request for request, own in once if own == price], price=price, meter=meter)
        for price in prices
    ]
    lows, highs = [part.low_usd for part in parts], [part.high_usd for part in parts]
    return replace(found, low_usd=_sum(lows), high_usd=_sum(highs))


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
