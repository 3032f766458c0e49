"""`tohlab tokens`: what the list of skills and their tools cost, in one harness or in all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tohlab.cli._harness import harness_options, refuse, refuse_harness_options, skills_tree
from tohlab.cli._look import look, note_problems
from tohlab.tokens.encodings import DEFAULT_ENCODING

if TYPE_CHECKING:
    from tohlab.dialects.installed import Layout
    from tohlab.tokens import CatalogCost, CatalogRow

ALL = "all"
"""In place of a harness's name: every harness."""
BAR_CELLS = 16


@click.command("tokens")
@click.argument("directory", metavar="DIR")
@click.option(
    "--dialect", default="toh", show_default=True, help="Whose wording to count: a harness, or all."
)
@click.option("--encoding", default=DEFAULT_ENCODING, show_default=True, help="A tiktoken encoding.")
@click.option("--bodies", is_flag=True, help="Also say what loading each skill adds.")
@click.option(
    "--sort",
    type=click.Choice(["catalog", "tokens", "loaded"]),
    default="catalog",
    show_default=True,
    help="Skills as in the catalog, or the dearest first (loaded: by what loading adds).",
)
@harness_options
@click.option(
    "--figure",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --dialect all: draw the table into this .svg, .png or .pdf file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the same rows as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    directory: str,
    dialect: str,
    encoding: str,
    bodies: bool,
    sort: str,
    window_tokens: int,
    layout: Layout,
    root: str,
    bundled: bool,
    figure: Path | None,
    as_json: bool,
) -> None:
    """What every request pays for the skills under DIR: the tools, the list's frame, each skill.

    The rows add up to the total. Tokens of the chat template itself are not counted. With a harness's name:
    also what it cuts, drops, hides and skips, and why. With all: the sixteen harnesses side by side.

    \b
    Examples:
      tohlab tokens path/to/skills
      tohlab tokens path/to/skills --bodies --sort loaded
      tohlab tokens path/to/skills --encoding cl100k_base --json
      tohlab tokens path/to/skills --dialect all --window 200000
      tohlab tokens path/to/skills --dialect all --figure harnesses.svg
      tohlab tokens path/to/skills --dialect codex --window 64000
    """
    from tohlab.dialects import dialect_names
    from tohlab.dialects.harnesses import harness_names
    from tohlab.dialects.registry import check_name

    if figure is not None and dialect != ALL:
        raise click.UsageError("--figure goes with --dialect all")
    if dialect in dialect_names():
        why = f"the catalog of {dialect} has no budget, and every depth of the folder is looked at"
        refuse_harness_options(ctx, f"{why}; --dialect all does take it")
        _catalog(directory, dialect, encoding, bodies, sort, as_json)
        return
    check_name(dialect, (*harness_names(), ALL))
    refuse(ctx, ("bodies",), f"it goes with {', '.join(dialect_names())}; see: tohlab render --part result")
    if sort == "loaded":
        raise click.UsageError(f"--sort loaded goes with --dialect {', '.join(dialect_names())}")
    from tohlab.cli import tokens_harness
    from tohlab.compare import compare_harnesses
    from tohlab.tokens import get_meter

    tree = skills_tree(directory)
    comparison = compare_harnesses(
        tree,
        None if dialect == ALL else [dialect],
        window_tokens=window_tokens,
        meter=get_meter(encoding),
        layout=layout,
        root=root,
        bundled=bundled,
    )
    if figure is not None:
        tokens_harness.save_figure(comparison, figure)
    if as_json:
        plain = comparison.to_dict() if dialect == ALL else comparison.views[0].to_dict()
        if sort == "tokens":
            plain["rows"].sort(key=lambda row: -(row.get("total_tokens", row.get("tokens")) or 0))
        click.echo(json.dumps(plain, indent=2))
    elif dialect == ALL:
        tokens_harness.print_comparison(comparison, sort)
    else:
        tokens_harness.print_view(comparison.views[0], sort)


def _catalog(directory: str, dialect: str, encoding: str, bodies: bool, sort: str, as_json: bool) -> None:
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
    from rich.table import Table
    from rich.text import Text

    from tohlab.cli._console import make_console

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
    make_console().print(table)


def _bar(tokens: int, most: int) -> str:
    """A bar of up to 16 cells, in eighths."""
    eighths = round(tokens * BAR_CELLS * 8 / most) if most else 0
    whole, part = divmod(eighths, 8)
    return "█" * whole + "▏▎▍▌▋▊▉"[part - 1 : part] if part else "█" * whole
