"""What qwen-code takes from a file, why it takes none, and who may start what it took."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tohlab.dialects.folders import key_line, misnamed, wrong_depth
from tohlab.dialects.harness import (
    HarnessSkill,
    Setting,
    SkillRoot,
    Skipped,
)
from tohlab.dialects.qwen_code.texts import NAME_RULE, NO_TEXT
from tohlab.ecma import number_to_string, trim
from tohlab.skills.readers import npm_yaml, simple_lines
from tohlab.skills.yaml12 import TaggedScalar

_BLOCK: Final = re.compile(r"\A---\n((?s:.*?))\n---(?:\n|\Z)((?s:.*))\Z")
Level = Literal["project", "user"]
INSTALLING: Final = re.compile(r"\.(?:backup|installing)-[0-9]+-[0-9]+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class QwenRoot(SkillRoot):
    """A folder in which qwen-code looks for skills."""

    level: Level = "project"
    """The word that stands behind each description and for each location."""


ROOTS: Final = (
    QwenRoot(folder="project/.qwen/skills", project=True),
    QwenRoot(folder="home/.qwen/skills", level="user"),
)
"""qwen-code's own roots, strongest first, for a tree with a project and a home: the option `roots`."""


def qwen_roots(setting: Setting) -> tuple[QwenRoot, ...]:
    """Return the roots of a setting; a tree without roots is one of the option `level`."""
    if setting.options.get("roots") is None:
        return (QwenRoot(level=setting.options.get("level", "project")),)
    return setting.skill_roots(QwenRoot)


def parse(text: str, path: str, active: Iterable[str]) -> HarnessSkill | Skipped:
    """Return the skill of a file, or why it gives none.

    Args:
        text: the whole file.
        path: the file, relative to the root of the tree.
        active: names of skills whose `paths` a file has matched.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    match = _BLOCK.match(text)
    if match is None:
        repair = "start the file with ---, name and description, then a line that is exactly ---"
        return _failed(path, "missing-frontmatter", "Invalid format: missing YAML frontmatter", 1, repair)
    block, body = match.groups()
    fields = _fields(block)
    name = fields.get("name", "")
    description = fields.get("description", "")
    for key, value in (("name", name), ("description", description)):
        if value == "":
            line = _line(block, key) or 1
            repair = (
                f"give {key} a value" if _line(block, key) else f"add a line `{key}: …` to the frontmatter"
            )
            return _failed(path, f"missing-{key}", f'Missing "{key}" in frontmatter', line, repair)
    for key, value in (("name", name), ("description", description)):
        if _string(value) is None:
            return _failed(path, "wrong-type", NO_TEXT, _line(block, key), f"write {key} as one text")
        if key == "name" and not _is_name(_string(value) or ""):
            reason = f'"name" must match {NAME_RULE}; got "{_string(value)}"'
            repair = "write the name with letters, digits, _, :, . and - alone"
            return _failed(path, "invalid-name", reason, _line(block, key), repair)
    name, description = _string(name) or "", _string(description) or ""
    for key in ("allowedTools", "paths"):
        if key in fields and not isinstance(fields[key], list):
            what = "an array of glob patterns" if key == "paths" else "an array"
            return _failed(
                path, "wrong-type", f'"{key}" must be {what}', _line(block, key), f"write {key} as a list"
            )
        if _string(fields.get(key, [])) is None:
            return _failed(path, "wrong-type", NO_TEXT, _line(block, key), f"write {key} as a list of texts")
    for pattern in fields.get("paths", ()):
        plain = trim(_string(pattern) or "").replace("\\", "/")
        if plain.startswith("/") or re.match(r"[A-Za-z]:", plain) or ".." in plain.split("/"):
            reason = f'"paths" entry "{plain}" leaves the project'
            repair = "write the pattern relative to the project, without .."
            return _failed(path, "wrong-paths", reason, _line(block, "paths"), repair)
    if not trim(description):
        reason = 'Validation failed: "description" cannot be empty'
        return _failed(
            path, "missing-description", reason, _line(block, "description"), "give description a value"
        )
    flag = fields.get("user-invocable")
    skill = HarnessSkill(
        name=name,
        description=description,
        body=trim(body),
        path=path,
        text=text,
        fields=fields,
        user_loads=flag is not False and flag != "false",
    )
    seen = not hidden(skill) and (not gates(skill) or name in active)
    return skill if seen else replace(skill, listed=False, model_loads=False)


def _is_name(text: str) -> bool:
    return text != "" and all(c in "_:.-" or unicodedata.category(c)[0] in "LN" for c in text)


def _fields(block: str) -> dict[str, Any]:
    # npm yaml, and where that fails or gives no mapping the program's own line reader; nothing is null.
    read = npm_yaml(block)
    value = read.value if read.error is None and isinstance(read.value, dict) else simple_lines(block)
    kept: dict[str, Any] = _without_null(value)
    return kept


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_null(item) for item in value if item is not None]
    return value.text if isinstance(value, TaggedScalar) else value


def _string(value: Any) -> str | None:
    # JavaScript's String; None for a mapping, which has no prototype there and so no text.
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_to_string(value)
        case list():
            parts = [_string(item) for item in value]
            return None if None in parts else ",".join(part or "" for part in parts)
        case _:
            return None


def _line(block: str, key: str) -> int | None:
    line = key_line(block, key, quoted=True)
    return None if line is None else line + 1


def _failed(path: str, code: str, reason: str, line: int | None, repair: str) -> Skipped:
    reason = f"Failed to parse skill file: {reason}"
    return Skipped(path=path, code=code, reason=reason, line=line, repair=repair)


def overlooked(path: str, parts: list[str]) -> Skipped:
    """Return why a file that is called like a skill's is not looked at."""
    if len(parts) != 2:
        return wrong_depth(path)
    if parts[-1] != "SKILL.md":
        return misnamed(path)
    reason, repair = "folders of an installation under way are passed over", "give the folder another name"
    return Skipped(path=path, code="install-artifact", reason=reason, repair=repair, silent=True)


def repeated(earlier: HarnessSkill, path: str) -> Skipped:
    """Return why a file whose name an earlier folder has taken gives no skill."""
    reason = f"Skipping duplicate skill: {earlier.path} has the same name {earlier.name!r} and comes first"
    repair = "give one of the two another name"
    return Skipped(path=path, code="duplicate-name", reason=reason, line=1, repair=repair)


def gates(skill: HarnessSkill) -> list[str]:
    """Return the patterns that a touched file has to match before the skill is listed."""
    patterns = skill.fields.get("paths", ())
    return [pattern for pattern in patterns if trim(_string(pattern) or "")]


def hidden(skill: HarnessSkill) -> bool:
    """Return whether a skill is kept from the model."""
    flag = skill.fields.get("disable-model-invocation")
    return flag is True or flag == "true"
