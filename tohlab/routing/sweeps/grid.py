"""The full grid of a sweep, planned: every combination of values, and what it would ask."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tohlab.errors import RoutingError
from tohlab.routing.client import ChatRequest
from tohlab.routing.dry_run import wanted_requests
from tohlab.routing.store import ReplyStore
from tohlab.routing.sweeps.plan import Axis, Plan, Value
from tohlab.routing.sweeps.results import SweptAxis


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """All points of a sweep, planned."""

    axes: tuple[SweptAxis, ...]
    plans: tuple[tuple[tuple[tuple[str, str], ...], Plan], ...]
    """Each point's settings and what it is told, the last axis fastest."""


def plan_grid(plan: Plan, over: Axis | Sequence[Axis]) -> Grid:
    """Return every combination of the axes' values; nothing is asked.

    Raises:
        RoutingError: no axis, one twice, or one that means nothing for a baseline.
    """
    axes = (over,) if isinstance(over, Axis) else tuple(over)
    names = [axis.name for axis in axes]
    if not axes or len(set(names)) < len(names):
        raise RoutingError("a sweep needs at least one axis, and each axis once")
    values = [axis.make(plan) for axis in axes]
    plans = []
    for chosen in itertools.product(*values):
        made = plan
        steps: list[tuple[Axis, Value]] = sorted(zip(axes, chosen, strict=True), key=lambda s: s[0].stage)
        for _, value in steps:
            made = value.change(made)
        if isinstance(made.asked, str) and (axis := next((a for a in axes if a.asks), None)):
            raise RoutingError(
                f"the axis {axis.name} changes how a model is asked, and a baseline ({made.asked}) is not "
                "asked; give a client and a model"
            )
        settings = tuple((axis.name, value.label) for axis, value in zip(axes, chosen, strict=True))
        plans.append((settings, made))
    swept = tuple(
        SweptAxis(
            name=axis.name,
            labels=tuple(value.label for value in found),
            numbers=tuple(value.number for value in found),
            ordered=axis.ordered,
        )
        for axis, found in zip(axes, values, strict=True)
    )
    return Grid(axes=swept, plans=tuple(plans))


def wanted(
    plan: Plan, store: ReplyStore | None, options: Mapping[str, Any]
) -> tuple[tuple[ChatRequest, ...], int]:
    """Return the requests of a point that would be asked, and how many the store answers."""
    if isinstance(plan.asked, str):
        return (), 0
    shared = ("temperature", "seed", "max_tokens", "replicates")
    kept = {key: options[key] for key in shared if key in options}
    endpoint = options.get("endpoint") or str(getattr(plan.asked, "endpoint", ""))
    return wanted_requests(plan.dataset, plan.source, store=store, endpoint=endpoint, **plan.asking(), **kept)
