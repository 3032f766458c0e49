"""Exactly what a model is sent: tools, system text and messages.

A `Request` is a value; sessions and captures make it, tokens and prefix read it. Every character has an
address: `segments()` lists the stretches in wire order, each with a path such as `messages[3].content[0]`,
and inside a text block `Span`s name what stands where (`entry "pdf"`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from tohlab.ecma import json_stringify
from tohlab.errors import RequestError

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
    path: str = ""
    """What it is as an address, such as `skills["pdf"]`; empty if nobody says."""
    parts: tuple[Span, ...] = ()
    """Stretches inside it that have a name of their own, disjoint, in order, counted like the span itself."""


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
    reasoning: str = ""
    """What an assistant thought before it answered, where that is sent back; empty where it is not."""
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

    def texts(self) -> list[str]:
        """Return the texts of the message's segments, in wire order."""
        texts = [self.reasoning] if self.reasoning else []
        texts += [block.text for block in self.content]
        for call in self.tool_calls:
            name, arguments = json_stringify(call.name), json_stringify(call.arguments)
            texts.append(f'{{"name":{name},"arguments":{arguments}}}')
        return texts

    def to_openai(self) -> dict[str, Any]:
        """Return the message as the chat completions API takes it, without source and spans."""
        row: dict[str, Any] = {"role": self.role}
        if len(self.content) == 1:
            row["content"] = self.content[0].text
        elif self.content:
            row["content"] = [{"type": "text", "text": block.text} for block in self.content]
        else:
            row["content"] = None if self.tool_calls else ""
        if self.reasoning:
            row["reasoning_content"] = self.reasoning
        if self.tool_calls:
            row["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in self.tool_calls
            ]
        if self.tool_call_id is not None:
            row["tool_call_id"] = self.tool_call_id
        return row

    def places(
        self, index: int, texts: list[str] | None = None
    ) -> Iterator[tuple[str, str, str, str, tuple[Span, ...]]]:
        """Yield path, kind, name, text and spans of each of the message's segments, in wire order.

        For who needs many segments and not as values of their own.

        Args:
            index: the message's place in the request.
            texts: what `texts()` returned, if it is known already.
        """
        texts = self.texts() if texts is None else texts
        at = 0
        if self.reasoning:
            yield f"messages[{index}].reasoning", "reasoning", "", self.reasoning, ()
            at = 1
        if self.content:
            kind = self.kind
            for j, block in enumerate(self.content):
                yield f"messages[{index}].content[{j}]", kind, "", block.text, block.spans
            at += len(self.content)
        for j, call in enumerate(self.tool_calls):
            yield f"messages[{index}].tool_calls[{j}]", "tool-call", call.name, texts[at + j], ()

    def segments(self, index: int) -> Iterator[Segment]:
        """Yield the message's stretches of text in wire order; `index` is its place in the request."""
        for path, kind, name, text, spans in self.places(index):
            yield Segment(path=path, kind=kind, role=self.role, text=text, spans=spans, name=name)


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
    spans: tuple[Span, ...] = ()
    """Named stretches of the description (never sent), such as the entries of a catalog that stands in it;
    disjoint, in order, in characters of the description."""

    def to_dict(self) -> dict[str, Any]:
        """Return `{name, description, parameters}` in that order."""
        return {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}

    def to_json(self) -> str:
        """Return the schema as compact JSON, byte for byte as `JSON.stringify` writes it."""
        return json_stringify(self.to_dict())

    def segment(self, index: int) -> Segment:
        """Return the tool as a stretch of a request; `index` is its place among the tools."""
        spans: tuple[Span, ...] = ()
        if self.spans:
            start = len(json_stringify({"name": self.name, "description": ""})) - len('"}')
            spans = tuple(_escaped(span, self.description, start) for span in self.spans)
        return Segment(
            path=f"tools[{index}]",
            kind="tool",
            role="system",
            text=self.to_json(),
            spans=spans,
            name=self.name,
        )


