"""The survival table in a terminal: counts for each harness, a row for each file, what is wrong with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from tohlab.cli._harness import print_whole, shown
from tohlab.dialects.harnesses import get_harness
from tohlab.survival.model import Fate, Finding, Survey
from tohlab.survival.table import MARKS, MEANING, initials

if TYPE_CHECKING:
    from rich.console import Console

    from tohlab.skills.checks import FileReport

LONGEST_TEXT: Final = 400
"""Of a reason, a remedy or a note, in characters; --json has them whole."""
_LONG_WORD: Final = re.compile(r"(\S{160})\S+")
_STYLES: Final = {"loads": "green", "changed": "yellow", "hidden": "magenta", "skipped": "bold red"}


def print_survey(table: Survey, reports: Sequence[FileReport], own: Sequence[Fate], *, every: bool) -> None:
    """Print counts, rows and details.

    Args:
        table: what became of the files.
        reports: what TheOpen Harness says of them.
        own: what became of each file in TheOpen Harness, for the last line.
        every: a row for each file, and cuts and budgets in the details; else the files in trouble alone.
    """
    from tohlab.cli._console import make_console

    console = make_console(highlight=False, emoji=False)
    _print_counts(console, table, every=every)
    rows = table.files if every else table.troubled()
    if rows:
        _print_rows(console, table, rows)
    rest = len(table.files) - len(rows)
    if rest:
        files = "1 file" if rest == 1 else f"{rest:,} files"
        console.print(
            f"{files} without trouble of their own not shown (cuts and budgets are counted above); "
            "--all shows them",
            style="dim",
        )
    _print_details(console, table, reports, every=every)
    console.print(_summary(own, reports), markup=False)


def _print_counts(console: Console, table: Survey, *, every: bool) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    short = initials(table.harnesses)
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    made.add_column("")
    made.add_column("harness")
    for outcome, mark in MARKS.items():
        made.add_column(f"{outcome} {mark}", justify="right")
    made.add_column("loading rules")
    for name, counts in table.counts().items():
        cells = [
            Text(f"{n:,}", _STYLES[outcome] if n and outcome != "loads" else "")
            for outcome, n in counts.items()
        ]
        made.add_row(short[name], name, *cells, get_harness(name).provenance_of("load").fidelity)
    print_whole(console, made)
    for mark, meaning in ((MARKS[outcome], text) for outcome, text in MEANING.items()):
        console.print(f"{mark}  {meaning}", markup=False, style="dim")
    for note in table.notes.get("", ()):
        console.print(f"note: {shown(note)}", markup=False, style="dim")
    for line in _beyond_limits(table):
        console.print(shown(line), markup=False)
    for name in table.harnesses if every else ():
        for note in table.notes.get(name, ()):
            console.print(f"note: {name}: {shown(note)}", markup=False, style="dim")
    console.print()


def _beyond_limits(table: Survey) -> Iterator[str]:
    # A harness's limit skips thousands of files for one reason, which is said once.
    beyond = Counter(
        (fate.harness, fate.code, fate.reason, fate.repair)
        for fate in table.fates
        if fate.outcome == "skipped" and not fate.is_trouble
    )
    for (harness, code, reason, repair), n in beyond.items():
        files = "1 file" if n == 1 else f"{n:,} files"
        yield f"{files} skipped in {harness}: {_brief(reason)} [{code}]"
        yield f"  → {_brief(repair)}"


def _print_rows(console: Console, table: Survey, rows: Sequence[str]) -> None:
    from rich.table import Table
    from rich.text import Text

    # Without a box a column takes three signs, so that sixteen and a path stand in eighty.
    made = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    made.add_column("file (a folder: its SKILL.md)", overflow="fold", min_width=20)
    for letters in initials(table.harnesses).values():
        made.add_column(letters, width=2, justify="center")
    wanted = set(rows)
    for path, fates in table.by_file():
        if path in wanted:
            marks = (Text(MARKS[fate.outcome], _STYLES[fate.outcome]) for fate in fates)
            made.add_row(Text(shown(path.removesuffix("/SKILL.md"))), *marks)
    console.print(made)
    console.print()


def _print_details(console: Console, table: Survey, reports: Sequence[FileReport], *, every: bool) -> None:
    by_path = {report.path: report for report in reports}
    fates = dict(table.by_file())
    findings: dict[str, list[Finding]] = {}
    for finding in table.findings:
        findings.setdefault(finding.path, []).append(finding)
    width = len(table.harnesses)
    for path in (*by_path, *(path for path in fates if path not in by_path)):
        lines = [
            *_problem_lines(by_path.get(path)),
            *_fate_lines(fates.get(path, ()), by_path.get(path), width, every=every),
            *_note_lines(fates.get(path, ()), width, every=every),
            *_finding_lines(findings.get(path, ()), width),
        ]
        for line in lines:
            console.print(line)
        if lines:
            console.print()


def _problem_lines(report: FileReport | None) -> Iterator[Any]:
    from rich.text import Text

    for problem in report.problems if report else ():
        assert report is not None
        yield Text(shown(f"{report.path}:{problem.line}" if problem.line else report.path))
        style = "red" if problem.level == "error" else "yellow"
        yield (
            Text("  ")
            + Text(problem.level, style)
            + Text(shown(f" {_brief(problem.message)} [{problem.code}]"))
        )
        if problem.remedy:
            yield Text(f"  → {shown(_brief(problem.remedy))}", "cyan")


def _fate_lines(
    fates: Sequence[Fate], report: FileReport | None, width: int, *, every: bool
) -> Iterator[Any]:
    from rich.text import Text

    told = report is not None and any(problem.level == "error" for problem in report.problems)
    groups: dict[tuple[str, int | None, str, str], list[Fate]] = {}
    for fate in fates:
        if fate.outcome == "loads" or not (fate.is_trouble or every):
            continue
        if fate.outcome == "skipped" and not fate.is_trouble:
            continue  # said once for all of them
        if told and report is not None and fate.harness in report.loads and fate.outcome == "skipped":
            continue
        # Of skipped files each harness says the same thing in words of its own: one of them will do. Which of
        # two files with one name is taken differs from harness to harness.
        same_thing = fate.outcome == "skipped" and fate.code not in ("duplicate-name", "shadowed")
        reason = "" if same_thing else fate.reason
        groups.setdefault((fate.outcome, fate.line, fate.repair, reason), []).append(fate)
    for (outcome, line, repair, _), same in groups.items():
        yield Text(shown(f"{same[0].path}:{line}" if line else same[0].path))
        who = _who([fate.harness for fate in same], width)
        differ = len({_one_line(fate.reason) for fate in same}) > 1
        whose = f" (so says {same[0].harness})" if differ else ""
        yield (
            Text("  ")
            + Text(outcome, _STYLES[outcome])
            + Text(shown(f" in {who}: {_brief(same[0].reason)}{whose} [{same[0].code}]"))
        )
        if repair:
            yield Text(f"  → {shown(_brief(repair))}", "cyan")


def _note_lines(fates: Sequence[Fate], width: int, *, every: bool) -> Iterator[Any]:
    from rich.text import Text

    if not every and not any(fate.is_trouble for fate in fates):
        return
    said: dict[str, list[str]] = {}
    for fate in fates:
        for note in fate.notes:
            said.setdefault(note, []).append(fate.harness)
    for note, names in said.items():
        yield Text(shown(f"  note in {_who(names, width)}: {_brief(note)}"), "dim")


def _finding_lines(findings: Iterable[Finding], width: int) -> Iterator[Any]:
    from rich.text import Text

    for finding in findings:
        yield Text(shown(f"{finding.path}:{finding.line}" if finding.line else finding.path))
        text = f" {_brief(finding.message)} [{finding.kind}], in {_who(finding.harnesses, width)}"
        yield Text("  ") + Text("finding", "yellow") + Text(shown(text))


def _who(names: Sequence[str], width: int) -> str:
    return f"all {width} harnesses" if len(names) == width and width > 1 else ", ".join(names)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _brief(text: str) -> str:
    """Return text in one line of bounded length: names and words of files in it may have none."""
    cut = _LONG_WORD.sub(r"\1…", _one_line(text))
    return cut if len(cut) <= LONGEST_TEXT else f"{cut[: LONGEST_TEXT - 1]}…"


def _summary(own: Sequence[Fate], reports: Sequence[FileReport]) -> str:
    loads = sum(fate.outcome != "skipped" for fate in own)
    levels = [problem.level for report in reports for problem in report.problems]
    return (
        f"{loads} of {len(own)} skill files load in TheOpen Harness; "
        f"{_count(levels, 'error')}, {_count(levels, 'warning')}"
    )


def _count(levels: Sequence[str], level: str) -> str:
    n = levels.count(level)
    return f"{n} {level}" if n == 1 else f"{n} {level}s"
