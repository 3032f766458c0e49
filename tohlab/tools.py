"""The skill tool: a model's arguments in, the text that the model reads back out.

`SkillTool` answers calls in a dialect's words; it never raises for what a model may do wrong. `ToolSurface`
says which tools a model has: what it inherits, what is its own, and what a restriction hides. Source of the
order of checks and of every text: TheOpen Harness 0.1.1-rc.2, `packages/skill/tool-skill/src/index.ts` and
`packages/core/tools/src/index.ts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tohlab.dialects import Dialect, get_dialect
from tohlab.ecma import json_parse, utf16_sort_key
from tohlab.errors import ToolsError
from tohlab.request import ToolSchema
from tohlab.skills.loading import load_skill
from tohlab.skills.model import LoadedSkill, ResourceBase, SkillSource

_BASE_KEYS = {"directory": "path", "url": "url", "opaque": "description"}


class AbortSignal:
    """A wish to stop, given by one side and looked at by the other."""

    __slots__ = ("reason",)

    def __init__(self) -> None:
        self.reason: str | None = None

    @property
    def aborted(self) -> bool:
        """Whether somebody wished to stop."""
        return self.reason is not None

    def abort(self, reason: str = "This operation was aborted") -> None:
        """Wish to stop; the first reason stays."""
        self.reason = self.reason if self.reason is not None else reason


def parse_arguments(raw: str) -> Any:
    """Return what a harness makes of the arguments that a model wrote.

    An empty string is `{}`; JSON is its value, `null` is None; anything else stays the string it is, and then
    fails the tool's schema. `NaN` and `Infinity` are not JSON, as in JavaScript.
    """
    if raw == "":
        return {}
    try:
        return json_parse(raw)
    except (ValueError, RecursionError):
        return raw


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What came of a call."""

    text: str
    """What the model reads."""
    is_error: bool = False
    value: Mapping[str, Any] | None = field(default=None, hash=False)
    """The result before it was rendered (`{name, provider, resourceBase?, content}`), or None."""
    code: str | None = None
    """The harness's own error code, such as `INVALID_ARGS`, where it gives one."""
    message: str | None = None
    """The error without its frame, or None."""
    error_name: str | None = None
    """The harness's own error class, where it gives one."""


def failure(dialect: Dialect, case: str, **facts: str) -> ToolResult:
    """Return the result of a call that failed in a way that the dialect has a text for."""
    error = dialect.error(case, **facts)
    return ToolResult(
        text=dialect.error_frame.format(message=error.message),
        is_error=True,
        code=error.code,
        message=error.message,
        error_name=error.error_name,
    )


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
            message = str(error)
            result = ToolResult(
                text=self.dialect.error_frame.format(message=message), is_error=True, message=message
            )
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
        if not isinstance(arguments, Mapping):
            return failure(dialect, "not-an-object")
        if "name" not in arguments:
            return failure(dialect, "name-missing")
        name = arguments["name"]
        if not isinstance(name, str):
            return failure(dialect, "name-not-a-string")
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
        if loaded.resource_base is not None and not _known_base(loaded.resource_base):
            return failure(dialect, "bad-resource-base", name=name, tool=self.schema.name)
        return ToolResult(text=dialect.render_skill(loaded), value=_value(loaded))


def _known_base(base: ResourceBase) -> bool:
    return base.kind in _BASE_KEYS and isinstance(base.value, str)


def _value(loaded: LoadedSkill) -> dict[str, Any]:
    value: dict[str, Any] = {"name": loaded.name, "provider": loaded.provider}
    if loaded.resource_base is not None:
        base = loaded.resource_base
        value["resourceBase"] = {"kind": base.kind, _BASE_KEYS[base.kind]: base.value}
    value["content"] = loaded.content
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Restriction:
    """A filter on inherited tools."""

    allow: frozenset[str] | None = None
    """Only these; None for all, empty for none."""
    deny: frozenset[str] = frozenset()
    """None of these."""

    def passes(self, name: str) -> bool:
        """Return whether a tool of that name is left."""
        return (self.allow is None or name in self.allow) and name not in self.deny


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSurface:
    """Which tools a model has, as a value: changes give a new one.

    The nearest tool of a name wins: an own tool shadows an inherited one. Restrictions all apply at once, to
    inherited tools only, never to own ones.
    """

    dialect: Dialect
    inherited: tuple[ToolSchema, ...] = ()
    own: tuple[ToolSchema, ...] = ()
    restrictions: tuple[Restriction, ...] = ()
    scoped: bool = True
    """Whether it belongs to one agent; what belongs to all may not be restricted."""
    order: tuple[str, ...] | None = None
    """An explicit order of names with one `<unlisted-tools>` in it; None sorts by name."""

    def __post_init__(self) -> None:
        for tools in (self.inherited, self.own):
            names = [tool.name for tool in tools]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ToolsError(f"tool {twice[0]!r} is given twice; give each name once")
        if self.order is not None and self.order.count(self.dialect.unlisted_tools) != 1:
            raise ToolsError(f"an order of tools must contain {self.dialect.unlisted_tools!r} exactly once")

    def visible(self) -> tuple[ToolSchema, ...]:
        """Return the tools that the model is told of, in wire order."""
        near = {t.name: t for t in self.inherited if all(r.passes(t.name) for r in self.restrictions)}
        near |= {t.name: t for t in self.own}
        names = sorted(near, key=utf16_sort_key)
        if self.order is not None:
            unlisted = [name for name in names if name not in self.order]
            marker = self.dialect.unlisted_tools
            names = [n for o in self.order for n in (unlisted if o == marker else [o] if o in near else [])]
        return tuple(near[name] for name in names)

    def restrict(
        self, *, allow: Iterable[str] | None = None, deny: Iterable[str] | None = None
    ) -> ToolSurface:
        """Return the surface with one restriction more.

        Raises:
            ToolsError: the surface belongs to no agent, nothing is filtered, or a name may not be used or is
                not known; the text is the harness's own.
        """
        texts = self.dialect.restriction_errors
        allowed = None if allow is None else tuple(allow)
        denied = tuple(deny or ())
        if not self.scoped:
            raise ToolsError(texts["unscoped"])
        if allowed is None and not denied:
            raise ToolsError(texts["empty"])
        named = tuple(dict.fromkeys((*(allowed or ()), *denied)))
        reserved = [name for name in named if name in self.dialect.reserved_tools]
        if reserved:
            raise ToolsError(texts["reserved"].format(names=_quoted(reserved)))
        known = sorted((tool.name for tool in self.inherited), key=utf16_sort_key)
        unknown = [name for name in named if name not in known]
        if unknown:
            raise ToolsError(texts["unknown"].format(names=_quoted(unknown), known=", ".join(known)))
        restriction = Restriction(
            allow=None if allowed is None else frozenset(allowed), deny=frozenset(denied)
        )
        return replace(self, restrictions=(*self.restrictions, restriction))

    def lift(self, restriction: Restriction) -> ToolSurface:
        """Return the surface without one restriction of that content; the same surface if it has none."""
        left = list(self.restrictions)
        if restriction in left:
            left.remove(restriction)
        return replace(self, restrictions=tuple(left))


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
