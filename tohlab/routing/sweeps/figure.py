"""The figures of a sweep: accuracy along an axis, and accuracy against what it costs."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import TYPE_CHECKING

from tohlab.errors import MissingExtra, RoutingError
from tohlab.routing.sweeps.labels import label_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tohlab.routing.sweeps.results import Against, Sweep, SweepPoint

_COLOURS = ("#0f766e", "#b4541a", "#4338ca", "#a16207", "#be185d", "#475569", "#15803d", "#7c3aed")
_MARKS = "osD^vP*X"
_QUIET = "#94a3b8"


def plot_sweep(sweep: Sweep, ax: Axes | None = None) -> Axes:
    """Draw the exact rate along the first axis; see `Sweep.plot`."""
    _need_points(sweep.scored())
    axis = sweep.axes[0]
    place = {label: i for i, label in enumerate(axis.labels)}
    series: defaultdict[str, list[SweepPoint]] = defaultdict(list)
    for point in sweep.scored():
        series[", ".join(value for _, value in point.settings[1:])].append(point)
    if ax is None:
        ax = _new_axes((min(12.0, 2.6 + 0.9 * len(axis.labels)), 4.0))
    step = min(0.12, 0.6 / max(1, len(series)))
    for i, (name, points) in enumerate(series.items()):
        shift = step * (i - (len(series) - 1) / 2)
        rates = [point.report.exact for point in points if point.report is not None]
        at = [place[point.settings[0][1]] + shift for point in points]
        if axis.ordered:
            _join(ax, sweep, points, at, _COLOURS[i % len(_COLOURS)])
        ax.errorbar(
            at,
            [rate.value for rate in rates],
            yerr=(
                [max(0.0, rate.value - rate.low) for rate in rates],
                [max(0.0, rate.high - rate.value) for rate in rates],
            ),
            fmt=_MARKS[i % len(_MARKS)],
            color=_COLOURS[i % len(_COLOURS)],
            markersize=5,
            linewidth=1.2,
            capsize=3,
            label=name or None,
        )
    slanted = max(map(len, axis.labels)) * len(axis.labels) > 60
    ax.set_xticks(
        range(len(axis.labels)),
        axis.labels,
        fontsize=8,
        rotation=30 if slanted else 0,
        ha="right" if slanted else "center",
        parse_math=False,
    )
    ax.set_xlim(-0.5, len(axis.labels) - 0.5)
    ax.set_xlabel(axis.name)
    _accuracy(ax, sweep)
    if len(series) > 1:
        legend = ax.legend(
            title=", ".join(other.name for other in sweep.axes[1:]),
            fontsize=8,
            title_fontsize=8,
            frameon=False,
            loc="best",
        )
        for text in legend.get_texts():
            text.set_parse_math(False)  # a dollar sign in a model's name is no formula
    return ax


def _join(ax: Axes, sweep: Sweep, points: list[SweepPoint], at: list[float], colour: str) -> None:
    """A line between neighbours that are both numbers; "no limit" lies on no line."""
    numbers = dict(zip(sweep.axes[0].labels, sweep.axes[0].numbers, strict=True))
    for (one, x), (other, y) in itertools.pairwise(zip(points, at, strict=True)):
        if None in (numbers[one.settings[0][1]], numbers[other.settings[0][1]]):
            continue
        rates = [point.report.exact.value for point in (one, other) if point.report is not None]
        ax.plot([x, y], rates, color=colour, linewidth=1.2)


def draw(sweep: Sweep) -> Figure:
    """Return one figure: accuracy along the first axis, against tokens, and against money where priced.

    Raises:
        MissingExtra: matplotlib is not installed.
        RoutingError: no point has a score.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "notebook") from error
    _need_points(sweep.scored())
    panels = 3 if sweep.scored("usd") else 2
    figure = Figure(figsize=(6.2 * panels, 4.4), layout="constrained")
    axes = figure.subplots(1, panels)
    plot_sweep(sweep, axes[0])
    plot_pareto(sweep, axes[1])
    if panels == 3:
        plot_pareto(sweep, axes[2], "usd")
    return figure


def plot_pareto(sweep: Sweep, ax: Axes | None = None, against: Against = "tokens") -> Axes:
    """Draw the exact rate against tokens or money; see `Sweep.plot_pareto`."""
    from tohlab.routing.sweeps.results import spent

    points = sweep.scored(against)
    if not points and against == "usd":
        raise RoutingError("no point has a price, so there is no money to draw; give price=")
    _need_points(points)
    ax = ax if ax is not None else _new_axes((6.4, 4.4))
    best = sweep.frontier(against)
    # Points that are equal to one of them lie on it and are not beaten either.
    places = {(spent(point, against), point.report.exact.value) for point in best if point.report is not None}
    ax.plot(
        [spent(point, against) for point in best],
        [point.report.exact.value for point in best if point.report is not None],
        drawstyle="steps-post",
        color=_COLOURS[0],
        linewidth=1.2,
        zorder=1,
    )
    for point in points:
        assert point.report is not None
        rate = point.report.exact
        colour = _COLOURS[0] if (spent(point, against), rate.value) in places else _QUIET
        ax.errorbar(
            spent(point, against),
            rate.value,
            yerr=([max(0.0, rate.value - rate.low)], [max(0.0, rate.high - rate.value)]),
            fmt="o",
            color=colour,
            markersize=5,
            linewidth=0.8,
            capsize=2,
            zorder=2,
        )
    money = against == "usd"
    ax.xaxis.set_major_formatter("{x:,.4g}" if money else "{x:,.0f}")
    ax.set_xlabel(
        "US dollars for all answers of the point"
        if money
        else f"tokens of list and tools in every request ({sweep.meter})"
    )
    _accuracy(ax, sweep)
    lows = [point.report.exact.low for point in points if point.report is not None]
    highs = [point.report.exact.high for point in points if point.report is not None]
    room = 0.06 + 0.006 * len(points)  # for the names
    ax.set_ylim(max(-0.02, min(lows) - 0.05), min(1.08, max(highs) + room))
    ax.margins(x=0.15)
    title = f"{ax.get_title(loc='left')}; line: not beaten by any other"
    ax.set_title(title, fontsize=9, loc="left", parse_math=False)
    label_points(ax, [(spent(p, against), p.report.exact.value, p.label) for p in points if p.report])
    return ax


def _accuracy(ax: Axes, sweep: Sweep) -> None:
    ax.set_ylim(-0.02, 1.02)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.set_ylabel("exact set, 95 % Wilson interval", fontsize=9)
    ax.set_title(f"{sweep.asked} on {sweep.dataset or 'cases'}", fontsize=9, loc="left", parse_math=False)
    ax.grid(axis="y", color="#e2e8f0", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def _need_points(points: tuple[SweepPoint, ...]) -> None:
    if not points:
        raise RoutingError("no point of the sweep has a score, so there is nothing to draw")


def _new_axes(size: tuple[float, float]) -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtra("matplotlib", "notebook") from error
    return pyplot.subplots(figsize=size, layout="constrained")[1]
