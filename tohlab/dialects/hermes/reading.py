"""What Hermes Agent takes from a file, which files it walks to, and which names its lookup takes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final

from tohlab.dialects.harness import FileTree, Setting, folder_name
from tohlab.dialects.hermes.texts import (
    ENVIRONMENTS,
    EXCLUDED,
    NAMESPACE,
    NOT_RELATIVE,
    PLATFORMS,
    SUPPORT,
    TRAVERSAL,
)
from tohlab.skills.readers import key_value_lines, pyyaml

_FENCE: Final = re.compile(r"\n---\s*\n")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
"""A name that is no path and has no namespace: nearly all."""
_NAMESPACE: Final = re.compile(r"^[a-zA-Z0-9_-]+$")


def read(tree: FileTree, path: str) -> str:
    """Return a file as Python opens a text: strict UTF-8, each line end a line feed, a first mark kept.

    Raises:
        UnicodeDecodeError: the file is not UTF-8.
    """
    text = tree[path].decode("utf-8")
    return re.sub("\r\n?", "\n", text) if "\r" in text else text


def folder_of(path: str, setting: Setting) -> str:
    """Return the name of a file's folder; for a file in the root, the root's own."""
    return folder_name(path) or PurePosixPath(setting.root).name


def parse(text: str) -> tuple[Mapping[str, Any], str, str]:
    """Return the fields, the body, and in words what was lost on the way.

    The file starts with `---` after one byte order mark at most; the block ends at a line of `---` and white
    space that has a line below it. PyYAML reads it; what PyYAML refuses is split at the first colon of each
    line.
    """
    text = text.removeprefix("\ufeff")
    if not text.startswith("---"):
        return {}, text, "there is no frontmatter; the folder's name is listed"
    end = _FENCE.search(text, 3)
    if end is None:
        return {}, text, "the frontmatter has no closing line; the folder's name is listed"
    block, body = text[3 : end.start()], text[end.end() :]
    read = pyyaml(block)
    if read.error is not None:
        return (
            key_value_lines(block),
            body,
            "its YAML cannot be read, so each line was split at its first colon",
        )
    how = (
        "" if isinstance(read.value, dict) else "the frontmatter holds no fields; the folder's name is listed"
    )
    return read.fields, body, how


def runs_on(fields: Mapping[str, Any], setting: Setting) -> bool:
    """Return whether `platforms` names the system at hand, or none at all."""
    platforms = fields.get("platforms")
    if not platforms:
        return True
    here = setting.options.get("platform") or "linux"
    wanted = (str(p).lower().strip() for p in (platforms if isinstance(platforms, list) else [platforms]))
    return any(here.startswith(PLATFORMS.get(platform, platform)) for platform in wanted)


def suits(fields: Mapping[str, Any], setting: Setting) -> bool:
    """Return whether `environments` names one that is active, none, or one that the program does not know."""
    environments = fields.get("environments")
    if not environments:
        return True
    active = frozenset(setting.options.get("environments") or ())
    for environment in environments if isinstance(environments, list) else [environments]:
        tag = str(environment).lower().strip()
        if tag and (tag not in ENVIRONMENTS or tag in active):
            return True
    return False


def name_error(name: str) -> str | None:
    """Return why `skill_view` takes no such name, or None."""
    if _PLAIN_NAME.fullmatch(name):
        return None
    asked = name.strip()
    windows = PureWindowsPath(asked)
    if PurePosixPath(asked).is_absolute() or windows.is_absolute() or windows.drive:
        return NOT_RELATIVE
    if ".." in PurePosixPath(asked).parts:
        return TRAVERSAL
    namespace, colon, _ = name.partition(":")
    if colon and not _NAMESPACE.match(namespace):
        return NAMESPACE.format(namespace=namespace, name=name)
    return None


def is_support(path: str, paths: Set[str]) -> bool:
    """Return whether a path lies in a folder of a skill's own files."""
    parts = path.split("/")
    return any(
        part in SUPPORT and "/".join((*parts[:at], "SKILL.md")) in paths for at, part in enumerate(parts[:-1])
    )


def out_of_sight(path: str, paths: Set[str]) -> str:
    """Return the folder for whose sake the program does not walk to a file; empty where it does."""
    parts = path.split("/")[:-1]
    for at, part in enumerate(parts):
        here = "/".join((*parts[:at], "SKILL.md"))
        if part in EXCLUDED or (part in SUPPORT and here in paths):
            return "/".join(parts[: at + 1])
    return ""
