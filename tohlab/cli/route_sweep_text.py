"""A sweep, and what one would cost, as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from tohlab.cli._console import make_console
from tohlab.cli._table import print_table, table
from tohlab.printable import printable

if TYPE_CHECKING:
    from tohlab.routing.sweeps import Sweep, SweepEstimate


def print_sweep(found: Sweep, console: Console | None = None) -> None:
    """Print one row a point, and what there is to say about them."""
    from tohlab.routing.sweeps.kinds import kind_cells, kind_heads
    from tohlab.routing.sweeps.table import cells, heads, sentences, title

    console = console or make_console()
    console.print(Text(printable(title(found))))
    columns = heads(found)
    made = table("Points", *columns, right=columns[len(found.axes) :])
    for point in found.points:
        made.add_row(*(Text(printable(cell)) for cell in cells(found, point)))
    print_table(made, console, keep=("exact",))
    if columns := kind_heads(found):
        n = len(found.axes)
        by_kind = table("By kind", *columns, right=columns[n:])
        for point in found.points:
            by_kind.add_row(*(Text(printable(cell)) for cell in kind_cells(found, point)))
        print_table(by_kind, console, keep=columns[n:])
    for sentence in sentences(found):
        console.print(Text(printable(sentence, lines=True)))


def print_sweep_estimate(found: SweepEstimate, n_cases: int, console: Console | None = None) -> None:
    """Print what each point would use, and all of them together."""
    console = console or make_console()
    names = [name for name, _ in found.points[0].settings]
    columns = (
        *names, "skills", "list tokens", "tool tokens", "nearest", "requests", "stored", "tokens in"
    )  # fmt: skip
    made = table("Nothing is asked", *columns, right=columns[len(names) :])
    for point in found.points:
        made.add_row(
            *(Text(printable(value)) for _, value in point.settings),
            str(point.n_skills),
            f"{point.catalog_tokens:,}",
            f"{point.tool_tokens:,}",
            "" if point.nearest is None else f"{point.nearest:.2f}",
            f"{point.estimate.requests:,}",
            f"{point.estimate.stored:,}",
            f"{point.estimate.prompt_tokens:,}",
        )
    print_table(made, console)
    console.print(Text(total_sentence(found, n_cases)))


def total_sentence(found: SweepEstimate, n_cases: int) -> str:
    """Return what the whole sweep would use."""
    total = found.total
    longest = "" if total.completion_tokens is None else f", at most {total.completion_tokens:,} out"
    money = ""
    if total.low_usd is not None:
        most = "more" if total.high_usd is None else f"{total.high_usd:.4f}"
        money = f"; {total.low_usd:.4f} to {most} USD"
    kept = f" ({found.stored:,} more are in the store)" if found.stored else ""
    return (
        f"{len(found.points)} runs over {n_cases} cases: {found.requests:,} requests{kept}, "
        f"{total.prompt_tokens:,} tokens in ({total.meter}, without the service's template){longest}{money}"
    )
