"""A sweep as a table: one row a point, for a terminal and for a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from tohlab.printable import printable
from tohlab.routing.paired import p_number

if TYPE_CHECKING:
    from tohlab.routing.sweeps.results import Sweep, SweepPoint


def heads(sweep: Sweep) -> tuple[str, ...]:
    """Return the heads of the table's columns."""
    money = ("USD",) if any(point.cost_usd is not None for point in sweep.points) else ()
    return (
        *(axis.name for axis in sweep.axes),
        "exact", "95 % interval", "cases", "skills", "list tokens", "tool tokens", "nearest", *money,
        "difference", "p (Holm)", "could show",
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
        *_difference(sweep, point),
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
    if sweep.flip is not None:
        said.append(f"not all points load the same skills in {sweep.flip} of the cases.")
    if sweep.order is not None:
        places = ", ".join(f"{place} {rate.value:.0%}" for place, rate in sweep.order.by_place)
        spread = sweep.order.place_variation
        said.append(
            f"exact by where the expected skill stands: {places}; places of loaded skills differ from an "
            f"even spread by {'n/a' if spread is None else f'{spread:.2f}'} (total variation)."
        )
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
    rows = [heads(sweep), *(cells(sweep, point) for point in sweep.points)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    return printable("\n".join([title(sweep), *lines, *sentences(sweep)]), lines=True)


def as_html(sweep: Sweep) -> str:
    """Return the table for a notebook; what files and services wrote is escaped."""
    n = len(sweep.axes)
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads(sweep))
    body = "".join(
        "<tr>"
        + "".join(
            f"<td style='text-align:{'left' if i < n else 'right'}'>{html.escape(text)}</td>"
            for i, text in enumerate(cells(sweep, point))
        )
        + "</tr>"
        for point in sweep.points
    )
    below = "".join(f"<li>{html.escape(text)}</li>" for text in sentences(sweep))
    return f"<p>{html.escape(title(sweep))}</p><table><tr>{head}</tr>{body}</table><ul>{below}</ul>"


def _difference(sweep: Sweep, point: SweepPoint) -> tuple[str, str, str]:
    found = point.comparison
    if found is None or point.p_adjusted is None:
        return ("", "", "")
    return (
        f"{100 * found.difference:+.1f}",
        p_number(point.p_adjusted),
        "nothing" if found.smallest is None else f"{100 * found.smallest:.1f}",
    )
