"""Which files Codex takes for skills, and what it makes of each.

Source: openai/codex `codex-rs/core-skills/src/loader.rs`, `codex-rs/skills/src/parser.rs` (the repair of
values) and `codex-rs/utils/plugins` (the names of a plugin's skills), checked against the vectors.
"""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, Literal

import yaml

from tohlab.dialects.codex.texts import (
    INVALID_YAML,
    MISSING_FIELD,
    MISSING_FRONTMATTER,
    NAME_TOO_LONG,
    NOT_UTF8,
    UNREADABLE,
)
from tohlab.dialects.harness import FileTree, HarnessSkill, Setting, SkillRoot, Skipped, folder_name
from tohlab.skills.frontmatter import missing_frontmatter
from tohlab.skills.readers import YamlRead, serde_yaml
from tohlab.skills.serde_yaml import Struct

FILE: Final = "SKILL.md"
Scope = Literal["system", "admin", "repo", "user"]
SIDE_FILE: Final = "agents/openai.yaml"
"""Beside a skill's file; it can hide the skill from the list."""
MANIFESTS: Final = (".codex-plugin/plugin.json", ".claude-plugin/plugin.json")
"""What makes a folder a plugin, whose name then stands before the names of its skills."""
MAX_DEPTH: Final = 6
MAX_FOLDERS: Final = 2000
"""Below one root, the root included; further ones are not looked into."""
NAME_CHARS: Final = 64

SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""Unicode's white space, which is Rust's, as the inside of a character class."""
_RUN: Final = re.compile(f"[{SPACE}]+")
STRIPPED: Final = "".join(chr(c) for c in range(0x3001) if _RUN.match(chr(c)))
"""The same, for `strip`."""
_FENCE: Final = re.compile(f"[{SPACE}]*---[{SPACE}]*")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

FRONTMATTER: Final = Struct(
    name="SkillFrontmatter",
    fields={
        "name": "text",
        "description": "text",
        "metadata": Struct(name="SkillFrontmatterMetadata", fields={"short-description": "text"}),
    },
)
_TEXTS: Final = (
    "display_name",
    "short_description",
    "icon_small",
    "icon_large",
    "brand_color",
    "default_prompt",
)
SIDE: Final = Struct(
    name="SkillMetadataFile",
    fields={
        "interface": Struct(name="Interface", fields=dict.fromkeys(_TEXTS, "text")),
        "policy": Struct(name="Policy", fields={"allow_implicit_invocation": "flag"}),
    },
)


def on_one_line(text: str) -> str:
    """Return a text with each run of white space as one space, and trimmed."""
    return _RUN.sub(" ", text).strip(" ")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexRoot(SkillRoot):
    """A folder in which Codex looks for skills."""

    scope: Scope = "repo"
    """Whose it is: the list has `system`, `admin`, `repo` and `user` skills in this order."""


def reaches(root: CodexRoot, path: str) -> bool:
    """Return whether a file lies in a root, and in no hidden folder of it."""
    inside = path.removeprefix(root.prefix).split("/")[:-1]
    return path.startswith(root.prefix) and not any(part.startswith(".") for part in inside)


def find(tree: FileTree, root: CodexRoot) -> tuple[tuple[str, ...], tuple[Skipped, ...]]:
    """Return the files of a root that are looked at, and the like-named ones that are not, with reasons."""
    folders: dict[str, set[str]] = {"": set()}
    candidates = []
    prefix = root.prefix
    for whole in tree:
        if not whole.startswith(prefix):
            continue
        path = whole.removeprefix(prefix)
        parts = path.split("/")
        if parts[-1].lower() == FILE.lower():
            candidates.append(path)
        if any(part.startswith(".") for part in parts[:-1]):
            continue
        for depth in range(min(len(parts) - 1, MAX_DEPTH)):
            here = "/".join(parts[:depth])
            there = f"{here}/{parts[depth]}" if here else parts[depth]
            folders.setdefault(here, set()).add(there)
    seen = _breadth_first(folders)
    taken, skipped = [], []
    for path in sorted(candidates, key=lambda path: path.split("/")):
        reason = _overlooked(path, prefix, seen)
        if reason is None:
            taken.append(prefix + path)
        else:
            skipped.append(reason)
    return tuple(taken), tuple(skipped)


def _breadth_first(folders: dict[str, set[str]]) -> set[str]:
    seen = {""}
    queue = deque([""])
    while queue:
        for folder in sorted(folders.get(queue.popleft(), ())):
            if len(seen) >= MAX_FOLDERS:
                return seen
            seen.add(folder)
            queue.append(folder)
    return seen


def _overlooked(path: str, prefix: str, seen: set[str]) -> Skipped | None:
    *folders, name = path.split("/")
    hidden = next((part for part in folders if part.startswith(".")), None)
    if name != FILE:
        code, reason, repair = "file-name", f"the file has to be named {FILE}", f"rename it to {FILE}"
    elif hidden is not None:
        code, reason = "hidden-folder", f"the folder {hidden} starts with a dot and is not looked into"
        repair = f"give {hidden} a name without the dot, or move the skill out of it"
    elif len(folders) > MAX_DEPTH:
        code, reason = "too-deep", f"only {MAX_DEPTH} levels of folders are looked into"
        repair = f"move the folder {'/'.join(folders)} up"
    elif "/".join(folders) not in seen:
        code, reason = "too-many-folders", f"only the first {MAX_FOLDERS} folders are looked into"
        repair = "spread the skills over several roots, or remove folders"
    else:
        return None
    silent = code != "too-many-folders"
    return Skipped(path=prefix + path, code=code, reason=reason, repair=repair, silent=silent)


def parse(path: str, tree: FileTree, setting: Setting) -> HarnessSkill | Skipped:
    """Return the skill of a file, or why it gives none.

    Args:
        path: the file, relative to the root of the tree.
        tree: the files.
        setting: the run.
    """
    try:
        text = tree[path].decode("utf-8")
    except OSError as error:
        reason = UNREADABLE.format(reason=error.strerror)
        return _skipped(path, "unreadable", reason, None, "make the file readable")
    except UnicodeDecodeError as error:
        line = tree[path].count(b"\n", 0, error.start) + 1
        return _skipped(path, "not-utf-8", NOT_UTF8, line, "save the file as UTF-8")
    block = _frontmatter(text)
    if block is None:
        return _without_frontmatter(path, text)
    read = serde_yaml(block, FRONTMATTER)
    if read.error is not None:
        repaired = with_prose_in_quotes(block)
        again = serde_yaml(repaired, FRONTMATTER) if repaired is not None else read
        if again.error is not None:
            at = None if read.line is None else read.line + 1
            return _skipped(path, read.code, INVALID_YAML.format(reason=read.error), at, read.repair)
        read = again
    name = on_one_line(read.fields.get("name") or "") or _folder_name(path, setting)
    description = on_one_line(read.fields.get("description") or "")
    if len(name) > NAME_CHARS:
        reason = NAME_TOO_LONG.format(limit=NAME_CHARS)
        repair = f"shorten the name to {NAME_CHARS} characters; it has {len(name)}"
        return _skipped(path, "name-too-long", reason, read.lines.get("name", 0) + 1, repair)
    if not description:
        return _without_description(path, read)
    side = f"{path.removesuffix(FILE)}{SIDE_FILE}"
    plugin = _plugin(path, tree, setting)
    return HarnessSkill(
        name=f"{plugin}:{name}" if plugin else name,
        description=description,
        body=text,
        path=path,
        text=text,
        fields=read.fields,
        listed=not _is_hidden(side, tree),
        model_loads=True,
        user_loads=True,
    )


def with_prose_in_quotes(block: str) -> str | None:
    """Return a block with the values in quotes that are prose, not YAML; None if there are none.

    A value is prose if it holds a colon before white space, or if it opens like a list, a mapping or with a
    reserved character but is none. Values in quotes and blocks of text stay as they are; a comment stays one.
    """
    lines = block.split("\n")
    inside: int | None = None
    changed = False
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if inside is not None:
            if not on_one_line(line) or indent > inside:
                continue
            inside = None
        key, colon, rest = line.partition(":")
        if not colon or not on_one_line(key) or not _RUN.match(rest):
            continue
        start = len(rest) - len(rest.lstrip(STRIPPED))
        comment = _COMMENT.search(rest, start)
        value = rest[start : comment.start() if comment else None].rstrip(STRIPPED)
        if value.startswith(("|", ">")):
            inside = indent
        elif value and value[0] not in "'\"" and _is_prose(value):
            quoted = value.replace("'", "''")
            tail = rest[start + len(value) :] if comment else ""
            lines[number] = f"{key}:{rest[:start]}'{quoted}'{tail}"
            changed = True
    return "\n".join(lines) if changed else None


_COMMENT: Final = re.compile(f"(?<![^{SPACE}])#")
_SEPARATOR: Final = re.compile(f":[{SPACE}]")


def _is_prose(value: str) -> bool:
    if _SEPARATOR.search(value):
        return True
    if value[0] not in "[{@`":
        return False
    try:
        for _ in yaml.parse(value, Loader=_Loader):
            pass
    except yaml.YAMLError:
        return True
    return False


def _frontmatter(text: str) -> str | None:
    # Lines end with LF or CRLF; the fences may stand between white space.
    first, *lines = text.split("\n")
    if not _FENCE.fullmatch(first.removesuffix("\r")):
        return None
    block: list[str] = []
    for line in lines:
        line = line.removesuffix("\r")
        if _FENCE.fullmatch(line):
            return "\n".join(block) if block else None
        block.append(line)
    return None


def _without_frontmatter(path: str, text: str) -> Skipped:
    lines = text.split("\n")
    if len(lines) > 1 and _FENCE.fullmatch(lines[0]) and _FENCE.fullmatch(lines[1]):
        line, repair = 2, "write name and description between the two --- lines"
    else:
        error = missing_frontmatter(text)
        line, repair = error.line or 1, error.remedy
    return _skipped(path, "missing-frontmatter", MISSING_FRONTMATTER, line, repair)


def _without_description(path: str, read: YamlRead) -> Skipped:
    line = read.lines.get("description")
    repair = "give description a value" if line else "add a line `description: …` to the frontmatter"
    reason = MISSING_FIELD.format(field="description")
    return _skipped(path, "missing-description", reason, line + 1 if line else 1, repair)


def _skipped(path: str, code: str, reason: str, line: int | None, repair: str) -> Skipped:
    return Skipped(path=path, code=code, reason=reason, line=line, repair=repair)


def _folder_name(path: str, setting: Setting) -> str:
    folder = folder_name(path) or PurePosixPath(setting.root).name
    return on_one_line(folder) or "skill"


def _is_hidden(side: str, tree: FileTree) -> bool:
    # What is wrong with the side file costs nothing: it is as if it were not there.
    if side not in tree:
        return False
    try:
        text = tree[side].decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    policy = serde_yaml(text, SIDE).fields.get("policy") or {}
    return policy.get("allow_implicit_invocation") is False


def _plugin(path: str, tree: FileTree, setting: Setting) -> str | None:
    folders = path.split("/")[:-1]
    for depth in range(len(folders), -1, -1):
        prefix = "".join(f"{folder}/" for folder in folders[:depth])
        manifest = next((prefix + name for name in MANIFESTS if prefix + name in tree), None)
        if manifest is None:
            continue
        try:
            value = json.loads(tree[manifest])
        except (OSError, ValueError, RecursionError):
            continue
        name = value.get("name", "") if isinstance(value, dict) else None
        if not isinstance(name, str):
            continue
        if name.strip():
            return name
        return folders[depth - 1] if depth else PurePosixPath(setting.root).name
    return None
