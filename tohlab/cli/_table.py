"""Tables of this house's plain form."""

from __future__ import annotations

from rich import box
from rich.cells import cell_len
from rich.table import Table


def keep_cells(made: Table, width: int) -> Table:
    """Let heads break before cells do, where the cells of all columns fit into `width` signs."""
    columns = made.columns
    heads = [str(column.header) for column in columns]
    cells = [max([1, *(cell_len(str(cell)) for cell in column.cells)]) for column in columns]
    if sum(map(max, cells, map(cell_len, heads))) + 3 * len(cells) - 1 <= width:
        return made
    for between in (3, 2):  # the line's place between two columns, and a blank on both sides or on one
        spare = width - sum(cells) - between * len(cells)
        if spare >= 0:
            break
    else:
        return made
    made.padding = (0, 1, 0, between - 2)
    words = [max(map(cell_len, head.split()), default=0) for head in heads]
    for wanted in (words, [cell_len(head) for head in heads]):
        while spare and any(needed > kept for needed, kept in zip(wanted, cells, strict=True)):
            tallest = max(range(len(cells)), key=lambda i: wanted[i] / cells[i])
            cells[tallest] += 1
            spare -= 1
    for column, kept in zip(columns, cells, strict=True):
        column.width = kept
    return made


def table(title: str, *heads: str, right: tuple[str, ...] = ()) -> Table:
    """Return an empty table."""
    made = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    made.caption_justify = "left"
    for head in heads:
        made.add_column(head, justify="right" if head in right else "left", overflow="fold")
    return made
