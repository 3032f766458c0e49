"""The renderers that are tohlab's own: every segment by itself, and tools as JSON in the three usual ways."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tohlab.addresses import flatten
from tohlab.jsonpath import json_spans
from tohlab.renderers.base import Piece, Rendered, Renderer, RendererProvenance, Section, pieces_of
from tohlab.request import Request, Segment

_OWN: Final = RendererProvenance(source="tohlab", fidelity="definition", date="2026-12-01")


class PlainRenderer(Renderer):
    """What `measure` and `compare_prefix` count: each segment by itself, nothing around it.

    A tool is compact JSON, a tool call too. Chat formats put special tokens between segments; these are not
    written, so each segment is encoded alone.
    """

    name = "plain"
    provenance = _OWN

    def render(self, request: Request, *, generation_prompt: bool = False) -> Rendered:
        """Return every segment in wire order; there is no generation prompt to write."""
        pieces: list[Piece] = []
        for segment in request.segments():
            pieces += _apart(segment)
        return Rendered(renderer=self.name, pieces=tuple(pieces))


def _apart(segment: Segment) -> tuple[Piece, ...]:
    """A segment as pieces that are encoded together, and apart from what is before and after it."""
    section: Section = "messages"
    if segment.path == "system":
        section = "system"
    elif segment.path.startswith("tools["):
        section = "tools"
    border = Piece(text="", section=section, role=segment.role, border=True)
    return (border, *pieces_of(segment, section))


class JsonRenderer(Renderer):
    """Tools as JSON in the wrapping of chat completions, system and messages as in `plain`.

    Args:
        name: what it is called.
        indent: blanks of indentation; None writes everything on one line.
        compact: without blanks after `:` and `,`.
        as_list: all tools as one array; else each by itself, as templates do that loop over them.
    """

    provenance = _OWN

    def __init__(
        self, name: str, *, indent: int | None = None, compact: bool = False, as_list: bool = False
    ) -> None:
        self.name = name
        self._indent = indent
        self._separators = (",", ":") if compact else None
        self._as_list = as_list

    def render(self, request: Request, *, generation_prompt: bool = False) -> Rendered:
        """Return the tools as JSON, then every other segment; there is no generation prompt to write."""
        pieces: list[Piece] = []
        tools = [{"type": "function", "function": tool.to_dict()} for tool in request.tools]
        if self._as_list and tools:
            pieces += self._json(tools, "tools")
        elif tools:
            for i, tool in enumerate(tools):
                pieces += self._json(tool, f"tools[{i}]")
        for segment in Request(system=request.system, messages=request.messages).segments():
            pieces += _apart(segment)
        return Rendered(renderer=self.name, pieces=tuple(pieces))

    def _json(self, value: Any, base: str) -> Iterator[Piece]:
        text = json.dumps(value, ensure_ascii=False, indent=self._indent, separators=self._separators)
        named = [(_address(base, span.path), span.start, span.stop) for span in json_spans(text) if span.path]
        yield Piece(text="", section="tools", role="system", border=True)
        for path, start, stop in flatten(base, len(text), named):
            yield Piece(text=text[start:stop], section="tools", role="system", path=path)


def _address(base: str, path: str) -> str:
    """The wrapping `function` is not part of the address, which is the same under every renderer."""
    whole = base + (path if path.startswith("[") else f".{path}")
    head, _, tail = whole.partition(".")
    if tail == "function" or tail.startswith("function."):
        tail = tail.removeprefix("function").removeprefix(".")
    return f"{head}.{tail}" if tail else head
