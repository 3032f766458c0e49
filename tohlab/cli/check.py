"""`tohlab check`: which skill files load, and why the others do not."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from tohlab.errors import SkillError
from tohlab.skills.checks import FileReport, check_tree

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@click.command("check", short_help="Which skill files load, and why the others do not.")
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="The same rows as JSON.")
@click.pass_context
def command(ctx: click.Context, directory: str, as_json: bool) -> None:
    """Say of each skill file under DIR whether it loads, and of each problem where it is and what to do.

    Exit codes: 0 all of them load (there may be warnings), 1 at least one does not or is not UTF-8, so that a
    model reads something else than its author wrote, 3 there are none.

    \b
    Examples:
      tohlab check path/to/skills
      tohlab check path/to/skills --json | jq '.skills[] | select(.loads.toh | not)'
    """
    reports = check_tree(directory)
    if not any(report.is_skill_file for report in reports):
        raise SkillError(
            f"no skills under {_shown(directory)}: no SKILL.md at any depth and no .md file with frontmatter "
            "in the folder itself; give the folder that holds the skills"
        )
    if as_json:
        text = json.dumps({"skills": [_row(report) for report in reports]}, indent=2)
        sys.stdout.buffer.write(text.encode() + b"\n")
        sys.stdout.buffer.flush()
    else:
        _print_table(reports)
    problems = [problem for report in reports for problem in report.problems]
    if any(problem.level == "error" or problem.code == "not-utf8" for problem in problems):
        ctx.exit(1)


def _row(report: FileReport) -> dict[str, Any]:
    return {
        "path": report.path,
        "name": report.name,
        "loads": dict(report.loads),
        "problems": [
            {
                "code": problem.code,
                "line": problem.line,
                "message": problem.message,
                "level": problem.level,
                "remedy": problem.remedy,
            }
            for problem in report.problems
        ],
    }


def _print_table(reports: Sequence[FileReport]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("skill", overflow="fold", ratio=1)
    table.add_column("loads", justify="center", width=5)
    table.add_column("file, and what is wrong with it", overflow="fold", ratio=2)
    for report in reports:
        loads = Text("yes", "green") if report.loads["toh"] else Text("no", "bold red")
        if not report.is_skill_file:
            loads = Text("–", "dim")
        details = Text("\n").join(_details(report, Text))
        table.add_row(_shown(report.name or "–"), loads, details)
    console = Console(highlight=False, emoji=False)
    console.print(table)
    console.print(_summary(reports), markup=False)


def _details(report: FileReport, text: Any) -> Iterator[Any]:
    if not report.problems:
        yield text(_shown(report.path), "dim")
    for problem in report.problems:
        yield text(_shown(f"{report.path}:{problem.line}" if problem.line else report.path))
        style = "red" if problem.level == "error" else "yellow"
        yield text(problem.level, style) + text(_shown(f" {problem.message} [{problem.code}]"))
        if problem.remedy:
            yield text(f"→ {_shown(problem.remedy)}", "cyan")


def _summary(reports: Sequence[FileReport]) -> str:
    skills = [report for report in reports if report.is_skill_file]
    loads = sum(report.loads["toh"] for report in skills)
    levels = [problem.level for report in reports for problem in report.problems]
    return (
        f"{loads} of {len(skills)} skill files load in TheOpen Harness; "
        f"{_count(levels, 'error')}, {_count(levels, 'warning')}"
    )


def _count(levels: Sequence[str], level: str) -> str:
    n = levels.count(level)
    return f"{n} {level}" if n == 1 else f"{n} {level}s"


def _shown(text: str) -> str:
    """Make text from files safe for a terminal: no control character reaches it."""
    return _UNPRINTABLE.sub("\ufffd", text)
