"""`tohlab route sweep`: one question asked in many ways over the same cases."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tohlab.cli.route_inputs import (
    check_not_asked,
    given_of,
    own_recording,
    read_budget,
    read_degrees,
    read_inputs,
    read_price,
    set_option,
    timeout_option,
)
from tohlab.cli.route_run import check_scored, kept_answers, progress_bar
from tohlab.cli.route_sweep_axes import read_axis

if TYPE_CHECKING:
    from tohlab.routing import OpenAIClient, RoutingDataset
    from tohlab.routing.sweeps import Axis, Sweep
    from tohlab.skills.model import SkillSource

_FIGURES = (".png", ".svg", ".pdf")
_FOR_A_MODEL = (
    "base_url", "choice", "placement", "store", "mode", "recording", "replicates", "concurrency",
    "max_tokens", "temperature", "timeout", "price", "budget_tokens", "budget_usd",
)  # fmt: skip
"""What says how a model is asked, which a baseline is not."""
_FOR_AN_AXIS = {"size": ("distractors", "pool"), "order": ("order_seed",), "catalog-state": ("earlier",)}
"""What says how one axis is varied, and nothing where it is not."""


@click.command("sweep", short_help="Many ways of asking, over the same cases.")
@click.option(
    "--over", multiple=True, required=True, metavar="AXIS=V,V", help="What to vary; several give the grid."
)
@click.option(
    "--skills",
    metavar="DIR|FILE",
    multiple=True,
    help="A folder of skills, or a catalog file; several together if given again.",
)
@click.option("--cases", metavar="FILE", help="Labelled requests, JSON lines.")
@set_option("Which of our own sets: core (the default) or wide.")
@click.option("--baseline", metavar="NAME", help="No model needed: bm25, tfidf, embedding, names, ...")
@click.option("--base-url", metavar="URL", help="An OpenAI-compatible service.")
@click.option("--model", metavar="NAME", help="The model's name there, or in the recording.")
@click.option("--dialect", default="toh", show_default=True, help="Whose list, where it is not varied.")
@click.option("--choice", default="tools", show_default=True, help="How it is asked, where not varied.")
@click.option("--placement", default="opening", show_default=True, help="Where the list is, likewise.")
@click.option("--store", metavar="FILE", help="Keeps every answer; the same command asks only the rest.")
@click.option("--mode", metavar="MODE", help="record, replay, replay_or_record or off.")
@click.option("--recording", metavar="FILE", help="Recorded answers to read first.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="A sample of N labelled cases.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the sample and the distractors.")
@click.option("--split", metavar="NAME", help="Only the cases of this split.")
@click.option("--distractors", default="nearest", show_default=True, help="size: nearest or random.")
@click.option("--pool", metavar="DIR|FILE", help="size: further skills to take distractors from.")
@click.option("--order-seed", type=int, metavar="N", help="order: shifts of an order drawn with it.")
@click.option("--earlier", metavar="DIR|FILE", help="catalog-state: the list that is replaced.")
@click.option("--replicates", type=click.IntRange(min=1), default=1, show_default=True, help="Asks K times.")
@click.option("--concurrency", type=click.IntRange(min=1), help="Requests at once, at most.")
@click.option(
    "--max-tokens", type=click.IntRange(min=1), default=256, show_default=True, help="Of an answer."
)
@click.option("--temperature", default="0", show_default=True, help="A number, or none to leave it out.")
@timeout_option
@click.option("--price", metavar="IN,OUT[,CACHED]", help="US dollars for a million tokens, for money.")
@click.option("--budget-tokens", type=click.IntRange(min=1), metavar="N", help="For the whole sweep.")
@click.option("--budget-usd", type=float, metavar="USD", help="The same in money; needs --price.")
@click.option("--figure", metavar="FILE", help="Write the figure (.png, .svg or .pdf).")
@click.option("--dry-run", is_flag=True, help="Ask nothing: say what asking costs.")
@click.option("--trials", is_flag=True, help="With --json: every single answer too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def sweep(ctx: click.Context, /, **options: Any) -> None:
    """How often the right skill gets picked when one thing is varied, or two.

    Each point is a run of its own over the same cases, compared with the first one case by case. Axes:
    dialect, description-limit, order (how many), size, choice, placement, enumeration, paraphrase, model,
    baseline, catalog-state. Several --over give every combination. Exit code 3: an input or the service
    failed, or in some point fewer than half of the answers could be scored; the table is then printed all the
    same.

    \b
    Examples:
      tohlab route sweep --baseline bm25 --over description-limit=500,250,120,60,3,none
      tohlab route sweep --baseline bm25 --over dialect=toh,hermes --over description-limit=own,60
      tohlab route sweep --base-url http://127.0.0.1:8080/v1 --model qwen --over order=6 --dry-run
      tohlab route sweep --base-url http://127.0.0.1:8080/v1 --model qwen --over order=6 --store s.sqlite
      tohlab route sweep --baseline bm25 --over dialect=toh,cline,hermes --figure sweep.png
    """
    axes = [read_axis(text, options) for text in options["over"]]
    varied = {axis.name for axis in axes}
    ways = [bool(options["baseline"]) or "baseline" in varied, bool(options["model"]) or "model" in varied]
    if sum(ways) != 1:
        raise click.UsageError(
            "give either --baseline NAME, or --model NAME (with --base-url URL for a live run); or vary one"
        )
    if ways[0]:
        check_not_asked(ctx, _FOR_A_MODEL)
    for axis, names in _FOR_AN_AXIS.items():
        if axis not in varied and (given := given_of(ctx, names)):
            raise click.UsageError(f"--over {axis} is not given, so leave out {given}, which belongs to it")
    _check_figure(options["figure"])
    dataset, source = read_inputs(options)
    if options["dry_run"]:
        _dry_run(options, axes, dataset, source)
        return
    with contextlib.ExitStack() as until_printed:
        if ways[0]:
            from tohlab.routing import sweep as run

            found = run(dataset, source, options["baseline"] or "bm25", over=axes, dialect=options["dialect"])
        else:
            found = _asked(options, axes, dataset, source, until_printed)
        if options["figure"]:
            _draw(found, options["figure"])
        if options["as_json"]:
            click.echo(json.dumps(found.to_dict(trials=options["trials"]), indent=2))
        else:
            from tohlab.cli.route_sweep_text import print_sweep

            print_sweep(found)
        check_scored({point.label: point.report for point in found.points})


def _asking(options: dict[str, Any]) -> dict[str, Any]:
    from tohlab.routing.openai_client import endpoint_of

    return {
        "model": options["model"] or "",
        "price": read_price(options),
        "dialect": options["dialect"],
        "choice": options["choice"],
        "placement": options["placement"],
        "replicates": options["replicates"],
        "temperature": read_degrees(options["temperature"]),
        "max_tokens": options["max_tokens"],
        "endpoint": endpoint_of(options["base_url"]) if options["base_url"] else None,
    }


def _asked(
    options: dict[str, Any],
    axes: list[Axis],
    dataset: RoutingDataset,
    source: SkillSource,
    until_printed: contextlib.ExitStack,
) -> Sweep:
    from tohlab.cli.route_sweep_text import total_sentence
    from tohlab.routing import OpenAIClient, estimate_sweep
    from tohlab.routing import sweep as run

    recording = options["recording"]
    if not options["base_url"] and not recording and not options["store"]:
        recording = own_recording(options)
    live = bool(options["base_url"]) and options["mode"] != "replay"
    client: OpenAIClient | None = None
    if live:
        client = OpenAIClient(options["base_url"], timeout_s=options["timeout"])
    budget = read_budget(options)
    store = until_printed.enter_context(kept_answers(options["store"], live=live, mode=options["mode"]))
    if recording and store is not None:
        store.import_(recording)
    asking = _asking(options)
    if live:
        reads = store if options["mode"] in (None, "replay_or_record") else None
        cost = estimate_sweep(dataset, source, client, over=axes, store=reads, **asking)
        click.echo(f"asking: {total_sentence(cost, len(dataset))}", err=True)
    with progress_bar(live) as progress:
        return run(
            dataset,
            source,
            client,
            over=axes,
            store=store,
            mode=options["mode"],
            concurrency=options["concurrency"],
            budget=budget,
            progress=progress,
            **asking,
        )


def _dry_run(options: dict[str, Any], axes: list[Axis], dataset: RoutingDataset, source: SkillSource) -> None:
    from tohlab.cli.route_sweep_text import print_sweep_estimate
    from tohlab.routing import ReplyStore, estimate_sweep

    baseline = options["baseline"] or ("bm25" if any(axis.name == "baseline" for axis in axes) else None)
    with contextlib.ExitStack() as stack:
        path = options["store"]
        store = stack.enter_context(ReplyStore(path)) if path and Path(path).is_file() else None
        found = estimate_sweep(dataset, source, baseline, over=axes, store=store, **_asking(options))
    if options["as_json"]:
        click.echo(json.dumps(found.to_dict(), indent=2))
    else:
        print_sweep_estimate(found, len(dataset))


def _check_figure(path: str | None) -> None:
    if path is None:
        return
    from tohlab.routing.writable import check_writable

    if Path(path).suffix.lower() not in _FIGURES:
        raise click.UsageError(f"--figure {path}: the file's name must end in {', '.join(_FIGURES)}")
    check_writable(path, "--figure")


def _draw(found: Sweep, path: str) -> None:
    from tohlab.routing.sweeps.figure import draw

    draw(found).savefig(path, dpi=150)
    click.echo(f"the figure is in {path}", err=True)
