"""The skills of a repository as they would lie in a harness's own skills folder.

A repository keeps its skills where it likes (`plugins/web/skills/deploy/SKILL.md`); most harnesses look one
folder deep, so a person who installs them copies each skill's folder into one root (`deploy/SKILL.md`).
`installed` gives that root without copying a byte. Two folders of one name cannot lie side by side: the first
in path order is in the first tree, the next in a second one, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from tohlab.dialects.harness import FileTree

Layout = Literal["auto", "as-is", "installed"]

SKILL_FILES: Final = ("SKILL.md", "skill.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """One skills root."""

    tree: FileTree
    origin: Mapping[str, str] = field(hash=False)
    """Each path of `tree` to the path in the tree that was given."""
    moved: bool
    """Whether folders were laid elsewhere than they lie in the tree that was given."""


class _MovedTree(FileTree):
    """A tree whose files have other paths; they are read from where they lie, when asked for."""

    def __init__(self, source: FileTree, origin: Mapping[str, str]) -> None:
        super().__init__({})
        self._source = source
        self._origin = dict(origin)

    def __getitem__(self, path: str) -> bytes:
        return self._source[self._origin[path]]

    def text(self, path: str) -> str:
        return self._source.text(self._origin[path])

    def _listed(self) -> Mapping[str, None]:
        if self._paths is None:
            self._paths = dict.fromkeys(self._origin)
        return self._paths


def installed(tree: FileTree, layout: Layout = "auto") -> tuple[Installed, ...]:
    """Return the skills roots that hold a tree's skills; there is always a first one.

    Args:
        tree: any folder with skills in it.
        layout: `as-is` takes the tree itself as the one root. `installed` lays each skill's folder, whole,
            directly below a root, and leaves out what belongs to no skill, except Markdown files of the top
            folder. `auto` does that only where some skill lies deeper than one folder.
    """
    homes = tuple(_homes(tree))
    deep = any("/" in home for home in homes)
    if layout == "as-is" or (layout == "auto" and not deep) or "" in homes:
        return (Installed(tree=tree, origin={path: path for path in tree}, moved=False),)
    rounds: list[dict[str, str]] = [
        {path: path for path in tree.below("") if "/" not in path and path.endswith(".md")}
    ]
    taken: dict[str, int] = {}
    for home in homes:
        name = home.rpartition("/")[2]
        place = taken.get(name, 0)
        taken[name] = place + 1
        if place == len(rounds):
            rounds.append({})
        rounds[place] |= {f"{name}{path[len(home) :]}": path for path in tree.below(home)}
    return tuple(Installed(tree=_MovedTree(tree, origin), origin=origin, moved=True) for origin in rounds)


def _homes(tree: FileTree) -> Iterator[str]:
    """Yield the skills' folders in path order; one inside another skill's folder stays where it is."""
    homes = {path.rpartition("/")[0] for path in tree.named(*SKILL_FILES)}
    if "" in homes:
        yield ""
        return
    for home in sorted(homes):
        outer = home.rpartition("/")[0]
        while outer and outer not in homes:
            outer = outer.rpartition("/")[0]
        if not outer:
            yield home
