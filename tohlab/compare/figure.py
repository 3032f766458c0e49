"""The figure of a comparison: what each harness takes of every request, tools and list apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tohlab.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tohlab.compare.comparison import Comparison

_LIST = "#0f766e"
_TOOLS = "#94a3b8"
_LOST = "#b4541a"


def plot_comparison(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw one bar for each harness; see `Comparison.plot`."""
    rows = comparison.rows()
    ax = ax if ax is not None else _new_axes((8.0, 1.2 + 0.3 * len(rows)))
    places = range(len(rows))
    tools = [row["tools_tokens"] for row in rows]
    listed = [row["listing_tokens"] for row in rows]
    ax.barh(places, tools, color=_TOOLS, height=0.7, label="tools")
    ax.barh(places, listed, left=tools, color=_LIST, height=0.7, label="list")
    for place, row in zip(places, rows, strict=True):
        at = row["total_tokens"]
        ax.annotate(
            f"{at:,}", (at, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=7
        )
        lost = [f"{row[key]:,} {key}" for key in ("cut", "dropped", "hidden", "skipped") if row[key]]
        if lost:
            ax.annotate(
                ", ".join(lost),
                (at, place),
                xytext=(44, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color=_LOST,
            )
    ax.set_yticks(places, [row["title"] for row in rows], fontsize=8)
    ax.invert_yaxis()
    ax.margins(x=0.3)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    window = "" if comparison.window_tokens is None else f", window {comparison.window_tokens:,}"
    ax.set_xlabel(f"tokens of {comparison.meter} in every request{window}")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower right", fontsize=8, frameon=False)
    return ax


def _new_axes(size: tuple[float, float]) -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtra("matplotlib", "notebook") from error
    return pyplot.subplots(figsize=size, layout="constrained")[1]
