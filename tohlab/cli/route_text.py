"""The report of `tohlab route` as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from tohlab.cli._console import make_console
from tohlab.cli._table import print_table, table
from tohlab.cli.route_baselines import print_beside
from tohlab.cli.route_sureness import print_sureness
from tohlab.printable import printable

if TYPE_CHECKING:
    from rich.table import Table

    from tohlab.routing.pricing import Price
    from tohlab.routing.report import RoutingReport
    from tohlab.routing.statistics import Rate

_SHOWN = 12
_CHANGED = 0.15
"""How many cases come out differently between two runs of much the same quality: an assumption, and said."""
_MEANINGS = {
    "ok": "exactly what was expected",
    "wrong_skill": "none of the expected skills",
    "spurious": "a skill, though none fits",
    "partial": "some of the expected skills, not all",
    "ok_extra": "all the expected skills and others",
    "missed": "no skill, though one was expected",
    "avoided": "none of those that must not be loaded",
    "not_avoided": "one that must not be loaded",
    "unknown_name": "unusable: a name that no skill has",
    "invalid_name": "unusable: not even the form of a name",
    "text_call": "unusable: the call stood in the text",
    "length_cut": "unusable: cut at the token limit",
    "malformed_args": "unusable: arguments that cannot be read",
    "wrong_tool": "unusable: a tool that was not offered",
    "stale_name": "unusable: a name that an earlier catalog had",
    "not_model_invocable": "unusable: a skill that a model may not load",
    "double_load": "unusable: the same skill twice",
    "reload_after_user_load": "unusable: a skill that the user had loaded already",
    "refusal": "unusable: refused",
    "empty": "unusable: neither a call nor a text",
}


def print_report(
    report: RoutingReport, console: Console | None = None, *, price: Price | None = None
) -> None:
    """Print rates with n and interval, labels, skills and the worst confusions; money with a price."""
    console = console or make_console()
    asked = f", choice {report.choice}, placement {report.placement}" if report.choice else ""
    repeats = f", {report.replicates} replicates" if report.replicates > 1 else ""
    console.print(
        Text(
            f"{printable(report.model)} on {printable(report.dataset)}: {report.cases_said}, "
            f"{len(report.skills)} skills, dialect {report.dialect}{asked}{repeats}"
        )
    )
    print_table(_rates(report), console)
    print_beside(report, console)
    print_table(_sets(report), console)
    console.print(
        Text(
            f"scored {report.n_scored} of {report.n_total}; model errors {report.n_model_error} "
            f"(scored as wrong); service errors {report.n_service_error} (not scored)"
        )
    )
    if report.n_service_error:
        console.print(
            Text(
                f"whatever they would have been, exact lies between {report.exact_worst:.1%} and "
                f"{report.exact_best:.1%}"
            )
        )
    clustered = report.clustered
    if clustered.se is not None and clustered.naive_se and clustered.low is not None:
        console.print(
            Text(
                f"with the cases of one skill as clusters ({clustered.n_clusters}): "
                f"{clustered.low:.1%} to {clustered.high:.1%}; the error is "
                f"{clustered.se / clustered.naive_se:.1f} times that of independent cases"
            )
        )
    if clustered.warning:
        console.print(Text(f"note: {clustered.warning}"))
    console.print(Text(_power(report.exact.n)))
    if report.replicates > 1 and not report.is_baseline:
        tries = report.passes(report.replicates) if report.n_service_error == 0 else None
        if tries is not None:
            console.print(
                Text(
                    f"of {tries.k} tries at a case one is right in {tries.at_least_once:.1%}, all in "
                    f"{tries.every_time:.1%}; of all answers {report.calls_right:.1%} are right"
                )
            )
    if report.n_unlabelled:
        console.print(Text(f"{report.n_unlabelled} further cases only say what must not be loaded"))
    for note in report.notes:
        console.print(Text(printable(f"note: {note}", lines=True)))
    print_sureness(report, console)
    print_table(_labels(report), console)
    print_table(_skills(report), console)
    _confusions(report, console)
    tokens = report.tokens
    if tokens.reported:
        cached = "not reported" if tokens.cached is None else f"{tokens.cached:,}"
        console.print(
            Text(
                f"tokens over {tokens.reported} answers: prompt {tokens.prompt:,} (cached {cached}), "
                f"completion {tokens.completion:,}; {report.n_stored} of the answers were recorded before"
            )
        )
    if price is not None:
        cost = report.cost(price)
        unknown = f"; {cost.n_unknown} answers did not report their tokens" if cost.n_unknown else ""
        console.print(
            Text(f"cost: {cost.now_usd:.4f} USD now, {cost.recorded_usd:.4f} USD when recorded{unknown}")
        )


def _power(n: int) -> str:
    from tohlab.routing.power import smallest_difference

    seen = smallest_difference(n, _CHANGED)
    if seen is None:
        return f"{n} cases are too few to show any difference to another run"
    return (
        f"another run over the same {n} cases has to differ by {100 * seen:.0f} points to be told apart "
        f"(80 % power, if {_CHANGED:.0%} of the cases come out differently)"
    )


def _rates(report: RoutingReport) -> Table:
    made = table("What was right", "rate", "value", "95 % interval", "n", right=("value", "n"))
    rows: list[tuple[str, Rate | None]] = [
        ("exact set", report.exact),
        ("  one skill", report.one_skill),
        ("  several skills", report.several_skills),
        ("  no skill", report.no_skill),
        ("  a skill is optional", report.optional),
        ("right every time", report.every),
        ("avoided what must not be loaded", report.avoided),
    ]
    for name, found in rows:
        if found is not None:
            made.add_row(name, f"{found.value:.1%}", _interval(found), str(found.n))
    return made


def _sets(report: RoutingReport) -> Table:
    made = table("Loads", "over", "precision", "recall", "F1", right=("precision", "recall", "F1"))
    sets = report.sets
    made.add_row("all loads (micro)", *map(_number, (sets.micro_precision, sets.micro_recall, sets.micro_f1)))
    made.add_row(
        f"the {sets.macro_n} expected skills (macro)",
        *map(_number, (sets.macro_precision, sets.macro_recall, sets.macro_f1)),
    )
    never = sets.macro_n - sets.macro_precision_n
    unloaded = f"; never loaded, so without a precision: {never} of them" if never else ""
    made.caption = (
        f"too many {sets.over_loads}, too few {sets.under_loads}, twice {sets.double_loads}; "
        f"sets alike (Jaccard) {_number(sets.jaccard)}{unloaded}"
    )
    return made


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def _labels(report: RoutingReport) -> Table:
    made = table("How the answers came out", "label", "answers", "share", "", right=("answers", "share"))
    for label, count in report.labels:
        made.add_row(label, str(count), f"{count / report.n_total:.1%}", _MEANINGS.get(label, ""))
    return made


def _skills(report: RoutingReport) -> Table:
    made = table("Per skill", "skill", "recall", "n", "precision", "n", "F1", right=("n", "F1"))
    for score in sorted(report.per_skill, key=lambda s: (s.f1 is None, s.f1 or 0.0, s.name)):
        if score.f1 is not None:
            made.add_row(
                Text(printable(score.name)),
                _short(score.recall),
                str(score.support),
                _short(score.precision),
                str(score.predicted),
                f"{score.f1:.2f}",
            )
    unused = sum(score.f1 is None for score in report.per_skill)
    if unused:
        made.caption = f"{unused} further skills were neither expected nor loaded"
    return made


def _confusions(report: RoutingReport, console: Console) -> None:
    wrong = sorted((c for c in report.confusion() if c.expected != c.predicted), key=lambda c: -c.n)
    if not wrong:
        return
    title = "Worst confusions" if len(wrong) > _SHOWN else "Confusions"
    made = table(title, "expected", "loaded instead or besides", "answers", right=("answers",))
    for cell in wrong[:_SHOWN]:
        made.add_row(Text(printable(cell.expected)), Text(printable(cell.predicted)), str(cell.n))
    if len(wrong) > _SHOWN:
        made.caption = f"{len(wrong) - _SHOWN} further pairs"
    print_table(made, console)


def _short(found: Rate | None) -> str:
    return "-" if found is None else f"{found.value:4.0%} ({100 * found.low:.0f}–{found.high:.0%})"


def _interval(found: Rate) -> str:
    return f"{found.low:.1%} to {found.high:.1%}"
