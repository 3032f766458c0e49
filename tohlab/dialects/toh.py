"""TheOpen Harness 0.1.1-rc.2 (`@buckeyestudio/*`, MIT; a rename of DeepSeek Harness 0.1.1-rc.2, MIT).

Taken 2026-12-01 by running the program: `packages/skill/tool-skill/src/index.ts` (catalog, tool, gesture),
`packages/skill/skill/src/index.ts` (loaded skill, name grammar), `packages/core/tools/src/index.ts` (calls,
restriction). The catalog is a user message that is only ever appended; a changed one replaces all earlier ones
by saying so.
"""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tohlab.dialects.base import Dialect, ErrorText, Provenance
from tohlab.errors import UnsupportedByDialect
from tohlab.skills.model import LoadedSkill

# The texts that a model reads. {entries} stands for the entry lines.

INITIAL: Final = """\
<system-reminder>
A skill is a reusable set of task-specific instructions. The following skills are available in this session:

<available_skills>
{entries}
</available_skills>

If the user names a skill, or the task clearly matches a skill's description, call the `skill` tool with the exact skill name before taking task actions. Load all applicable skills, then follow their full instructions. This catalog contains summaries only; do not infer or follow a skill's instructions until it has been loaded.
A user may also invoke a skill directly; its <skill_content> block then appears in this conversation. Follow it, and do not call the `skill` tool again for that skill.
</system-reminder>"""

REPLACEMENT: Final = """\
<system-reminder>
The available skill catalog changed. This complete catalog replaces every earlier available-skills list in this session:

<available_skills>
{entries}
</available_skills>

Use only names in this replacement catalog. If the user names a listed skill, or the task clearly matches its description, call the `skill` tool with the exact name before acting.
A user may also invoke a skill directly; its <skill_content> block then appears in this conversation. Follow it, and do not call the `skill` tool again for that skill.
</system-reminder>"""

TOMBSTONE: Final = """\
<system-reminder>
The available skill catalog changed. This complete catalog replaces every earlier available-skills list in this session:

<available_skills>
</available_skills>

No skills are currently available through the `skill` tool. Do not use names from earlier skill catalogs.
A user may still invoke a skill directly; its <skill_content> block then appears in this conversation. Follow it, and do not call the `skill` tool for it.
</system-reminder>"""

ENTRY: Final = "- `{name}`: {description}"

SKILL: Final = """\
<skill_content name="{name}">
<skill_resources>
{guidance}
</skill_resources>

<skill_instructions>
{content}
</skill_instructions>
</skill_content>"""

GUIDANCE: Final = MappingProxyType(
    {
        "provider": """\
Resources for this skill are managed by provider "{value}".
Load referenced resources only as needed.""",
        "directory": """\
Base directory for this skill: {value}
Resolve relative paths mentioned by this skill against the base directory before using them. Load referenced resources only as needed.""",
        "url": """\
Base URL for this skill: {value}
Resolve relative URLs mentioned by this skill against the base URL before using them. Load referenced resources only as needed.""",
        "opaque": """\
Resources for this skill: {value}
Load referenced resources only as needed.""",
    }
)

TOOL: Final = '{"name":"skill","description":"Load the full instructions for an available skill. Call this with the exact skill name from the session skill catalog before acting on a task that names or clearly matches that skill.","parameters":{"type":"object","properties":{"name":{"type":"string","description":"The exact skill name from the available skills list."}},"required":["name"]}}'

TOOL_CARD: Final = MappingProxyType(
    {"card": "generic", "title": "Load skill {name}", "kind": "read", "rawInput": "{name}"}
)

