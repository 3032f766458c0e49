"""What Cline takes from a file, and why it takes none.

Source: `sdk/packages/core/src/extensions/config` of cline/cline.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from tohlab.dialects.folders import line_of, misnamed, too_deep
from tohlab.dialects.harness import HarnessSkill, Setting, Skipped, folder_name
from tohlab.ecma import trim
from tohlab.skills.readers import npm_yaml

FILE: Final = "SKILL.md"
_BLOCK: Final = re.compile(r"\A---\r?\n((?s:.*?))\r?\n---\r?\n?((?s:.*))\Z")


def parse(text: str, path: str, setting: Setting) -> HarnessSkill | Skipped:
    """Return the skill of a file, or why it gives none.

    Args:
        text: the whole file.
        path: the file, relative to the root of the tree.
        setting: the root, whose name counts for a file of the root itself.
    """
    text = text.removeprefix("\ufeff")
    match = _BLOCK.match(text)
    fields: Mapping[str, Any] = {}
    block, body = "", text
    if match is not None:
        block, body = match.groups()
        read = npm_yaml(block)
        if read.error is not None:
            return Skipped(
                path=path,
                code="invalid-yaml",
                reason=f"Failed to parse YAML frontmatter: {read.error}",
                line=None if read.line is None else read.line + 1,
                repair=read.repair,
                silent=True,
            )
        fields = read.fields
    body = trim(body)
    if not body:
        last = text.count("\n") + (not text.endswith("\n"))
        reason, repair = (
            "Missing instructions body in skill file.",
            "write the instructions below the second ---",
        )
        return Skipped(path=path, code="empty-body", reason=reason, line=last, repair=repair, silent=True)
    for key in ("name", "description"):
        value = fields.get(key)
        if value is not None and not isinstance(value, str):
            one = f"write {key} as one text"
            repair = one if isinstance(value, dict | list) else f"put the value of {key} in quotes"
            return _wrong_kind(path, block, key, "a string", repair)
    # `enabled` is not looked at where `disabled` says it.
    switch = "enabled" if fields.get("disabled") is None else "disabled"
    value = fields.get(switch)
    if value is not None and not isinstance(value, bool):
        return _wrong_kind(path, block, switch, "a boolean", f"write {switch}: true or {switch}: false")
    on = value is None or value is (switch == "enabled")
    folder = folder_name(path) or PurePosixPath(setting.root).name
    name = trim(fields.get("name") or "") or trim(folder)
    if not name:
        reason, repair = "Missing skill name.", "add a line `name: …` to the frontmatter"
        return Skipped(path=path, code="missing-name", reason=reason, line=1, repair=repair, silent=True)
    return HarnessSkill(
        name=name,
        description=trim(fields.get("description") or "") or None,
        body=body,
        path=path,
        text=text,
        fields=fields,
        listed=on,
        model_loads=on,
        user_loads=on,
    )


def _wrong_kind(path: str, block: str, key: str, kind: str, repair: str) -> Skipped:
    return Skipped(
        path=path,
        code="wrong-type",
        reason=f"Frontmatter field '{key}' must be {kind}.",
        line=line_of(block, key),
        repair=repair,
        silent=True,
    )


def replaced(earlier: HarnessSkill, path: str) -> Skipped:
    """Return why a file whose name a later one has taken gives no skill."""
    return Skipped(
        path=earlier.path,
        code="duplicate-name",
        reason=f"{path} has the same name {earlier.name!r} and was read later",
        line=1,
        repair="give one of the two another name",
        silent=True,
    )


def overlooked(path: str, parts: list[str]) -> Skipped:
    """Return why a file that is called like a skill's is not looked at."""
    return too_deep(path, "/".join(parts[:-1])) if len(parts) > 2 else misnamed(path)


def skill_id(name: str) -> str:
    """Return by what the program tells two names apart."""
    return trim(name).lower()
