"""The tree of a folder as Gemini CLI draws it for a model.

Source: google-gemini/gemini-cli `packages/core/src/utils/getFolderStructure.ts`, checked against the `load`
vectors. Files stand before folders, each in the order of `localeCompare`; four names are shown and not
entered; after 200 items the rest is an ellipsis.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from tohlab.dialects.harness import FileTree
from tohlab.skills.collation import collation_key

MAX_ITEMS: Final = 200
NOT_ENTERED: Final = ("node_modules", ".git", "dist", "__pycache__")
MORE: Final = "..."
HEAD: Final = "Showing up to {limit} items (files + folders)."
HEAD_MORE: Final = (
    " Folders or files indicated with ... contain more items not shown, were ignored, or the display limit "
    "({limit} items) was reached."
)


@dataclass(slots=True)
class _Folder:
    files: list[str] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)
    closed: bool = False
    shown_files: list[str] = field(default_factory=list)
    shown_folders: list[str] = field(default_factory=list)
    more_files: bool = False
    more_folders: bool = False


def folder_tree(tree: FileTree, folder: str, shown_path: str) -> str:
    """Return the drawing of a folder of the tree.

    Args:
        tree: the files.
        folder: relative to the root; empty for the root itself.
        shown_path: how the folder's own path is told.
    """
    root = _Folder()
    start = len(folder) + 1 if folder else 0
    for path in tree.below(folder):
        here = root
        *folders, name = path[start:].split("/")
        for part in folders:
            here = here.folders.setdefault(part, _Folder())
        here.files.append(name)
    cut = _choose(root)
    head = HEAD.format(limit=MAX_ITEMS) + (HEAD_MORE.format(limit=MAX_ITEMS) if cut else "")
    lines: list[str] = []
    _draw(root, "", lines)
    return f"{head}\n\n{shown_path}/\n" + "\n".join(lines)


def _choose(root: _Folder) -> bool:
    # Level by level, so that a deep folder never hides a shallow one.
    items, cut = 0, False
    queue = deque([root])
    while queue:
        here = queue.popleft()
        if items >= MAX_ITEMS:
            continue
        room = MAX_ITEMS - items
        names = sorted(here.files, key=collation_key)
        here.shown_files, here.more_files = names[:room], len(names) > room
        items += len(here.shown_files)
        for name in sorted(here.folders, key=collation_key):
            if items >= MAX_ITEMS:
                here.more_folders = True
                break
            items += 1
            here.shown_folders.append(name)
            below = here.folders[name]
            below.closed = name in NOT_ENTERED
            if not below.closed:
                queue.append(below)
            cut = cut or below.closed
        cut = cut or here.more_files or here.more_folders
    return cut


def _draw(here: _Folder, indent: str, lines: list[str]) -> None:
    rows: list[tuple[str, _Folder | None]] = [(name, None) for name in here.shown_files]
    if here.more_files:
        rows.append((MORE, None))
    for name in here.shown_folders:
        below = here.folders[name]
        rows.append((f"{name}/{MORE if below.closed else ''}", below))
    if here.more_folders:
        rows.append((MORE, None))
    for number, (label, folder) in enumerate(rows, 1):
        last = number == len(rows)
        lines.append(f"{indent}{'└───' if last else '├───'}{label}")
        if folder is not None and not folder.closed:
            _draw(folder, indent + ("    " if last else "│   "), lines)
