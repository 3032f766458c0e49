"""Tables of this house's plain form."""

from __future__ import annotations

from rich import box
from rich.table import Table


def table(title: str, *heads: str, right: tuple[str, ...] = ()) -> Table:
    """Return an empty table."""
    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    made.caption_justify = "left"
    for head in heads:
        made.add_column(head, justify="right" if head in right else "left", overflow="fold")
    return made
