"""`tohlab route diff`: two routing reports over the same cases, side by side."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

import click

from tohlab.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from tohlab.routing.comparison import Change, RunComparison, SkillChange, Spent

_SHOWN = 20


@click.command("diff", short_help="Two reports over the same cases, side by side.")
@click.argument("a", metavar="A.json")
@click.argument("b", metavar="B.json")
@click.option(
    "--by", default="skill", show_default=True, help="What makes cases a cluster: skill, group or case."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the flipped signs."
)
@click.option("--price", metavar="IN,OUT[,CACHED]", help="US dollars for a million tokens, for money.")
@click.option("--price-b", metavar="IN,OUT[,CACHED]", help="The same for the second run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def diff(a: str, b: str, by: str, seed: int, price: str | None, price_b: str | None, as_json: bool) -> None:
    """What the second run gained and lost against the first, and whether that is more than chance.

    A.json and B.json are reports that `tohlab route ... --json --trials` printed, over the same cases.

    \b
    Examples:
      tohlab route --baseline bm25 --json --trials > a.json
      tohlab route --model qwen2.5-coder-1.5b --json --trials > b.json
      tohlab route diff a.json b.json
    """
    from tohlab.routing.compare import compare
    from tohlab.routing.pricing import Price
    from tohlab.routing.saved import load_report

    found = compare(
        load_report(a),
        load_report(b),
        by=by,  # type: ignore[arg-type]  # an unknown word is refused with the known ones
        seed=seed,
        price=Price.parse(price) if price else None,
        price_b=Price.parse(price_b) if price_b else None,
    )
    if as_json:
        click.echo(json.dumps({"a_file": a, "b_file": b, **found.to_dict()}, indent=2))
        return
    from tohlab.cli._console import make_console

    print_comparison(found, make_console(), files=(a, b))


def print_comparison(found: RunComparison, console: Console, *, files: tuple[str, str] | None = None) -> None:
    """Print the verdict, the rates, what was gained and lost, the skills and what it cost.

    Args:
        found: what `compare` found.
        console: where it goes.
        files: where the two reports stand, if in files.
    """
    from rich.text import Text

    from tohlab.cli._table import print_table, table
    from tohlab.routing.comparison import count_of
    from tohlab.routing.paired import p_number

    def say(text: str) -> None:
        console.print(Text(printable(text, lines=True)))

    for side, run, file in zip("AB", (found.a, found.b), files or ("", ""), strict=True):
        say(f"{side}: {file} ({run})" if file else f"{side}: {run}")
    for name, one, other in found.differs:
        say(f"   {name}: A {one}; B {other}")
    if found.edited:
        more = len(found.edited) - _SHOWN
        rest = f" and {more} more; all of them with --json" if more > 0 else ""
        differ = count_of(len(found.edited), "differs", "differ")
        say(f"   texts shown of skills: {differ} ({_names(found.edited[:_SHOWN])}{rest})")
    say(found.sentence)
    rates = table("Exact set", "run", "rate", "95 % interval", "cases", right=("rate", "cases"))
    for label, rate in (("A", found.a_exact), ("B", found.b_exact)):
        rates.add_row(label, f"{rate.value:.1%}", f"{rate.low:.1%} to {rate.high:.1%}", str(found.n))
    decisive = found.decisive
    rates.add_row("B - A", f"{100 * found.difference:+.1f}", _ends(decisive.low, decisive.high), "")
    rates.caption = f"{_tests(found)} {_smallest(found)}"
    print_table(rates, console)
    if found.n_unscored:
        them = "it" if found.n_unscored == 1 else "them"
        say(
            f"{count_of(found.n_unscored, 'case was', 'cases were')} not scored in both; with {them} the "
            f"difference lies between {100 * found.worst:+.1f} and {100 * found.best:+.1f} points"
        )
    for note in found.notes:
        say(f"note: {note}")
    if len(found.by_kind) > 1:
        kinds = table(
            "By kind", "expected", "cases", "A", "B", "gained", "lost",
            right=("cases", "A", "B", "gained", "lost"),
        )  # fmt: skip
        for kind in found.by_kind:
            kinds.add_row(
                kind.kind, str(kind.n), f"{kind.a:.1%}", f"{kind.b:.1%}", str(kind.gained), str(kind.lost)
            )
        print_table(kinds, console)
    _print_changes("Gained", found.gained, console)
    _print_changes("Lost", found.lost, console)
    if found.per_skill:
        right = ("cases", "gained", "lost", "wrong in A", "wrong in B")
        skills = table("Skills", "skill", *right, "p", "p (Holm)", right=right)
        most_first = sorted(found.per_skill, key=lambda row: -_moved(row))
        for row in most_first[:_SHOWN]:
            skills.add_row(
                Text(printable(row.name)), str(row.n), str(row.gained), str(row.lost),
                str(row.a_wrong), str(row.b_wrong), p_number(row.p_value), p_number(row.p_adjusted),
            )  # fmt: skip
        more = len(found.per_skill) - _SHOWN
        skills.caption = "wrong: answers that loaded it though the case does not expect it." + (
            f" And {more} more; all of them with --json." if more > 0 else ""
        )
        print_table(skills, console)
    say(f"tokens: A {_spent(found.a_spent)}; B {_spent(found.b_spent)}")


def _print_changes(title: str, changes: Sequence[Change], console: Console) -> None:
    """Print each case as a block of its own: names and requests are too long to stand beside each other."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    if not changes:
        console.print(Text(f"\n{title}: nothing"))
        return
    console.print(Text(f"\n{title}: {len(changes)}\n", "bold"))
    shown, rest = _of_each_kind(changes)
    for change in shown:
        query = change.query if len(change.query) <= 70 else change.query[:69] + "…"
        console.print(Text.assemble((printable(change.case), "bold"), f": {printable(query)}"))
        rows = Table.grid("", "", padding=(0, 2, 0, 0))
        rows.columns[1].overflow = "fold"
        rows.add_row("expected", Text(_names(change.expected)))
        for side, loaded, invalid, usable, label in (
            ("A", change.a_loaded, change.a_invalid, change.a_usable, change.a_label),
            ("B", change.b_loaded, change.b_invalid, change.b_usable, change.b_label),
        ):
            rows.add_row(side, Text(f"{_called(loaded, invalid, usable=usable)} ({label})"))
        console.print(Padding(rows, (0, 0, 0, 3)))
    if rest:
        kinds = ", ".join(f"{n} {kind}" for kind, n in rest.items())
        console.print(Text(f"{rest.total()} more ({kinds}); all of them with --json"))


