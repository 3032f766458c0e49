"""What the commands that look through a harness's eyes have in common: options, the folder, safe text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tohlab.errors import SkillError
from tohlab.printable import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from tohlab.compare import HarnessView
    from tohlab.dialects.harness import FileTree

WINDOW_TOKENS: Final = 200_000
ROOT: Final = "/home/user/.agents/skills"
MOST_NOTES: Final = 8
FOLDED_CHARS: Final = 16
"""How narrow a column of text may get in a terminal that has no room."""

_HARNESS_OPTIONS: Final = ("window_tokens", "layout", "root", "bundled")

Command = TypeVar("Command", bound=Callable[..., Any])


def harness_options(command: Command) -> Command:
    """Add `--window`, `--layout`, `--root` and `--no-bundled` to a command."""
    options = (
        click.option(
            "--window",
            "window_tokens",
            type=click.IntRange(min=1),
            default=WINDOW_TOKENS,
            show_default=True,
            help="The model's context window in tokens, from which some harnesses make a budget.",
        ),
        click.option(
            "--layout",
            type=click.Choice(["auto", "as-is", "installed"]),
            default="auto",
            show_default=True,
            help="As the folder lies, or the skills' folders laid side by side, as an installation does; "
            "auto does that where skills lie deeper than one folder.",
        ),
        click.option(
            "--root",
            default=ROOT,
            show_default=True,
            help="The skills root that the texts print; paths cost tokens.",
        ),
        click.option(
            "--no-bundled",
            "bundled",
            is_flag=True,
            flag_value=False,
            default=True,
            help="Leave out the skills that the programs bring themselves.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def refuse_harness_options(ctx: click.Context, why: str) -> None:
    """Stop where an option was given that would do nothing."""
    refuse(ctx, _HARNESS_OPTIONS, why)


def refuse(ctx: click.Context, names: Iterable[str], why: str) -> None:
    """Stop where one of these options was given on the command line, and say why it does not apply."""
    given = click.core.ParameterSource.COMMANDLINE
    for parameter in ctx.command.params:
        if parameter.name in names and ctx.get_parameter_source(parameter.name or "") == given:
            raise click.UsageError(f"{parameter.opts[0]} does not apply here: {why}")


def skills_tree(directory: str) -> FileTree:
    """Return the files of a folder that holds skills; one that cannot be read counts as empty and is told.

    Raises:
        SkillError: there is no such folder, or no skill file in it.
    """
    from tohlab.dialects.file_tree import ReadableTree

    tree = ReadableTree.at(directory)
    if not any(path.rpartition("/")[2].lower() == "skill.md" for path in tree) and not any(
        "/" not in path and path.endswith(".md") for path in tree
    ):
        raise SkillError(
            f"{directory} has no skill (no skill file was found); a skill is a folder with a SKILL.md"
        )
    return tree


def shown(text: str) -> str:
    """Make text from files safe for a terminal: no control character reaches it, each line is one line."""
    return printable(text)


def print_whole(console: Console, table: Table) -> None:
    """Print a table at its own width where the terminal is narrower: a number is never cut.

    Columns of text that folds take no more of that width than `FOLDED_CHARS` each.
    """
    from rich.measure import Measurement

    width = console.width
    boundless = console.options.update(max_width=10_000)
    folding = [column for column in table.columns if column.overflow == "fold" and not column.no_wrap]
    for column in folding:
        column.max_width = FOLDED_CHARS
    least = Measurement.get(console, boundless, table).maximum
    for column in folding:
        column.max_width = None
    console.width = max(width, least)
    console.print(table)
    console.width = width


def origin_line(view: HarnessView) -> str:
    """Return in one line which program a view is of and how sure its texts are."""
    tools = view.tools_provenance.fidelity
    beside = f", tools {tools}" if view.tools and tools != view.fidelity else ""
    return f"{view.title} {view.version}: the list's text is {view.fidelity}{beside}, {view.date}"


def notes_of(view: HarnessView) -> list[str]:
    """Return what a person should know of a view, the first few of many notes."""
    told = (f"the program tells its user: {warning}" for warning in view.listing.warnings)
    notes = [*told, *view.layout_notes, *view.notes]
    if len(notes) > MOST_NOTES:
        notes = [*notes[:MOST_NOTES], f"{len(notes) - MOST_NOTES} more notes: --json has them"]
    return [shown(note) for note in notes]
