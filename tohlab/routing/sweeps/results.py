"""What a sweep found: its points, each with its score, its price, and how it differs from the first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tohlab.errors import RoutingError
from tohlab.routing.comparison import RunComparison, Verdict
from tohlab.routing.order import OrderEffects
from tohlab.routing.power import ALPHA
from tohlab.routing.report import RoutingReport
from tohlab.routing.statistics import Rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Against = Literal["tokens", "usd"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptAxis:
    """One axis of a sweep that was run."""

    name: str
    labels: tuple[str, ...]
    numbers: tuple[float | None, ...]
    """Each value as a number where it is one."""
    ordered: bool
    """Whether the values have an order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint:
    """One run of a sweep."""

    settings: tuple[tuple[str, str], ...]
    """Each axis's name and this point's value, in the order of the axes."""
    report: RoutingReport | None
    """None where the point has no score; `missing` says why."""
    missing: str
    n_skills: int
    """Skills in the list that a model may load."""
    catalog_tokens: int
    """The list as it is sent, every catalog that the conversation was told among it; of the meter."""
    tool_tokens: int
    """The tools as they are sent, without the list where it stands in one; with the choice `json` the
    instruction and the answer's schema, which stand in their place."""
    nearest: float | None
    """How alike the skills are: TF-IDF cosine of names and descriptions as listed to the nearest other one,
    mean over the skills, 0..1; None for fewer than two."""
    cost_usd: float | None
    """What the answers cost when they were asked, in US dollars; None without a price or without answers."""
    comparison: RunComparison | None
    """With the first point, which is run A; None for the first itself, or where `why_not` says why."""
    p_adjusted: float | None
    """The larger of the comparison's two p-values (case by case, and by whole clusters), after Holm for all
    the points that were compared; None where nothing is."""
    why_not: str
    """Why it is not compared; empty where it is, and for the first point."""
    notes: tuple[str, ...]

    @property
    def label(self) -> str:
        """The values of the point as one text."""
        return ", ".join(value for _, value in self.settings)

    @property
    def skills_tokens(self) -> int:
        """List and tools together: what having the skills costs in every request."""
        return self.catalog_tokens + self.tool_tokens

    @property
    def exact(self) -> Rate | None:
        """The exact rate, or None where there is no score."""
        return None if self.report is None else self.report.exact

    @property
    def verdict(self) -> Verdict | None:
        """What may be said of the difference after Holm; None where nothing is compared."""
        if self.comparison is None or self.p_adjusted is None:
            return None
        return "no evidence" if self.p_adjusted >= ALPHA else self.comparison.verdict

    def to_dict(self, *, trials: bool = False) -> dict[str, Any]:
        """Return plain data; the report of the point and its comparison whole."""
        return {
            "settings": dict(self.settings),
            "missing": self.missing,
            "n_skills": self.n_skills,
            "catalog_tokens": self.catalog_tokens,
            "tool_tokens": self.tool_tokens,
            "nearest": self.nearest,
            "cost_usd": self.cost_usd,
            "p_adjusted": self.p_adjusted,
            "verdict": self.verdict,
            "why_not": self.why_not,
            "notes": list(self.notes),
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "report": None if self.report is None else self.report.to_dict(trials=trials),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sweep:
    """A sweep that was run; made by `sweep`."""

    dataset: str
    asked: str
    """The model's name, or `baseline:<name>`; of the first point, where that is an axis."""
    axes: tuple[SweptAxis, ...]
    points: tuple[SweepPoint, ...]
    """The full grid, the last axis fastest; a sweep that was stopped has fewer."""
    n_wanted: int
    """How many points the grid has."""
    meter: str
    """What counted the tokens."""
    flip: Rate | None
    """Cases in which not all comparable points loaded the same skills; None where fewer than two are."""
    order: OrderEffects | None
    """What the order of the list changed, where that is the only axis and has two values or more."""
    notes: tuple[str, ...]

    @property
    def looks(self) -> int:
        """How many points were compared with the first, which is what Holm counts."""
        return sum(point.comparison is not None for point in self.points)

    @property
    def agreement(self) -> float | None:
        """The share of cases in which all comparable points loaded the same skills, 0..1."""
        return None if self.flip is None else 1 - self.flip.value

    def point(self, *labels: str) -> SweepPoint:
        """Return a point by its values' labels, one for each axis in their order.

        Raises:
            RoutingError: there is none; the message lists the values.
        """
        for found in self.points:
            if tuple(value for _, value in found.settings) == labels:
                return found
        known = "; ".join(f"{axis.name}: {', '.join(axis.labels)}" for axis in self.axes)
        raise RoutingError(f"there is no point {', '.join(labels)!r}; the values are {known}")

    def frontier(self, against: Against = "tokens") -> tuple[SweepPoint, ...]:
        """Return the points that no other beats in both, the cheapest first.

        A point is beaten if another is right at least as often for less, or more often for as much.

        Args:
            against: `tokens` (list and tools) or `usd`; points without such a number are left out.

        Raises:
            RoutingError: another word.
        """
        found: list[SweepPoint] = []
        for point in sorted(self.scored(against), key=lambda p: (spent(p, against), -_value(p))):
            if not found or _value(point) > _value(found[-1]):
                found.append(point)
        return tuple(found)

    def scored(self, against: Against = "tokens") -> tuple[SweepPoint, ...]:
        """Return the points that have a score and such a number."""
        if against not in ("tokens", "usd"):
            raise RoutingError(f"there is no {against!r} to set accuracy against; known: tokens, usd")
        return tuple(
            point
            for point in self.points
            if point.report is not None and (against == "tokens" or point.cost_usd is not None)
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the exact rate with its 95 % Wilson interval along the first axis; returns the axes.

        Further axes are series.

        Raises:
            MissingExtra: matplotlib is not installed.
            RoutingError: no point has a score.
        """
        from tohlab.routing.sweeps.figure import plot_sweep

        return plot_sweep(self, ax)

    def plot_pareto(self, ax: Axes | None = None, *, against: Against = "tokens") -> Axes:
        """Draw the exact rate against tokens or money, with the frontier; returns the axes.

        Raises:
            MissingExtra: matplotlib is not installed.
            RoutingError: no point has a score, or a price.
        """
        from tohlab.routing.sweeps.figure import plot_pareto

        return plot_pareto(self, ax, against)

    def to_dict(self, *, trials: bool = False) -> dict[str, Any]:
        """Return plain data for JSON; rates in 0..1, None where there was nothing to rate."""
        return {
            "dataset": self.dataset,
            "asked": self.asked,
            "axes": [
                {"name": a.name, "labels": list(a.labels), "numbers": list(a.numbers), "ordered": a.ordered}
                for a in self.axes
            ],
            "n_wanted": self.n_wanted,
            "n_points": len(self.points),
            "meter": self.meter,
            "looks": self.looks,
            "flip": None if self.flip is None else self.flip.to_dict(),
            "order": None if self.order is None else self.order.to_dict(),
            "frontier": [dict(point.settings) for point in self.frontier()],
            "notes": list(self.notes),
            "points": [point.to_dict(trials=trials) for point in self.points],
        }

    def __iter__(self) -> Iterator[SweepPoint]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        """The table as a text."""
        from tohlab.routing.sweeps.table import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from tohlab.routing.sweeps.table import as_html

        return as_html(self)


def spent(point: SweepPoint, against: Against) -> float:
    """Return what a point uses."""
    if against == "tokens":
        return float(point.skills_tokens)
    return 0.0 if point.cost_usd is None else point.cost_usd


def _value(point: SweepPoint) -> float:
    return 0.0 if point.report is None else point.report.exact.value
