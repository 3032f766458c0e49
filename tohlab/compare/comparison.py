"""All harnesses over one folder: one table, one figure."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from tohlab.compare.source import lay_out
from tohlab.compare.view import ROOT, WINDOW_TOKENS, HarnessView, view_laid
from tohlab.dialects.harness import FileTree, Harness, Setting
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.dialects.installed import Layout
from tohlab.tokens import TokenMeter, get_meter

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One folder in several harnesses."""

    views: tuple[HarnessView, ...]
    """In the order of the harnesses that were asked for; by default by name."""
    meter: str
    """Which meter counted."""
    window_tokens: int | None
    root: str
    """The skills root that the texts print."""

    @property
    def cheapest_tokens(self) -> int | None:
        """The least total of a harness that lists anything; None where none does."""
        return min((view.total_tokens for view in self.views if view.entries), default=None)

    def view(self, harness: str) -> HarnessView:
        """Return the view of one harness.

        Raises:
            KeyError: it is not among them.
        """
        for view in self.views:
            if view.harness == harness:
                return view
        raise KeyError(harness)

    def rows(self) -> tuple[dict[str, Any], ...]:
        """Return one plain dict for each harness.

        `listed`, `bundled`, `cut`, `dropped`, `hidden` and `skipped` count skills or files; `ratio` is the
        total over the cheapest one, None where the harness lists nothing.
        """
        least = self.cheapest_tokens
        return tuple(
            {
                "harness": view.harness,
                "title": view.title,
                "fidelity": view.fidelity,
                "version": view.version,
                "date": view.date,
                "place": view.place,
                "on_change": view.on_change,
                "listed": sum(not entry.bundled for entry in view.entries),
                "bundled": sum(entry.bundled for entry in view.entries),
                "cut": len(view.cut),
                "dropped": len(view.dropped),
                "hidden": len(view.hidden),
                "skipped": len(view.skipped),
                "tools_tokens": view.tools_tokens,
                "listing_tokens": view.listing_tokens,
                "bundled_tokens": view.bundled_tokens,
                "total_tokens": view.total_tokens,
                "ratio": view.total_tokens / least if least and view.entries else None,
            }
            for view in self.views
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the rows, without texts."""
        return {
            "meter": self.meter,
            "window_tokens": self.window_tokens,
            "root": self.root,
            "cheapest_tokens": self.cheapest_tokens,
            "rows": list(self.rows()),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw one bar for each harness, tools and list in two colours, and return the axes.

        Args:
            ax: where; new axes of a fitting size unless given.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        from tohlab.compare.figure import plot_comparison

        return plot_comparison(self, ax)

    def _repr_html_(self) -> str:
        head = ("harness", "place", "listed", "cut", "dropped", "skipped", "tools", "list", "total", "ratio")
        cells = "".join(f"<th>{name}</th>" for name in head)
        lines = [f"<table><caption>tokens of {escape(self.meter)}</caption><thead><tr>{cells}</tr></thead>"]
        for row in self.rows():
            ratio = "–" if row["ratio"] is None else f"{row['ratio']:.2f}"
            numbers = [
                f"{row[key]:,}"
                for key in (
                    "listed",
                    "cut",
                    "dropped",
                    "skipped",
                    "tools_tokens",
                    "listing_tokens",
                    "total_tokens",
                )
            ]
            texts = (row["title"], row["place"], *numbers, ratio)
            lines.append("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in texts) + "</tr>")
        return "\n".join((*lines, "</table>"))


def compare_harnesses(
    source: str | os.PathLike[str] | FileTree,
    dialects: Iterable[str | Harness] | None = None,
    *,
    window_tokens: int | None = WINDOW_TOKENS,
    meter: TokenMeter | None = None,
    layout: Layout = "auto",
    root: str = ROOT,
    bundled: bool = True,
) -> Comparison:
    """Return what several harnesses list of one folder, and what that costs in each.

    Args:
        source: the folder that holds the skills, on disk or in memory; it is looked at once.
        dialects: harnesses, by name or as instances; all sixteen unless told otherwise.
        window_tokens: the model's context window, from which some harnesses make a budget; None where the
            program does not know it.
        meter: what counts; `o200k_base` unless told otherwise.
        layout: how the folder becomes one skills root (see `installed`).
        root: the skills root that the texts print.
        bundled: whether the programs' own skills are listed too.

    Raises:
        SkillError: there is no such folder.
        UnknownDialect: no harness of that name.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    harnesses = [get_harness(one) for one in (harness_names() if dialects is None else dialects)]
    laid = lay_out(source, layout)
    setting = Setting(root=root, window_tokens=window_tokens, bundled=bundled)
    views = tuple(view_laid(laid, harness, setting, meter) for harness in harnesses)
    return Comparison(views=views, meter=meter.name, window_tokens=window_tokens, root=root)
