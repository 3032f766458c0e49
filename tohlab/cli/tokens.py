"""`tohlab tokens`: what the catalog and the skill tool cost, row by row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from tohlab.cli._look import look, note_problems
from tohlab.tokens.encodings import DEFAULT_ENCODING

if TYPE_CHECKING:
    from tohlab.tokens import CatalogCost, CatalogRow

BAR_CELLS = 16


@click.command("tokens")
@click.argument("directory", metavar="DIR")
@click.option("--dialect", default="toh", show_default=True, help="Whose wording to count.")
@click.option("--encoding", default=DEFAULT_ENCODING, show_default=True, help="A tiktoken encoding.")
@click.option("--bodies", is_flag=True, help="Also say what loading each skill adds.")
@click.option(
    "--sort",
    type=click.Choice(["catalog", "tokens", "loaded"]),
    default="catalog",
    show_default=True,
    help="Skills as in the catalog, or the dearest first (loaded: by what loading adds).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the same rows as JSON.")
def command(directory: str, dialect: str, encoding: str, bodies: bool, sort: str, as_json: bool) -> None:
    """What every request pays for the skills under DIR: the skill tool, the catalog's frame, each skill.

    The rows add up to the total. Tokens of the chat template itself are not counted.

    \b
    Examples:
      tohlab tokens path/to/skills
      tohlab tokens path/to/skills --bodies --sort loaded
      tohlab tokens path/to/skills --encoding cl100k_base --json
    """
    from tohlab.skills.sources import FilesystemSource
    from tohlab.tokens import get_meter, measure_catalog

    source = FilesystemSource.tree(directory)
    snapshot = look(source, directory)
    meter = get_meter(encoding)
    bodies = bodies or sort == "loaded"
    cost = measure_catalog(source, dialect, meter, bodies=bodies, snapshot=snapshot)
    if as_json:
        plain = cost.to_dict()
        plain["rows"] = [plain["rows"][i] for i in _order(cost.rows, sort)]
        click.echo(json.dumps(plain, indent=2))
        return
    _print(cost, sort)
    note_problems(snapshot, directory)


def _order(rows: tuple[CatalogRow, ...], sort: str) -> list[int]:
    indices = list(range(len(rows)))
    if sort == "catalog":
        return indices

    def dearest_first(i: int) -> tuple[bool, int]:
        row = rows[i]
        return row.kind == "skill", -(row.tokens if sort == "tokens" else row.loaded_tokens or 0)

    return sorted(indices, key=dearest_first)


def _print(cost: CatalogCost, sort: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    bodies = any(row.loaded_tokens is not None for row in cost.rows)
    most = max(row.tokens for row in cost.rows)
    table = Table(
        title=f"{cost.total_tokens:,} tokens in every request "
        f"({cost.encoding}, {cost.renderer} renderer, {cost.dialect})",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_footer=True,
    )
    table.add_column("kind", footer="total")
    table.add_column("name", overflow="fold", footer=f"{sum(r.kind == 'skill' for r in cost.rows)} skills")
    table.add_column("tokens", justify="right", footer=f"{cost.total_tokens:,}")
    table.add_column("", no_wrap=True)
    if bodies:
        loaded = sum(row.loaded_tokens or 0 for row in cost.rows)
        table.add_column("when loaded", justify="right", footer=f"{loaded:,}")
    for i in _order(cost.rows, sort):
        row = cost.rows[i]
        cells: list[Any] = [row.kind, Text(row.name), f"{row.tokens:,}", _bar(row.tokens, most)]
        if bodies:
            cells.append("" if row.loaded_tokens is None else f"{row.loaded_tokens:,}")
        table.add_row(*cells)
    Console().print(table)


def _bar(tokens: int, most: int) -> str:
    """A bar of up to 16 cells, in eighths."""
    eighths = round(tokens * BAR_CELLS * 8 / most) if most else 0
    whole, part = divmod(eighths, 8)
    return "█" * whole + "▏▎▍▌▋▊▉"[part - 1 : part] if part else "█" * whole
