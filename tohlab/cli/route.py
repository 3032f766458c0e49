"""`tohlab route`: how often the right skill gets picked, by a model or by a baseline."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tohlab.cli.route_batch import batch
from tohlab.cli.route_diff import diff
from tohlab.cli.route_files import export, import_
from tohlab.cli.route_inputs import (
    check_not_asked,
    own_recording,
    read_budget,
    read_degrees,
    read_inputs,
    read_price,
    set_option,
    timeout_option,
)
from tohlab.cli.route_run import check_scored, kept_answers, progress_bar
from tohlab.cli.route_sweep import sweep

if TYPE_CHECKING:
    from tohlab.routing import OpenAIClient, RoutingReport

_FOR_A_MODEL = (
    "base_url", "no_baselines", "choice", "placement", "earlier", "store", "mode", "recording", "export",
    "replicates", "concurrency", "max_tokens", "logprobs", "temperature", "timeout", "budget_tokens",
    "budget_usd", "dry_run",
)  # fmt: skip
"""What says how a model is asked, which a baseline is not."""


@click.group(invoke_without_command=True, short_help="How often the right skill gets picked.")
@click.option(
    "--skills",
    metavar="DIR|FILE",
    multiple=True,
    help="A folder of skills, or a catalog file (name, description); several together if given again.",
)
@click.option("--cases", metavar="FILE", help="Labelled requests, JSON lines (id, query, expected).")
@set_option("Which of our own sets, where --skills and --cases are not given: core (the default) or wide.")
@click.option(
    "--baseline",
    metavar="NAME",
    help="No model needed: majority, random, names, bm25, tfidf, embedding, the last three also with "
    "+abstain; or all.",
)
@click.option("--no-baselines", is_flag=True, help="Leave the baselines beside a model's result out.")
@click.option(
    "--base-url", metavar="URL", help="An OpenAI-compatible service; the key comes from the environment."
)
@click.option("--model", metavar="NAME", help="The model's name there, or in the recording.")
@click.option("--choice", default="tools", show_default=True, help="tools (as the harness asks), json, ...")
@click.option(
    "--placement", default="opening", show_default=True, help="opening or same-step: where the catalog is."
)
@click.option(
    "--earlier", metavar="DIR|FILE", help="Skills that the conversation was told of before --skills."
)
@click.option(
    "--store", metavar="FILE", help="Keeps every answer; the same command again asks only the rest."
)
@click.option("--mode", metavar="MODE", help="record, replay, replay_or_record or off.")
@click.option("--recording", metavar="FILE", help="Recorded answers (.jsonl or .jsonl.gz) to read first.")
@click.option("--export", metavar="FILE", help="Write the answers as a recording (.jsonl or .jsonl.gz).")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="A sample of N labelled cases.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which sample.")
@click.option(
    "--replicates", type=click.IntRange(min=1), default=1, show_default=True, help="Asks each case K times."
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    help="Requests at once, at most [1 on this machine, else 64]; fewer while the service asks for it.",
)
@click.option(
    "--max-tokens", type=click.IntRange(min=1), default=256, show_default=True, help="The longest answer."
)
@click.option(
    "--logprobs",
    type=click.IntRange(0, 20),
    metavar="N",
    help="Ask for the N likeliest tokens with each token: margins, calibration, abstention.",
)
@click.option("--temperature", default="0", show_default=True, help="A number, or none to leave it out.")
@timeout_option
@click.option("--split", metavar="NAME", help="Only the cases of this split.")
@click.option("--price", metavar="IN,OUT[,CACHED]", help="US dollars for a million tokens, for money.")
@click.option("--budget-tokens", type=click.IntRange(min=1), metavar="N", help="Stop before more are used.")
@click.option("--budget-usd", type=float, metavar="USD", help="The same in money; needs --price.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Ask nothing: say what is wrong with the cases, and what asking costs.",
)
@click.option("--trials", is_flag=True, help="With --json: every single answer too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """How often the right skill gets picked, by a live model, a recording of one, or a baseline.

    Without --skills and --cases it is our own library. With --model alone its answers are read from a
    recording (our own, or --recording or --store). The key is read from TOHLAB_API_KEY or OPENAI_API_KEY.
    Every rate is over cases, with a 95 % Wilson interval, and beside a model stand the baselines on the same
    cases. Ctrl-C keeps what was answered and says how to resume.

    Exit codes: 0 done, 1 a dry run found errors in the cases, 2 the command line is wrong, 3 an input or the
    service failed, or fewer than half of the answers could be scored (the report is then printed all the
    same, and gives no verdict), 130 stopped by hand.

    \b
    Examples:
      tohlab route --baseline all
      tohlab route --set wide --split test --baseline bm25
      tohlab route --base-url http://127.0.0.1:8080/v1 --model qwen --choice json --store answers.sqlite
      tohlab route --skills skills/ --cases cases.jsonl --base-url https://api.example.com/v1 --model m
      tohlab route --model qwen --recording answers.jsonl.gz --choice json --json
      tohlab route --dry-run --model m --price 0.25,2
      tohlab route --baseline bm25 --json --trials > a.json
      tohlab route diff a.json b.json
      tohlab route sweep --baseline bm25 --over description-limit=500,120,60
    """
    if ctx.invoked_subcommand is not None:
        given = [name for name in options if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT]
        if given:
            raise click.UsageError(
                f"put the options of `{ctx.invoked_subcommand}` behind it; given before it: "
                f"{', '.join(sorted(given))}"
            )
        return
    if options["dry_run"] and not options["baseline"]:
        _dry_run(options)
        return
    if bool(options["baseline"]) == bool(options["model"]):
        raise click.UsageError(
            "give either --baseline NAME, or --model NAME (with --base-url URL for a live run)"
        )
    if options["baseline"]:
        check_not_asked(ctx, _FOR_A_MODEL)
    with contextlib.ExitStack() as until_printed:  # a live run's own store is deleted only after that
        if options["baseline"] == "all":
            _all_baselines(options)
            return
        report = _baseline(options) if options["baseline"] else _model(options, until_printed)
        price = read_price(options)
        if options["as_json"]:
            data = report.to_dict(trials=options["trials"])
            if price is not None:
                data["cost"] = asdict(report.cost(price))
            click.echo(json.dumps(data, indent=2))
        else:
            from tohlab.cli.route_text import print_report

            print_report(report, price=price)
        check_scored({"": report})  # within, so that the answers of a poor run are kept


for subcommand in (diff, sweep, import_, export, batch):
    command.add_command(subcommand)


def _dry_run(options: dict[str, Any]) -> None:
    from tohlab.cli.route_lint import print_dry_run
    from tohlab.routing import ReplyStore, estimate_run
    from tohlab.routing.lints import lint_dataset
    from tohlab.routing.openai_client import endpoint_of

    dataset, source = read_inputs(options)
    found = lint_dataset(dataset, source)
    estimate = None
    if not found.count("error"):
        with contextlib.ExitStack() as stack:
            path = options["store"]
            store = stack.enter_context(ReplyStore(path)) if path and Path(path).is_file() else None
            estimate = estimate_run(
                dataset,
                source,
                model=options["model"] or "",
                price=read_price(options),
                store=store,
                endpoint=endpoint_of(options["base_url"]) if options["base_url"] else "",
                replicates=options["replicates"],
                choice=options["choice"],
                placement=options["placement"],
                temperature=read_degrees(options["temperature"]),
                max_tokens=options["max_tokens"],
                logprobs=options["logprobs"],
            )
    if options["as_json"]:
        data = {**found.to_dict(), "estimate": estimate.to_dict() if estimate else None}
        click.echo(json.dumps(data, indent=2))
    else:
        print_dry_run(found, estimate)
    if found.count("error"):
        raise click.exceptions.Exit(1)


def _baseline(options: dict[str, Any]) -> RoutingReport:
    from tohlab.routing import run_baseline

    dataset, source = read_inputs(options)
    return run_baseline(options["baseline"], dataset, source)


def _all_baselines(options: dict[str, Any]) -> None:
    from tohlab.routing.baselines import missing_baselines, retrieval_recall, run_baselines

    dataset, source = read_inputs(options)
    reports = run_baselines(dataset, source)
    recall = retrieval_recall(dataset, source)
    missing = missing_baselines()
    if options["as_json"]:
        data = {
            "baselines": [report.to_dict(trials=options["trials"]) for report in reports],
            "retrieval": [row.to_dict() for row in recall],
            "missing": missing,
        }
        click.echo(json.dumps(data, indent=2))
        return
    from tohlab.cli.route_baselines import print_baselines

    print_baselines(reports, recall, missing)


def _model(options: dict[str, Any], until_printed: contextlib.ExitStack) -> RoutingReport:
    from tohlab.routing import OpenAIClient, load_catalog, run_routing
    from tohlab.routing.openai_client import endpoint_of
    from tohlab.routing.writable import check_writable

    dataset, source = read_inputs(options)
    base_url, mode, recording = options["base_url"], options["mode"], options["recording"]
    if not base_url and not recording and not options["store"]:
        recording = own_recording(options)
    live = bool(base_url) and mode != "replay"
    client: OpenAIClient | None = OpenAIClient(base_url, timeout_s=options["timeout"]) if live else None
    degrees = read_degrees(options["temperature"])
    if options["export"]:
        check_writable(options["export"])
    store = until_printed.enter_context(kept_answers(options["store"], live=live, mode=mode))
    with progress_bar(live) as progress:
        if recording and store is not None:
            store.import_(recording)
        report = run_routing(
            dataset,
            source,
            client,
            model=options["model"],
            store=store,
            mode=mode,
            replicates=options["replicates"],
            concurrency=options["concurrency"],
            choice=options["choice"],
            placement=options["placement"],
            temperature=degrees,
            max_tokens=options["max_tokens"],
            logprobs=options["logprobs"],
            baselines=not options["no_baselines"],
            earlier=load_catalog(options["earlier"]) if options["earlier"] else None,
            endpoint=endpoint_of(base_url) if base_url else None,
            budget=read_budget(options),
            progress=progress,
        )
        if options["export"] and store is not None:
            store.export(options["export"])
    return report
