"""`tohlab tokens --dialect NAME|all`: the tables of one harness, and of all of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tohlab.cli._harness import notes_of, origin_line, print_whole, shown
from tohlab.errors import TokensError

if TYPE_CHECKING:
    from rich.table import Table

    from tohlab.compare import Comparison, HarnessView

LONGEST_WHY = 160
"""Some programs' own words are a paragraph; --json has them whole."""
_PLACES = {"tool-description": "tool"}


def print_comparison(comparison: Comparison, sort: str) -> None:
    """Print one row for each harness, and below the table what its numbers leave open."""
    from rich.text import Text

    from tohlab.cli._console import make_console

    window = f", window {comparison.window_tokens:,}" if comparison.window_tokens else ""
    table = _table(f"Tokens in every request ({comparison.meter}{window})")
    table.add_column("harness", no_wrap=True)
    table.add_column("in", no_wrap=True)
    for name in ("listed", "cut", "drop", "hide", "skip", "tools", "list", "total", "ratio"):
        table.add_column(name, justify="right", no_wrap=True)
    rows = comparison.rows()
    for row in sorted(rows, key=lambda row: -row["total_tokens"]) if sort == "tokens" else rows:
        own = f"+{row['bundled']}" if row["bundled"] else ""
        ratio = "–" if row["ratio"] is None else f"{row['ratio']:.2f}"
        cells: list[Any] = [
            Text(row["harness"]),
            Text(_PLACES.get(row["place"], row["place"])),
            f"{row['listed']}{own}",
        ]
        cells += [f"{row[key]:,}" if row[key] else "–" for key in ("cut", "dropped", "hidden", "skipped")]
        cells += [f"{row[key]:,}" for key in ("tools_tokens", "listing_tokens", "total_tokens")]
        table.add_row(*cells, ratio)
    console = make_console(highlight=False, emoji=False)
    print_whole(console, table)
    for line in _below(comparison):
        console.print(Text(shown(line)))


def _below(comparison: Comparison) -> list[str]:
    lines = []
    if any(row["bundled"] for row in comparison.rows()):
        lines.append("+N: skills that the program brings itself; without them: --no-bundled")
    lines += [
        "cut: descriptions shortened or left out; drop: kept out by a limit or a gate;",
        "hide: kept out by the skill's own file; skip: files that give no skill.",
        "Why, skill by skill: --dialect NAME. How sure the lists' texts are:",
    ]
    by_fidelity: dict[str, list[str]] = {}
    for view in comparison.views:
        by_fidelity.setdefault(view.fidelity, []).append(view.harness)
    lines += [f"  {fidelity}: {', '.join(names)}" for fidelity, names in by_fidelity.items()]
    folder = dict.fromkeys(note for view in comparison.views for note in view.layout_notes)
    return [*lines, *(f"- {note}" for note in folder)]


def save_figure(comparison: Comparison, path: Path) -> None:
    """Write the comparison's figure; the file's ending says the format.

    Raises:
        TokensError: the file cannot be written, or its ending names no format.
    """
    if path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise TokensError(f"{path}: a figure is an .svg, .png or .pdf file")
    try:
        import matplotlib as mpl
    except ImportError as error:
        from tohlab.errors import MissingExtra

        raise MissingExtra("matplotlib", "notebook") from error
    mpl.use("Agg")  # draws into files; no window is needed and none is opened
    figure: Any = comparison.plot().figure
    try:
        figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise TokensError(f"{path}: cannot be written ({error.strerror or error})") from error
    click.echo(f"figure: {path}", err=True)


def print_view(view: HarnessView, sort: str) -> None:
    """Print one row for each skill and file: what became of it, what it costs, and why."""
    from rich.text import Text

    from tohlab.cli._console import make_console

    window = f", window {view.window_tokens:,}" if view.window_tokens else ""
    table = _table(f"{view.total_tokens:,} tokens in every request ({view.meter}, {view.harness}{window})")
    rows = list(view.rows())
    listed = sum(row["tokens"] is not None for row in rows)
    table.show_footer = True
    table.add_column("state", no_wrap=True, footer="total")
    table.add_column("name", overflow="fold", ratio=2, footer=f"{listed} listed")
    table.add_column("tokens", justify="right", no_wrap=True, footer=f"{view.total_tokens:,}")
    table.add_column("characters", justify="right", no_wrap=True)
    table.add_column("why", overflow="fold", ratio=3)
    table.add_row("tools", Text(shown(_tool_names(view))), f"{view.tools_tokens:,}", "", "")
    table.add_row("list", "frame", f"{view.frame_tokens:,}", "", "")
    if sort == "tokens":
        rows.sort(key=lambda row: -(row["tokens"] or 0))
    for row in rows:
        tokens = "" if row["tokens"] is None else f"{row['tokens']:,}"
        length = "" if row["before_chars"] is None else f"{row['before_chars']:,} → {row['after_chars']:,}"
        why = row["why"] or ("the program's own" if row["bundled"] else "")
        name = Text(shown(row["name"] if row["name"] is not None else row["source"]))
        table.add_row(row["state"], name, tokens, length, Text(_short(why)))
    console = make_console(highlight=False, emoji=False)
    print_whole(console, table)
    console.print(Text(shown(f"{origin_line(view)}; on a change: {view.on_change}")))
    for note in notes_of(view):
        console.print(Text(f"- {note}"))


def _short(why: str) -> str:
    text = shown(" ".join(why.split()))
    return text if len(text) <= LONGEST_WHY else text[: LONGEST_WHY - 1] + "…"


def _tool_names(view: HarnessView) -> str:
    names = [tool.get("function", tool)["name"] for tool in view.tools]
    return ", ".join(names) or "none"


def _table(title: str) -> Table:
    from rich.table import Table

    # no box: only so do eleven columns fit into a terminal of 80 characters

    return Table(
        title=shown(title),
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
        collapse_padding=True,
    )
