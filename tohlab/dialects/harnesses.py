"""Every harness by name; a harness's module is loaded when it is first asked for."""

from __future__ import annotations

import difflib
import importlib
from types import MappingProxyType
from typing import Final

from tohlab.dialects.harness import Harness
from tohlab.errors import UnknownDialect

_MODULES: Final = MappingProxyType(
    {
        "agent-skills": "tohlab.dialects.agent_skills",
        "claude-code": "tohlab.dialects.claude_code",
        "cline": "tohlab.dialects.cline",
        "codex": "tohlab.dialects.codex",
        "gemini-cli": "tohlab.dialects.gemini_cli",
        "goose": "tohlab.dialects.goose",
        "hermes": "tohlab.dialects.hermes",
        "mistral-vibe": "tohlab.dialects.mistral_vibe",
        "opencode": "tohlab.dialects.opencode",
        "pi": "tohlab.dialects.pi",
        "pikuri": "tohlab.dialects.pikuri",
        "qwen-code": "tohlab.dialects.qwen_code",
        "roo": "tohlab.dialects.roo",
        "supercode": "tohlab.dialects.supercode",
        "toh": "tohlab.dialects.toh_harness",
        "vscode": "tohlab.dialects.vscode",
    }
)
"""Name to the module whose `HARNESS` it is."""


def harness_names() -> tuple[str, ...]:
    """Return the name of every harness there is, sorted."""
    return tuple(sorted(_MODULES))


def get_harness(harness: str | Harness) -> Harness:
    """Return the harness of that name; an instance is given back as it is.

    Raises:
        UnknownDialect: no harness of that name; the message has the nearest name and the known ones.
    """
    if isinstance(harness, Harness):
        return harness
    if harness not in _MODULES:
        names = harness_names()
        near = difflib.get_close_matches(harness.lower(), names, n=1, cutoff=0.5)
        raise UnknownDialect(harness, names, near[0] if near else None)
    found: Harness = importlib.import_module(_MODULES[harness]).HARNESS
    return found
