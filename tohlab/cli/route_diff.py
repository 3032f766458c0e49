"""`tohlab route diff`: two routing reports over the same cases, side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from tohlab.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from tohlab.routing.comparison import Change, RunComparison, Spent

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
        click.echo(json.dumps(found.to_dict(), indent=2))
        return
    from tohlab.cli._console import make_console

    print_comparison(found, make_console())


def print_comparison(found: RunComparison, console: Console) -> None:
    """Print the verdict, the rates, what was gained and lost, the skills and what it cost."""
    from rich.text import Text

    from tohlab.cli._table import print_table, table
    from tohlab.routing.paired import p_number, p_text

    def say(text: str) -> None:
        console.print(Text(printable(text, lines=True)))

    say(f"A: {found.a}")
    say(f"B: {found.b}")
    for name, one, other in found.differs:
        say(f"   {name}: A {one}; B {other}")
    if found.edited:
        say(f"   texts shown of skills: {len(found.edited)} differ ({_names(found.edited)})")
    say(found.sentence)
    rates = table("Exact set", "run", "rate", "95 % interval", "cases", right=("rate", "cases"))
    for label, rate in (("A", found.a_exact), ("B", found.b_exact)):
        rates.add_row(label, f"{rate.value:.1%}", f"{rate.low:.1%} to {rate.high:.1%}", str(found.n))
    rates.add_row("B - A", f"{100 * found.difference:+.1f}", _ends(found.low, found.high), "")
    rates.caption = (
        f"{found.test}: {p_text(found.p_value)}. In {found.n_clusters} clusters, signs flipped with seed "
        f"{found.seed}: "
        + (
            "nothing can be said"
            if found.clustered_p is None
            else f"{p_text(found.clustered_p)}, {_ends(found.clustered_low, found.clustered_high)}"
        )
        + ". Smallest difference that would be seen (80 % power): "
        + ("none" if found.smallest is None else f"{100 * found.smallest:.1f} points")
        + "."
    )
    print_table(rates, console)
    if found.n_unscored:
        say(
            f"{found.n_unscored} cases were not scored in both; with them the difference lies between "
            f"{100 * found.worst:+.1f} and {100 * found.best:+.1f} points"
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
        for row in found.per_skill[:_SHOWN]:
            skills.add_row(
                Text(printable(row.name)), str(row.n), str(row.gained), str(row.lost),
                str(row.a_wrong), str(row.b_wrong), p_number(row.p_value), p_number(row.p_adjusted),
            )  # fmt: skip
        more = len(found.per_skill) - _SHOWN
        skills.caption = "wrong: answers that loaded it though the case does not expect it." + (
            f" {more} more skills changed; all of them with --json." if more > 0 else ""
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
    for change in changes[:_SHOWN]:
        query = change.query if len(change.query) <= 70 else change.query[:69] + "…"
        console.print(Text.assemble((printable(change.case), "bold"), f": {printable(query)}"))
        rows = Table.grid("", "", padding=(0, 2, 0, 0))
        rows.columns[1].overflow = "fold"
        rows.add_row("expected", Text(_names(change.expected)))
        rows.add_row("A", Text(f"{_called(change.a_loaded, change.a_invalid)} ({change.a_label})"))
        rows.add_row("B", Text(f"{_called(change.b_loaded, change.b_invalid)} ({change.b_label})"))
        console.print(Padding(rows, (0, 0, 0, 3)))
    if len(changes) > _SHOWN:
        console.print(Text(f"{len(changes) - _SHOWN} more; all of them with --json"))


def _names(names: Sequence[str]) -> str:
    return printable(", ".join(names)) or "none"


def _called(loaded: Sequence[str], invalid: Sequence[str]) -> str:
    called = [*loaded, *(f"{name!r}, which is in no catalog" for name in invalid)]
    return _names(called)


def _ends(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{100 * low:+.1f} to {100 * high:+.1f}"


def _spent(spent: Spent) -> str:
    if not spent.answers:
        return "not reported"
    money = "" if spent.cost_usd is None else f", {spent.cost_usd:.4f} USD when asked"
    cached = "cached not reported" if spent.cached_tokens is None else f"{spent.cached_tokens:,} cached"
    return (
        f"{spent.prompt_tokens:,} in ({cached}), {spent.completion_tokens:,} out, over "
        f"{spent.answers} answers{money}"
    )
