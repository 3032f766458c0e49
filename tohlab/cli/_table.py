"""Tables of this house's plain form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text


def table(title: str, *heads: str, right: tuple[str, ...] = ()) -> Table:
    """Return an empty table."""
    made = Table(
        title=Text(title, "bold"),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    made.caption_justify = "left"
    for head in heads:
        made.add_column(head, justify="right" if head in right else "left", overflow="fold")
    return made


def print_table(made: Table, console: Console, *, keep: tuple[str, ...] = ()) -> None:
    """Print a table, and its caption as wide as the terminal.

    Where the terminal is too narrow, first heads break; then what is the same in every row is said once below
    the table; then cells break, once and between words. Where that is not enough, the rows stand below each
    other instead, each cell behind its head: a name or a number in two pieces cannot be read.

    Args:
        made: the table.
        console: where.
        keep: heads of columns that stay in the table though they are the same in every row.
    """
    caption, made.caption = made.caption, None
    width = console.width
    short, same = _shortened(made, keep)
    if _fitted(made, width):
        _print_fitted(made, console)
    elif _fitted(short, width) or _fitted(short, width, broken=True):
        _print_fitted(short, console)
        if same:
            console.print(Text(same))
    else:
        for line in _stacked(made, width):
            console.print(line)
    if caption is not None:
        console.print(Text(str(caption)))


def _print_fitted(made: Table, console: Console) -> None:
    around = () if made.show_edge else (Text(""),)
    console.print(*around, made, *around, sep="\n")


def _shortened(made: Table, keep: tuple[str, ...]) -> tuple[Table, str]:
    """Return the table without the later columns that are the same in every row, and these as a sentence.

    A column without a word in it has nothing to say.
    """
    kept, said = made.columns[:1], []
    for column in made.columns[1:]:
        values = {str(cell) for cell in column.cells}
        if values == {""}:
            continue
        if made.row_count > 1 and len(values) == 1 and str(column.header) not in keep:
            said.append(f"{column.header} {values.pop()}")
        else:
            kept.append(column)
    right = tuple(str(column.header) for column in kept if column.justify == "right")
    short = table(str(made.title), *(str(column.header) for column in kept), right=right)
    for row in zip(*(column.cells for column in kept), strict=True):
        short.add_row(*row)
    return short, f"The same in every row: {', '.join(said)}." if said else ""


def _fitted(made: Table, width: int, *, broken: bool = False) -> bool:
    """Whether the table can be read in so many signs; the columns are then made to fit.

    Heads may break, and cells only where `broken`.
    """
    columns = made.columns
    heads = [str(column.header) for column in columns]
    cells = [max([1, *(cell_len(str(cell)) for cell in column.cells)]) for column in columns]
    unbroken = list(map(max, cells, map(cell_len, heads)))
    if not broken and sum(unbroken) + 3 * len(cells) - 1 <= width:
        return True
    kept = [max([1, *(_in_two_lines(str(cell)) for cell in column.cells)]) for column in columns]
    kept = [
        max([cell, *map(cell_len, _pieces(head))])
        for cell, head in zip(kept if broken else cells, heads, strict=True)
    ]
    # A blank on both sides of the line's place between two columns, or on one; then without the outer edges.
    for between, edge in ((2, True), (2, False)) if broken else ((3, True), (2, True), (2, False)):
        spare = width - sum(kept) - between * len(kept) + (0 if edge else 2)
        if spare >= 0:
            break
    else:
        return False
    made.padding, made.show_edge = (0, 1, 0, between - 2), edge
    for wanted in (cells, unbroken):
        while spare and any(needed > given for needed, given in zip(wanted, kept, strict=True)):
            tallest = max(range(len(kept)), key=lambda i: wanted[i] / kept[i])
            kept[tallest] += 1
            spare -= 1
    for column, head, given in zip(columns, heads, kept, strict=True):
        column.width = given
        column.header = "\n".join(_lines(head, given))
    return True


def _pieces(head: str) -> list[str]:
    """Where a head may break: at blanks, and behind hyphens."""
    return re.findall(r"[^\s-]+-*|-+", head)


def _lines(head: str, width: int) -> Iterator[str]:
    line = ""
    for piece in _pieces(head):
        longer = line + piece if not line or line.endswith("-") else f"{line} {piece}"
        if line and cell_len(longer) > width:
            yield line
            line = piece
        else:
            line = longer
    yield line


def _in_two_lines(text: str) -> int:
    """How wide a column must be for two lines of a cell at most, broken between words."""
    words = text.split()
    breaks = [(" ".join(words[:i]), " ".join(words[i:])) for i in range(len(words))]
    return min([max(map(cell_len, pair)) for pair in breaks], default=0)


def _stacked(made: Table, width: int) -> Iterator[Text]:
    yield Text(f"{made.title}\n", "bold")
    heads = [str(column.header) for column in made.columns]
    for cells in zip(*(column.cells for column in made.columns), strict=True):
        pairs = [(head, str(cell)) for head, cell in zip(heads, cells, strict=True)]
        said = [f"{head}: {cell}" if head else cell for head, cell in pairs if cell]
        yield Text(f" {' '.join(said[:1])}")
        yield from _packed(said[1:], width)
    yield Text("")


def _packed(parts: Sequence[str], width: int) -> Iterator[Text]:
    """The parts behind each other, in lines that break only between two of them where that can be."""
    line = ""
    for part in parts:
        if line and cell_len(f"   {line}; {part};") > width:
            yield Text(f"   {line};")
            line = part
        else:
            line = f"{line}; {part}" if line else part
    if line:
        yield Text(f"   {line}")
