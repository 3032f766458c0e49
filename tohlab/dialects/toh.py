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

ASK_TOOL: Final = '{"name":"ask_user_question","description":"Ask the user a concise question when you need confirmation, a choice, or missing information before proceeding. Send one or more questions, each with a stable id that will be echoed in the answer.","parameters":{"type":"object","properties":{"questions":{"type":"array","description":"Questions to ask the user before continuing.","items":{"type":"object","additionalProperties":true,"properties":{"id":{"type":"string","description":"Stable id for this question; echoed in the answer."},"question":{"type":"string","description":"The specific question to ask the user."},"header":{"type":"string","description":"Optional short heading for the question, such as \\"Confirm\\" or \\"Choose Mode\\"."},"options":{"type":"array","description":"Optional choices to show the user. If you recommend one, put it first and append \\"(Recommended)\\" to that label.","items":{"type":"object","additionalProperties":true,"properties":{"label":{"type":"string","description":"Short user-facing option label."},"description":{"type":"string","description":"One sentence explaining the tradeoff or impact."}},"required":["label"]}},"multi_select":{"type":"boolean","description":"Whether the user may select more than one option. Defaults to false."}},"required":["id","question"]}}},"required":["questions"]}}'

TOOL_CARD: Final = MappingProxyType(
    {"card": "generic", "title": "Load skill {name}", "kind": "read", "rawInput": "{name}"}
)

ERRORS: Final = MappingProxyType(
    {
        "invalid-arguments": ErrorText(
            message="invalid arguments: {violations}", error_name="ToolArgsError", code="INVALID_ARGS"
        ),
        "invalid-output": ErrorText(
            message='tool "{tool}" returned invalid output: {violations}',
            error_name="ToolOutputError",
            code="INVALID_TOOL_OUTPUT",
        ),
        "bad-name": ErrorText(message='invalid skill name "{name}"'),
        "unknown-skill": ErrorText(message='skill "{name}" is unknown or no longer available'),
        "not-for-models": ErrorText(message='skill "{name}" is not available for model invocation'),
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

SCHEMA_ERRORS: Final = MappingProxyType(
    {
        "missing": 'missing required property "{path}"',
        "undeclared": '"{path}" is not a declared property (additionalProperties: false)',
        "one-of": '"{path}" must match exactly one oneOf branch (matched {matched})',
        "object": '"{path}" must be an object',
        "array": '"{path}" must be an array',
        "string": '"{path}" must be a string',
        "number": '"{path}" must be a number',
        "finite": '"{path}" must be a finite JSON number',
        "integer": '"{path}" must be an integer',
        "boolean": '"{path}" must be a boolean',
        "null": '"{path}" must be null',
        "enum": '"{path}" must be one of {allowed}',
        "const": '"{path}" must be {allowed}',
        "lossless": '"{path}" must be a lossless JSON value',
        "lossless-object": '"{path}" must be a lossless JSON object',
        "lossless-array": '"{path}" must be a dense lossless JSON array',
    }
)
"""Source: packages/core/tools/src/json-schema.ts; those of types, missing properties and oneOf also executed."""

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

ASK_OUTPUT_SCHEMA: Final = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "answers": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "id": {"type": "string"},
                        "selected": {"type": "array", "items": {"type": "string"}},
                        "custom": {"type": "string"},
                    },
                    "required": ["id", "selected"],
                },
            }
        },
        "required": ["answers"],
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
    text_provenance=MappingProxyType(
        {
            "ask-tool": Provenance(
                fidelity="executed",
                program="TheOpen Harness",
                version="0.1.1-rc.2",
                date="2026-12-01",
                where="packages/interaction/tool-ask-user/src/index.ts",
            )
        }
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
    ask_tool_json=ASK_TOOL,
    ask_output_schema=ASK_OUTPUT_SCHEMA,
    errors=ERRORS,
    schema_errors=SCHEMA_ERRORS,
    restriction_errors=RESTRICTION_ERRORS,
    reserved_tools=("run_code",),
)