ERRORS: Final = MappingProxyType(
    {
        "not-an-object": ErrorText(
            message='invalid arguments: "arguments" must be an object',
            error_name="ToolArgsError",
            code="INVALID_ARGS",
        ),
        "name-missing": ErrorText(
            message='invalid arguments: missing required property "name"',
            error_name="ToolArgsError",
            code="INVALID_ARGS",
        ),
        "name-not-a-string": ErrorText(
            message='invalid arguments: "name" must be a string',
            error_name="ToolArgsError",
            code="INVALID_ARGS",
        ),
        "bad-name": ErrorText(message='invalid skill name "{name}"'),
        "unknown-skill": ErrorText(message='skill "{name}" is unknown or no longer available'),
        "not-for-models": ErrorText(message='skill "{name}" is not available for model invocation'),
        "bad-resource-base": ErrorText(
            message='tool "{tool}" returned invalid output: "value.resourceBase" must match exactly one oneOf branch (matched 0)',
            error_name="ToolOutputError",
            code="INVALID_TOOL_OUTPUT",
        ),
        "unknown-tool": ErrorText(
            message='unknown tool "{tool}"', error_name="ToolNotFoundError", code="UNKNOWN_TOOL"
        ),
        "aborted-before": ErrorText(
            message="tool call aborted before dispatch",
            error_name="AbortError",
            code="ABORTED_BEFORE_DISPATCH",
        ),
        "aborted": ErrorText(message="tool call aborted", error_name="AbortError", code="ABORTED"),
    }
)

RESTRICTION_ERRORS: Final = MappingProxyType(
    {
        "unscoped": "tools.restrict() requires a scoped context (agent.ctx): a context-global restriction would "
        "mask every agent \u2014 deny the tool for the intended agent instead",
        "empty": "tools.restrict({}) is a no-op: pass `allow` and/or `deny` (an empty filter is almost always a "
        "materialized-empty-config bug)",
        "unknown": "tools.restrict() names unknown global tools {names}; known global tools: {known}",
        "reserved": "tools.restrict() cannot name reserved Code Mode presentation transport {names}; restrict "
        "end-capability tools instead",
    }
)

OUTPUT_SCHEMA: Final = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            "provider": {"type": "string"},
            "resourceBase": {
                "oneOf": [
                    {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {"kind": {"type": "string", "const": kind}, key: {"type": "string"}},
                        "required": ["kind", key],
                    }
                    for kind, key in (("directory", "path"), ("url", "url"), ("opaque", "description"))
                ]
            },
            "content": {"type": "string"},
        },
        "required": ["name", "provider", "content"],
    }
)

# How they are put together.


def escape_attribute(text: str) -> str:
    """Return `text` for a double-quoted attribute: `&`, `"` and `<` are escaped, `>` and `'` are not."""
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


@dataclass(frozen=True, slots=True, kw_only=True)
class TheOpenHarness(Dialect):
    """TheOpen Harness: catalog by user message, append-only, 500 code units a description, `/name` for users."""

    def render_skill(self, loaded: LoadedSkill) -> str:
        """Return the `<skill_content>` block; the body stands in it as it is, even where it closes the frame.

        Raises:
            UnsupportedByDialect: a resource base of a kind that the harness does not know.
        """
        base = loaded.resource_base
        kind, value = (base.kind, base.value) if base else ("provider", loaded.provider)
        if kind not in GUIDANCE:
            raise UnsupportedByDialect(
                f"skill {loaded.name!r} has a resource base of kind {kind!r}; {self.name} knows directory, url, "
                "opaque, or none"
            )
        return SKILL.format(
            name=escape_attribute(loaded.name),
            guidance=GUIDANCE[kind].format(value=self.escape(value)),
            content=loaded.content,
        )


DIALECT: Final = TheOpenHarness(
    name="toh",
    provenance=Provenance(
        fidelity="executed",
        program="TheOpen Harness",
        version="0.1.1-rc.2",
        date="2026-12-01",
        where="packages/skill/tool-skill/src/index.ts",
    ),
    initial_frame=INITIAL,
    replacement_frame=REPLACEMENT,
    tombstone_text=TOMBSTONE,
    entry_line=ENTRY,
    escapes=(("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")),
    placement="user-message",
    refresh="append",
    description_limit=500,
    description_limit_minimum=3,
    description_limit_error=(
        "tool-skill: catalogDescriptionMaxLength must be an integer greater than or equal to {minimum}"
    ),
    name_pattern="[a-z0-9]+(?:-[a-z0-9]+)*",
    user_prefix="/",
    tool_json=TOOL,
    tool_output_schema=OUTPUT_SCHEMA,
    tool_card=TOOL_CARD,
    errors=ERRORS,
    restriction_errors=RESTRICTION_ERRORS,
    reserved_tools=("run_code",),
)
