"""Edits by caches as a picture and as HTML: how much of the next request is read."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from tohlab.edits.costs import EditUse
from tohlab.errors import MissingExtra, PrefixError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Shown = Literal["share", "lost", "cost"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EditGrid:
    """One number for each edit and cache, ready to be drawn; the first column is the common prefix."""

    title: str
    rows: tuple[str, ...]
    """What was edited; with several harnesses, the harness in front of it."""
    columns: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]
    """For `share` 0 to 1, for `lost` tokens, for `cost` US dollars for a thousand such requests."""
    shown: Shown = "share"

    @classmethod
    def of(cls, uses: Sequence[EditUse], shown: Shown = "share", *, titles: bool = True) -> Self:
        """Return the grid of a result of `edit_costs`.

        Args:
            uses: at least one row.
            shown: the part that is read, the tokens that are lost, or what the next request costs.
            titles: say what was edited in words rather than by its short name.

        Raises:
            PrefixError: no rows.
        """
        if not uses:
            raise PrefixError("nothing was edited, so there is nothing to draw")
        many = len({(use.scene, use.when) for use in uses}) > 1
        setups = tuple(dict.fromkeys(use.setup for use in uses))
        keys = tuple(dict.fromkeys((use.scene, use.when, use.edit) for use in uses))
        found = {(use.scene, use.when, use.edit, use.setup): use for use in uses}
        rows, cells = [], []
        for key in keys:
            line = [found.get((*key, setup)) for setup in setups]
            some = next(use for use in line if use is not None)
            name = some.title if titles else some.edit
            rows.append(f"{some.dialect or some.scene} ({some.when}): {name}" if many else name)
            first = (some.shared_share,) if shown == "share" else ()
            cells.append((*first, *(None if use is None else _value(use, shown) for use in line)))
        heads = ("LCP",) if shown == "share" else ()
        first_use = uses[0]
        return cls(
            title=f"{_HEADS[shown]}; tokens of {first_use.meter}, {first_use.renderer} renderer",
            rows=tuple(rows),
            columns=(*heads, *setups),
            cells=tuple(cells),
            shown=shown,
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height that fit it, in inches."""
        return 2.6 + 0.72 * len(self.columns), 1.5 + 0.3 * len(self.rows)

    def text(self, value: float | None) -> str:
        """Return a cell as it is printed; shares are rounded down, so that 100 means all."""
        if value is None:
            return "-"
        if self.shown == "share":
            return f"{int(100 * value)}"
        return f"{value:,.0f}" if self.shown == "lost" else f"{value:.1f}"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the grid, each cell with its number, and return the axes.

        Args:
            ax: where; new axes of a fitting size unless given.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        if ax is None:
            try:
                from matplotlib import pyplot
            except ImportError as error:
                raise MissingExtra("matplotlib", "notebook") from error
            ax = pyplot.subplots(figsize=self.size, layout="constrained")[1]
        top = 1.0 if self.shown == "share" else max((v or 0 for line in self.cells for v in line), default=0)
        strengths = [[(value or 0.0) / (top or 1.0) for value in line] for line in self.cells]
        colours = "Blues" if self.shown == "share" else "Oranges"
        ax.imshow(strengths, cmap=colours, vmin=0, vmax=1.7, aspect="auto")
        for i, line in enumerate(self.cells):
            for j, value in enumerate(line):
                ax.text(j, i, self.text(value), ha="center", va="center", fontsize=8, color="black")
        ax.set_xticks(range(len(self.columns)), self.columns, rotation=35, ha="left", fontsize=8)
        ax.xaxis.tick_top()
        ax.set_yticks(range(len(self.rows)), self.rows, fontsize=8)
        ax.tick_params(length=0)
        ax.set_xticks([j - 0.5 for j in range(1, len(self.columns))], minor=True)
        ax.set_yticks([i - 0.5 for i in range(1, len(self.rows))], minor=True)
        ax.grid(which="minor", color="white", linewidth=1.5)
        ax.tick_params(which="minor", length=0)
        ax.spines[:].set_visible(False)
        ax.set_xlabel(self.title, fontsize=8)
        return ax

    def to_dict(self) -> dict[str, Any]:
        """Return plain data under the same names."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __repr__(self) -> str:
        """The grid for a terminal."""
        width = max(len(row) for row in self.rows)
        heads = [f"{'':{width}}  " + "  ".join(self.columns)]
        for name, line in zip(self.rows, self.cells, strict=True):
            values = (f"{self.text(v):>{len(c)}}" for v, c in zip(line, self.columns, strict=True))
            heads.append(f"{name:{width}}  " + "  ".join(values))
        return "\n".join([self.title, *heads])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(column)}</th>" for column in ("", *self.columns))
        body = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            + "".join(f"<td style='text-align:right'>{self.text(value)}</td>" for value in line)
            + "</tr>"
            for name, line in zip(self.rows, self.cells, strict=True)
        )
        return f"<p>{html.escape(self.title)}</p><table><tr>{head}</tr>{body}</table>"


_HEADS = {
    "share": "% of the next request that is read",
    "lost": "tokens lost to the edit",
    "cost": "US dollars for a thousand such requests' input",
}


def _value(use: EditUse, shown: Shown) -> float | None:
    if shown == "share":
        return use.reused_share
    if shown == "lost":
        return float(use.lost_tokens)
    return None if use.cost_usd is None else float(use.cost_usd) * 1000
