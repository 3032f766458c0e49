"""The user's rules for skills in opencode: what is denied, and whether the tool is there at all."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tohlab.dialects.harness import (
    Setting,
)

_ALLOW_ALL: Final = MappingProxyType({"permission": "*", "action": "allow", "pattern": "*"})


def rules_of(setting: Setting) -> list[dict[str, str]]:
    """Return the rules as the program tells them, its own before the user's."""
    given: Mapping[str, str] = setting.options.get("permission") or {}
    own = [{"permission": "skill", "pattern": pattern, "action": action} for pattern, action in given.items()]
    return [dict(_ALLOW_ALL), *own]


def is_denied(name: str, setting: Setting) -> bool:
    """Return whether the last rule that fits a name denies it."""
    fitting = [rule["action"] for rule in rules_of(setting) if _fits(name, rule["pattern"])]
    return fitting[-1] == "deny"


def _fits(name: str, pattern: str) -> bool:
    # Only * and ? are special there.
    return fnmatch.fnmatchcase(name, pattern.replace("[", "[[]"))


def tool_is_off(setting: Setting) -> bool:
    """Return whether the last rule denies every skill, which takes list and tool away."""
    rule = rules_of(setting)[-1]
    return rule["pattern"] == "*" and rule["action"] == "deny"
