"""`tohlab report`: the whole job for one folder, in the terminal and as one HTML page."""

from __future__ import annotations

import contextlib
import json
import webbrowser
from typing import TYPE_CHECKING, Any

import click

from tohlab.tokens.encodings import DEFAULT_ENCODING

if TYPE_CHECKING:
    from tohlab.report import Report


@click.command("report", short_help="All of it for one folder, in the terminal and as one HTML page.")
@click.argument("directory", metavar="[DIR]", required=False)
@click.option(
    "--out", metavar="FILE", default="tohlab-report.html", show_default=True, help="Where the page goes."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON instead of the summary.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@click.option("--dialect", default="toh", show_default=True, help="Whose texts.")
@click.option("--encoding", default=DEFAULT_ENCODING, show_default=True, help="A tiktoken encoding.")
@click.option("--cases", metavar="FILE", help="Labelled requests for these skills (id, query, expected).")
@click.option("--recording", metavar="FILE", help="Recorded answers to them (.jsonl or .jsonl.gz).")
@click.option(
    "--base-url", metavar="URL", help="An OpenAI-compatible service to ask; its key is in the environment."
)
@click.option("--model", metavar="NAME", help="The model's name there, or in the recording.")
@click.option(
    "--choice", metavar="NAME", help="How a live model is asked: tools (as the harness asks) or json."
)
@click.option(
    "--store", metavar="FILE", help="Keeps a live model's answers; the same command asks only the rest."
)
@click.option("--date", metavar="TEXT", help="A date to print; none is read from the clock.")
@click.pass_context
def command(ctx: click.Context, /, directory: str | None, **options: Any) -> None:
    """Everything about the skills under DIR: the text that a model reads, what it costs, what a change to one
    skill breaks, how often the right one is picked, and every problem found.

    Without DIR it is our own library, with its labelled requests and a model's recorded answers. The page is
    one file that asks nothing of any network. Exit codes: 0 done, 1 there are skill files and none of them
    reaches a model, 3 there are none.

    \b
    Examples:
      tohlab report
      tohlab report path/to/skills --out report.html --open
      tohlab report path/to/skills --json > report.json
      tohlab report path/to/skills --cases cases.jsonl
      tohlab report path/to/skills --cases cases.jsonl --base-url http://127.0.0.1:8080/v1 --model NAME
    """
    if options["base_url"] and not options["model"]:
        raise click.UsageError("--base-url needs --model NAME, the model's name at that service")
    if options["base_url"] and options["recording"]:
        raise click.UsageError(
            "give either --base-url (ask a model) or --recording (read its answers), not both"
        )
    if directory is not None and not options["cases"] and (options["recording"] or options["model"]):
        raise click.UsageError(
            "answers of a model need the labelled requests that they answer: add --cases FILE"
        )
    if options["store"] and not options["base_url"]:
        raise click.UsageError(
            "--store keeps the answers of a live model: add --base-url URL and --model NAME"
        )
    from tohlab.report import write_html
    from tohlab.routing.writable import check_writable

    check_writable(options["out"], "--out")
    with contextlib.ExitStack() as until_written:  # a live run's own store is deleted only after that
        report = _build(directory, options, until_written)
        page = write_html(report, options["out"])
        if options["as_json"]:
            click.echo(json.dumps({**report.to_dict(), "page": str(page)}, indent=2))
        else:
            from tohlab.cli.report_text import print_report

            print_report(report, page)
    if options["open_page"]:
        webbrowser.open(page.resolve().as_uri())
    if not report.skills:
        ctx.exit(1)


def _build(directory: str | None, options: dict[str, Any], until_written: contextlib.ExitStack) -> Report:
    from tohlab.report import build_report
    from tohlab.tokens import get_meter

    settings: dict[str, Any] = {
        "dialect": options["dialect"],
        "meter": get_meter(options["encoding"]),
        "cases": options["cases"],
        "recording": options["recording"],
        "model": options["model"],
        "choice": options["choice"],
        "date": options["date"],
    }
    if not options["base_url"]:
        return build_report(directory, **settings)
    from tohlab.cli.route_run import kept_answers, progress_bar
    from tohlab.routing import OpenAIClient

    client = OpenAIClient(options["base_url"])
    store = until_written.enter_context(kept_answers(options["store"], live=True, mode=None))
    with progress_bar(True) as progress:
        return build_report(directory, client=client, store=store, progress=progress, **settings)
