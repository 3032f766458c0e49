"""Harmony, the format of gpt-oss: byte for byte what `openai-harmony` writes.

It is the best public stand-in for how OpenAI's closed models see tools. Two things surprise: the tools stand
in the developer message, behind the instructions; and with the first function tool a line is also added to
the system message, so that everything after it is lost to the prompt cache.

What the package does not settle is decided here: the request's system text, or else its leading system
message, is the developer's instructions, a later system message a developer's; the answer's text goes to the
`final` channel, or to `commentary` beside calls; reasoning goes to `analysis`, and is left out once a later
answer is final, as the package does by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Final

from tohlab.errors import RenderError
from tohlab.renderers.base import Piece, Rendered, Renderer, RendererProvenance, Section, merged, pieces_of
from tohlab.renderers.typescript import write_tool
from tohlab.request import Message, Request, Segment

_IDENTITY: Final = "You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n"
_CHANNELS: Final = (
    "# Valid channels: analysis, commentary, final. Channel must be included for every message."
)
_CALLS: Final = "\nCalls to these tools must go to the commentary channel: 'functions'."


class HarmonyRenderer(Renderer):
    """Harmony as `openai-harmony` 0.0.8 writes it.

    Args:
        day: the date that the system message names; None names none.
        effort: `low`, `medium` or `high`, which the system message names too.
    """

    name = "harmony"
    provenance = RendererProvenance(source="openai-harmony 0.0.8", fidelity="executed", date="2026-12-01")
    encodings = ("o200k_harmony", "o200k_base")

    def __init__(self, *, day: date | None = None, effort: str = "medium") -> None:
        if effort not in ("low", "medium", "high"):
            raise RenderError(f"effort must be low, medium or high, not {effort!r}", renderer=self.name)
        self._day = day
        self._effort = effort

    def on(self, day: date) -> HarmonyRenderer:
        """Return the renderer as it is on another day; itself where no day is written."""
        return self if self._day is None else HarmonyRenderer(day=day, effort=self._effort)

    def render(self, request: Request, *, generation_prompt: bool = False) -> Rendered:
        """Return the conversation as gpt-oss reads it.

        Raises:
            RenderError: a tool result answers no call of the conversation.
        """
        pieces = [*self._head(bool(request.tools)), *_developer(request), *_messages(request, self.name)]
        if generation_prompt:
            pieces += (_special("<|start|>", "generation"), _own("assistant", "generation", "assistant"))
        return Rendered(renderer=self.name, pieces=merged(pieces))

    def _head(self, has_tools: bool) -> Iterator[Piece]:
        today = "" if self._day is None else f"Current date: {self._day.isoformat()}\n"
        text = f"{_IDENTITY}{today}\nReasoning: {self._effort}\n\n{_CHANNELS}"
        yield from _open("system", "system")
        yield _own(text, "system", "system")
        if has_tools:
            yield _own(_CALLS, "tools", "system")
        yield _special("<|end|>", "system", "system")


def _instructions(request: Request) -> list[Segment]:
    """The system text, or the message that a captured request has in its place."""
    if request.system:
        return list(Request(system=request.system).segments())
    if request.messages and request.messages[0].role == "system":
        return list(request.messages[0].segments(0))
    return []


def _developer(request: Request) -> Iterator[Piece]:
    instructions = _instructions(request)
    if not instructions and not request.tools:
        return
    section: Section = "system" if instructions else "tools"
    yield from _open("developer", section)
    if instructions:
        yield _own("# Instructions\n\n", "system", "developer")
        for segment in instructions:
            yield from (replace(piece, role="developer") for piece in pieces_of(segment, "system"))
    if request.tools:
        lead = "\n\n" if instructions else ""
        yield _own(f"{lead}# Tools\n\n## functions\n\nnamespace functions {{\n\n", "tools", "developer")
        for i, tool in enumerate(request.tools):
            base = f"tools[{i}]"
            for text, path in write_tool(tool.name, tool.description, tool.parameters or None, base):
                yield Piece(text=text, section="tools", role="developer", path=path)
            yield _own("\n\n", "tools", "developer")
        yield _own("} // namespace functions", "tools", "developer")
    yield _special("<|end|>", section, "developer")


def _messages(request: Request, renderer: str) -> Iterator[Piece]:
    called: dict[str, str] = {}
    finals = [i for i, m in enumerate(request.messages) if m.role == "assistant" and not m.tool_calls]
    last_final = finals[-1] if finals else -1
    for i, message in enumerate(request.messages):
        called |= {call.id: call.name for call in message.tool_calls}
        if i == 0 and message.role == "system" and not request.system:
            continue
        if message.role == "assistant":
            yield from _assistant(message, i, thinks=i > last_final)
            continue
        header = "developer" if message.role == "system" else str(message.role)
        if message.role == "tool":
            name = called.get(message.tool_call_id or "")
            if name is None:
                raise RenderError(
                    f"messages[{i}] answers the call {message.tool_call_id!r}, which nobody made",
                    renderer=renderer,
                )
            header = f"functions.{name} to=assistant"
        yield from _open(header, "messages", message.role)
        if message.role == "tool":
            yield from _channel("commentary", message.role)
        yield _special("<|message|>", "messages", message.role)
        for segment in message.segments(i):
            yield from pieces_of(segment, "messages")
        yield _special("<|end|>", "messages", message.role)


def _assistant(message: Message, index: int, *, thinks: bool) -> Iterator[Piece]:
    role = "assistant"
    for segment in message.segments(index):
        if segment.kind == "reasoning":
            if thinks:
                yield from _said("analysis", [segment], role)
        elif segment.kind == "tool-call":
            call = message.tool_calls[int(segment.path.rsplit("[", 1)[1][:-1])]
            yield _special("<|start|>", "messages", role)
            yield _own("assistant to=functions.", "messages", role)
            yield Piece(text=call.name, section="messages", role=role, path=f"{segment.path}.name")
            yield from _channel("commentary ", role)
            yield _special("<|constrain|>", "messages", role)
            yield _own("json", "messages", role)
            yield _special("<|message|>", "messages", role)
            yield Piece(text=call.arguments, section="messages", role=role, path=f"{segment.path}.arguments")
            yield _special("<|call|>", "messages", role)
        elif segment.path.endswith(".content[0]"):
            blocks = [s for s in message.segments(index) if ".content[" in s.path]
            yield from _said("commentary" if message.tool_calls else "final", blocks, role)


def _said(channel: str, segments: list[Segment], role: str) -> Iterator[Piece]:
    yield _special("<|start|>", "messages", role)
    yield _own("assistant", "messages", role)
    yield from _channel(channel, role)
    yield _special("<|message|>", "messages", role)
    for segment in segments:
        yield from pieces_of(segment, "messages")
    yield _special("<|end|>", "messages", role)


def _channel(name: str, role: str) -> Iterator[Piece]:
    yield _special("<|channel|>", "messages", role)
    yield _own(name, "messages", role)


def _open(header: str, section: Section, role: str = "") -> Iterator[Piece]:
    yield _special("<|start|>", section, role or header)
    yield _own(header, section, role or header)
    if section != "messages":
        yield _special("<|message|>", section, role or header)


def _own(text: str, section: Section, role: str) -> Piece:
    return Piece(text=text, section=section, role=role)


def _special(text: str, section: Section, role: str = "assistant") -> Piece:
    return Piece(text=text, section=section, role=role, special=True)
