"""The explorer's first view as it stays in a saved notebook."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import Any, Final

from tohlab.notebook.explorer.panels import panel, shown
from tohlab.notebook.explorer.parts import Panel
from tohlab.notebook.explorer.state import Choice, Explored
from tohlab.notebook.views import View

HINT: Final = "This is the first view, as it was saved; run the cell again for the live explorer."
MOST_ROWS: Final = 12
"""How many rows of a table the record keeps."""


def record_of(explored: Explored, choice: Choice) -> View:
    """Return one view as it stays in a saved notebook: its sentence, its numbers and the list's exact text.

    Inline styles alone, no script and no id, as every record. Its one style sheet takes away the front end's
    "model not found", which would stand below it where there is no kernel.
    """
    around = shown(explored, choice)
    open_panel = panel(explored, replace(choice, tab="list"))
    missing = panel(explored, replace(choice, tab="lost"))
    window = f"context window: {choice.window_tokens:,} tokens"
    numbers = "; ".join(f"{name}: {value}" for name, value in around["numbers"])
    lines = [around["summary"], window, numbers, *open_panel["notes"]]
    parts = [f'<p style="{_TITLE}">{_text(around["summary"])}</p>', _muted(window), _muted(numbers)]
    parts += [_muted(note) for note in open_panel["notes"]]
    for block in open_panel["blocks"]:
        lines += ["", "".join(text for text, _ in block["pieces"])]
        words = "".join(
            f'<mark style="{_MARK}">{_text(text)}</mark>' if name == choice.skill else _text(text)
            for text, name in block["pieces"]
        )
        parts.append(f'<pre style="{_PRE}">{words}</pre>')
    for table in missing["tables"]:
        lines += ["", f"{table['title']}: {table['about']}"]
        lines += ["  " + " · ".join(str(cell) for cell in row if cell != "") for row in _rows(table)]
        lines += [f"  {_more(table)}"] if _more(table) else []
        parts.append(_table_html(table))
    parts.append(_muted(HINT))
    page = (
        f"<style>{_NO_ERROR}</style>"
        '<div class="tohlab-explorer-record mathjax_ignore tex2jax_ignore" role="group" '
        f'aria-label="What a model sees of the skills" style="{_CARD}">{"".join(parts)}</div>'
    )
    return View(text="\n".join(lines), html=page)


def _rows(table: Panel) -> list[list[Any]]:
    return list(table["rows"][:MOST_ROWS])


def _more(table: Panel) -> str:
    left = len(table["rows"]) - MOST_ROWS
    return f"and {left:,} more" if left > 0 else ""


def _text(words: Any) -> str:
    return html.escape(f"{words:,}" if isinstance(words, int) else str(words))


def _muted(words: str) -> str:
    return f'<p dir="auto" style="{_MUTED}">{_text(words)}</p>'


def _table_html(table: Panel) -> str:
    head = "".join(f'<th scope="col" style="{_CELL}">{_text(name)}</th>' for name, _ in table["columns"])
    rows = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}"><bdi>{_text(cell)}</bdi></td>' for cell in row) + "</tr>"
        for row in _rows(table)
    )
    caption = f'<caption style="{_CAPTION}">{_text(table["title"])}: {_text(table["about"])}</caption>'
    table_html = (
        f'<table style="{_TABLE}">{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )
    return table_html + (_muted(_more(table)) if _more(table) else "")


_NO_ERROR: Final = (
    ".jp-OutputArea-child:has(.tohlab-explorer-record) + .jp-OutputArea-child > "
    ".jp-OutputArea-output.jupyter-widgets:not(:has(*)) { display: none; }"
)
_CARD: Final = (
    "font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:var(--jp-ui-font-size1,13px);"
    "line-height:1.5;box-sizing:border-box;margin:4px;padding:10px 16px;"
    "border:1px solid var(--jp-border-color1,#8886);border-radius:12px"
)
_TITLE: Final = "margin:0 0 4px;font-weight:600;font-size:1.1em;overflow-wrap:anywhere"
_MUTED: Final = "margin:0 0 4px;color:var(--jp-ui-font-color2,#666);overflow-wrap:anywhere"
_PRE: Final = (
    "margin:6px 0;padding:8px 10px;max-height:26em;overflow:auto;border-radius:8px;white-space:pre-wrap;"
    "overflow-wrap:anywhere;word-break:normal;unicode-bidi:isolate;background:var(--jp-layout-color2,#8882);"
    "font-family:var(--jp-code-font-family,monospace);font-size:0.92em"
)
_MARK: Final = "background:#8cb4ff55;color:inherit;outline:2px solid var(--jp-brand-color1,#1976d2)"
_TABLE: Final = "border-collapse:collapse;margin:8px 0;font-size:inherit;table-layout:auto;text-align:left"
_CAPTION: Final = "caption-side:top;text-align:left;font-weight:600;padding:0"
_CELL: Final = "text-align:left;vertical-align:top;padding:3px 10px 3px 0;overflow-wrap:anywhere"
