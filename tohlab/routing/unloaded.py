"""What is said of skill files that gave no skill: a catalog that lacks them is another one than was meant."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tohlab.skills.model import Problem, SkillSource

_SHOWN = 5


def unloaded(source: SkillSource) -> tuple[Problem, ...]:
    """Return what kept files of a source from giving a skill, one problem a file."""
    found = {p.path: p for p in reversed(source.snapshot().problems) if p.level == "error"}
    return tuple(sorted(found.values(), key=lambda problem: problem.path or ""))


def told(problem: Problem) -> str:
    """Return one problem in one line, with its file and line."""
    place = problem.path or "the source"
    if problem.line is not None:
        place = f"{place}:{problem.line}"
    return f"{place}: {problem.message}"


def unloaded_notes(problems: Iterable[Problem]) -> tuple[str, ...]:
    """Return what is to be said of them in a report, in one sentence; none for none."""
    rows = [told(problem) for problem in problems]
    if not rows:
        return ()
    one = len(rows) == 1
    more = f"; and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    note = (
        f"{len(rows)} skill {'file' if one else 'files'} did not load, so the catalog is without "
        f"{'it' if one else 'them'}: {'; '.join(rows[:_SHOWN])}{more}. `tohlab check DIR` says what to do."
    )
    return (note,)


def why_unloaded(name: str, problems: Iterable[Problem]) -> str:
    """Return why the file in a folder of that name gave no skill; empty where there is no such file."""
    for problem in problems:
        path = Path(problem.path or "")
        if name in (path.parent.name, path.stem):
            return f"its file did not load: {told(problem)}"
    return ""
