"""Tables of this house's plain form."""

from __future__ import annotations

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


def print_table(made: Table, console: Console) -> None:
    """Print a table, and its caption as wide as the terminal.

    Where the terminal is too narrow, first heads break, then cells, once and between words. Where that is not
    enough, the rows stand below each other instead, each cell behind its head: a name or a number in two
    pieces cannot be read.
    """
    caption, made.caption = made.caption, None
    if _fitted(made, console.width):
        console.print(made)
    else:
        for line in _stacked(made, console.width):
            console.print(line)
    if caption is not None:
        console.print(Text(str(caption)))


def _fitted(made: Table, width: int) -> bool:
    """Whether the table can be read in so many signs; the columns are then made to fit."""
    columns = made.columns
    heads = [str(column.header) for column in columns]
    cells = [[str(cell) for cell in column.cells] for column in columns]
    whole = [max([1, *map(cell_len, column)]) for column in cells]
    if sum(map(max, whole, map(cell_len, heads))) + 3 * len(whole) - 1 <= width:
        return True
    halves = [max([1, *map(_in_two_lines, column)]) for column in cells]
    of_heads = [_longest_word(head.replace("-", "- ")) for head in heads]
    # The line's place between two columns, and a blank on both sides or on one.
    for least, between in (
        (list(map(max, whole, of_heads)), 3),
        (list(map(max, whole, of_heads)), 2),
        ([max(cell, (head + 1) // 2) for cell, head in zip(whole, of_heads, strict=True)], 2),
        (list(map(max, halves, of_heads)), 2),
    ):
        spare = width - sum(least) - between * len(least)
        if spare >= 0:
            break
    else:
        return False
    made.padding = (0, 1, 0, between - 2)
    kept = list(least)
    for wanted in (of_heads, whole, list(map(cell_len, heads))):
        while spare and any(needed > given for needed, given in zip(wanted, kept, strict=True)):
            tallest = max(range(len(kept)), key=lambda i: wanted[i] / kept[i])
            kept[tallest] += 1
            spare -= 1
    for column, given in zip(columns, kept, strict=True):
        column.width = given
    return True


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


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
