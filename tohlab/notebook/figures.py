"""Figures by the display convention: compute first, keep the numbers, draw later.

Each display is a value made by a class method; `plot(ax=None)` draws it and returns the axes. matplotlib is
imported when something is drawn, never before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from tohlab.errors import MissingExtra
from tohlab.report.convert import confusion_of
from tohlab.routing.report import RoutingReport
from tohlab.tokens import CatalogCost, RequestCost

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KEPT = "#0f766e"
_FRESH = "#b4541a"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionDisplay:
    """Which skill was expected and which was picked."""

    expected: tuple[str, ...]
    """Row labels, in catalog order, then `(none)`."""
    picked: tuple[str, ...]
    """Column labels, in catalog order, then `(none)` and `(invalid)`."""
    counts: tuple[tuple[int, ...], ...]
    """One row for each expected label, one number for each picked one; answers."""

    @classmethod
    def from_report(cls, report: RoutingReport) -> Self:
        """Return the display of a run."""
        found = confusion_of(report)
        return cls(
            expected=found.expected,
            picked=found.picked,
            counts=tuple(tuple(found.counts.get((e, p), 0) for p in found.picked) for e in found.expected),
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the counts, right ones in one colour and wrong ones in another, and return the axes.

        Args:
            ax: where; new axes of a fitting size unless given.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        size = (1.5 + 0.28 * len(self.picked), 1.5 + 0.26 * len(self.expected))
        ax = ax if ax is not None else _new_axes(size)
        most = max((n for row in self.counts for n in row), default=1) or 1
        for y, (label, row) in enumerate(zip(self.expected, self.counts, strict=True)):
            for x, (other, n) in enumerate(zip(self.picked, row, strict=True)):
                if not n:
                    continue
                strength = 0.2 + 0.8 * n / most
                colour = _KEPT if label == other else _FRESH
                ax.add_patch(_rectangle(x - 0.5, y - 0.5, colour, strength))
                ax.text(
                    x,
                    y,
                    str(n),
                    ha="center",
                    va="center",
                    fontsize=7,
                    color="white" if strength > 0.6 else "black",
                )
        ax.set_xlim(-0.5, len(self.picked) - 0.5)
        ax.set_ylim(len(self.expected) - 0.5, -0.5)
        ax.set_xticks(range(len(self.picked)), self.picked, rotation=90, fontsize=7)
        ax.set_yticks(range(len(self.expected)), self.expected, fontsize=7)
        ax.set_xlabel("picked")
        ax.set_ylabel("expected")
        ax.set_aspect("equal")
        return ax


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensDisplay:
    """What each part costs, the dearest first."""

    names: tuple[str, ...]
    tokens: tuple[int, ...]
    """One count for each name, falling."""
    unit: str
    """What counted, such as `tokens of o200k_base`."""

    @classmethod
    def from_cost(cls, cost: CatalogCost | RequestCost, *, most: int = 40) -> Self:
        """Return the display of a catalog's skills, or of a request's segments.

        Args:
            cost: what was measured.
            most: how many bars at most; the cheapest are left out.
        """
        if isinstance(cost, CatalogCost):
            rows = [(row.name, row.tokens) for row in cost.rows if row.kind == "skill"]
            unit = f"tokens of {cost.encoding}"
        else:
            rows = [(f"{s.path} {s.name or s.kind}", s.tokens) for s in cost.segments]
            unit = f"tokens of {cost.meter}"
        rows = sorted(rows, key=lambda row: (-row[1], row[0]))[:most]
        return cls(names=tuple(name for name, _ in rows), tokens=tuple(n for _, n in rows), unit=unit)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw one bar for each name, with its number, and return the axes.

        Args:
            ax: where; new axes of a fitting size unless given.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        ax = ax if ax is not None else _new_axes((6.0, 0.8 + 0.22 * len(self.names)))
        places: Sequence[int] = range(len(self.names))
        bars = ax.barh(places, self.tokens, color=_KEPT, height=0.7)
        ax.bar_label(bars, padding=3, fontsize=7)
        ax.set_yticks(places, self.names, fontsize=7)
        ax.invert_yaxis()
        ax.set_xlabel(self.unit)
        ax.spines[["top", "right"]].set_visible(False)
        return ax


def _new_axes(size: tuple[float, float]) -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtra("matplotlib", "notebook") from error
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def _rectangle(x: float, y: float, colour: str, strength: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), 1, 1, facecolor=colour, alpha=strength, edgecolor="none")
