"""Every harness by name; a harness's module is loaded when it is first asked for."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from tohlab.dialects.harness import Harness
from tohlab.dialects.registry import module_named

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
    found: Harness = module_named(harness, _MODULES).HARNESS
    return found