def _escaped(span: Span, text: str, at: int) -> Span:
    """The span of a text where that stands as a JSON string whose first character is at `at`."""
    before, through = (len(json_stringify(text[:end])) - len('""') for end in (span.start, span.stop))
    parts = tuple(_escaped(part, text, at) for part in span.parts)
    return replace(span, start=at + before, stop=at + through, parts=parts)


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
            yield tool.segment(i)
        if self.system:
            yield Segment(path="system", kind="system", role="system", text=self.system)
        for i, message in enumerate(self.messages):
            yield from message.segments(i)

    def to_openai(self) -> dict[str, Any]:
        """Return `{messages, tools?}` as the chat completions API takes them, without sources and spans."""
        messages: list[dict[str, Any]] = []
        if self.system:
            messages.append({"role": "system", "content": self.system})
        messages += [message.to_openai() for message in self.messages]
        result: dict[str, Any] = {"messages": messages}
        if self.tools:
            result["tools"] = [{"type": "function", "function": tool.to_dict()} for tool in self.tools]
        return result

    @classmethod
    def from_openai(cls, data: Any) -> Request:
        """Return the request that a chat completions body holds: `{messages, tools?}`, other keys are left.

        Every message keeps its place, also system and developer messages (a developer message is a system
        one). Content is a text, a list of text parts or null. Functions are the only kind of tool.

        Args:
            data: the parsed JSON.

        Raises:
            RequestError: it is not such a body, or holds what has no text form here (images, audio, files).
        """
        body = _expect(data, dict, "a request", "")
        if body.get("system") is not None:
            raise RequestError(
                "a body with a system text beside the messages is Anthropic's, not one of chat completions; "
                'put the text into the messages as {"role": "system", "content": "..."}',
                where="system",
            )
        rows = _expect(body.get("messages"), list, "a list of messages", "messages")
        tools = _expect(_or(body.get("tools"), []), list, "a list of tools", "tools")
        return cls(
            tools=tuple(_tool_from_openai(tool, f"tools[{i}]") for i, tool in enumerate(tools)),
            messages=tuple(_message_from_openai(row, f"messages[{i}]") for i, row in enumerate(rows)),
        )


_JSON_NAMES: Mapping[type, str] = {
    dict: "an object",
    list: "an array",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "nothing",
}
_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}


def _expect(value: Any, kind: type, what: str, where: str) -> Any:
    if isinstance(value, kind):
        return value
    found = _JSON_NAMES.get(type(value), type(value).__name__)
    raise RequestError(f"{what} is expected ({_JSON_NAMES[kind]}), not {found}", where=where)


def _or(value: Any, default: Any) -> Any:
    """A key that is missing or null means the default; any other wrong value is for `_expect` to refuse."""
    return default if value is None else value


def _tool_from_openai(data: Any, where: str) -> ToolSchema:
    row = _expect(data, dict, "a tool", where)
    if row.get("type", "function") != "function" or "function" not in row:
        raise RequestError(
            f"only function tools have a schema, not {row.get('type')!r}", where=f"{where}.type"
        )
    where = f"{where}.function"
    function = _expect(row["function"], dict, "a function", where)
    return ToolSchema(
        name=_expect(function.get("name"), str, "the tool's name", f"{where}.name"),
        description=_expect(_or(function.get("description"), ""), str, "its text", f"{where}.description"),
        parameters=_expect(_or(function.get("parameters"), {}), dict, "a JSON Schema", f"{where}.parameters"),
    )


def _message_from_openai(data: Any, where: str) -> Message:
    row = _expect(data, dict, "a message", where)
    role = row.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise RequestError(f"{role!r} is no role; use one of: {', '.join(_ROLES)}", where=f"{where}.role")
    calls = _expect(_or(row.get("tool_calls"), []), list, "a list of calls", f"{where}.tool_calls")
    call_id = row.get("tool_call_id")
    return Message(
        role=_ROLES[role],
        content=_content_from_openai(row.get("content"), f"{where}.content"),
        tool_calls=tuple(_call_from_openai(c, f"{where}.tool_calls[{i}]") for i, c in enumerate(calls)),
        tool_call_id=None if call_id is None else _expect(call_id, str, "an id", f"{where}.tool_call_id"),
        reasoning=_expect(
            _or(row.get("reasoning_content"), ""), str, "its text", f"{where}.reasoning_content"
        ),
    )


def _content_from_openai(data: Any, where: str) -> tuple[TextBlock, ...]:
    if data is None:
        return ()
    if isinstance(data, str):
        return (TextBlock(text=data),)
    blocks = []
    for i, part in enumerate(_expect(data, list, "a text or a list of parts", where)):
        kind = _expect(part, dict, "a part", f"{where}[{i}]").get("type")
        if kind not in ("text", "input_text", "output_text"):
            raise RequestError(f"a part of type {kind!r} has no text to count", where=f"{where}[{i}].type")
        blocks.append(TextBlock(text=_expect(part.get("text"), str, "its text", f"{where}[{i}].text")))
    return tuple(blocks)


def _call_from_openai(data: Any, where: str) -> ToolCall:
    row = _expect(data, dict, "a call", where)
    function = _expect(row.get("function"), dict, "a function call", f"{where}.function")
    return ToolCall(
        id=_expect(_or(row.get("id"), ""), str, "an id", f"{where}.id"),
        name=_expect(function.get("name"), str, "the tool's name", f"{where}.function.name"),
        arguments=_expect(
            _or(function.get("arguments"), ""),
            str,
            "the arguments as JSON text",
            f"{where}.function.arguments",
        ),
    )
