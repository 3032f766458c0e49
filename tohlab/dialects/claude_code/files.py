"""Where Claude Code looks, what it takes from a file, and who may start what it found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tohlab.dialects.folders import Place, cut_frontmatter
from tohlab.dialects.gates import gate_opens, gate_patterns
from tohlab.dialects.harness import HarnessSkill, Setting
from tohlab.skills.readers import YamlRead, npm_yaml

_TRUE: Final = ("true", "yes", "on", "1")
_FALSE: Final = ("false", "no", "off", "0")
_PLAIN_VALUE: Final = re.compile(
    r"^([A-Za-z_][\w-]*):[ \t]+(?![\"'|>\[{&*!])(.*:(?:[ \t].*|$))$", re.MULTILINE
)
"""A key with an unquoted value that has a colon in it."""


def boolean(value: Any) -> bool | None:
    """Return what a field means as yes or no (`yes`, `on`, `1` too), or None where it means neither."""
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def for_users_alone(skill: HarnessSkill) -> bool:
    """Return whether users can start a skill that its file keeps from the model."""
    return skill.user_loads and boolean(skill.fields.get("disable-model-invocation")) is True


def visible(skill: HarnessSkill, setting: Setting, below: bool, touched: tuple[str, ...]) -> HarnessSkill:
    """Return the skill with who may start it: by its own fields, the settings' overrides and its gate.

    Args:
        skill: as its file gives it.
        setting: where `skillOverrides` stands.
        below: whether its folder is one that counts now.
        touched: the files that fire gates.
    """
    override = dict(setting.options.get("skillOverrides", {})).get(skill.name)
    there = below and override != "off" and gate_opens(_gate(skill), touched)
    disabled = boolean(skill.fields.get("disable-model-invocation")) is True
    model = there and not disabled and override != "user-invocable-only"
    user = there and boolean(skill.fields.get("user-invocable")) is not False
    if model and user:
        return skill  # as it is read
    return replace(skill, listed=model, model_loads=model, user_loads=user)


def _gate(skill: HarnessSkill) -> tuple[str, ...]:
    return gate_patterns(skill.fields.get("paths"), braces=True)


def _read(block: str) -> YamlRead:
    read = npm_yaml(block)
    if read.error is None:
        return read
    quoted = _PLAIN_VALUE.sub(lambda m: f"{m[1]}: '{m[2].replace(chr(39), chr(39) * 2)}'", block)
    return read if quoted == block else npm_yaml(quoted)


def parse_skill(text: str, place: Place, plugin: str, notes: list[str]) -> HarnessSkill:
    """Return the skill that a file gives; every file gives one. What went wrong is added to `notes`.

    Args:
        text: the file.
        place: where it was found; the folder names the skill.
        plugin: the plug-in that has it, or empty; then its own name counts.
        notes: for malformed YAML.
    """
    block, body = cut_frontmatter(text.removeprefix("\ufeff"))
    fields: Mapping[str, Any] = {}
    if block is not None:
        read = _read(block)
        fields = read.fields
        if read.error is not None:
            notes.append(f"{place.path}: malformed YAML, the body loads without fields: {read.error}")
    body = body.strip()
    name, own = place.folder, fields.get("name")
    if plugin:
        name = f"{plugin}:{own if isinstance(own, str) and own else name}"
    return HarnessSkill(
        name=name,
        description=_text(fields.get("description")) or _first_paragraph(body) or None,
        body=body,
        path=place.path,
        text=text,
        fields=fields,
    )


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _first_paragraph(body: str) -> str:
    return " ".join(re.split(r"\n[^\S\n]*\n", body, maxsplit=1)[0].lstrip("#").split())
