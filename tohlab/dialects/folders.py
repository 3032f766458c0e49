"""What harnesses have in common when they look for skills: roots, folders, frontmatter.

A harness whose own walk was seen or read has it in its own file. Here are the plain rules that documentation
gives, for those that were not run (roots in an order, one folder a skill, a block between two `---` lines),
and what all of them ask of a path or a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from tohlab.dialects.harness import FileTree, HarnessSkill, Root, Setting, SkillRoot, Skipped

FILE: Final = "SKILL.md"
_NESTED: Final = re.compile(rf"(?P<dir>.+)/\.claude/skills/(?P<folder>[^/]+)/{re.escape(FILE)}")
_FRONTMATTER: Final = re.compile(r"\A---[ \t]*\r?\n(?:((?s:.*?))\r?\n)?---[ \t]*(?:\r?\n((?s:.*)))?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One file that may give a skill, and the root in which it was found."""

    path: str
    root: str
    """The prefix of the root inside the tree; empty for the tree itself."""
    inside: tuple[str, ...]
    """The parts of the path below the root, the file's name last."""

    @property
    def folder(self) -> str:
        """The name of the file's folder; empty for a file of the root itself."""
        return self.inside[-2] if len(self.inside) > 1 else ""

    @property
    def is_skill_file(self) -> bool:
        """Whether it is `SKILL.md` in a folder directly below the root."""
        return len(self.inside) == 2 and self.inside[-1] == FILE and not self.hidden_by

    @property
    def hidden_by(self) -> str:
        """The part of its path below the root that begins with a dot; empty where none does."""
        return next((part for part in self.inside if part.startswith(".")), "")


def roots_of(setting: Setting) -> tuple[str, ...]:
    """Return the roots that a setting names inside the tree, strongest first; by default the tree itself.

    `options["roots"]` holds folders of the tree, such as `(".pikuri/skills", ".claude/skills")`.
    """
    return tuple(root.folder for root in setting.skill_roots(SkillRoot))


def in_roots(paths: Iterable[str], roots: Sequence[Root]) -> Iterator[tuple[str, Root, str]]:
    """Return each path that lies in a root, root by root in the order given, with its root and the rest.

    A path inside two roots belongs to the first of them; the paths of one root keep their order.
    """
    paths = tuple(paths)
    seen: set[str] = set()
    for root in roots:
        for path in paths:
            if path.startswith(root.prefix) and path not in seen:
                seen.add(path)
                yield path, root, path[len(root.prefix) :]


def root_of(path: str, roots: Sequence[Root]) -> Root:
    """Return the first of the roots in which a path lies.

    Raises:
        StopIteration: it lies in none.
    """
    return next(root for root in roots if path.startswith(root.prefix))


def places(tree: FileTree, roots: tuple[str, ...]) -> Iterator[Place]:
    """Return every file called like a skill's, root by root, then by the parts of the path, bytes compared.

    A file inside two roots belongs to the first of them. Folders that begin with a dot hold no skills: what
    lies in one, seen from every root, comes last.
    """
    files = [path for path in tree if path[-8:].lower() == FILE.lower()]
    seen: set[str] = set()
    hidden: dict[str, Place] = {}
    for root in roots:
        start = f"{root}/" if root else ""
        for path in sorted((p for p in files if p.startswith(start)), key=lambda p: p.split("/")):
            inside = tuple(path[len(start) :].split("/"))
            if path in seen or inside[-1].lower() != FILE.lower():
                continue
            place = Place(path=path, root=root, inside=inside)
            if place.hidden_by:
                hidden.setdefault(path, place)
                continue
            seen.add(path)
            yield place
    yield from (place for path, place in hidden.items() if path not in seen)


def qualified_places(tree: FileTree, setting: Setting) -> Iterator[tuple[Place, str, str]]:
    """Return every place by Claude Code's table, what kind it is, and what qualifies a name found there.

    The kinds, in this order: `root` (qualified by nothing), `nested` (the folder that has a `.claude/skills`
    of its own), `plugin` (the plug-in's name; `options["plugins"]` maps it to its prefix in the tree).
    """
    for place in places(tree, roots_of(setting)):
        yield place, "root", ""
    for path in sorted(path for path in tree if "/.claude/skills/" in path):
        nested = _NESTED.fullmatch(path)
        if nested:
            inside = (nested["folder"], FILE)
            yield Place(path=path, root=path.rsplit("/", 2)[0], inside=inside), "nested", nested["dir"]
    for plugin, prefix in dict(setting.options.get("plugins", {})).items():
        for place in places(tree, (prefix.strip("/"),)):
            yield place, "plugin", plugin


