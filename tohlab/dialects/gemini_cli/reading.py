"""Where Gemini CLI looks, what it takes from a file by its two readers, and why it takes none.

Source: google-gemini/gemini-cli `packages/core/src/skills/skillLoader.ts`, checked against the vectors.
"""

from __future__ import annotations

import re
from typing import Final

from tohlab.dialects.folders import misnamed, too_deep
from tohlab.dialects.harness import FileTree, HarnessSkill, Skipped
from tohlab.ecma import WHITESPACE, trim
from tohlab.skills.frontmatter import missing_frontmatter
from tohlab.skills.readers import js_yaml

FILE: Final = "SKILL.md"
_FRONTMATTER: Final = re.compile(r"---\r?\n((?s:.*?))\r?\n---(?:\r?\n((?s:.*)))?")
_NOT_IN_NAMES: Final = re.compile(r'[:\\/<>*?"|]')
_REST: Final = "[^\n\r\u2028\u2029]*"
_NAME: Final = re.compile(f"[{WHITESPACE}]*name:[{WHITESPACE}]*({_REST})")
_DESCRIPTION: Final = re.compile(f"[{WHITESPACE}]*description:[{WHITESPACE}]*({_REST})")
_CONTINUED: Final = re.compile(f"[ \t]+[^{WHITESPACE}]")


def find(tree: FileTree, root: str) -> tuple[list[str], list[Skipped]]:
    """Return the files of a root that are read, in order, and why like-named ones are not."""
    taken, overlooked = [], []
    prefix = f"{root}/" if root else ""
    for path in tree:
        if not path.startswith(prefix) or not path.lower().endswith(FILE.lower()):
            continue
        *folders, name = path.removeprefix(prefix).split("/")
        if name.lower() != FILE.lower():
            continue
        reason = _overlooked(path, folders)
        if reason is None:
            taken.append(path)
        else:
            overlooked.append(reason)
    taken.sort(key=lambda path: path.split("/")[:-1], reverse=True)
    if taken and taken[-1] == prefix + FILE:
        taken.insert(0, taken.pop())
    return taken, sorted(overlooked, key=lambda one: one.path.split("/"))


def _overlooked(path: str, folders: list[str]) -> Skipped | None:
    if not path.endswith(FILE):
        return misnamed(path)
    if len(folders) > 1:
        return too_deep(path, "/".join(folders))
    if folders and (folders[0].startswith(".") or folders[0] == "node_modules"):
        reason = f"the folder {folders[0]} is not looked into"
        repair = f"give {folders[0]} another name"
        return Skipped(path=path, code="hidden-folder", reason=reason, repair=repair, silent=True)
    return None


def parse(path: str, tree: FileTree) -> HarnessSkill | Skipped:
    """Return the skill of a file, or why it gives none."""
    try:
        text = tree.text(path)
    except OSError as error:
        reason = f"the file cannot be read: {error.strerror}"
        return Skipped(
            path=path, code="unreadable", reason=reason, repair="make the file readable", silent=True
        )
    match = _FRONTMATTER.match(text)
    if match is None:
        return _without_frontmatter(path, text)
    block = match[1]
    read = js_yaml(block)
    name, description = read.fields.get("name"), read.fields.get("description")
    if not (isinstance(name, str) and isinstance(description, str)):
        name, description = line_fields(block)
    if name is None or description is None:
        key = "name" if name is None else "description"
        return Skipped(
            path=path,
            code=f"missing-{key}",
            reason=f"the frontmatter has no {key}",
            line=1,
            repair=f"add a line `{key}: …` to the frontmatter",
            silent=True,
        )
    return HarnessSkill(
        name=_NOT_IN_NAMES.sub("-", name),
        description=description,
        body=trim(match[2] or ""),
        path=path,
        text=text,
        fields=read.fields or {"name": name, "description": description},
    )


def line_fields(block: str) -> tuple[str | None, str | None]:
    """Return name and description as the reader takes them that follows where YAML fails or gives no texts.

    A line of either key counts, however deep; quotes and block marks such as `>-` stay. Indented lines behind
    a description belong to it, with a space between, whatever they hold.
    """
    name: str | None = None
    description: str | None = None
    lines = iter(re.split(r"\r?\n", block))
    line = next(lines, None)
    while line is not None:
        match = _NAME.fullmatch(line)
        if match is not None:
            name = trim(match[1])
        elif (match := _DESCRIPTION.fullmatch(line)) is not None:
            parts = [trim(match[1])]
            line = next(lines, None)
            while line is not None and _CONTINUED.match(line):
                parts.append(trim(line))
                line = next(lines, None)
            description = " ".join(part for part in parts if part)
            continue
        line = next(lines, None)
    return name, description


def _without_frontmatter(path: str, text: str) -> Skipped:
    error = missing_frontmatter(text)
    reason = "no frontmatter: the file has to start with a line --- and the next one closes it"
    return Skipped(
        path=path,
        code="missing-frontmatter",
        reason=reason,
        line=error.line,
        repair=error.remedy,
        silent=True,
    )


def replaced(loser: HarnessSkill, warning: str) -> Skipped:
    """Return why a file whose name a stronger one has taken gives no skill."""
    repair = "give one of the two another name"
    return Skipped(path=loser.path, code="duplicate-name", reason=warning, line=1, repair=repair)
