"""`tohlab render`: the exact text that a model reads."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from tohlab.cli._look import look, note_problems
from tohlab.errors import SkillError

if TYPE_CHECKING:
    from tohlab.dialects import Dialect
    from tohlab.skills.model import Snapshot

PARTS = ("catalog", "replacement", "tombstone", "tool", "ask-tool", "result")


@click.command("render")
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("--dialect", default="toh", show_default=True, help="Whose wording.")
@click.option(
    "--part",
    type=click.Choice(PARTS),
    default="catalog",
    show_default=True,
    help="The first catalog of a session, one that replaces it, the one that says that no skill is left, the "
    "skill tool's schema, that of the tool that asks the user, or what loading a skill gives.",
)
@click.option("--name", help="Which skill to load, with --part result.")
@click.option("--json", "as_json", is_flag=True, help="Print the text with where it comes from, as JSON.")
@click.pass_context
def command(
    ctx: click.Context, directory: str | None, dialect: str, part: str, name: str | None, as_json: bool
) -> None:
    """The exact text that a model reads of the skills under DIR, in UTF-8, with nothing added to it.

    Without DIR: our own library. Exit code 1: --part result with a skill that cannot be loaded; the text is
    then the error that the model reads.

    \b
    Examples:
      tohlab render path/to/skills
      tohlab render path/to/skills --part replacement
      tohlab render path/to/skills --part result --name pdf
      tohlab render --part tool
      tohlab render --part ask-tool
      tohlab render path/to/skills --json
    """
    from tohlab.dialects import get_dialect

    if (part == "result") != (name is not None):
        raise click.UsageError("--part result and --name NAME go together")
    words = get_dialect(dialect)
    text, is_error = _text(words, part, directory, name)
    if as_json:
        origin = words.provenance_of(part)
        facts = {"fidelity": origin.fidelity, "version": origin.version, "date": origin.date}
        click.echo(json.dumps({"dialect": words.name, "part": part, "text": text, **facts}, indent=2))
    else:
        # bytes, not echo: no newline at the end, whatever the locale, and a cut character stays cut
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
        sys.stdout.buffer.flush()
    if is_error:
        ctx.exit(1)


def _text(dialect: Dialect, part: str, directory: str | None, name: str | None) -> tuple[str, bool]:
    """Return the text and whether it is an error that a model reads."""
    from tohlab.catalog import Catalog
    from tohlab.skills.sources import FilesystemSource
    from tohlab.tools import SkillTool

    if part in ("tool", "ask-tool", "tombstone"):
        snapshot: Snapshot | None = None  # these say nothing of any skill, so there is nothing to look at
        if directory is not None:
            FilesystemSource.tree(directory)  # an empty folder is fine, none at all is a mistake
    else:
        from tohlab.library import library_skills

        directory = directory if directory is not None else str(library_skills())
        source = FilesystemSource.tree(directory)
        snapshot = look(source, directory)
        note_problems(snapshot, directory)
    if part == "ask-tool":
        return dialect.ask_tool().to_json(), False
    if part == "tool":
        return dialect.skill_tool().to_json(), False
    if part == "tombstone" or snapshot is None:
        return dialect.render_catalog(Catalog(), "tombstone").text, False
    if part == "result":
        result = SkillTool(source, dialect).call({"name": name})
        return result.text, result.is_error
    catalog = dialect.catalog_of(snapshot)
    if part == "replacement":
        return dialect.render_catalog(catalog, "replacement").text, False
    if not catalog.entries:
        raise SkillError(
            f"{directory} has no skill that a model may load, so nothing is sent; remove "
            "disable-model-invocation from one, or see what follows a session's last one: --part tombstone"
        )
    return dialect.render_catalog(catalog, "initial").text, False
