"""Gemini CLI's texts, whole, as the model reads them, and its own skills."""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

from typing import Final

HEAD: Final = """# Available Agent Skills

You have access to the following specialized skills. To activate a skill and receive its detailed instructions, {call} the `activate_skill` tool with the skill's name.

<available_skills>
"""
CALL: Final = "call"
CALL_LEGACY: Final = "you can call"
"""In the prompt of the models before Gemini 3."""
ENTRY: Final = """  <skill>
    <name>{name}</name>
    <description>{description}</description>
    <location>{location}</location>
  </skill>
"""
TAIL: Final = "</available_skills>"
BUILT_IN: Final = (
    (
        "skill-creator",
        "Guide for creating effective skills. This skill should be used when users want to create a new skill (or update an existing skill) that extends Gemini CLI's capabilities with specialized knowledge, workflows, or tool integrations.",
    ),
    (
        "antigravity-support",
        "Use when the user asks questions, seeks help, or requests instructions related to installing, setting up, or migrating to Antigravity CLI. This skill provides the latest up to date details, requirements, and commands sourced from the official Antigravity CLI documentation.",
    ),
)
"""The program's own skills, name and description, in its order; they come first."""
BUILT_IN_LOCATION: Final = "{bundle}/builtin/{name}/SKILL.md"
TOOL: Final = "activate_skill"
DESCRIPTION: Final = "Activates a specialized agent skill by name (Available: {names}). Returns the skill's instructions wrapped in `<activated_skill>` tags. These provide specialized guidance for the current task. Use this when you identify a task that matches a skill's description. ONLY use names exactly as they appear in the `<available_skills>` section."
NAME_DESCRIPTION: Final = "The name of the skill to activate."
LOADED: Final = """<activated_skill name="{name}">
  <instructions>
    {body}
  </instructions>

  <available_resources>
    {tree}
  </available_resources>
</activated_skill>"""
NOT_AN_OBJECT: Final = "Value of params must be an object"
NOT_A_RECORD: Final = "params must be object"
NAME_MISSING: Final = "params must have required property 'name'"
MORE_THAN_NAME: Final = "params must NOT have additional properties"
NAME_NOT_TEXT: Final = "params/name must be string"
NOT_ALLOWED: Final = "params/name must be equal to one of the allowed values"
CONFLICT: Final = (
    'Skill conflict detected: "{name}" from "{winner}" is overriding the same skill from "{loser}".'
)

TOOLS: Final = (
    "update_topic",
    "list_directory",
    "read_file",
    "grep_search",
    "glob",
    "replace",
    "write_file",
    "web_fetch",
    "run_shell_command",
    "list_background_processes",
    "read_background_output",
    "google_web_search",
    "write_todos",
    "enter_plan_mode",
    "invoke_agent",
    "activate_skill",
)
"""The tools that the program offers where every call is approved, in its order."""
UNAPPROVED: Final = (
    "update_topic",
    "list_directory",
    "read_file",
    "grep_search",
    "glob",
    "google_web_search",
    "enter_plan_mode",
    "invoke_agent",
)
"""Those that are left where nobody can approve a call."""
