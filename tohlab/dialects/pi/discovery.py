"""Which files pi takes for skills: two ways of walking a root, and the ignore files on the way.

Source: `dist/core/package-manager.js` (`collectSkillEntries`) and `dist/core/skills.js` of 1.6.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tohlab.dialects.harness import FileTree, SkillRoot, Skipped
from tohlab.dialects.pi.ignore_rules import ignores

FILE: Final = "SKILL.md"
IGNORE_FILES: Final = (".gitignore", ".ignore", ".fdignore")

Kind = Literal["pi", "agents"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PiRoot(SkillRoot):
    """A folder in which pi looks for skills."""

    kind: Kind = "pi"
    """`pi` takes loose `.md` files of the root (`.pi/skills`, `--skill DIR`); `agents` those of every folder
    but the root (`.agents/skills`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a walk over one root found."""

    candidates: tuple[str, ...] = ()
    """Files to be read, as they are met: folders and files together, by the bytes of their names."""
    overlooked: tuple[Skipped, ...] = ()
    """Files that look like skills and are never read; pi says nothing of them."""


@dataclass(slots=True)
class _Folder:
    path: str  # in the tree
    inside: str  # in the root, empty for the root
    entries: dict[str, _Folder | None]


def walk(tree: FileTree, root: PiRoot) -> Found:
    """Return the files of a root that pi reads, and those that it passes over and that look like skills."""
    top = _Folder(root.folder, "", {})
    base = f"{root.folder}/" if root.folder else ""
    alike: list[str] = []
    for path in tree:
        if not path.startswith(base):
            continue
        folder, parts = top, path[len(base) :].split("/")
        for name in parts[:-1]:
            below = folder.entries.get(name)
            if below is None:
                below = _Folder(_join(folder.path, name), _join(folder.inside, name), {})
                folder.entries[name] = below
            folder = below
        folder.entries.setdefault(parts[-1], None)
        if parts[-1].lower() == FILE.lower() or (len(parts) == 1 and parts[0].endswith(".md")):
            alike.append(path)
    ignored: set[str] = set()
    candidates = tuple(_collect(tree, top, root.kind, ignored))
    taken = set(candidates)
    missed = sorted(set(alike) - taken)
    return Found(
        candidates=candidates,
        overlooked=tuple(_overlooked(path, path[len(base) :], ignored, taken, base) for path in missed),
    )


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _collect(tree: FileTree, top: _Folder, kind: Kind, ignored: set[str]) -> Iterator[str]:
    # A stack and not a recursion, so that deep folders cannot break it. Each level has its own rules.
    stack: list[tuple[Iterator[tuple[str, _Folder | None]], _Folder, Sequence[str]]] = []

    def enter(folder: _Folder, rules: Sequence[str]) -> str | None:
        rules = (*rules, *_rules(tree, folder))
        if folder.entries.get(FILE, folder) is None:
            inside = _join(folder.inside, FILE)
            if not ignores(rules, inside):
                return _join(folder.path, FILE)
            ignored.add(_join(folder.path, FILE))
        stack.append((iter(sorted(folder.entries.items())), folder, rules))
        return None

    found = enter(top, ())
    if found is not None:
        yield found
    while stack:
        entries, folder, rules = stack[-1]
        for name, below in entries:
            if name.startswith(".") or name == "node_modules":
                continue
            path, inside = _join(folder.path, name), _join(folder.inside, name)
            if ignores(rules, f"{inside}/" if below else inside):
                ignored.add(path)
            elif below is not None:
                found = enter(below, rules)
                if found is None:
                    break
                yield found
            elif name.endswith(".md") and (folder is top) == (kind == "pi"):
                yield path
        else:
            stack.pop()


def _rules(tree: FileTree, folder: _Folder) -> Iterator[str]:
    prefix = f"{folder.inside}/" if folder.inside else ""
    for name in IGNORE_FILES:
        if folder.entries.get(name, folder) is None:
            text = tree[_join(folder.path, name)].decode("utf-8", "replace")
            for line in re.split(r"\r?\n", text):
                rule = _rule(line, prefix)
                if rule:
                    yield rule


def _rule(line: str, prefix: str) -> str | None:
    # The folder is put before the pattern as it is: `*.md` below `a` is `a/*.md`, no longer at any depth.
    trimmed = line.strip()
    if not trimmed or trimmed.startswith("#"):
        return None
    negated = line.startswith("!")
    pattern = line[1:] if line.startswith(("!", "\\!")) else line
    pattern = prefix + pattern.removeprefix("/")
    return f"!{pattern}" if negated else pattern


def _overlooked(path: str, inside: str, ignored: set[str], taken: set[str], base: str) -> Skipped:
    parts = inside.split("/")
    above = [base + "/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]
    holders = [_join("/".join(parts[:depth]), FILE) for depth in range(len(parts) - 1)]
    holder = next((base + name for name in holders if base + name in taken), None)
    if holder is None and base + _join("/".join(parts[:-1]), FILE) in taken:
        holder = base + _join("/".join(parts[:-1]), FILE)
    rule = next((place for place in above if place in ignored), None)
    if any(part.startswith(".") for part in parts):
        code, reason, repair = "hidden-folder", "a name on its way starts with a dot", "move it"
    elif "node_modules" in parts:
        code, reason, repair = "node-modules", "it is below a folder node_modules", "move it"
    elif holder is not None:
        code = "inside-skill"
        reason, repair = f"its folder belongs to the skill {holder}", "move it out of that skill's folder"
    elif rule is not None:
        code = "ignored"
        reason, repair = f"an ignore file names {rule}", "take the pattern out of the ignore file"
    elif len(parts) == 1:
        code = "loose-file"
        reason, repair = "a loose file of this root is not read", f"move it to {parts[0][:-3]}/{FILE}"
    else:
        code, reason, repair = "wrong-case", f"the file has to be named {FILE}", f"name it {FILE}"
    return Skipped(path=path, code=code, reason=reason, repair=repair, silent=True)
