"""`tohlab render`: the exact text that a model reads."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from tohlab.cli._harness import harness_options, refuse_harness_options, shown, skills_tree
from tohlab.cli._look import look, note_problems
from tohlab.dialects.harness import Setting
from tohlab.errors import SkillError

if TYPE_CHECKING:
    from tohlab.cli.render_harness import Rendered
    from tohlab.dialects import Dialect
    from tohlab.dialects.installed import Layout
    from tohlab.skills.model import Snapshot

PARTS = ("catalog", "listing", "replacement", "tombstone", "tool", "ask-tool", "result", "user")
_SAME = {"listing": "catalog"}
"""Another word for a part."""
_BY_HARNESS = ("user",)
"""Parts that the durable catalog knows nothing of."""


@click.command("render")
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("--dialect", default="toh", show_default=True, help="Whose wording.")
@click.option(
    "--part",
    type=click.Choice(PARTS),
    default="catalog",
    show_default=True,
    help="The first catalog of a session, one that replaces it, the one that says that no skill is left, the "
    "skill tool's schema, that of the tool that asks the user, what loading a skill gives (result, with "
    "--name NAME), or what a user's text becomes. Other harnesses than toh have catalog (or listing), tool, "
    "result and user.",
)
@click.option("--name", help="Which skill to load; --part result needs it: --part result --name pdf.")
@click.option("--text", "typed", help="What a user types, such as '/pdf fill it in', with --part user.")
@harness_options
@click.option("--json", "as_json", is_flag=True, help="Print the text with where it comes from, as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    directory: str | None,
    dialect: str,
    part: str,
    name: str | None,
    typed: str | None,
    window_tokens: int,
    layout: Layout,
    root: str,
    bundled: bool,
    as_json: bool,
) -> None:
    """The exact text that a model reads of the skills under DIR, in UTF-8, with nothing added to it.

    Without DIR: our own library. Exit code 1: --part result with a skill that cannot be loaded; the text is
    then the error that the model reads. Exit code 3: the harness has no such part.

    \b
    Examples:
      tohlab render path/to/skills
      tohlab render path/to/skills --part replacement
      tohlab render path/to/skills --part result --name pdf
      tohlab render --part tool
      tohlab render --part ask-tool
      tohlab render path/to/skills --json
      tohlab render path/to/skills --dialect codex --window 64000
      tohlab render path/to/skills --dialect roo --part result --name pdf
      tohlab render path/to/skills --dialect pi --part user --text "/skill:pdf fill in page 2"
    """
    from tohlab.dialects import dialect_names, get_dialect

    if (part == "result") != (name is not None):
        raise click.UsageError(
            "--part result needs --name, the skill that is loaded: "
            f"tohlab render {directory or ''}{' ' if directory else ''}--part result --name pdf"
            if part == "result"
            else f"--name goes with --part result alone: tohlab render --part result --name {name}"
        )
    if (part == "user") != (typed is not None):
        raise click.UsageError("--part user and --text TEXT go together")
    part = _SAME.get(part, part)
    if dialect in dialect_names() and part not in _BY_HARNESS:
        refuse_harness_options(ctx, f"the texts of {dialect} depend on none of it")
        words = get_dialect(dialect)
        text, is_error = _text(words, part, directory, name)
        origin = words.provenance_of(part)
    else:
        setting = Setting(root=root, window_tokens=window_tokens, bundled=bundled)
        made = _harness_part(dialect, part, directory, layout, setting, name, typed)
        text, is_error, origin = made.text, made.is_error, made.provenance
    if as_json:
        facts = {"fidelity": origin.fidelity, "version": origin.version, "date": origin.date}
        click.echo(json.dumps({"dialect": dialect, "part": part, "text": text, **facts}, indent=2))
    else:
        # bytes, not echo: no newline at the end, whatever the locale, and a cut character stays cut
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
        sys.stdout.buffer.flush()
    if is_error:
        ctx.exit(1)


def _harness_part(
    dialect: str,
    part: str,
    directory: str | None,
    layout: Layout,
    setting: Setting,
    name: str | None,
    typed: str | None,
) -> Rendered:
    from tohlab.cli.render_harness import render_part
    from tohlab.compare.source import lay_out
    from tohlab.dialects.harnesses import get_harness
    from tohlab.library import library_skills

    harness = get_harness(dialect)
    tree = skills_tree(directory if directory is not None else str(library_skills()))
    laid = lay_out(tree, layout)
    made = render_part(harness, part, laid.tree, setting, name, typed)
    if setting.root in made.text:
        click.echo(f"paths are printed below {setting.root}; another root: --root", err=True)
    unread = [f"{one.path}: {one.reason}" for one in laid.left_out if one.code == "unreadable"]
    for note in (*unread, *laid.unread_notes(), *made.notes):
        click.echo(shown(note), err=True)
    return made


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
