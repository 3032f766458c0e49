"""opencode's texts, whole, as the model reads them, and its tools and commands."""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.substitution import Substitution

PREAMBLE: Final = """\
Skills provide specialized instructions and workflows for specific tasks.
Use the skill tool to load a skill when a task matches its description.
"""
OPENING: Final = "<available_skills>\n"
ENTRY: Final = """\
  <skill>
    <name>{name}</name>
    <description>{description}</description>
    <location>{location}</location>
  </skill>"""
CLOSING: Final = "</available_skills>"
NO_SKILLS: Final = "No skills are currently available."
BUILT_IN_NAME: Final = "customize-opencode"
BUILT_IN_LOCATION: Final = "<built-in>"
BUILT_IN_DESCRIPTION: Final = "Use ONLY when the user is editing or creating opencode's own configuration: opencode.json, opencode.jsonc, files under .opencode/, or files under ~/.config/opencode/. Also use when creating or fixing opencode agents, subagents, skills, plugins, MCP servers, or permission rules. Do not use for the user's own application code, or for any project that is not configuring opencode itself."
DESCRIPTION: Final = """\
Load a specialized skill when the task at hand matches one of the skills listed in the system prompt.

Use this tool to inject the skill's instructions and resources into current conversation. The output may contain detailed workflow guidance as well as references to scripts, files, etc in the same directory as the skill.

The skill name must match one of the skills listed in your system prompt.
"""
PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The name of the skill from available_skills"}
        },
        "required": ["name"],
    }
)
LOADED: Final = """\
<skill_content name="{name}">
# Skill: {name}

{body}

Base directory for this skill: {directory}
Relative paths in this skill (e.g., scripts/, reference/) are relative to this base directory.
Note: file list is sampled.

<skill_files>
{files}
</skill_files>
</skill_content>"""
FILE: Final = "<file>{path}</file>"
SAMPLED_FILES: Final = 10
COMMAND: Final = """\
{body}

Base directory for this skill: {directory}
Relative paths in this skill (e.g., scripts/, references/) are relative to this base directory."""
NOT_FOUND: Final = 'Skill "{name}" not found. Available skills: {names}'
NO_NAMES: Final = "none"
NO_FOLDER: Final = "ripgrep execution failed"
"""For a skill that the process has read and whose folder is gone."""
DENIED: Final = "The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules {rules}"
INVALID: Final = "The skill tool was called with invalid arguments: SchemaError({detail}).\nPlease rewrite the input so it satisfies the expected schema."
MISSING_KEY: Final = 'Missing key\n  at ["name"]'
WRONG_KIND: Final = "Expected {expected}, got {value}{at}"
NO_TOOL: Final = "The arguments provided to the tool are invalid: Model tried to call unavailable tool '{tool}'. Available tools: {tools}."
CATCH_ALL: Final = "invalid"
"""The tool that gives this answer; it is named in it and offered to no model."""
SUBSTITUTION: Final = Substitution(
    words="quotes",
    below="undefined",
    last_swallows=True,
    rescan=True,
    replacement_patterns=True,
    append="\n\n{arguments}",
)
"""What a command's arguments become; the shell lines in the text come after them."""
TOOLS: Final = (
    "bash",
    "edit",
    "glob",
    "grep",
    "question",
    "read",
    "skill",
    "task",
    "todowrite",
    "webfetch",
    "write",
)
"""The tools that the program's server offers, in its order; `opencode run` has no `question`."""
OWN_COMMANDS: Final = ("init", "review")
"""The program's commands; a skill of such a name cannot be started by `/name`."""