def qualified_files(
    tree: FileTree, setting: Setting
) -> tuple[tuple[tuple[Place, str, str], ...], tuple[Skipped, ...]]:
    """Return the skill files by Claude Code's table, each once, and why like-named files are not looked at.

    A file that one root passes over and another takes is taken.

    Returns:
        What `qualified_places` gives for each file that is taken, in its order, and the others in theirs.
    """
    taken: dict[str, tuple[Place, str, str]] = {}
    aside: dict[str, Skipped] = {}
    for place, kind, qualifier in qualified_places(tree, setting):
        if place.is_skill_file:
            taken.setdefault(place.path, (place, kind, qualifier))
        elif place.path not in taken:
            aside.setdefault(place.path, overlooked(place))
    return tuple(taken.values()), tuple(found for path, found in aside.items() if path not in taken)


def first_of_each_name(
    tree: FileTree, setting: Setting, read: Callable[[Place], HarnessSkill | Skipped]
) -> tuple[tuple[HarnessSkill, ...], tuple[Skipped, ...]]:
    """Return the skills of the roots in the order in which they are met, and why files give none.

    Of two skills of one name the first stays, and the program says so of the other.

    Args:
        tree: the files.
        setting: which roots there are.
        read: gives the skill of a file, or why it gives none.
    """
    by_name: dict[str, HarnessSkill] = {}
    skipped: list[Skipped] = []
    for place in places(tree, roots_of(setting)):
        found = read(place) if place.is_skill_file else overlooked(place)
        if isinstance(found, HarnessSkill) and found.name in by_name:
            found = duplicate(by_name[found.name], place.path, silent=False)
        if isinstance(found, Skipped):
            skipped.append(found)
        else:
            by_name[found.name] = found
    return tuple(by_name.values()), tuple(skipped)


def argument_names(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names that `arguments:` declares for a skill's words: a list, or a text with spaces."""
    value = fields.get("arguments")
    parts = value.split() if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(part for part in parts if isinstance(part, str) and part and not part.isdigit())


def overlooked(place: Place) -> Skipped:
    """Return why a file that is no `SKILL.md` of a folder directly below its root is not looked at."""
    hidden = place.hidden_by
    if place.inside[-1] != FILE:
        return misnamed(place.path)
    if hidden:
        code, reason = "hidden-folder", f"the folder {hidden} starts with a dot and is not looked into"
        repair = f"give {hidden} a name without the dot, or move the skill out of it"
    elif len(place.inside) == 1:
        code, reason = "no-folder", "a skill is a folder, and this file lies in the root itself"
        repair = "put it into a folder of its own, named like the skill"
    else:
        return too_deep(place.path, str(PurePosixPath(place.path).parent))
    return Skipped(path=place.path, code=code, reason=reason, repair=repair, silent=True)


def misnamed(path: str) -> Skipped:
    """Return why a file that is called like a skill's in another case is not looked at."""
    reason, repair = f"the file has to be named {FILE}", f"rename it to {FILE}"
    return Skipped(path=path, code="file-name", reason=reason, repair=repair, silent=True)


def too_deep(path: str, folder: str) -> Skipped:
    """Return why a file in a folder below a skill's folder is not looked at.

    Args:
        path: the file.
        folder: its folder, as the repair names it.
    """
    reason = "only the folders directly below the root are looked at"
    repair = f"move the folder {folder} up, directly below the root"
    return Skipped(path=path, code="too-deep", reason=reason, repair=repair, silent=True)


def wrong_depth(path: str) -> Skipped:
    """Return why a file that lies in the root itself or below a skill's folder is not looked at."""
    reason = "only the folders directly below the root are looked at"
    repair = "move it into a folder directly below the root"
    return Skipped(path=path, code="wrong-depth", reason=reason, repair=repair, silent=True)


def cut_frontmatter(text: str) -> tuple[str | None, str]:
    """Return the text between the first line `---` and the next, or None without them, and what follows."""
    match = _FRONTMATTER.match(text)
    return (None, text) if match is None else (match[1] or "", match[2] or "")


def line_of(block: str, key: str) -> int | None:
    """Return the line of a top-level key in the whole file, from 1; None where it is not there.

    Args:
        block: the frontmatter, whose first line is the file's second.
        key: the key, without quotes.
    """
    line = key_line(block, key)
    return None if line is None else line + 1


def key_line(text: str, key: str, *, quoted: bool = False) -> int | None:
    """Return the first line of a text that begins with a key and a colon, from 1; None for none.

    Args:
        text: what is looked through.
        key: the key, without quotes.
        quoted: whether a quote may stand before and behind it.
    """
    quote = "[\"']?" if quoted else ""
    at = re.search(rf"^{quote}{re.escape(key)}{quote}\s*:", text, re.MULTILINE)
    return None if at is None else text.count("\n", 0, at.start()) + 1


def duplicate(winner: HarnessSkill, path: str, *, silent: bool) -> Skipped:
    """Return why a skill whose name an earlier root has taken is dropped.

    Args:
        winner: the skill that stays.
        path: the file that gives none.
        silent: whether the program says nothing about it.
    """
    return Skipped(
        path=path,
        code="duplicate-name",
        reason=f"{winner.path} has the same name {winner.name!r} and was found first",
        line=1,
        repair="give one of the two another name",
        silent=silent,
    )
