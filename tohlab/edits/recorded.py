"""How a recorded session asked for its cache: its models, its breakpoints, by whose price it was paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tohlab.edits.scene import Scene
from tohlab.edits.setups import RECORDED, SETUPS, Setup, get_setups
from tohlab.prefix.policies import CachePolicy
from tohlab.prefix.policies.cached import CachedRequest
from tohlab.prefix.policies.snapshot import Snapshot
from tohlab.request import Body
from tohlab.tokens.prices import PriceTable, default_prices

_LONGEST: Final = 60
_MOST: Final = 6


def setups_for(
    scene: Scene, names: Sequence[str | Setup], prices: PriceTable | None = None, *, priced: bool = False
) -> tuple[Setup, ...]:
    """Return the caches that are asked for, as they are for this session.

    A policy's name stands for what was recorded where the session marks breakpoints of its own; what other
    marks would do is asked for by a setup's name. The next request is paid for by the price of the model that
    was asked last, where the cache serves that model and there is a price.

    Args:
        scene: the session.
        names: as in `get_setups`.
        prices: where prices are looked up.
        priced: a price was asked for, so neither the recorded model's is taken nor a cache's own.

    Raises:
        UnknownPolicy: none of that name.
    """
    marked = any(body.breakpoints or body.automatic for body in scene.bodies)
    setups = get_setups(_chosen(names, marked=marked))
    body = scene.next_exchange().body
    model = body.model if body is not None else ""
    if priced:
        return tuple(replace(setup, price_model="") for setup in setups)
    return tuple(_paid_as(setup, model, prices) for setup in setups)


def setups_first(body: Body, names: Sequence[str | Setup]) -> tuple[Setup, ...]:
    """Return the caches that are asked for, as they are for a first request; see `setups_for`."""
    return get_setups(_chosen(names, marked=bool(body.breakpoints or body.automatic)))


def _chosen(names: Sequence[str | Setup], *, marked: bool) -> list[str | Setup]:
    own = {setup.policy: setup for setup in RECORDED} if marked else {}
    chosen: list[str | Setup] = []
    for name in names:
        if name == "all":
            chosen += [*own.values(), *SETUPS]
        elif isinstance(name, str) and name in own:
            chosen.append(own[name])
        else:
            chosen.append(name)
    return chosen


def _paid_as(setup: Setup, model: str, prices: PriceTable | None) -> Setup:
    table = prices or default_prices()
    own = bool(model and setup.price_model and setup.rules.serves(model)) and model in table.models
    return replace(setup, price_model=model) if own else setup


def model_notes(scene: Scene, setup: Setup, last: CachedRequest) -> tuple[str, ...]:
    """Return what is to be said of the models that a session names, judged by one cache."""
    rules, models = setup.rules, scene.models
    notes = []
    if len(models) > 1:
        notes.append(
            f"the session names {len(models)} models ({_listed(models)}): a cache is per model, so a "
            "request reads only what the same model was sent before"
        )
    foreign = [model for model in models if rules.serves(model) is False]
    least = minimum_of(rules, replace(last, model=""))
    if foreign:
        assumed = f", with a minimum of {least:,}" if least else ""
        notes.append(
            f"{_listed(foreign)} is none of the models of {rules.title}: judged as if it were one{assumed}"
        )
    elif not models and rules.by_model:
        notes.append(f"the session names no model: the minimum of {least:,} is assumed")
    elif rules.by_model and not all(body.model for body in scene.bodies):
        notes.append(f"some of its bodies name no model: for them the minimum of {least:,} is assumed")
    later = [model for model in models if rules.is_later(model)]
    if later:
        notes.append(
            f"{_listed(later)} was not known when the rules were read: judged by those of {rules.title}, "
            f"with a minimum of {least:,}; --model judges by another model"
        )
    if setup.price_model and models and not foreign and setup.price_model not in models:
        why = "it names several" if len(models) > 1 else f"there is none of {_listed(models)}"
        notes.append(f"prices are those of {setup.price_model}: {why}")
    return tuple(notes)


def _listed(models: Sequence[str]) -> str:
    """Names of a file, none of them without an end."""
    shown = [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in models[:_MOST]]
    return ", ".join(shown) + (f" and {len(models) - _MOST} more" if len(models) > _MOST else "")


def minimum_of(rules: CachePolicy, request: CachedRequest) -> int:
    """Return the minimum for a request's model."""
    return rules.minimum_for(request) if isinstance(rules, Snapshot) else rules.minimum_tokens
