"""Which tools a model has: what it inherits, what is its own, and what a restriction hides.

Source: TheOpen Harness 0.1.1-rc.2, `packages/core/tools/src/index.ts`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tohlab.dialects import Dialect
from tohlab.ecma import utf16_sort_key
from tohlab.errors import ToolsError
from tohlab.request import ToolSchema


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
