"""A folder as the one skills root that every harness is shown."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from tohlab.dialects.file_tree import ReadableTree
from tohlab.dialects.harness import FileTree, Skipped
from tohlab.dialects.installed import SKILL_FILES, Layout, installed


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """One skills root, and what of the folder is not in it."""

    tree: FileTree
    origin: Mapping[str, str] = field(hash=False)
    """Each path of `tree` to the path in the folder."""
    left_out: tuple[Skipped, ...]
    """Skill files that cannot be read, or whose folder's name is taken; their paths are those in the folder.
    """
    notes: tuple[str, ...]
    unread: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Each file that was asked for and cannot be read, with what the system says; it grows as harnesses ask.
    """

    def unread_notes(self) -> tuple[str, ...]:
        """Return what to say of files beside the skill files that a harness asked for in vain."""
        known = {skipped.path for skipped in self.left_out}
        return tuple(
            f"{path} cannot be read ({why}) and counts as empty"
            for path, why in sorted(self.unread.items())
            if path not in known
        )


def lay_out(source: str | os.PathLike[str] | FileTree, layout: Layout = "auto") -> Laid:
    """Return a folder as one skills root; a skill file that cannot be read is left out of it, with a reason.

    Raises:
        SkillError: there is no such folder.
    """
    tree = source if isinstance(source, FileTree) else ReadableTree.at(source)
    unread = tree.unreadable if isinstance(tree, ReadableTree) else {}
    unreadable = _unreadable(tree) if isinstance(tree, ReadableTree) else ()
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
    return Laid(
        tree=first.tree,
        origin=first.origin,
        left_out=(*unreadable, *left_out),
        notes=notes,
        unread=unread,
    )


def _unreadable(tree: ReadableTree) -> tuple[Skipped, ...]:
    """Take the skill files that cannot be read out of a tree, and return them."""
    loose = [path for path in tree if "/" not in path and path.endswith(".md")]
    for path in (*tree.named(*SKILL_FILES), *loose):
        tree[path]  # whether it can be read is seen by reading it
    bad = [path for path in tree.unreadable if path.rpartition("/")[2] in SKILL_FILES or "/" not in path]
    tree.without(frozenset(bad))
    return tuple(
        Skipped(
            path=path,
            code="unreadable",
            reason=f"the file cannot be read: {tree.unreadable[path]}",
            repair="make it a file that can be read",
        )
        for path in sorted(bad)
    )
