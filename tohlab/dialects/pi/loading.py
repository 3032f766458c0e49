"""What pi makes of a file: a skill, or the reason why not, and what it tells its user.

Source: `dist/core/skills.js` and `dist/utils/frontmatter.js` of 1.6.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from tohlab.dialects.harness import HarnessSkill, Setting, Skipped, folder_name
from tohlab.dialects.pi.discovery import FILE
from tohlab.ecma import trim, utf16_length
from tohlab.skills.frontmatter import START_WITH_FRONTMATTER
from tohlab.skills.npm_yaml_errors import npm_yaml_message
from tohlab.skills.readers import npm_yaml

NO_DESCRIPTION: Final = "description is required"
DESCRIPTION_LENGTH: Final = "description exceeds 1024 characters ({length})"
NAME_LENGTH: Final = "name exceeds 64 characters ({length})"
NAME_CHARACTERS: Final = "name contains invalid characters (must be lowercase a-z, 0-9, hyphens only)"
NAME_EDGE: Final = "name must not start or end with a hyphen"
NAME_DOUBLE: Final = "name must not contain consecutive hyphens"
COLLISION: Final = 'name "{name}" collision'

MAX_NAME: Final = 64
MAX_DESCRIPTION: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """What pi tells its user of a file at the start."""

    type: Literal["warning", "collision"]
    message: str
    path: str
    """Relative to the tree."""
    name: str = ""
    """Of a collision: the name."""
    winner: str = ""
    """Of a collision: the file that is kept, relative to the tree."""
    in_own_words: bool = False
    """The YAML library's words are not known; the message is ours."""

    def to_dict(self, setting: Setting) -> dict[str, Any]:
        """Return the diagnostic as the program holds it."""
        path = setting.path_of(self.path)
        made: dict[str, Any] = {"type": self.type, "message": self.message, "path": path}
        if self.type == "collision":
            made["collision"] = {
                "resourceType": "skill",
                "name": self.name,
                "winnerPath": setting.path_of(self.winner),
                "loserPath": path,
            }
        return made


class Made(NamedTuple):
    """What became of a file."""

    skill: HarnessSkill | Skipped
    diagnostics: list[Diagnostic]


_NAME: Final = re.compile(r"[a-z0-9-]+")


def make_skill(text: str, path: str, setting: Setting) -> Made:
    """Return the skill of a file, or why there is none, and what the program says of it.

    Args:
        text: the file, with what is not UTF-8 as U+FFFD.
        path: relative to the tree.
        setting: where the root is; a skill without a name has its folder's.
    """
    declared = path.rpartition("/")[2] == FILE
    block, body, first_line = _cut(text)
    read_block = npm_yaml(block) if block else None
    if read_block is not None and read_block.error is not None:
        words = npm_yaml_message(block or "")
        place = f" at line {read_block.line}" if read_block.line else ""
        message = words or f"{read_block.error}{place}"
        line = read_block.line + first_line if read_block.line else None
        bad = Skipped(
            path=path,
            code="invalid-yaml",
            reason=message,
            line=line,
            repair=read_block.repair,
            silent=not declared,
        )
        said = Diagnostic(type="warning", message=message, path=path, in_own_words=words is None)
        return Made(bad, [said] if declared else [])
    fields = read_block.fields if read_block is not None else {}
    description = fields.get("description")
    described = isinstance(description, str) and trim(description) != ""
    if not declared and not described:
        return Made(_undescribed(path, fields, text, silent=True), [])
    messages: list[str] = []
    if not isinstance(description, str) or not described:
        messages.append(NO_DESCRIPTION)
    elif utf16_length(description) > MAX_DESCRIPTION:
        messages.append(DESCRIPTION_LENGTH.format(length=utf16_length(description)))
    given = fields.get("name")
    folder = folder_name(setting.path_of(path))
    name = given if isinstance(given, str) and given else folder
    messages += _name_messages(name)
    said_of_it = [Diagnostic(type="warning", message=message, path=path) for message in messages]
    if not isinstance(description, str) or not described:
        return Made(_undescribed(path, fields, text, silent=False), said_of_it)
    skill = HarnessSkill(
        name=name,
        description=description,
        body=body,
        path=path,
        text=text,
        fields=fields,
        listed=fields.get("disable-model-invocation") is not True,
    )
    return Made(skill, said_of_it)


def _cut(text: str) -> tuple[str | None, str, int]:
    # The block, the body, and how many lines stand before the block's first.
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    end = text.find("\n---", 3) if text.startswith("---") else -1
    if end < 0:
        return None, trim(text), 0
    return text[4:end] if end >= 4 else "", trim(text[end + 4 :]), int(text[3] == "\n")


def _undescribed(path: str, fields: Mapping[str, Any], text: str, *, silent: bool) -> Skipped:
    line, repair = 1, "add a line `description: …` to the frontmatter"
    if "description" in fields:
        rows = text.replace("\r\n", "\n").split("\n")
        line = next((n for n, row in enumerate(rows, 1) if row.lstrip("\"'").startswith("description")), 1)
        repair = "give description a text"
    elif not fields:
        repair = START_WITH_FRONTMATTER
    return Skipped(
        path=path, code="missing-description", reason=NO_DESCRIPTION, line=line, repair=repair, silent=silent
    )


def _name_messages(name: str) -> Iterator[str]:
    if utf16_length(name) > MAX_NAME:
        yield NAME_LENGTH.format(length=utf16_length(name))
    if not _NAME.fullmatch(name):
        yield NAME_CHARACTERS
    if name.startswith("-") or name.endswith("-"):
        yield NAME_EDGE
    if "--" in name:
        yield NAME_DOUBLE
