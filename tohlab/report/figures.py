"""The geometry of the confusion picture: where its cells, lines and labels stand.

Only pairs that occur are drawn, so the work grows with the number of cases and not with the square of the
number of skills.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from tohlab.report.model import Confusion

CELL_PX = 22
MOST_LABELS = 60
"""More labels cannot be read; those with the fewest mistakes are left out, and the picture says so."""
_CHAR_PX = 6.4
_LONGEST_LABEL_CHARS = 34


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the grid, in pixels."""

    x1: int
    y1: int
    x2: int
    y2: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A pair that occurs."""

    x: int
    y: int
    tx: int
    ty: int
    expected: str
    picked: str
    count: int
    right: bool
    strength: str
    """Opacity, 0 to 1, as SVG text."""
    deep: bool
    """The ground is so strong that the number on it needs the other colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A row's or a column's name."""

    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionFigure:
    """Everything that is drawn, in pixels."""

    width: int
    height: int
    left: int
    top: int
    cell: int
    grid: tuple[Line, ...]
    cells: tuple[Cell, ...]
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    n_right: int
    n_wrong: int
    left_out: int
    """Labels that are not in the picture."""


def mistakes(confusion: Confusion) -> tuple[tuple[str, str, int], ...]:
    """Return the pairs off the diagonal as (expected, picked, cases), most frequent first, then by name."""
    wrong = ((e, p, n) for (e, p), n in confusion.counts.items() if e != p)
    return tuple(sorted(wrong, key=lambda row: (-row[2], row[0], row[1])))


def confusion_figure(confusion: Confusion) -> ConfusionFigure:
    """Return the picture of `confusion`: rows expected, columns picked, in the order that it gives."""
    expected, picked, left_out = _shown(confusion)
    row_of = {name: i for i, name in enumerate(expected)}
    column_of = {name: i for i, name in enumerate(picked)}
    longest_row = max((len(_short(name)) for name in expected), default=4)
    longest_column = max((len(_short(name)) for name in picked), default=4)
    left = max(round(longest_row * _CHAR_PX), 120) + 14
    top = round(longest_column * _CHAR_PX * 0.82) + 18
    right, bottom = left + CELL_PX * len(picked), top + CELL_PX * len(expected)
    most = max(confusion.counts.values(), default=1)
    cells = []
    for (e, p), count in sorted(confusion.counts.items()):
        if e not in row_of or p not in column_of:
            continue
        x, y = left + CELL_PX * column_of[p], top + CELL_PX * row_of[e]
        # Nothing between 0.56 and full: on a middle ground neither light nor dark numbers can be read.
        # The root keeps small counts visible beside one large one, which is often that of (none).
        root = math.sqrt(count / most)
        strength = 1.0 if root > 0.85 else 0.14 + 0.48 * root
        cells.append(
            Cell(
                x=x,
                y=y,
                tx=x + CELL_PX // 2,
                ty=y + CELL_PX // 2 + 4,
                expected=e,
                picked=p,
                count=count,
                right=e == p,
                strength=f"{strength:.2f}",
                deep=strength == 1.0,
            )
        )
    grid = [
        Line(x1=left, x2=right, y1=top + CELL_PX * i, y2=top + CELL_PX * i) for i in range(len(expected) + 1)
    ]
    grid += [
        Line(x1=left + CELL_PX * i, x2=left + CELL_PX * i, y1=top, y2=bottom) for i in range(len(picked) + 1)
    ]
    slant = round(longest_column * _CHAR_PX * 0.58)
    return ConfusionFigure(
        width=right + slant + 8,
        height=bottom + 6,
        left=left,
        top=top,
        cell=CELL_PX,
        grid=tuple(grid),
        cells=tuple(cells),
        rows=tuple(
            Label(x=left - 8, y=top + CELL_PX * i + CELL_PX // 2 + 4, text=_short(name))
            for i, name in enumerate(expected)
        ),
        columns=tuple(
            Label(x=left + CELL_PX * i + CELL_PX // 2 + 2, y=top - 7, text=_short(name))
            for i, name in enumerate(picked)
        ),
        n_right=sum(n for (e, p), n in confusion.counts.items() if e == p),
        n_wrong=sum(n for (e, p), n in confusion.counts.items() if e != p),
        left_out=left_out,
    )


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_LABEL_CHARS else name[: _LONGEST_LABEL_CHARS - 1] + "…"


def _shown(confusion: Confusion) -> tuple[list[str], list[str], int]:
    """Return the row and column labels that are drawn, and how many are not."""
    if max(len(confusion.expected), len(confusion.picked)) <= MOST_LABELS:
        return list(confusion.expected), list(confusion.picked), 0
    faults: Counter[str] = Counter()
    for (e, p), n in confusion.counts.items():
        if e != p:
            faults[e] += n
            faults[p] += n
    labels = set(confusion.expected) | set(confusion.picked)
    kept = set(sorted(labels, key=lambda name: (-faults[name], name))[:MOST_LABELS])
    return (
        [name for name in confusion.expected if name in kept],
        [name for name in confusion.picked if name in kept],
        len(labels - kept),
    )
