"""`--over NAME=VALUE,VALUE` as an axis of a sweep."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tohlab.routing.sweeps import Axis

AXES: Mapping[str, str] = {
    "dialect": "dialect=toh,pikuri",
    "description-limit": "description-limit=500,250,120,60,3,none",
    "order": "order=6",
    "size": "size=10,20,40",
    "choice": "choice=tools,required,named,none,json",
    "placement": "placement=opening,same-step,system,user,tool-description",
    "enumeration": "enumeration=off,on",
    "paraphrase": "paraphrase, or paraphrase=SEEDS.json",
    "model": "model=a,b",
    "baseline": "baseline=bm25,names",
    "catalog-state": "catalog-state=initial,replaced,emptied,loaded-by-user",
}
"""Each axis, and how it is written."""


def read_axis(text: str, options: Mapping[str, Any]) -> Axis:
    """Return the axis that a text describes.

    Args:
        text: as in `AXES`.
        options: `distractors`, `seed`, `pool`, `order_seed` and `earlier` of the command line.
    """
    name, _, given = text.partition("=")
    if name not in AXES:
        near = difflib.get_close_matches(name, AXES, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise click.UsageError(f"there is no axis {name!r}{hint or '.'} Axes: {', '.join(AXES)}")
    values = [value.strip() for value in given.split(",")] if given else []
    if (not values and name not in ("paraphrase", "enumeration", "catalog-state")) or "" in values:
        raise click.UsageError(f"--over {text}: write {AXES[name]}")
    return _MAKERS[name](values, options)


def _whole(name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise click.UsageError(f"--over {name}: {value!r} is no whole number; write {AXES[name]}") from None


def _limit(value: str) -> Any:
    if value in ("none", "own"):
        return None if value == "none" else "own"
    return _whole("description-limit", value)


def _order(values: list[str], options: Mapping[str, Any]) -> Axis:
    from tohlab.routing import orders

    if len(values) != 1:
        raise click.UsageError(f"--over order: one number, how many orders; write {AXES['order']}")
    return orders(_whole("order", values[0]), options["order_seed"])


def _size(values: list[str], options: Mapping[str, Any]) -> Axis:
    from tohlab.routing import load_catalog, sizes

    pool = load_catalog(options["pool"]) if options["pool"] else None
    counts = [_whole("size", value) for value in values]
    return sizes(*counts, distractors=options["distractors"], seed=options["seed"], pool=pool)


def _switch(values: list[str], options: Mapping[str, Any]) -> Axis:
    from tohlab.routing import enumeration

    for value in values:
        if value not in ("off", "on"):
            raise click.UsageError(f"--over enumeration: {value!r} is neither off nor on")
    return enumeration(*(value == "on" for value in values))


def _paraphrase(values: list[str], options: Mapping[str, Any]) -> Axis:
    from tohlab.errors import DatasetError
    from tohlab.routing import paraphrases

    if not values:
        return paraphrases()
    path = Path(",".join(values))
    try:
        seeds = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DatasetError(f"cannot be read: {error.strerror}", path) from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"not JSON: {error}", path) from None
    if not isinstance(seeds, dict) or not all(isinstance(seed, str) for seed in seeds.values()):
        raise DatasetError('this must be a JSON object {"case id": "seed id"}', path)
    return paraphrases(seeds)


def _state(values: list[str], options: Mapping[str, Any]) -> Axis:
    from tohlab.routing import catalog_states, load_catalog

    earlier = load_catalog(options["earlier"]) if options["earlier"] else None
    return catalog_states(*values, earlier=earlier)  # type: ignore[arg-type]  # it refuses other words


def _of(maker: str, read: Callable[[str], Any] = str) -> Callable[[list[str], Mapping[str, Any]], Axis]:
    def make(values: list[str], options: Mapping[str, Any]) -> Axis:
        from tohlab.routing import sweeps  # not `routing`, where `baselines` is a module

        found: Axis = getattr(sweeps, maker)(*map(read, values))
        return found

    return make


_MAKERS: Mapping[str, Callable[[list[str], Mapping[str, Any]], Axis]] = {
    "dialect": _of("dialects"),
    "description-limit": _of("description_limits", _limit),
    "order": _order,
    "size": _size,
    "choice": _of("choices"),
    "placement": _of("placements"),
    "enumeration": _switch,
    "paraphrase": _paraphrase,
    "model": _of("models"),
    "baseline": _of("baselines"),
    "catalog-state": _state,
}
