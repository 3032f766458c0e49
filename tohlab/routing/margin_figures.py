"""Figures of how sure a model was: calibration, and accuracy over coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tohlab.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tohlab.routing.calibration import AbstentionCurve, Calibration

_COLOUR = "#0f766e"
_GREY = "#888888"


def draw_calibration(found: Calibration, ax: Axes | None) -> Axes:
    """Draw the bins, each with its interval, the line of a calibrated model, and where the answers lie."""
    ax = ax if ax is not None else _new_axes()
    ax.plot([0, 1], [0, 1], color=_GREY, linestyle="--", linewidth=1, label="calibrated")
    x = [row.confidence for row in found.bins]
    y = [row.right.value for row in found.bins]
    below = [max(0.0, row.right.value - row.right.low) for row in found.bins]
    above = [max(0.0, row.right.high - row.right.value) for row in found.bins]
    ax.errorbar(
        x, y, yerr=[below, above], color=_COLOUR, marker="o", linewidth=1.2, capsize=3, markersize=5,
        label=f"{len(found.bins)} bins of about {found.n // len(found.bins)} answers",
    )  # fmt: skip
    for row in found.bins:  # the bins' widths, since bins of equal mass are not equally wide
        ax.plot(
            [row.low, row.high], [-0.03, -0.03], color=_COLOUR, linewidth=3, solid_capstyle="butt", alpha=0.5
        )
        ax.plot([row.high, row.high], [-0.045, -0.015], color=_COLOUR, linewidth=0.8)
    ax.set_xlim(0, 1.02)
    ax.set_ylim(-0.06, 1.02)
    ax.set_xlabel("share that the model gave its first name")
    ax.set_ylabel("how often that name was right")
    ax.set_title(f"ECE {found.ece:.3f} [{found.low:.3f}, {found.high:.3f}], n = {found.n}", fontsize=10)
    ax.legend(loc="upper left", fontsize=8, frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def draw_abstention(found: AbstentionCurve, ax: Axes | None) -> Axes:
    """Draw the rate of exact sets among the answers that are kept, over how many are kept."""
    ax = ax if ax is not None else _new_axes()
    x = [point.coverage for point in found.points]
    ax.fill_between(
        x,
        [point.exact.low for point in found.points],
        [point.exact.high for point in found.points],
        color=_COLOUR,
        alpha=0.15,
        linewidth=0,
        label="95 % Wilson",
    )
    ax.plot(
        x, [point.exact.value for point in found.points], color=_COLOUR, linewidth=1.5, drawstyle="steps-post"
    )
    last = found.points[-1]
    ax.axhline(last.exact.value, color=_GREY, linestyle="--", linewidth=1, label="all answers kept")
    for coverage in (0.25, 0.5, 0.75):
        point = found.at(coverage)
        ax.annotate(
            f"{found.by} {point.threshold:.2f}", (point.coverage, point.exact.value), xytext=(0, 9),
            textcoords="offset points", fontsize=7, ha="center",
        )  # fmt: skip
        ax.plot(point.coverage, point.exact.value, marker="o", color=_COLOUR, markersize=4)
    ax.set_xlim(0, 1.02)
    ax.set_ylim(0, 1.06)
    ax.set_xlabel(f"share of answers kept, the largest {found.by} first (n = {found.n})")
    ax.set_ylabel("exact set among those kept")
    ax.legend(loc="lower left", fontsize=8, frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _new_axes() -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtra("matplotlib", "notebook") from error
    return pyplot.subplots(figsize=(5.2, 4.2), layout="constrained")[1]
