"""Exactly what a model is sent: tools, system text and messages.

A `Request` is a value; sessions and captures make it, tokens and prefix read it. Every character has an
address: `segments()` lists the stretches in wire order, each with a path such as `messages[3].content[0]`,
and inside a text block `Span`s name what stands where (`entry "pdf"`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from tohlab.ecma import json_stringify

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A named stretch of a text, in characters (Python code points)."""

    label: str
    """What stands there, such as `entry "pdf"`."""
    start: int
    """Counted from 0, inclusive."""
    stop: int
    """Exclusive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """One text inside a message."""

    text: str
    spans: tuple[Span, ...] = ()
    """Disjoint, in order; what lies between them is the block's frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that the model made."""

    id: str
    name: str
    arguments: str
    """The JSON text as the model wrote it, not parsed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: tuple[TextBlock, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    """Which call a `tool` message answers."""
    source: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    """Where the message comes from (never sent): `{"kind": "user"}`, `{"kind": "skill-catalog", ...}`."""

    @property
    def text(self) -> str:
        """The text of all blocks, joined without anything between them."""
        return "".join(block.text for block in self.content)

    @property
    def kind(self) -> str:
        """`source["kind"]`, or the role where no source is given."""
        return str(self.source.get("kind", self.role))

    def segments(self, index: int) -> Iterator[Segment]:
        """Yield the message's stretches of text in wire order; `index` is its place in the request."""
        kind = self.kind
        for j, block in enumerate(self.content):
            yield Segment(
                path=f"messages[{index}].content[{j}]",
                kind=kind,
                role=self.role,
                text=block.text,
                spans=block.spans,
            )
        for j, call in enumerate(self.tool_calls):
            yield Segment(
                path=f"messages[{index}].tool_calls[{j}]",
                kind="tool-call",
                role=self.role,
                text=json_stringify({"name": call.name, "arguments": call.arguments}),
                name=call.name,
            )


def text_message(role: Role, text: str, *, kind: str | None = None, spans: tuple[Span, ...] = ()) -> Message:
    """Return a message of one text block; `kind` becomes its source."""
    source: Mapping[str, Any] = MappingProxyType({"kind": kind}) if kind else MappingProxyType({})
    return Message(role=role, content=(TextBlock(text=text, spans=spans),), source=source)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """A tool as the model is told of it."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(hash=False)
    """A JSON Schema object; key order is kept, since it is sent."""

    def to_dict(self) -> dict[str, Any]:
        """Return `{name, description, parameters}` in that order."""
        return {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}

    def to_json(self) -> str:
        """Return the schema as compact JSON, byte for byte as `JSON.stringify` writes it."""
        return json_stringify(self.to_dict())


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of a request that is encoded as one piece."""

    path: str
    """Its address, such as `tools[0]`, `system`, `messages[3].content[0]` or `messages[4].tool_calls[0]`."""
    kind: str
    """What it is for: `tool`, `system`, or the kind of its message (`user`, `skill-catalog`, ...)."""
    role: Role
    text: str
    spans: tuple[Span, ...] = ()
    name: str = ""
    """The tool's name for a `tool` segment, else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to a model."""

    tools: tuple[ToolSchema, ...] = ()
    system: str = ""
    messages: tuple[Message, ...] = ()

    def segments(self) -> Iterator[Segment]:
        """Yield every stretch of text in wire order: tools, system, then message by message."""
        for i, tool in enumerate(self.tools):
            yield Segment(path=f"tools[{i}]", kind="tool", role="system", text=tool.to_json(), name=tool.name)
        if self.system:
            yield Segment(path="system", kind="system", role="system", text=self.system)
        for i, message in enumerate(self.messages):
            yield from message.segments(i)

    def to_openai(self) -> dict[str, Any]:
        """Return `{messages, tools?}` as the chat completions API takes them, without sources and spans."""
        messages: list[dict[str, Any]] = []
        if self.system:
            messages.append({"role": "system", "content": self.system})
        for message in self.messages:
            row: dict[str, Any] = {"role": message.role}
            if len(message.content) == 1:
                row["content"] = message.content[0].text
            elif message.content:
                row["content"] = [{"type": "text", "text": block.text} for block in message.content]
            else:
                row["content"] = None if message.tool_calls else ""
            if message.tool_calls:
                row["tool_calls"] = [
                    {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                    for c in message.tool_calls
                ]
            if message.tool_call_id is not None:
                row["tool_call_id"] = message.tool_call_id
            messages.append(row)
        result: dict[str, Any] = {"messages": messages}
        if self.tools:
            result["tools"] = [{"type": "function", "function": tool.to_dict()} for tool in self.tools]
        return result
