"""Which files of a folder are skill files: one level deep as the harness looks, or at any depth."""

# ruff: noqa: PTH116, PTH118, PTH119, PTH206  a Path object per file would double the time of a scan

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from tohlab.skills.collation import collation_key
from tohlab.skills.files import is_absent, node_text
from tohlab.skills.model import Problem

SKILL_FILE: Final = "SKILL.md"

# Names whose order is the same by code points and by `localeCompare`.
_PLAIN_NAMES: Final = re.compile(r"[a-z0-9.\-\0\n]*")


class Found(NamedTuple):
    """One file that should give a skill; a tuple, since a scan makes one for each file."""

    path: str
    directory: str
    """Where the skill's own files are."""
    is_flat: bool
    """A `.md` file beside others, not a folder with a `SKILL.md`."""


@dataclass(frozen=True, slots=True)
class Walked:
    """What one folder holds."""

    found: tuple[Found, ...]
    problems: tuple[Problem, ...]
    complete: bool = True


def list_root(root: str, skip: tuple[str, ...] = ()) -> Walked:
    """Return the skill files of one of the harness's roots, one level deep, in the order of `localeCompare`.

    A folder counts whether or not it holds a `SKILL.md`; who reads it will see. A missing root is empty.

    Raises:
        OSError: if the root is there and cannot be read.
    """
    try:
        with os.scandir(root) as scan:
            entries = sorted(scan, key=lambda entry: collation_key(entry.name))
    except OSError as error:
        if is_absent(error):
            return Walked((), ())
        raise
    found: list[Found] = []
    problems: list[Problem] = []
    for entry in entries:
        try:
            kind = _kind(entry)
        except OSError as error:
            problems.append(_broken_link(os.path.join(root, entry.name), error))
            continue
        if entry.name in skip:
            continue
        path = os.path.join(root, entry.name)
        if kind == "directory":
            found.append(Found(os.path.join(path, SKILL_FILE), path, False))
        elif kind == "file" and entry.name.endswith(".md"):
            found.append(Found(path, root, True))
    return Walked(tuple(found), tuple(problems))


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        entry.stat()  # raises for a link that leads nowhere or in circles
    return "directory" if entry.is_dir() else "file" if entry.is_file() else "other"


def walk_tree(top: str) -> Walked:
    """Return every `SKILL.md` below a folder and the flat `.md` files in it, by path in the order of
    `localeCompare`.

    Folders behind symbolic links are looked at once each, after all the real ones, so that circles end and
    the real path of a skill is the one that is told. `.git` is not entered.
    """
    walk = _TreeWalk(top)
    walk.run()
    paths = {found.path: found for found in walk.found}
    return Walked(tuple(paths[path] for path in in_order(paths, top)), tuple(walk.problems), walk.complete)


def in_order(paths: Iterable[str], top: str) -> list[str]:
    """Return paths below a folder as a walk through sorted folders would meet them."""
    paths = list(paths)
    start = len(top.rstrip(os.sep)) + 1
    names = [path[start:].replace(os.sep, "\0").replace(SKILL_FILE, "skill.md") for path in paths]
    if _PLAIN_NAMES.fullmatch("\n".join(names)) and len(set(names)) == len(names):
        return [path for _, path in sorted(zip(names, paths, strict=True))]
    return sorted(paths, key=lambda path: [collation_key(name) for name in path[start:].split(os.sep)])


class _TreeWalk:
    def __init__(self, top: str) -> None:
        self.top = top
        self.found: list[Found] = []
        self.problems: list[Problem] = []
        self.complete = True
        self._links: list[str] = []
        self._visited: list[str] = []

    def run(self) -> None:
        self._descend(self.top)
        seen: set[tuple[int, int]] = set()
        while self._links:
            links, self._links = in_order(self._links, self.top), []
            for path in links:
                # Folders seen so far are looked up only when there is a link at all: most trees have none.
                seen.update(_identity(folder) for folder in self._visited)
                self._visited.clear()
                if _identity(path) not in seen:
                    self._descend(path)

    def _descend(self, top: str) -> None:
        stack = [top]
        found = self.found
        while stack:
            folder = stack.pop()
            self._visited.append(folder)
            try:
                with os.scandir(folder) as scan:
                    entries = list(scan)
            except OSError as error:
                if not is_absent(error):
                    self.complete = False
                    self.problems.append(unreadable_problem(folder, error, "scandir"))
                continue
            for entry in entries:
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    if name == SKILL_FILE:
                        self.problems.append(_not_a_file(entry.path))
                    elif name != ".git":
                        stack.append(entry.path)
                elif name == SKILL_FILE and entry.is_file(follow_symlinks=False):
                    found.append(Found(entry.path, folder, False))
                elif entry.is_symlink() or name.lower().endswith(".md"):
                    self._look(entry, folder)

    def _look(self, entry: os.DirEntry[str], folder: str) -> None:
        name, path = entry.name, entry.path
        flat = folder == self.top and name.endswith(".md") and name != SKILL_FILE
        if entry.is_symlink():
            try:
                entry.stat()
            except OSError as error:
                if flat or name == SKILL_FILE or "." not in name:
                    self.problems.append(_broken_link(path, error))
                return
            if entry.is_dir():
                self._links.append(path)
                return
        if not entry.is_file():
            if name == SKILL_FILE:
                self.problems.append(_not_a_file(path))
        elif name == SKILL_FILE or flat:
            self.found.append(Found(path, folder, flat))
        if name.lower() == "skill.md" and name != SKILL_FILE:
            self.problems.append(_wrong_case(path, flat))


def _identity(path: str) -> tuple[int, int]:
    try:
        stat = os.stat(path)
    except OSError:
        return (-1, -1)
    return stat.st_dev, stat.st_ino


def _broken_link(path: str, error: OSError) -> Problem:
    text = node_text(error, "stat", path)
    return Problem(
        code="broken-symlink",
        message=f"failed to follow symbolic link: {text}",
        path=path,
        remedy="point the link at something that exists, or remove it",
        log=f"skill entry {path} ignored: failed to follow symbolic link: {text}",
    )


def _not_a_file(path: str) -> Problem:
    return Problem(
        code="not-a-file",
        message="SKILL.md is not a file",
        path=path,
        remedy="put the skill's text into a file of this name",
    )


def _wrong_case(path: str, loads: bool) -> Problem:
    name = os.path.basename(path)
    return Problem(
        code="wrong-case",
        message=f"{name} is not SKILL.md: the harness looks for that exact name",
        path=path,
        level="warning" if loads else "error",
        remedy="rename it to SKILL.md",
    )


def unreadable_problem(path: str, error: OSError, call: str) -> Problem:
    """Return the problem of a folder or file that is there and cannot be read.

    Args:
        path: what could not be read.
        error: what the system said.
        call: the system's call, such as `open`.
    """
    return Problem(
        code="unreadable",
        message=node_text(error, call, path).removeprefix("Error: "),
        path=path,
        remedy="make it readable; what is in it is unknown until then",
    )


def perhaps_not_a_skill(problem: Problem) -> Problem:
    """Return a flat file's problem as a warning if it has no frontmatter: a README is not a broken skill."""
    if problem.code != "missing-frontmatter":
        return problem
    remedy = "nothing, if it is not meant to be a skill; else " + problem.remedy
    return replace(problem, level="warning", remedy=remedy)
