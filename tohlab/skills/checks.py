"""Every skill file of a folder, whether it loads, and what is wrong with it.

What a harness refuses is an error. What the Agent Skills standard asks beyond that, and what a harness cuts,
is a warning: the skill loads, though not everywhere or not as its author meant.
"""

# ruff: noqa: PTH119 (as in the rooms it reads from, paths are text)

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tohlab.ecma import collapse_whitespace, utf16_length
from tohlab.skills import files
from tohlab.skills.model import Problem, SkillSummary
from tohlab.skills.registry import settle
from tohlab.skills.sources import FilesystemSource
from tohlab.skills.walk import SKILL_FILE, in_order

NAME_LIMIT_CHARS: Final = 64
"""The standard's longest name (agentskills.io, specification, `name`)."""
DESCRIPTION_LIMIT_CHARS: Final = 1024
"""The standard's longest description (agentskills.io, specification, `description`)."""
TOH_DESCRIPTION_LIMIT_UTF16: Final = 500
"""What TheOpen Harness shows of a description, in UTF-16 code units (`catalogDescriptionMaxLength`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What became of one file."""

    path: str
    """Relative to the folder that was checked, with `/` between the parts."""
    name: str | None
    """The skill's name, or None if the file does not give one."""
    loads: Mapping[str, bool]
    """For each dialect, whether the file gives a skill in this folder."""
    problems: tuple[Problem, ...]
    """Errors first; their `path` is absolute."""

    @property
    def is_skill_file(self) -> bool:
        """Whether it was meant as a skill: all but Markdown beside the skills that has no frontmatter."""
        return self.loads["toh"] or any(problem.level == "error" for problem in self.problems)


def check_tree(directory: str | os.PathLike[str]) -> tuple[FileReport, ...]:
    """Return one row for each skill file under a folder, and for whatever stands in the way of finding them.

    Args:
        directory: looked through as `FilesystemSource.tree` does.

    Returns:
        Rows in the order of the paths; empty for a folder without anything like a skill.

    Raises:
        SkillError: if there is no such folder.
    """
    source = FilesystemSource.tree(directory)
    top = source.roots[0].path
    listing = source.candidates()
    problems: dict[str, list[Problem]] = {}
    names: dict[str, str] = {}
    for skill in listing.skills:
        assert skill.path is not None
        names[skill.path] = skill.name
        problems[skill.path] = []
    for problem in settle([listing]).problems:
        assert problem.path is not None
        problems.setdefault(problem.path, []).append(problem)
    for skill in listing.skills:
        assert skill.path is not None
        told = any(problem.code == "not-utf8" for problem in problems[skill.path])
        problems[skill.path] += _warnings(skill, skill.path, told=told)
    return tuple(_report(path, top, names.get(path), problems[path]) for path in in_order(problems, top))


def _report(path: str, top: str, name: str | None, problems: list[Problem]) -> FileReport:
    refused = any(problem.level == "error" for problem in problems)
    return FileReport(
        path=os.path.relpath(path, top).replace(os.sep, "/"),
        name=name,
        loads=MappingProxyType({"toh": name is not None and not refused}),
        problems=tuple(sorted(problems, key=lambda problem: problem.level)),
    )


def _warnings(skill: SkillSummary, path: str, *, told: bool) -> Iterator[Problem]:
    found = tuple(_broken_rules(skill, path))
    if found:
        lines = files.read_head(path).key_lines
        for key, code, message, remedy in found:
            yield Problem(
                code=code, message=message, path=path, line=lines.get(key), level="warning", remedy=remedy
            )
    if not told:  # a look at the frontmatter does not see what is in the body
        bad_line = files.first_bad_line(path)
        if bad_line is not None:
            yield files.not_utf8(path, bad_line)


def _broken_rules(skill: SkillSummary, path: str) -> Iterator[tuple[str, str, str, str]]:
    directory, file = os.path.split(path)
    folder = os.path.basename(directory)
    if file == SKILL_FILE and folder != skill.name:
        message = f'the folder is called "{folder}" and the skill "{skill.name}"; the standard wants one name'
        yield (
            "name",
            "name-differs-from-directory",
            message,
            f"rename the folder to {skill.name}, or the skill",
        )
    if len(skill.name) > NAME_LIMIT_CHARS:
        message = f"the name has {len(skill.name)} characters; the standard allows {NAME_LIMIT_CHARS}"
        yield "name", "name-too-long", message, "shorten the name"
    if len(skill.description) > DESCRIPTION_LIMIT_CHARS:
        message = (
            f"the description has {len(skill.description)} characters; "
            f"the standard allows {DESCRIPTION_LIMIT_CHARS}"
        )
        yield "description", "description-too-long", message, "shorten the description"
    shown = collapse_whitespace(skill.description)
    length = utf16_length(shown)
    if length > TOH_DESCRIPTION_LIMIT_UTF16:
        message = (
            f"the description has {length} UTF-16 code units; "
            f"TheOpen Harness shows {TOH_DESCRIPTION_LIMIT_UTF16}, three of them dots"
        )
        yield "description", "description-cut", message, "say what matters first, or shorten it"
    if not shown:
        yield "description", "blank-description", "the description is blank", "say when to use the skill"
