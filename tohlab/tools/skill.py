"""The skill tool: a model's arguments in, the text that the model reads back out.

`SkillTool` answers calls in a dialect's words; it never raises for what a model may do wrong. Source of the
order of checks and of every text: TheOpen Harness 0.1.1-rc.2, `packages/skill/tool-skill/src/index.ts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tohlab.dialects import Dialect, get_dialect
from tohlab.dialects.schema import violations
from tohlab.request import ToolSchema
from tohlab.signals import AbortSignal
from tohlab.skills.loading import load_skill
from tohlab.skills.model import LoadedSkill, SkillSource
from tohlab.tools.result import ToolResult, failure, parse_arguments, raised

_BASE_KEYS = {"directory": "path", "url": "url", "opaque": "description"}


class SkillTool:
    """The tool by which a model loads a skill.

    Args:
        source: where the skills are.
        dialect: whose words to answer in, by name or instance.
    """

    __slots__ = ("dialect", "schema", "source")

    def __init__(self, source: SkillSource, dialect: str | Dialect = "toh") -> None:
        self.source = source
        self.dialect = get_dialect(dialect)
        self.schema: ToolSchema = self.dialect.skill_tool()

    def call(self, arguments: Any, *, signal: AbortSignal | None = None) -> ToolResult:
        """Return what the model reads for a call with these arguments, already parsed.

        The checks, in order: the arguments' shape, the name's grammar, whether a skill of that name is
        listed, whether a model may load it, whether it could be loaded, and both again on what was loaded.
        Whether the snapshot was complete does not matter. Whatever the source raises becomes an error text.

        Args:
            arguments: any JSON value; other keys than the name's are accepted and ignored.
            signal: looked at before and after; a success that comes after an abort is thrown away.
        """
        if signal is not None and signal.aborted:
            return failure(self.dialect, "aborted-before")
        try:
            result = self._load(arguments)
        except Exception as error:  # the harness turns whatever a provider throws into a text, and so do we
            result = raised(self.dialect, error)
        if signal is not None and signal.aborted and not result.is_error:
            return failure(self.dialect, "aborted")
        return result

    def call_text(self, raw: str, *, signal: AbortSignal | None = None) -> ToolResult:
        """Return what the model reads for a call with arguments as it wrote them (see `parse_arguments`)."""
        return self.call(parse_arguments(raw), signal=signal)

    def present_call(self, arguments: Any) -> dict[str, str] | None:
        """Return what a user interface shows while the call runs, or None for arguments without a name."""
        name = arguments.get("name") if isinstance(arguments, Mapping) else None
        if not isinstance(name, str):
            return None
        return {key: text.format(name=name) for key, text in self.dialect.tool_card.items()}

    def _load(self, arguments: Any) -> ToolResult:
        dialect = self.dialect
        wrong = violations(self.schema.parameters, arguments, dialect.schema_errors)
        if wrong:
            return failure(dialect, "invalid-arguments", violations="; ".join(wrong))
        name = arguments["name"]
        if not dialect.is_name(name):
            return failure(dialect, "bad-name", name=name)
        summary = next((s for s in self.source.snapshot().skills if s.name == name), None)
        if summary is None:
            return failure(dialect, "unknown-skill", name=name)
        if not summary.invocation.model_invocable:
            return failure(dialect, "not-for-models", name=name)
        loaded = load_skill(self.source, name)
        if loaded is None:
            return failure(dialect, "unknown-skill", name=name)
        if not loaded.invocation.model_invocable:
            return failure(dialect, "not-for-models", name=name)
        value = _value(loaded)
        wrong = violations(dialect.tool_output_schema, value, dialect.schema_errors, "value")
        if wrong:
            return failure(dialect, "invalid-output", tool=self.schema.name, violations="; ".join(wrong))
        return ToolResult(text=dialect.render_skill(loaded), value=value)


def _value(loaded: LoadedSkill) -> dict[str, Any]:
    value: dict[str, Any] = {"name": loaded.name, "provider": loaded.provider}
    if loaded.resource_base is not None:
        base = loaded.resource_base
        value["resourceBase"] = {"kind": base.kind, _BASE_KEYS.get(base.kind, "value"): base.value}
    value["content"] = loaded.content
    return value
