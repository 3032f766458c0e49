"""Where Roo Code looks, what it takes from a file for which mode, and why it takes none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, Literal

from tohlab.dialects.folders import key_line
from tohlab.dialects.harness import (
    HarnessSkill,
    SkillRoot,
    Skipped,
)
from tohlab.ecma import trim, utf16_length
from tohlab.skills.gray_matter import gray_matter

DEFAULT_MODE: Final = "code"
NAME_RULE: Final = (
    "must be lowercase letters/numbers/hyphens only (no leading/trailing hyphen, no consecutive hyphens)"
)
MAX_NAME_CHARS: Final = 64
MAX_DESCRIPTION_CHARS: Final = 1024
_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class RooRoot(SkillRoot):
    """A folder in which Roo Code looks for skills."""

    source: Literal["project", "global"] = "project"
    """What a loaded skill says of where it comes from."""
    mode: str | None = None
    """The slug of the mode for which alone its skills are, or None for every mode."""


def roots_of_modes(*modes: str) -> tuple[RooRoot, ...]:
    """Return Roo Code's own roots, strongest first, for a tree with a project and a home: the option `roots`.

    Args:
        modes: the slugs of the modes that there are; each has folders of its own.
    """
    roots: list[RooRoot] = []
    for base, source in (("project", "project"), ("home", "global")):
        own: dict[str, Any] = {"project": base == "project", "source": source}
        roots += [RooRoot(folder=f"{base}/.roo/skills-{mode}", mode=mode, **own) for mode in modes]
        roots.append(RooRoot(folder=f"{base}/.roo/skills", **own))
    return tuple(roots)


def parse(text: str, path: str, mode: str, root: RooRoot) -> HarnessSkill | Skipped:
    """Return the skill of a file, or why it gives none.

    Args:
        text: the whole file.
        path: the file, relative to the root of the tree.
        mode: the slug of the mode that is on.
        root: the root in which the file lies.
    """
    at = PurePosixPath(path).parent
    folder = at.name
    found = gray_matter(text)
    if found.read.error is not None:
        line = None if found.read.line is None else found.read.line + 1
        reason, repair = found.read.error, found.read.repair
        return Skipped(path=path, code=found.read.code, reason=reason, line=line, repair=repair)
    fields = found.data if isinstance(found.data, dict) else {}
    name, description = fields.get("name"), fields.get("description")
    problem: tuple[str, str, str, str] | None = None
    if not isinstance(name, str) or not name:
        reason = f"Skill at {at} is missing required 'name' field"
        problem = ("missing-name", reason, "name", f"write name: {folder}")
    elif not isinstance(description, str) or not description:
        repair = "write `description: …` as one text"
        reason = f"Skill at {at} is missing required 'description' field"
        problem = ("missing-description", reason, "description", repair)
    elif name != folder:
        repair = f"name the folder {name}, or write name: {folder}"
        reason = f'Skill name "{name}" doesn\'t match directory "{folder}"'
        problem = ("name-differs", reason, "name", repair)
    elif utf16_length(name) > MAX_NAME_CHARS:
        length = utf16_length(name)
        reason = f'Skill name "{name}" is invalid: name must be 1-64 characters (got {length})'
        problem = ("name-too-long", reason, "name", f"shorten it by {length - MAX_NAME_CHARS} characters")
    elif not _NAME.fullmatch(name):
        repair = "use small letters, digits and single hyphens between them"
        reason = f'Skill name "{name}" is invalid: {NAME_RULE}'
        problem = ("invalid-name", reason, "name", repair)
    elif not 1 <= utf16_length(trim(description)) <= MAX_DESCRIPTION_CHARS:
        length = utf16_length(trim(description))
        repair = (
            f"shorten it by {length - MAX_DESCRIPTION_CHARS} characters" if length else "write a description"
        )
        reason = f'Skill "{name}" has an invalid description length: must be 1-1024 characters (got {length})'
        problem = ("description-length", reason, "description", repair)
    if problem is not None:
        code, reason, key, repair = problem
        return Skipped(path=path, code=code, reason=reason, line=key_line(text, key) or 1, repair=repair)
    here = _for_mode(fields, mode) and root.mode in (None, mode)
    return HarnessSkill(
        name=folder,
        description=trim(str(description)),
        body=trim(found.content),
        path=path,
        text=text,
        fields=fields,
        listed=here,
        model_loads=here,
        user_loads=here,
    )


def _for_mode(fields: Any, mode: str) -> bool:
    # `modeSlugs` says it; the older `mode` is looked at where there is none.
    slugs = fields.get("modeSlugs")
    if slugs is None:
        slugs = fields.get("mode")
    wanted = [
        slug for slug in (slugs if isinstance(slugs, list) else [slugs]) if isinstance(slug, str) and slug
    ]
    return not wanted or mode in wanted


def elsewhere(path: str) -> Skipped:
    """Return why a file that lies elsewhere is not looked at."""
    deep = "/" in path
    return Skipped(
        path=path,
        code="too-deep" if deep else "no-folder",
        reason="only the folders directly below the root are looked at",
        repair=f"move {path.rpartition('/')[0]} up, directly below the root"
        if deep
        else "put it in a folder of its name",
        silent=True,
    )
