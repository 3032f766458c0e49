"""Every text that Cline sends, whole."""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

DESCRIPTION: Final = (
    "Execute a skill within the main conversation. When users ask you to perform tasks, check if any available skills match. When users reference a slash command, invoke it with this tool. "
    'Input: `skill` (required) and optional `args`. Example: `skill: "pdf"`, `skill: "commit", args: "-m \\"Fix bug\\""`, `skill: "review-pr", args: "123"`, `skill: "ms-office-suite:pdf"`. '
    "When a skill matches the user's request, invoking this tool is a blocking requirement before any other response. Never mention a skill without invoking this tool."
)
NAMES: Final = "Available skills: "
"""Then the names with a comma and a space between, and a full stop."""

PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "skill": {"type": "string", "minLength": 1, "description": "Name of the skill to execute."},
            "args": {
                "description": "Arguments for the skill; use null when omitted",
                "anyOf": [{"type": "string"}, {"type": "null"}],
            },
        },
        "required": ["skill"],
        "additionalProperties": False,
    }
)

LOADED: Final = "<command-name>{name}</command-name>{args}\n<command-instructions>\n{description}{body}\n</command-instructions>"
ARGUMENTS: Final = "\n<command-args>{args}</command-args>"
DESCRIBED: Final = "Description: {description}\n\n"

MISSING_NAME: Final = "Missing skill name."
DISABLED: Final = 'Skill "{name}" is configured but disabled.'
AMBIGUOUS: Final = 'Skill "{name}" is ambiguous. Use one of: {ids}'
ALL_DISABLED: Final = 'Skill "{name}" is ambiguous, and all matches are disabled: {ids}'
NOT_FOUND: Final = 'Skill "{name}" not found. Available skills: {names}'
NONE_AVAILABLE: Final = "No skills are currently available."
NO_SUCH_TOOL: Final = "Tool call {tool} was rejected before execution: AI_NoSuchToolError: Model tried to call unavailable tool '{tool}'. Available tools: {tools}."
INVALID: Final = "✖ Invalid input: expected {expected}, received {received}{at}"
INVALID_UNION: Final = "✖ Invalid input{at}"
TOO_SMALL: Final = "✖ Too small: expected string to have >=1 characters{at}"

TOOLS: Final = (
    "read_files",
    "search_codebase",
    "run_commands",
    "fetch_web_content",
    "editor",
    "ask_question",
    "spawn_agent",
    "team_spawn_teammate",
    "team_shutdown_teammate",
    "team_status",
    "team_task",
    "team_run_task",
    "team_cancel_run",
    "team_list_runs",
    "team_await_runs",
    "team_send_message",
    "team_broadcast",
    "team_read_mailbox",
    "team_mission_log",
    "team_cleanup",
    "team_create_outcome",
    "team_attach_outcome_fragment",
    "team_review_outcome_fragment",
    "team_finalize_outcome",
    "team_list_outcomes",
)
"""The program's other tools, in its order; `skills` stands before them where there are skills."""
