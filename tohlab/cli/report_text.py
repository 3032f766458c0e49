"""The summary of `tohlab report` as a person reads it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from tohlab.cli._console import make_console
from tohlab.report.html import files_sentence, lede
from tohlab.report.markup import number, share, visible_text

if TYPE_CHECKING:
    from tohlab.report.model import RateRow, Report

DEAREST = 8
PROBLEMS = 12
BAR_CELLS = 20


def print_report(report: Report, page: Path, console: Console | None = None) -> None:
    """Print what the page says, in short: files, costs, changes, routing, problems, and the page's path."""
    console = console or make_console(highlight=False, emoji=False)
    console.print(Text(visible_text(report.title), "bold"))
    console.print(Text(lede(report)))
    console.print(Text(files_sentence(report)))
    if not report.complete:
        console.print(
            Text("A part of the folder could not be read, so skills may be missing here.", "yellow")
        )
    for part in (_costs(report), _changes(report), *_routing(report), *_problems(report)):
        if part is not None:
            console.print()
            console.print(part, crop=False)
    console.print()
    console.print(Text.assemble("The page: ", (str(page), "bold")), soft_wrap=True)


def _table(title: str, *heads: str, right: Sequence[str] = ()) -> Table:
    table = Table(
        title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for head in heads:
        table.add_column(head, justify="right" if head in right else "left", overflow="fold")
    return table


def _costs(report: Report) -> Table | None:
    if not report.skills:
        return None
    made = report.provenance
    table = _table(
        f"{number(report.total_tokens)} tokens in every request ({made.encoding})",
        "",
        "tokens",
        "",
        "when loaded",
        right=("tokens", "when loaded"),
    )
    dearest = sorted(report.skills, key=lambda row: (-row.entry_tokens, row.name))
    most = dearest[0].entry_tokens
    for row in dearest[:DEAREST]:
        loaded = "not readable" if row.loaded_tokens is None else number(row.loaded_tokens)
        table.add_row(
            Text(visible_text(row.name)), number(row.entry_tokens), _bar(row.entry_tokens, most), loaded
        )
    if rest := dearest[DEAREST:]:
        table.add_row(
            f"{number(len(rest))} further skills", number(sum(row.entry_tokens for row in rest)), "", ""
        )
    table.add_row("text around the entries", number(report.frame_tokens), "", "")
    table.add_row("the skill tool", number(report.tool_tokens), "", "")
    return table


def _bar(value: int, most: int) -> Text:
    cells = max(1, round(BAR_CELLS * value / most)) if most and value else 0
    return Text("█" * cells, "cyan")


def _changes(report: Report) -> Table | None:
    if not report.changes:
        return None
    table = _table(
        "What a change to one skill does to the prompt cache",
        "change",
        "session",
        "reused",
        "",
        "tokens afresh",
        "lost",
        right=("reused", "tokens afresh", "lost"),
    )
    for change in report.changes:
        strip = change.strip
        kept = round(BAR_CELLS * strip.reused_share)
        table.add_row(
            change.change,
            change.situation.removesuffix(" session"),
            share(strip.reused_share),
            Text("█" * kept, "cyan") + Text("░" * (BAR_CELLS - kept), "yellow"),
            number(strip.new_tokens),
            number(change.lost_tokens),
        )
    return table


def _note(note: str) -> Group:
    """The note; its indented lines are to be copied, so they are not broken."""
    return Group(
        *(
            Text(line, no_wrap=True, overflow="ignore") if line.startswith("    ") else Text(line)
            for line in note.split("\n")
        )
    )


def _routing(report: Report) -> Iterator[Table | Text | Group]:
    routing = report.routing
    if routing.note:
        yield _note(routing.note)
    if not routing.runs:
        return
    source = f", {routing.source}" if routing.source else ""
    table = _table(
        visible_text(f"Is the right skill picked: {routing.cases}{source}"),
        "",
        "exact",
        "95 %",
        "n",
        "no skill",
        "unusable",
        "failed",
        right=("exact", "95 %", "n", "no skill", "unusable", "failed"),
    )
    for run in routing.runs:
        table.add_row(
            Text(visible_text(run.label)),
            share(run.exact.value),
            _range(run.exact),
            number(run.exact.n),
            "" if run.no_skill is None else f"{share(run.no_skill.value)} of {number(run.no_skill.n)}",
            number(run.n_model_error),
            number(run.n_service_error),
        )
    yield table
    for run in routing.runs:
        for note in run.notes:
            yield Text(visible_text(f"{run.label}: {note}"))


def _range(rate: RateRow) -> str:
    low = share(rate.low).removesuffix("\u00a0%")
    return f"{low}–{share(rate.high)}"


def _problems(report: Report) -> Iterator[Text]:
    found = [(file, problem) for file in report.files for problem in file.problems]
    found.sort(key=lambda pair: pair[1].level)
    for file, problem in found[:PROBLEMS]:
        place = f"{file.path}:{problem.line}" if problem.line else file.path
        style = "red" if problem.level == "error" else "yellow"
        text = Text.assemble(
            visible_text(place), "\n  ", (problem.level, style), visible_text(f" {problem.message}")
        )
        if problem.remedy:
            text.append(f"\n  → {visible_text(problem.remedy)}")
        yield text
    if len(found) > PROBLEMS:
        yield Text(f"and {number(len(found) - PROBLEMS)} further problems, all on the page")
