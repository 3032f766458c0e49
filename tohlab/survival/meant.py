"""What the author of a skill file meant: its name and description, read as leniently as can be.

No harness reads a file like this. It is the yardstick: a harness that takes another name or another
description from the file has changed the skill.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tohlab.skills.readers import key_value_lines, npm_yaml
from tohlab.survival.repair import mended_block, split_file

_KEY: Final = re.compile(r"^[\"']?([A-Za-z_][\w-]*)[\"']?[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """A skill as its file means it."""

    name: str
    """As the file says; where it says nothing, the folder's."""
    description: str | None
    """None where the file has none."""
    body: str
    lines: Mapping[str, int]
    """The line of each top-level key, counted from 1 in the file; the first of two."""
    has_fields: bool
    """Whether there is frontmatter that says anything."""
    body_line: int
    """The line on which the body starts."""


def meant(text: str, folder: str) -> Meant:
    """Return the name and the description that a file means.

    Args:
        text: the file.
        folder: the name of the file's folder.
    """
    parts = split_file(text)
    if parts is None:
        return Meant(name=folder, description=None, body=text, lines={}, has_fields=False, body_line=1)
    fields: Mapping[str, Any] = npm_yaml(parts.block).fields
    if not fields:
        mended = mended_block(parts.block)
        fields = npm_yaml(mended).fields or _plain_lines(parts.block)
    lines: dict[str, int] = {}
    for match in _KEY.finditer(parts.block):
        lines.setdefault(match[1], parts.head.count("\n") + parts.block.count("\n", 0, match.start()) + 1)
    return Meant(
        name=_text(fields, "name", parts.block) or folder,
        description=_text(fields, "description", parts.block),
        body=parts.body,
        lines=lines,
        has_fields=bool(fields),
        body_line=text.count("\n", 0, len(text) - len(parts.body)) + 1,
    )


def _plain_lines(block: str) -> dict[str, str]:
    return {key: value.strip("\"'") for key, value in key_value_lines(block).items()}


def _text(fields: Mapping[str, Any], key: str, block: str) -> str | None:
    value = fields.get(key)
    if isinstance(value, float) and not math.isfinite(value):
        # `.inf`, or more digits than a number holds: the file has other signs than the number is written with
        return _plain_lines(block).get(key, str(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    return str(value) if isinstance(value, str | int | float) else None
