"""`tohlab route import` and `tohlab route export`: requests of other tools, and reports for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tohlab.skills.model import SkillSource

_TO = ("junit", "inspect", "promptfoo", "csv")


@click.command("import", short_help="Another tool's labelled requests as our JSON lines.")
@click.argument("file", metavar="FILE")
@click.option("--from", "format_", metavar="FORMAT", required=True,
              help="skill-creator, waza, vally, buildkite, bfcl, metatool or csv.")  # fmt: skip
@click.option("--skill", metavar="NAME",
              help="skill-creator: which skill the file is about; waza, vally: not its own.")  # fmt: skip
@click.option("--answers", metavar="FILE", help="bfcl: the file of answers [possible_answer/ beside FILE].")
@click.option("--catalog", metavar="FILE", help="bfcl, metatool: write its tools there, as a catalog file.")
@click.option("--descriptions", metavar="FILE", help="metatool: its file of descriptions, for --catalog.")
def import_(
    file: str,
    format_: str,
    skill: str | None,
    answers: str | None,
    catalog: str | None,
    descriptions: str | None,
) -> None:
    """Print the labelled requests of another tool as JSON lines, for --cases.

    A csv file has a header with id, query and expected and, if wanted, not_expected, optional, group and
    split. Several names in a cell are joined by blanks, commas, semicolons or bars; an empty one means none.

    \b
    Examples:
      tohlab route import trigger_tests.yaml --from waza > cases.jsonl
      tohlab route import evals.json --from skill-creator --skill pdf-forms > cases.jsonl
      tohlab route import trigger_dataset.yaml --from buildkite > cases.jsonl
      tohlab route import BFCL_v4_multiple.json --from bfcl --catalog catalog.jsonl > cases.jsonl
      tohlab route import all_clean_data.csv --from metatool > cases.jsonl
    """
    from tohlab.routing.import_benchmarks import import_bfcl, import_metatool_catalog
    from tohlab.routing.imports import FORMATS, ONE_SKILL, cases_to_lines, import_cases

    if skill is not None and format_ in FORMATS and format_ not in ONE_SKILL:
        raise click.UsageError(
            f"--skill belongs to --from {', '.join(ONE_SKILL)}; the requests of {format_} name their own"
        )
    if answers and format_ != "bfcl":
        raise click.UsageError("--answers belongs to --from bfcl")
    if (descriptions or (catalog and format_ != "bfcl")) and format_ != "metatool":
        raise click.UsageError("--catalog belongs to --from bfcl or metatool, --descriptions to metatool")
    if bool(catalog) != bool(descriptions) and format_ == "metatool":
        raise click.UsageError("give both --descriptions and --catalog: the cases have no descriptions")
    if format_ != "bfcl":
        if catalog and descriptions:
            _write_catalog(import_metatool_catalog(descriptions), catalog)
        click.echo(cases_to_lines(import_cases(file, format_, skill=skill)), nl=False)
        return
    dataset, source = import_bfcl(file, answers)
    if catalog:
        _write_catalog(source, catalog)
    click.echo(cases_to_lines(dataset), nl=False)


def _write_catalog(source: SkillSource, path: str) -> None:
    from tohlab.routing.writable import check_writable

    rows = [{"name": s.name, "description": s.description} for s in source.snapshot().skills]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    check_writable(path, "--catalog").write_text(text, "utf-8")


@click.command("export", short_help="A report, or the requests, for another tool.")
@click.argument("report", metavar="[REPORT.json]", required=False)
@click.option("--to", type=click.Choice(_TO), required=True, help="Which tool.")
@click.option("--skills", metavar="DIR|FILE", help="promptfoo: the skills [our own library].")
@click.option("--cases", metavar="FILE", help="promptfoo: the labelled requests [our own library].")
@click.option("--model", metavar="NAME", help="promptfoo: the model's name.")
@click.option("--base-url", metavar="URL", help="promptfoo: the service.")
def export(report: str | None, to: str, **options: Any) -> None:
    """Print a report (from `tohlab route --json --trials`) for another tool, or a promptfoo configuration.

    \b
    Examples:
      tohlab route export a.json --to junit > routing.xml
      tohlab route export a.json --to inspect > routing.json
      tohlab route export --to promptfoo --model m > promptfooconfig.json
    """
    if (to == "promptfoo") == bool(report):
        raise click.UsageError("promptfoo takes no report (it asks itself); the others need one")
    if to == "promptfoo":
        click.echo(json.dumps(_promptfoo(options), indent=2, ensure_ascii=False))
        return
    from tohlab.routing.exports import to_inspect_log, to_junit
    from tohlab.routing.saved import load_report

    assert report is not None
    found = load_report(report)
    if to == "junit":
        click.echo(to_junit(found), nl=False)
    elif to == "inspect":
        click.echo(json.dumps(to_inspect_log(found), indent=2))
    else:
        from tohlab.frames import frame

        click.echo(frame(found).to_csv(index=False), nl=False)


def _promptfoo(options: dict[str, Any]) -> dict[str, Any]:
    from tohlab import library
    from tohlab.routing import load_cases, load_catalog
    from tohlab.routing.exports import to_promptfoo

    if not options["model"]:
        raise click.UsageError("promptfoo needs --model NAME")
    if bool(options["skills"]) != bool(options["cases"]):
        raise click.UsageError("give both --skills and --cases, or neither for our own library")
    return to_promptfoo(
        load_cases(Path(options["cases"] or library.library_cases())),
        load_catalog(options["skills"] or library.library_skills()),
        model=options["model"],
        base_url=options["base_url"],
    )
