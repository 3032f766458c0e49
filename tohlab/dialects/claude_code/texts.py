"""Every text that Claude Code sends, as far as it is known, and the numbers that go with them."""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.substitution import Substitution

HEAD: Final = """\
<system-reminder>
The following skills are available for use with the Skill tool:

"""
TAIL: Final = "\n</system-reminder>"
ENTRY: Final = "- {name}: {description}"
NAME_ONLY: Final = "- {name}"
WHEN: Final = "{description} - {when}"
CUT_MARK: Final = "…"

DESCRIPTION: Final = (
    "Invoke a skill. Available skills appear in a system-reminder listing with one-line descriptions. "
    "`skill` is the exact name from that listing, without a leading slash; `args` are optional arguments."
)
"""In our own words but for the listing's half sentence; the program's text is about five times as long."""

PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "skill": {"type": "string", "description": "The exact name of the skill, no leading slash."},
            "args": {"type": "string", "description": "Optional arguments for the skill."},
        },
        "required": ["skill"],
        "additionalProperties": False,
    }
)

LOADED: Final = "Base directory for this skill: {directory}\n\n{body}"
ALREADY_LOADED: Final = "[skill content already loaded above; instructions unchanged]"
UNKNOWN: Final = "Unknown skill: {name}"
NO_NAME: Final = "Invalid skill format: {name}"
NOT_FOR_MODELS: Final = "Skill {name} cannot be used with Skill tool due to disable-model-invocation"
NOT_FOR_USERS: Final = 'This skill can only be invoked by Claude, not directly by users. Ask Claude to use the "{name}" skill for you.'
SHELL_DISABLED: Final = "[shell command execution disabled by policy]"

SUBSTITUTION: Final = Substitution(
    first=0,
    words="shell",
    missing="literal",
    missing_name="empty",
    indexed=True,
    named=True,
    whole_number=True,
    escape=True,
    append="\n\nARGUMENTS: {arguments}",
    append_if="unused",
)

DESCRIPTION_LIMIT_CHARS: Final = 1536
"""Of description and when_to_use together (`skillListingMaxDescChars`)."""
BUDGET_FRACTION: Final = 0.01
"""Of the context window, for the whole listing (`skillListingBudgetFraction`)."""
CHARS_PER_TOKEN: Final = 4
BUDGET_CHARS: Final = 8000
"""Where the window is not known."""
