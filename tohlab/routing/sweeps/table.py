"""A sweep as a table: one row a point, for a terminal and for a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from tohlab.printable import printable
from tohlab.routing.paired import p_number
from tohlab.routing.sweeps.kinds import kind_cells, kind_heads, kind_sentences

if TYPE_CHECKING:
    from tohlab.routing.order import OrderEffects
    from tohlab.routing.sweeps.results import Sweep, SweepPoint


def heads(sweep: Sweep) -> tuple[str, ...]:
    """Return the heads of the table's columns; those of the comparison only where a point is compared."""
    compared = ("difference", "p (Holm)", "could show") if sweep.looks else ()
    money = ("USD",) if any(point.cost_usd is not None for point in sweep.points) else ()
    return (
        *(axis.name for axis in sweep.axes),
        "exact", "95 % interval", "cases", "skills", "list tokens", "tool tokens", "nearest", *money,
        *compared,
    )  # fmt: skip


def cells(sweep: Sweep, point: SweepPoint) -> tuple[str, ...]:
    """Return the cells of a point's row."""
    exact = point.exact
    rate = ("no score", "", "")
    if exact is not None:
        rate = f"{exact.value:.1%}", f"{exact.low:.1%} to {exact.high:.1%}", str(exact.n)
    money: tuple[str, ...] = ()
    if "USD" in heads(sweep):
        money = ("" if point.cost_usd is None else f"{point.cost_usd:.4f}",)
    return (
        *(value for _, value in point.settings),
        *rate,
        str(point.n_skills),
        f"{point.catalog_tokens:,}",
        f"{point.tool_tokens:,}",
        "" if point.nearest is None else f"{point.nearest:.2f}",
        *money,
        *(_difference(point) if sweep.looks else ()),
    )


def sentences(sweep: Sweep) -> tuple[str, ...]:
    """Return what is to be said below the table."""
    said = []
    if sweep.looks:
        said.append(
            f"difference: from the first point, over the cases that both scored; p: the larger of the case "
            f"and the cluster test, by Holm for {sweep.looks} looks; could show: the smallest difference "
            "seen with 80 % power."
        )
    said += kind_sentences(sweep)
    if sweep.flip is not None:
        said.append(f"not all points load the same skills in {sweep.flip} of the cases.")
    if sweep.order is not None:
        said += _places(sweep, sweep.order)
        for twin in sweep.order.twins:
            ranks = ", ".join(map(str, twin.by_rank))
            said.append(
                f"of {', '.join(twin.names)} the one listed first, second, ... was loaded {ranks} times."
            )
    for point in sweep.points:
        said += [f"{point.label}: {text}" for text in (point.missing, point.why_not) if text]
    said += [f"note: {note}" for note in sweep.notes]
    first = sweep.points[0].notes if sweep.points else ()
    shared = [n for n in first if all(n in point.notes for point in sweep.points)]
    said += [f"note: {note}" for note in shared]
    others: dict[str, list[str]] = {}
    for point in sweep.points:
        for note in point.notes:
            others.setdefault(note, []).append(point.label)
    said += [f"note on {'; '.join(on)}: {note}" for note, on in others.items() if note not in shared]
    return tuple(said)


def title(sweep: Sweep) -> str:
    """Return what was swept."""
    by = " by ".join(f"{axis.name} ({len(axis.labels)})" for axis in sweep.axes)
    part = "" if len(sweep) == sweep.n_wanted else f", {len(sweep)} of {sweep.n_wanted} points"
    return f"{sweep.asked} on {sweep.dataset or 'cases'}: {by}{part}; tokens of {sweep.meter}"


def as_text(sweep: Sweep) -> str:
    """Return the table for a terminal."""
    lines = _lines(heads(sweep), [cells(sweep, point) for point in sweep.points])
    if kind_heads(sweep):
        lines += ["By kind", *_lines(kind_heads(sweep), [kind_cells(sweep, point) for point in sweep.points])]
    return printable("\n".join([title(sweep), *lines, *sentences(sweep)]), lines=True)


def _lines(head: tuple[str, ...], body: list[tuple[str, ...]]) -> list[str]:
    rows = [head, *body]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def as_html(sweep: Sweep) -> str:
    """Return the table for a notebook; what files and services wrote is escaped."""
    n = len(sweep.axes)
    tables = _html_table(heads(sweep), [cells(sweep, point) for point in sweep.points], n)
    if kind_heads(sweep):
        by_kind = [kind_cells(sweep, point) for point in sweep.points]
        tables += f"<p>By kind</p>{_html_table(kind_heads(sweep), by_kind, n)}"
    below = "".join(f"<li>{html.escape(text)}</li>" for text in sentences(sweep))
    return f"<p>{html.escape(title(sweep))}</p>{tables}<ul>{below}</ul>"


def _html_table(heads: tuple[str, ...], rows: list[tuple[str, ...]], n_left: int) -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td style='text-align:{'left' if i < n_left else 'right'}'>{html.escape(text)}</td>"
            for i, text in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _places(sweep: Sweep, order: OrderEffects) -> tuple[str, ...]:
    """What is to be said of where a skill stands.

    Two things are confounded in a sweep of few orders: the place, and which skills stand there. In a whole
    rotation each skill stands at each place once, so only the place is left. In fewer orders the numbers are
    given only if some case was answered otherwise in another order, and the reader is told; if none was, all
    that they could show is which skills stand where.
    """
    whole = order.n_orders == sweep.points[0].n_skills
    if not whole and not order.flip.value:
        return ()
    places = ", ".join(f"{place} {found.value:.0%} of {found.n}" for place, found in order.by_place)
    spread = "n/a" if order.place_variation is None else f"{order.place_variation:.2f}"
    mixed = "" if whole else (
        f" With {order.n_orders} orders of {sweep.points[0].n_skills} skills the thirds need not hold the "
        "same skills equally often, so this may in part be which skills stand there."
    )  # fmt: skip
    return (
        f"exact by where the expected skill stands (a case counts once in each order): {places}; places of "
        f"loaded skills differ from an even spread by {spread} (total variation).{mixed}",
    )


def _difference(point: SweepPoint) -> tuple[str, str, str]:
    found = point.comparison
    if found is None or point.p_adjusted is None:
        return ("", "", "")
    return (
        f"{100 * found.difference:+.1f}",
        p_number(point.p_adjusted),
        "nothing" if found.smallest is None else f"{100 * found.smallest:.1f}",
    )
