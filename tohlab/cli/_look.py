"""One look at the skills of a folder, and texts made safe to show, as several commands need them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tohlab.errors import SkillError

if TYPE_CHECKING:
    from tohlab.skills.model import SkillSource, Snapshot


def look(source: SkillSource, directory: str) -> Snapshot:
    """Return one look at the source.

    Raises:
        SkillError: there is no skill in it.
    """
    snapshot = source.snapshot()
    if not snapshot.skills:
        errors = sum(problem.level == "error" for problem in snapshot.problems)
        why = f"{_problems(errors)}, see: tohlab check {directory}" if errors else "no skill file was found"
        raise SkillError(f"{directory} has no skill ({why}); a skill is a folder with a SKILL.md")
    return snapshot


def note_problems(snapshot: Snapshot, directory: str) -> None:
    """Say on standard error that not every file counts here."""
    count = sum(problem.level == "error" for problem in snapshot.problems)
    if count:
        click.echo(f"{_problems(count)}: see tohlab check {directory}", err=True)
    if not snapshot.complete:
        click.echo("not everything could be read, so skills may be missing here", err=True)


def _problems(count: int) -> str:
    return "1 problem" if count == 1 else f"{count:,} problems"
