"""Mistral Vibe's texts, whole, as the model reads them, and what it counts by."""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

OPENING: Final = "<available-skills>\n"
ENTRY: Final = """\
  <skill>
    <name>{name}</name>
    <description>{description}</description>
    <path>{path}</path>
  </skill>
"""
CLOSING: Final = "</available-skills>"
NAMESPACE: Final = "vibe:"
PACKAGE: Final = "{home}/.vibe/logs/session/plugins/packages/99/99661bff0021b9aaa31a2f8446f4388ef82bad88e8c8e2298879981b9f0459b1/skills/{name}/SKILL.md"
"""Where the bundled skills lie; the hash is the content's."""
BUNDLED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "create-plugin": "Create a Vibe plugin package — the Agent Plugins 1.0 format with optional Vibe extensions for skills, MCP servers, hooks, knowledge, agents, libraries, and connectors. Use when the user wants to create, scaffold, or author a plugin for Mistral Vibe.",
        "skill-creator": "Load this skill before creating, updating, or deleting a Vibe skill, or whenever you plan to add or modify SKILL.md files under a skills directory. It explains Vibe's SKILL.md frontmatter, discovery order, support files, and the permission flow.",
        "vibe": """\
Authoritative reference for Mistral Vibe — the CLI agent you (the model) are running inside.

LOAD when the user:
- asks anything about Vibe itself, even by indirect name ("this CLI", "this tool", "you");
- wants to change, inspect, or reset their setup;
- asks why the agent did or did not act;
- asks how to make the CLI do X, where X lives, or what a flag/command/setting does;
- asks any meta question about your own behavior;
- is unsure whether a command, flag, env var, or file is in scope — this skill is the source of truth.

SCOPE: config under `~/.vibe/` and project-local `.vibe/`; `VIBE_*` and `LOG_*` env vars; models and providers; agents and subagents; skills; tools and their permission model; every slash command and CLI flag; hooks; MCP servers; connectors; plugins; trusted folders; `@`-file mentions; logs; themes; voice.""",
        "worktree": "Create, reuse, and clean up git worktrees under $VIBE_HOME/worktrees. Use when the user wants to work in an isolated git worktree, create a worktree for a task, or list/remove existing worktrees.",
    }
)
"""The skills of the shipped plugin, by their names in the namespace."""
DESCRIPTION: Final = 'Load a specialized skill that provides domain-specific instructions and workflows. When a task matches one of the available skills listed in your system prompt, call this tool with the exact skill name to load the full skill instructions. Only listed names are valid. Call exactly with {"name":"<exact name>"}; no other argument keys are accepted.'
PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "name": {
                "type": "string",
                "description": "The exact name of the skill to load from the available skills.",
                "minLength": 1,
            }
        },
        "required": ["name"],
    }
)
LOADED: Final = """\
<skill_content name="{name}">
# Skill: {name}

{body}

Base directory for this skill: {directory}
Relative paths in this skill are relative to this base directory.
Note: file list is sampled.

<skill_files>
{files}
</skill_files>
</skill_content>"""
FILE: Final = "<file>{path}</file>"
SAMPLED_FILES: Final = 10
UNSAMPLED_FOLDERS: Final = (
    ".git",
    "node_modules",
    "__pycache__",
    ".venv",
    "venv",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    "dist",
    "build",
)
ALREADY_LOADED: Final = (
    "Skill '{name}' is already loaded earlier in this conversation. Reuse those instructions."
)
NOT_AVAILABLE: Final = "Skill {name} is not available.{near} Use an exact name from the available skills below. Connector names and unlisted names in skill instructions are not skills. {available}"
NEAR: Final = " Did you mean: {names}?"
AVAILABLE: Final = "Available skills: {names}."
NO_SKILLS: Final = "No skills are available."
NO_TOOL: Final = 'unsupported top-level tool "{tool}"'
INVALID: Final = "tool arguments do not satisfy the declared input schema: {fault}"
UNEXPECTED: Final = "Additional properties are not allowed ('{key}' was unexpected). Allowed fields: name."
REQUIRED: Final = '"name" is a required property'
WRONG_TYPE: Final = '{at}{value} is not of type "{kind}"'
TOO_SHORT: Final = '{at}"" is shorter than 1 character'
AT_NAME: Final = "at /name: "
TOOLS: Final = (
    "search_tool_functions",
    "run_typescript",
    "wait",
    "read_file",
    "write_file",
    "edit",
    "bash",
    "skill",
    "todo",
    "unified_harness_scratchpad",
)
"""The tools that the program offers, in its order."""
MAX_NAME_CHARS: Final = 64
MAX_DESCRIPTION_CHARS: Final = 1024
TEXTS: Final = ("name", "description", "license", "compatibility")
"""The fields that have to be texts."""
METADATA_FILE: Final = "agents/openai.yaml"
