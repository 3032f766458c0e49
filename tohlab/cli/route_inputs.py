"""What the options of `tohlab route` say about cases, skills, prices and budgets."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tohlab.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tohlab.routing import Budget, Price, RoutingDataset
    from tohlab.skills.model import SkillSource


def set_option(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--set`, which is refused if given twice: the last one alone would be measured.

    Args:
        text: its help.
    """
    return click.option("--set", "library_set", metavar="NAME", multiple=True, callback=_only_one, help=text)


def _only_one(ctx: click.Context, _: click.Parameter, names: tuple[str, ...]) -> str | None:
    if len(names) > 1:
        named = ", ".join(map(repr, names))
        raise click.UsageError(f"--set is given {len(names)} times ({named}); a run is over one set", ctx)
    return names[0] if names else None


def timeout_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option `--timeout`: seconds, and not without an end."""
    return click.option(
        "--timeout",
        type=click.FloatRange(min=0.01),
        default=600.0,
        show_default=True,
        callback=_finite,
        help="Seconds a request.",
    )(function)


def _finite(ctx: click.Context, param: click.Parameter, seconds: float) -> float:
    if not math.isfinite(seconds):
        raise click.BadParameter("it must be a number of seconds", ctx, param)
    return seconds


def read_inputs(options: dict[str, Any]) -> tuple[RoutingDataset, SkillSource]:
    """Return the labelled requests and the skills that were asked for; our own library unless given."""
    from tohlab import library
    from tohlab.routing import load_cases, load_catalog
    from tohlab.routing.unloaded import unloaded, unloaded_notes

    if empty := [name.replace("_", "-") for name, value in options.items() if value == ""]:
        raise click.UsageError(f"--{empty[0]} is empty; give it a value, or leave it out")
    if options["library_set"] and (options["skills"] or options["cases"]):
        raise click.UsageError("--set names one of our own sets, so give it without --skills and --cases")
    if bool(options["skills"]) != bool(options["cases"]):
        raise click.UsageError("give both --skills and --cases, or neither for our own library")
    name = options["library_set"] or "core"
    dataset = load_cases(options["cases"] or library.library_cases(name))
    if not options["cases"]:
        dataset = replace(
            dataset, name="tohlab's own library" if name == "core" else f"tohlab's own set {name!r}"
        )
    source = load_catalog(*(options["skills"] or library.library_skill_folders(name)))
    for note in unloaded_notes(unloaded(source)):
        click.echo(f"warning: {printable(note)}", err=True)
    if options["split"]:
        from tohlab.routing.selection import only_split

        dataset = only_split(dataset, options["split"])
    if options["limit"] is not None:
        dataset = dataset.sample(options["limit"], options["seed"])
    return dataset, source


def given_of(ctx: click.Context, names: Iterable[str]) -> str:
    """Return which of these parameters were given, as they are written: `--base-url, --mode`."""
    given = [n for n in names if ctx.get_parameter_source(n) is not ParameterSource.DEFAULT]
    return ", ".join(f"--{name.replace('_', '-')}" for name in given)


def check_not_asked(ctx: click.Context, names: Iterable[str]) -> None:
    """Refuse what says how a model is asked where a baseline is measured, which would pass over it.

    Raises:
        click.UsageError: one of these parameters was given.
    """
    if given := given_of(ctx, names):
        raise click.UsageError(f"a baseline asks nothing, so leave out {given}; or give --model NAME instead")


def read_price(options: dict[str, Any]) -> Price | None:
    """Return the price that was given, or None."""
    from tohlab.routing import Price

    return Price.parse(options["price"]) if options["price"] else None


def read_degrees(temperature: str) -> float | None:
    """Return a temperature; None for `none`."""
    if temperature.lower() == "none":
        return None
    try:
        degrees = float(temperature)
    except ValueError:
        degrees = math.nan
    if not math.isfinite(degrees):
        raise click.UsageError("--temperature must be a number, or none")
    return degrees


def read_budget(options: dict[str, Any]) -> Budget | None:
    """Return the budget that was given, or None."""
    from tohlab.routing import Budget

    if options["budget_tokens"] is None and options["budget_usd"] is None:
        return None
    if not options["store"]:
        raise click.UsageError("a budget needs --store FILE, so that what was paid for is kept")
    return Budget(tokens=options["budget_tokens"], usd=options["budget_usd"], price=read_price(options))


def own_recording(options: dict[str, Any]) -> Path:
    """Return the recording that comes with tohlab, for a run without a service.

    Raises:
        click.UsageError: it was asked otherwise than these options say.
    """
    from tohlab import library

    name = options["library_set"] or "core"
    path = library.library_recording(name)
    asked = library.RECORDED[name]
    given = {**options, "temperature": read_degrees(options["temperature"])}
    often = asked.get("replicates", options["replicates"])
    if options["replicates"] > often or any(
        given[option] != value for option, value in asked.items() if option != "replicates"
    ):
        how = " ".join(f"--{option} {value}" for option, value in asked.items())
        raise click.UsageError(
            f"the recording of the set {name!r} that comes with tohlab was asked with {how}; give these, or "
            "--recording FILE, or --base-url URL for a live run"
        )
    return path