def _of_each_kind(changes: Sequence[Change]) -> tuple[list[Change], Counter[str]]:
    """The changes to show, of each kind in turn and in their order, and how many of each kind are left."""
    from tohlab.routing.dataset import KINDS, kind_of

    places = {kind: [i for i, c in enumerate(changes) if kind_of(c.expected) == kind] for kind in KINDS}
    turns = (i for turn in zip_longest(*places.values()) for i in turn if i is not None)
    shown = set(islice(turns, _SHOWN))
    rest = {kind: sum(i not in shown for i in own) for kind, own in places.items()}
    return [changes[i] for i in sorted(shown)], Counter({kind: n for kind, n in rest.items() if n})


def _moved(row: SkillChange) -> int:
    """How much changed for a skill: its cases, and the answers that loaded it wrongly."""
    return row.gained + row.lost + abs(row.b_wrong - row.a_wrong)


def _tests(found: RunComparison) -> str:
    """Which test the interval and the p of the verdict are of, and what the other one says."""
    from tohlab.routing.comparison import count_of
    from tohlab.routing.paired import p_text

    decisive = found.decisive
    clusters = count_of(found.n_clusters, "cluster", "clusters")
    if found.clustered_p is None:
        return f"{found.test}: {p_text(found.p_value)}; in {clusters} nothing can be said."
    said = f"B - A by {decisive.test}: {p_text(decisive.p_value)}"
    if decisive.test == found.test:
        other = f"signs flipped in {clusters} (seed {found.seed}): {p_text(found.clustered_p)}"
    else:
        other = f"{found.test}: {p_text(found.p_value)}"
    return f"{said}, the less sure of two; {other}."


def _smallest(found: RunComparison) -> str:
    seen = "none" if found.smallest is None else f"{100 * found.smallest:.1f} points"
    if found.changed_share is None:
        given = "with the spread of these differences"
    else:
        given = f"where {found.changed_share:.1%} of the cases come out differently, as here"
        if found.smallest is not None and found.smallest > found.changed_share:
            given += ", or as many as the difference needs"
    return f"Smallest difference that would be seen (80 % power, {given}): {seen}."


def _names(names: Sequence[str]) -> str:
    return printable(", ".join(names)) or "none"


def _called(loaded: Sequence[str], invalid: Sequence[str], *, usable: bool) -> str:
    called = [*loaded, *(f"{name!r}, which is in no catalog" for name in invalid)]
    return _names(called) if called or usable else "(invalid)"


def _ends(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{100 * low:+.1f} to {100 * high:+.1f}"


def _spent(spent: Spent) -> str:
    from tohlab.routing.comparison import count_of

    if not spent.answers:
        return "not reported"
    money = "" if spent.cost_usd is None else f", {spent.cost_usd:.4f} USD when asked"
    cached = "cached not reported" if spent.cached_tokens is None else f"{spent.cached_tokens:,} cached"
    return (
        f"{spent.prompt_tokens:,} in ({cached}), {spent.completion_tokens:,} out, over "
        f"{count_of(spent.answers, 'answer', 'answers')}{money}"
    )
