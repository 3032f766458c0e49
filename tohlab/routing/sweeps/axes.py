"""The axes that change how a model is asked: dialect, limit, choice, placement, enumeration, model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tohlab.dialects import Dialect
from tohlab.dialects.harness import Harness
from tohlab.errors import RoutingError
from tohlab.routing.client import ChatClient
from tohlab.routing.pricing import Price
from tohlab.routing.prompts import Choice, Placement
from tohlab.routing.sweeps.plan import Axis, Plan, Value
from tohlab.routing.wires import Limit, find_dialect

Model = str | tuple[str, ChatClient] | tuple[str, ChatClient, Price]
"""A model's name at the one service, or with a service of its own, or also with what it costs."""


def _set(**changes: Any) -> Callable[[Plan], Plan]:
    return lambda plan: replace(plan, **changes)


def dialects(*names: str | Dialect | Harness) -> Axis:
    """Return the axis of harnesses: whose list, whose tool, whose place.

    A harness that has no tool for loading a skill can only be asked with the choice `json`.

    Raises:
        UnknownDialect: there is none of that name.
        RoutingError: none, or one twice.
    """
    found = [find_dialect(name) for name in names]
    return Axis.of(
        "dialect", *(Value(label=d.name, change=_set(dialect=d)) for d in found), stage=1, asks=False
    )


def description_limits(*limits: Limit) -> Axis:
    """Return the axis of the longest description that the list shows.

    A dialect with a limit of its own cuts as it does; for a harness without one descriptions are cut in the
    same way before it sees them, which no harness does, and a note says so. A baseline reads what is left.

    Args:
        limits: UTF-16 code units; `own` for the harness's own; None for no limit.

    Raises:
        RoutingError: none, or one twice.
    """
    return Axis.of(
        "description-limit",
        *(
            Value(
                label="none" if limit is None else str(limit),
                number=limit if isinstance(limit, int) else None,
                change=_set(description_limit=limit),
            )
            for limit in limits
        ),
        stage=2,
        ordered=True,
        asks=False,
    )


def choices(*words: Choice) -> Axis:
    """Return the axis of how a choice is asked for: `tools`, `required`, `named`, `none`, `json`.

    See `tohlab.routing.prompts`; only `tools` is what a harness sends, and `required` and `named` leave no
    right answer to a case without a skill.
    """
    return Axis.of("choice", *(Value(label=word, change=_set(choice=word)) for word in words), stage=7)


def placements(*words: Placement) -> Axis:
    """Return the axis of where the list stands: `opening`, `same-step`, `system`, `user`, `tool-description`.

    See `tohlab.routing.prompts`; a place that is not the harness's own is noted as such.
    """
    return Axis.of("placement", *(Value(label=word, change=_set(placement=word)) for word in words), stage=7)


def enumeration(*states: bool) -> Axis:
    """Return the axis of whether the names are an enum in the tool's schema; off and on unless given."""
    return Axis.of(
        "enumeration",
        *(
            Value(label="on" if on else "off", change=_set(enumerate_names=on))
            for on in states or (False, True)
        ),
        stage=7,
    )


def models(*given: Model) -> Axis:
    """Return the axis of models.

    Args:
        given: names at the one service that the sweep is given; or pairs of a name and a client of its own,
            or triples with what it costs.

    Raises:
        RoutingError: none, or one twice at one service.
    """
    values = []
    for one in given:
        if isinstance(one, str):
            values.append(Value(label=one, change=_set(model=one)))
            continue
        name, client = one[0], one[1]
        price = {"price": one[2]} if len(one) == 3 else {}
        values.append(Value(label=name, change=_set(model=name, asked=client, **price)))
    if len({value.label for value in values}) < len(values):
        values = [
            replace(value, label=f"{value.label} at {getattr(one[1], 'endpoint', '') or 'this machine'}")
            if not isinstance(one, str)
            else value
            for value, one in zip(values, given, strict=True)
        ]
    return Axis.of("model", *values, stage=0)


def baselines(*names: str) -> Axis:
    """Return the axis of baselines, which need no model (see `run_baseline`)."""
    if not names:
        raise RoutingError("the axis baseline needs at least one value")
    return Axis.of(
        "baseline", *(Value(label=name, change=_set(asked=name)) for name in names), stage=0, asks=False
    )
