"""Names beside the points of a figure, so that none hides another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE_PT: Final = 7.0
_WIDTH: Final = 0.58
"""The mean width of a character as a share of the type size; a little more than DejaVu Sans has."""
_LEVELS: Final = 14

Box = tuple[float, float, float, float]


def label_points(ax: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """Write each name near its point, further off with a thin line where others stand.

    Args:
        ax: the axes, with their limits set.
        points: x, y and name of each; those at one place share a label.
    """
    named: defaultdict[tuple[float, float], list[str]] = defaultdict(list)
    for x, y, name in points:
        named[x, y].append(name)
    figure = ax.get_figure()
    if figure is None:
        return
    figure.canvas.draw()  # only then it is known where a point lies
    scale = 72.0 / figure.dpi
    taken: list[Box] = []
    for x, y, _ in points:
        px, py = ax.transData.transform((x, y)) * scale
        taken.append((px - 3, py - 3, px + 3, py + 3))
    right = ax.bbox.x1 * scale
    for (x, y), names in sorted(named.items()):
        px, py = ax.transData.transform((x, y)) * scale
        width = SIZE_PT * _WIDTH * max(map(len, names))
        height = 1.25 * SIZE_PT * len(names)
        dx, dy, box = _free(px, py, width, height, taken, right)
        taken.append(box)
        ax.annotate(
            "\n".join(names),
            (x, y),
            xytext=(dx, dy),
            textcoords="offset points",
            fontsize=SIZE_PT,
            va="bottom",
            ha="left",
            annotation_clip=False,
            parse_math=False,
            arrowprops={"arrowstyle": "-", "color": "#cbd5e1", "linewidth": 0.6, "shrinkB": 3}
            if dy > 4.0 or dy < -4.0 - height
            else None,
        )


def _free(
    px: float, py: float, width: float, height: float, taken: Sequence[Box], right: float
) -> tuple[float, float, Box]:
    """The nearest offset at which a label stands on nothing; the furthest one if there is none."""
    dx, dy, box = 0.0, 0.0, (0.0, 0.0, 0.0, 0.0)
    for level in range(_LEVELS):
        for dy in (4.0 + level * 1.3 * SIZE_PT, -4.0 - height - level * 1.3 * SIZE_PT):
            for dx in (5.0, -5.0 - width) if level else (5.0,):
                box = (px + dx, py + dy, px + dx + width, py + dy + height)
                if box[2] <= right and not any(_meet(box, other) for other in taken):
                    return dx, dy, box
    return dx, dy, box


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
