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
BlockKind = Literal["", "reasoning", "tool-call", "tool-result", "stand-in"]
"""`stand-in`: a short text for what is sent and has none (an image, a file); its tokens are not the API's."""


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
class ToolCall:
    """A call that the model made."""

    id: str
    name: str
    arguments: str
    """The JSON text as the model wrote it, not parsed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """One text inside a message."""

    text: str
    spans: tuple[Span, ...] = ()
    """Disjoint, in order; what lies between them is the block's frame."""
    kind: BlockKind = ""
    """What it is where an API sends everything as blocks; empty for a text."""
    call: ToolCall | None = None
    """The call that a `tool-call` block is."""
    answers: str = ""
    """The id of the call that a `tool-result` block answers."""


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
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls in it, also those that are blocks."""
        return (*self.tool_calls, *(block.call for block in self.content if block.call is not None))

    @property
    def is_result(self) -> bool:
        """Whether it gives results back and nothing else, by its role or by its blocks."""
        kinds = {block.kind for block in self.content}
        return self.role == "tool" or (self.role == "user" and kinds == {"tool-result"})

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

    def places(self, index: int) -> Iterator[tuple[str, str, Role, str, str, tuple[Span, ...]]]:
        """Yield path, kind, role, name, text and spans of each of the message's segments, in wire order.

        For who needs many segments and not as values of their own.

        Args:
            index: the message's place in the request.
        """
        texts = self.texts()
        at = 0
        if self.reasoning:
            yield f"messages[{index}].reasoning", "reasoning", self.role, "", self.reasoning, ()
            at = 1
        if self.content:
            kind = self.kind
            for j, block in enumerate(self.content):
                path = f"messages[{index}].content[{j}]"
                role: Role = "tool" if block.kind == "tool-result" else self.role
                name = block.call.name if block.call else ""
                yield path, block.kind or kind, role, name, block.text, block.spans
            at += len(self.content)
        for j, call in enumerate(self.tool_calls):
            path = f"messages[{index}].tool_calls[{j}]"
            yield path, "tool-call", self.role, call.name, texts[at + j], ()

    def segments(self, index: int) -> Iterator[Segment]:
        """Yield the message's stretches of text in wire order; `index` is its place in the request."""
        for path, kind, role, name, text, spans in self.places(index):
            yield Segment(path=path, kind=kind, role=role, text=text, spans=spans, name=name)


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
    system_blocks: tuple[int, ...] = ()
    """How many characters each block of the system text has where it is sent as several; empty for one text.
    A cache may end at each."""

    def __post_init__(self) -> None:
        if self.system_blocks and sum(self.system_blocks) != len(self.system):
            raise RequestError(
                f"its blocks have {sum(self.system_blocks)} characters and it has {len(self.system)}",
                where="system",
            )

    @property
    def head(self) -> Request:
        """The same without messages."""
        return replace(self, messages=())

    def segments(self) -> Iterator[Segment]:
        """Yield every stretch of text in wire order: tools, system, then message by message."""
        for i, tool in enumerate(self.tools):
            yield tool.segment(i)
        if self.system_blocks:
            at = 0
            for i, length in enumerate(self.system_blocks):
                text = self.system[at : at + length]
                yield Segment(path=f"system[{i}]", kind="system", role="system", text=text)
                at += length
        elif self.system:
            yield Segment(path="system", kind="system", role="system", text=self.system)
        for i, message in enumerate(self.messages):
            yield from message.segments(i)

    def chat_form(self) -> Request:
        """Return the same conversation as chat completions lay it out.

        Results are messages of their own, calls and thoughts stand beside the text instead of among it; the
        addresses are those of that form.
        """
        return replace(self, messages=tuple(m for message in self.messages for m in chat_messages(message)))

    def to_openai(self) -> dict[str, Any]:
        """Return `{messages, tools?}` as the chat completions API takes them, without sources and spans."""
        from tohlab.request import openai  # which needs the values above

        return openai.body_of(self.chat_form())

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
        from tohlab.request import openai

        return openai.request_of(data)

    @classmethod
    def from_anthropic(cls, data: Any) -> Request:
        """Return the request that a body of Anthropic's Messages holds: `{system?, tools?, messages}`.

        Every character keeps the address that it has in the body: `system[1]`, `messages[3].content[0]`. What
        decides over the cache beside the texts is in `read_body`.

        Args:
            data: the parsed JSON.

        Raises:
            RequestError: it is not such a body, or holds a block that is not known here.
        """
        from tohlab.request import anthropic

        return anthropic.body_of(data).request


def chat_messages(message: Message) -> Iterator[Message]:
    """Yield the messages that a message with calls, results or thoughts among its blocks is in chat form."""
    kinds = {block.kind for block in message.content}
    if not kinds & {"reasoning", "tool-call", "tool-result"}:
        yield message
        return
    for block in message.content:
        if block.kind == "tool-result":
            plain = (TextBlock(text=block.text, spans=block.spans),)
            yield Message(role="tool", content=plain, tool_call_id=block.answers, source=message.source)
    rest = tuple(block for block in message.content if block.kind in ("", "stand-in"))
    thoughts = "".join(block.text for block in message.content if block.kind == "reasoning")
    if rest or thoughts or message.calls:
        yield replace(message, content=rest, tool_calls=message.calls, reasoning=message.reasoning + thoughts)
