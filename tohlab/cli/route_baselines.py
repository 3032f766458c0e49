"""The baselines as tables: alone, and beside a model's result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from tohlab.cli._console import make_console
from tohlab.cli._table import print_table, table
from tohlab.printable import printable

if TYPE_CHECKING:
    from rich.table import Table

    from tohlab.routing.baseline_score import RecallAtK
    from tohlab.routing.report import RoutingReport
    from tohlab.routing.statistics import Rate

_RATES = ("exact set", "95 %", "one skill", "several", "no skill")


def print_beside(report: RoutingReport, console: Console) -> None:
    """Print the model and the baselines on the same cases, how far apart, and what a search would keep."""
    from tohlab.routing.paired import p_number

    if not report.baselines:
        return
    made = table(
        f"Beside it: what needs no model, on the same {report.exact.n} cases",
        "picker", *_RATES,
        right=("exact set", "one skill", "several", "no skill"),
    )  # fmt: skip
    own = _cells(report.exact, report.one_skill, report.several_skills, report.no_skill)
    made.add_row(Text("the model", "bold"), *own)
    # Apart from the rates, so that a terminal of eighty columns holds both.
    less = table(
        "The model less each of them, in points",
        "picker", "difference", "95 %", "p (Holm)",
        right=("difference", "p (Holm)"),
    )  # fmt: skip
    for row in report.baselines:
        made.add_row(row.name, *_cells(row.exact, row.one_skill, row.several_skills, row.no_skill))
        less.add_row(
            row.name,
            f"{100 * row.difference:+.1f}",
            _ends(row.low, row.high),
            "-" if row.p_adjusted is None else p_number(row.p_adjusted),
        )
    less.caption = (
        "Case by case, with cases that expect the same skills taken together (seed "
        f"{report.baselines[0].seed}, {report.baselines[0].resamples:,} draws)."
    )
    print_table(made, console)
    print_table(less, console)
    console.print(Text(report.against_baselines))
    for row in report.baselines:
        for note in row.notes:
            console.print(Text(f"note: {row.name}: {note}"))
    if report.retrieval:
        print_table(_recall(report.retrieval), console)


def print_baselines(
    reports: Sequence[RoutingReport],
    recall: Sequence[RecallAtK],
    missing: Mapping[str, str],
    console: Console | None = None,
) -> None:
    """Print baselines without a model, what a search would keep, and which are not installed."""
    console = console or make_console()
    first = reports[0]
    made = table(
        f"{printable(first.dataset)}: {first.cases_said}, {len(first.skills)} skills, dialect "
        f"{first.dialect}",
        "baseline", *_RATES, "macro F1",
        right=("exact set", "one skill", "several", "no skill", "macro F1"),
    )  # fmt: skip
    for report in reports:
        made.add_row(
            report.model.removeprefix("baseline:"),
            *_cells(report.exact, report.one_skill, report.several_skills, report.no_skill),
            "-" if report.macro_f1 is None else f"{report.macro_f1:.3f}",
        )
    print_table(made, console)
    shared = {note for report in reports for note in report.notes if all(note in r.notes for r in reports)}
    for note in sorted(shared):
        console.print(Text(printable(f"note: {note}", lines=True)))
    for report in reports:
        for note in report.notes:
            if note not in shared:
                name = report.model.removeprefix("baseline:")
                console.print(Text(printable(f"note: {name}: {note}", lines=True)))
    for name, said in missing.items():
        console.print(Text(f"left out: {name}: {said}"))
    if recall:
        print_table(_recall(recall), console)


def _recall(rows: Sequence[RecallAtK]) -> Table:
    ks = list(dict.fromkeys(row.k for row in rows))
    made = table(
        "Retrieve, then route",
        "search", *(f"k = {k}" for k in ks), "n",
        right=(*(f"k = {k}" for k in ks), "n"),
    )  # fmt: skip
    for ranker in dict.fromkeys(row.ranker for row in rows):
        found = {row.k: row.recall for row in rows if row.ranker == ranker}
        cells = [f"{found[k].value:.0%} ({100 * found[k].low:.0f}–{found[k].high:.0%})" for k in ks]
        made.add_row(ranker, *cells, str(next(iter(found.values())).n))
    made.caption = (
        "How often all expected skills are among the k that a search ranks first; a model that is offered "
        "only these cannot do better."
    )
    return made


def _cells(exact: Rate, *others: Rate | None) -> tuple[str, ...]:
    return (
        f"{exact.value:.1%}",
        f"{exact.low:.1%} to {exact.high:.1%}",
        *("-" if found is None else f"{found.value:.1%}" for found in others),
    )


def _ends(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{100 * low:+.1f} to {100 * high:+.1f}"
