"""The files of a folder as every harness gets them, and the skills roots that they make."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from tohlab.dialects.file_tree import ReadableTree
from tohlab.dialects.harness import FileTree, Setting
from tohlab.dialects.installed import Installed, Layout, installed
from tohlab.survival.meant import Meant, meant

_PATH_LIKE: Final = re.compile(r"[^\s\"'`]+\.md\b", re.IGNORECASE)


class PatchedTree(FileTree):
    """A tree in which some files have other contents."""

    def __init__(self, tree: FileTree, contents: Mapping[str, bytes]) -> None:
        super().__init__(contents)
        self._tree = tree
        self._paths = dict.fromkeys(tree)

    def __getitem__(self, path: str) -> bytes:
        return self._contents[path] if path in self._contents else self._tree[path]

    def text(self, path: str) -> str:
        """Return a file as text, as `FileTree.text` does."""
        return super().text(path) if path in self._contents else self._tree.text(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """One skills root: its tree, and where its files lie in the folder that was given."""

    placed: Installed
    setting: Setting
    back: Mapping[str, str] = field(hash=False)
    """Each skill file of the root to its path in the folder."""

    def in_words(self, text: str) -> str:
        """Return a harness's text with the paths as they are in the folder that was given."""
        if ".md" not in text.lower() or not (self.placed.moved or self.setting.root in text):
            return text
        start = f"{self.setting.root}/"
        for path in (path for path in self.back if " " in path and path in text):
            text = text.replace(path, self.back[path])

        def change(match: re.Match[str]) -> str:
            path = match[0].removeprefix(start)
            return self.back.get(path, match[0])

        return _PATH_LIKE.sub(change, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder read once, for every harness."""

    directory: str
    tree: FileTree
    files: tuple[str, ...]
    """The skill files, by the parts of their paths."""
    unreadable: Mapping[str, str] = field(hash=False)
    """Skill files that cannot be read, and what the system says."""
    roots: tuple[Root, ...]
    meant: Mapping[str, Meant] = field(hash=False)
    """What each file means."""


def read_folder(directory: str | os.PathLike[str] | FileTree, layout: Layout) -> Folder:
    """Return a folder's skill files and roots.

    A skill file is one called `SKILL.md`, in whatever case, at any depth, or a Markdown file of the folder
    itself whose frontmatter has a name or a description.

    Raises:
        SkillError: there is no such folder.
    """
    if isinstance(directory, FileTree):
        tree, where = directory, "<ROOT>"
    else:
        tree, where = ReadableTree.at(directory), os.path.abspath(directory)  # noqa: PTH100 - paths are text
    named = [path for path in tree if path[-8:].lower() == "skill.md" and path[-9:-8] in ("", "/")]
    flat = [path for path in tree if "/" not in path and path.endswith(".md") and path not in named]
    meants = {path: meant(tree.text(path), _folder_of(path, where)) for path in (*named, *flat)}
    files = sorted(
        (path for path in meants if path in named or meants[path].has_fields),
        key=lambda path: path.split("/"),
    )
    bad: dict[str, str] = {}
    if isinstance(tree, ReadableTree):
        bad = {path: tree.unreadable[path] for path in files if path in tree.unreadable}
        tree.without(frozenset(bad))
    roots = []
    for placed in installed(tree, layout):
        back = {path: origin for path, origin in placed.origin.items() if origin in meants}
        roots.append(Root(placed=placed, setting=Setting(root=where), back=back))
    return Folder(
        directory=where,
        tree=tree,
        files=tuple(files),
        unreadable=bad,
        roots=tuple(roots),
        meant=meants,
    )


def _folder_of(path: str, where: str) -> str:
    return PurePosixPath(path).parent.name or PurePosixPath(where.replace(os.sep, "/")).name
