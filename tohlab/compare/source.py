"""A folder as the one skills root that every harness is shown."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from tohlab.dialects.harness import FileTree, Skipped
from tohlab.dialects.installed import SKILL_FILES, Layout, installed


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """One skills root, and what of the folder is not in it."""

    tree: FileTree
    origin: Mapping[str, str] = field(hash=False)
    """Each path of `tree` to the path in the folder."""
    left_out: tuple[Skipped, ...]
    """Skill files whose folder's name is taken; their paths are those in the folder."""
    notes: tuple[str, ...]


def lay_out(source: str | os.PathLike[str] | FileTree, layout: Layout = "auto") -> Laid:
    """Return a folder as one skills root.

    Raises:
        SkillError: there is no such folder.
    """
    tree = source if isinstance(source, FileTree) else FileTree.at(source)
    first, *others = installed(tree, layout)
    left_out = tuple(
        Skipped(
            path=other.origin[path],
            code="folder-name-taken",
            reason="a skill's folder of the same name lies in the skills root already",
            repair="give the folder another name",
        )
        for other in others
        for path in other.tree.named(*SKILL_FILES)
    )
    notes = ("skills that lie deeper are laid side by side in one skills root",) if first.moved else ()
    return Laid(tree=first.tree, origin=first.origin, left_out=left_out, notes=notes)
