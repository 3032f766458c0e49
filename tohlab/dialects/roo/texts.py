"""Roo Code's texts, whole, as the model reads them."""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

from types import MappingProxyType
from typing import Final

HEAD: Final = "====\n\nAVAILABLE SKILLS\n\n<available_skills>\n"
ENTRY: Final = """\
  <skill>
    <name>{name}</name>
    <description>{description}</description>
    <location>{location}</location>
  </skill>"""
TAIL: Final = """\
</available_skills>

<mandatory_skill_check>
REQUIRED PRECONDITION

Before producing ANY user-facing response, you MUST perform a skill applicability check.

Step 1: Skill Evaluation
- Evaluate the user's request against ALL available skill <description> entries in <available_skills>.
- Determine whether at least one skill clearly and unambiguously applies.

Step 2: Branching Decision

<if_skill_applies>
- Select EXACTLY ONE skill.
- Prefer the most specific skill when multiple skills match.
- Use the skill tool to load the skill by name.
- Load the skill's instructions fully into context BEFORE continuing.
- Follow the skill instructions precisely.
- Do NOT respond outside the skill-defined flow.
</if_skill_applies>

<if_no_skill_applies>
- Proceed with a normal response.
- Do NOT load any SKILL.md files.
</if_no_skill_applies>

CONSTRAINTS:
- Do NOT load every skill up front.
- Load skills ONLY after a skill is selected.
- Do NOT skip this check.
- FAILURE to perform this check is an error.
</mandatory_skill_check>

<linked_file_handling>
- When a skill is loaded, ONLY the skill instructions are present.
- Files linked from the skill are NOT loaded automatically.
- The model MUST explicitly decide to read a linked file based on task relevance.
- Do NOT assume the contents of linked files unless they have been explicitly read.
- Prefer reading the minimum necessary linked file.
- Avoid reading multiple linked files unless required.
- Treat linked files as progressive disclosure, not mandatory context.
</linked_file_handling>

<context_notes>
- The skill list is already filtered for the current mode: "{mode}".
- Mode-specific skills may come from skills-{mode}/ with project-level overrides taking precedence over global skills.
</context_notes>

<internal_verification>
This section is for internal control only.
Do NOT include this section in user-facing output.

After completing the evaluation, internally confirm:
<skill_check_completed>true|false</skill_check_completed>
</internal_verification>
"""
DESCRIPTION: Final = """\
Load and execute a skill by name. Skills provide specialized instructions for common tasks like creating MCP servers or custom modes.

Use this tool when you need to follow specific procedures documented in a skill. Available skills are listed in the AVAILABLE SKILLS section of the system prompt."""
LOADED: Final = """\
Skill: {name}
Description: {description}
{args}Source: {source}

--- Skill Instructions ---

{body}"""
ARGUMENTS: Final = "Provided arguments: {args}\n"
NOT_FOUND: Final = "Skill '{name}' not found. Available skills: {names}"
NO_NAMES: Final = "(none)"
MISSING: Final = """\
Missing value for required parameter 'skill'. Please retry with complete response.

# Reminder: Instructions for Tool Use

Tools are invoked using the platform's native tool calling mechanism. Each tool requires specific parameters as defined in the tool descriptions. Refer to the tool definitions provided in your system instructions for the correct parameter structure and usage examples.

Always ensure you provide all required parameters for the tool you wish to use."""
FAILED: Final = "The tool execution failed"
"""What every error of a tool says beside its own words."""
TOOL: Final = MappingProxyType(
    {
        "type": "function",
        "function": {
            "name": "skill",
            "description": DESCRIPTION,
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {
                    "skill": {
                        "type": "string",
                        "description": "Name of the skill to load (e.g., create-mcp-server, create-mode). Must match a skill name from the available skills list.",
                    },
                    "args": {
                        "type": ["string", "null"],
                        "description": "Optional context or arguments to pass to the skill",
                    },
                },
                "required": ["skill", "args"],
                "additionalProperties": False,
            },
        },
    }
)
