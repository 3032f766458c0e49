"""`tohlab route batch`: the same measurement by a provider's Batch API, at half the price and in up to a
day."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tohlab.cli.route_batch_text import print_batches, print_collection, print_submission
from tohlab.cli.route_inputs import set_option, timeout_option
from tohlab.cli.route_run import check_scored, progress_bar

if TYPE_CHECKING:
    from tohlab.routing import ReplyStore
    from tohlab.routing.batch import BatchClient


@click.group(short_help="By a provider's Batch API: half the price, up to a day.")
def batch() -> None:
    """Measure by a provider's Batch API (OpenAI's shape): submit now, collect later, from any process.

    The store remembers the batches, so any of these commands may be stopped or killed and given again:
    nothing is asked twice, and what was answered is kept. The key is read from TOHLAB_API_KEY or
    OPENAI_API_KEY.

    \b
    Examples:
      tohlab route batch submit --base-url https://api.openai.com/v1 --model m --store answers.sqlite
      tohlab route batch status --store answers.sqlite
      tohlab route batch collect --store answers.sqlite --wait
      tohlab route batch run --base-url https://api.openai.com/v1 --model m --store answers.sqlite
    """


def _asking(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `tohlab route` that say what is asked, and how."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        click.option(
            "--skills",
            metavar="DIR|FILE",
            multiple=True,
            help="A folder of skills, or a catalog file; several together if given again.",
        ),
        click.option("--cases", metavar="FILE", help="Labelled requests, JSON lines."),
        set_option("Which of our own sets: core or wide."),
        click.option("--base-url", metavar="URL", required=True, help="The service."),
        click.option("--model", metavar="NAME", required=True, help="The model's name there."),
        click.option("--choice", default="tools", show_default=True, help="tools or json."),
        click.option("--placement", default="opening", show_default=True, help="opening or same-step."),
        click.option("--earlier", metavar="DIR|FILE", help="Skills told of before --skills."),
        click.option("--store", metavar="FILE", required=True, help="Remembers batches and answers."),
        click.option("--limit", type=click.IntRange(min=1), metavar="N", help="A sample of N cases."),
        click.option("--seed", type=int, default=0, show_default=True, help="Which sample."),
        click.option("--split", metavar="NAME", help="Only the cases of this split."),
        click.option("--replicates", type=click.IntRange(min=1), default=1, show_default=True),
        click.option("--max-tokens", type=click.IntRange(min=1), default=256, show_default=True),
        click.option("--temperature", default="0", show_default=True, help="A number, or none."),
        click.option("--price", metavar="IN,OUT[,CACHED]", help="Live US dollars for a million tokens."),
        click.option(
            "--batch-share",
            type=click.FloatRange(min=0),
            metavar="SHARE",
            help="What a batch costs of --price [0.5: OpenAI's].",
        ),
        click.option("--budget-tokens", type=click.IntRange(min=1), metavar="N", help="Refuse above it."),
        click.option("--budget-usd", type=float, metavar="USD", help="The same in money; needs --price."),
        click.option("--again", is_flag=True, help="Also what the service refused for what it is."),
        timeout_option,
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _kept(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of the commands that need no cases."""
    options: list[Callable[..., Any]] = [
        click.option("--store", metavar="FILE", required=True, help="What they were submitted from."),
        click.option("--base-url", metavar="URL", help="The service [where they were submitted]."),
        timeout_option,
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@batch.command(short_help="Submit what has no answer yet.")
@_asking
def submit(**options: Any) -> None:
    """Submit every case that has no answer and is in no batch yet, and return."""
    from tohlab.routing.batch import submit_batch

    with _run(options) as (given, progress):
        found = submit_batch(**given, progress=progress)
    if options["as_json"]:
        click.echo(json.dumps(found.to_dict(), indent=2))
    else:
        print_submission(found, options["store"])


@batch.command(short_help="Submit, wait, collect, and print the report.")
@click.option("--answers-as", metavar="NAME", multiple=True, help="Another name of the model in its answers.")
@click.option("--trials", is_flag=True, help="With --json: every single answer too.")
@_asking
def run(**options: Any) -> None:
    """Submit, wait, collect, and print the report; Ctrl-C leaves the batches to the service. Exit code 3: an
    input or the service failed, or fewer than half of the answers could be scored."""
    from dataclasses import asdict

    from tohlab.cli.route_text import print_report
    from tohlab.routing.batch import run_batch

    with _run(options) as (given, progress):
        report = run_batch(**given, answers_as=options["answers_as"], progress=progress)
    price = _price(options)
    if options["as_json"]:
        data = report.to_dict(trials=options["trials"])
        if price is not None:
            data["cost"] = asdict(report.cost(price))
        click.echo(json.dumps(data, indent=2))
    else:
        print_report(report, price=price)
    check_scored({"": report})


@batch.command(short_help="Where the batches are.")
@_kept
def status(**options: Any) -> None:
    """Say where each batch of a store is; only those under way are asked for."""
    from tohlab.routing.batch import batch_status

    with _kept_batches(options) as (store, client):
        found = batch_status(store, client)
    if options["as_json"]:
        click.echo(json.dumps({"batches": [state.to_dict() for state in found]}, indent=2))
    else:
        print_batches(found)


@batch.command(short_help="Put the answers of finished batches into the store.")
@click.option("--wait", is_flag=True, help="Until no batch is under way.")
@click.option("--again", is_flag=True, help="Read the results of collected batches again, too.")
@click.option("--answers-as", metavar="NAME", multiple=True, help="Another name of the model in its answers.")
@_kept
def collect(**options: Any) -> None:
    """Put the answers of finished batches into the store. The exit code is 1 while some are under way."""
    from tohlab.routing.batch import collect_batch
    from tohlab.routing.batch.collect import nothing_collected

    with _kept_batches(options, closed=options["again"]) as (store, client), progress_bar(True) as progress:
        found = (
            nothing_collected(store)
            if client is None
            else collect_batch(
                store,
                client,
                again=options["again"],
                answers_as=options["answers_as"],
                wait_for_all=options["wait"],
                progress=progress,
            )
        )
    if options["as_json"]:
        click.echo(json.dumps(found.to_dict(), indent=2))
    else:
        print_collection(found, options["store"])
    if found.under_way:
        raise click.exceptions.Exit(1)


@batch.command(short_help="Stop batches that are under way.")
@click.argument("batch_ids", metavar="[BATCH...]", nargs=-1)
@click.option("--forget", is_flag=True, help="Give up what the service no longer knows; asks it nothing.")
@_kept
def cancel(batch_ids: tuple[str, ...], **options: Any) -> None:
    """Stop batches (all that are under way, or those that are named); collect what they answered after it."""
    from tohlab.routing.batch import cancel_batch

    with _kept_batches(options) as (store, client):
        found = () if client is None else cancel_batch(store, client, batch_ids, forget=options["forget"])
    if options["as_json"]:
        click.echo(json.dumps({"batches": [state.to_dict() for state in found]}, indent=2))
    else:
        print_batches(found)


@contextlib.contextmanager
def _run(options: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
    """The arguments of `submit_batch` and `run_batch`."""
    from tohlab.cli.route_inputs import read_degrees, read_inputs
    from tohlab.routing import Budget, ReplyStore, load_catalog
    from tohlab.routing.batch import BatchClient

    dataset, source = read_inputs(options)
    tokens, usd = options["budget_tokens"], options["budget_usd"]
    given = {
        "dataset": dataset,
        "source": source,
        "client": BatchClient(options["base_url"], timeout_s=options["timeout"]),
        "model": options["model"],
        "replicates": options["replicates"],
        "choice": options["choice"],
        "placement": options["placement"],
        "temperature": read_degrees(options["temperature"]),
        "max_tokens": options["max_tokens"],
        "earlier": load_catalog(options["earlier"]) if options["earlier"] else None,
        "budget": None
        if tokens is None and usd is None
        else Budget(tokens=tokens, usd=usd, price=_price(options)),
        "again": options["again"],
    }
    with ReplyStore(options["store"]) as store, progress_bar(True) as progress:
        yield {**given, "store": store}, progress


def _price(options: dict[str, Any]) -> Any:
    from dataclasses import replace

    from tohlab.cli.route_inputs import read_price

    price, share = read_price(options), options["batch_share"]
    return price if price is None or share is None else replace(price, batch_share=share)


@contextlib.contextmanager
def _kept_batches(
    options: dict[str, Any], *, closed: bool = False
) -> Iterator[tuple[ReplyStore, BatchClient | None]]:
    """The store, and a client for the service of its batches; None if there is none to ask for."""
    from tohlab.errors import StoreError
    from tohlab.routing import ReplyStore
    from tohlab.routing.batch import BatchClient, batch_status

    path = options["store"]
    if not Path(path).is_file():
        raise StoreError(f"there is no store {path}; name the one that the batches were submitted from")
    with ReplyStore(path) as store:
        base_url = options["base_url"]
        urls = sorted({b.base_url for b in batch_status(store) if closed or not b.collected})
        if not base_url and len(urls) > 1:
            raise click.UsageError(f"the batches are at several services ({', '.join(urls)}); say --base-url")
        if not base_url and urls:
            base_url = urls[0]
        yield store, BatchClient(base_url, timeout_s=options["timeout"]) if base_url else None
