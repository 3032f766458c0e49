"""A conversation: where the next request comes from.

A `Session` holds a log of messages and hands out frozen `Request`s. Each step does what the harness does
before it calls the model: take the user's messages, look at the skills, tell the model of a changed catalog,
put in the skills that the user started by name. Without compaction the log only grows, so each request is a
prefix of the next one; that is what a prompt cache lives on.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from tohlab.catalog import Catalog, SessionCatalog, catalog_in
from tohlab.dialects import Dialect, get_dialect
from tohlab.ecma import json_stringify
from tohlab.errors import SessionError, UnsupportedByDialect
from tohlab.questions import Agent
from tohlab.request import Message, Request, TextBlock, ToolCall, ToolSchema, text_message
from tohlab.session.log import Event, Log
from tohlab.session.skill_texts import SkillTexts
from tohlab.skills.model import SkillSource
from tohlab.tools import AbortSignal, AskUserTool, SkillTool, ToolResult, ToolSurface, failure

Break = Literal["compaction", "header_change"]
"""What a session does on purpose that ends a shared prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step did."""

    decision: Literal["enter", "reject"]
    """`reject`: something refused the step; nothing was published and nothing logged."""
    messages: tuple[Message, ...]
    """What entered the log, in order: the batch, the catalog if one was due, then invoked skills."""
    dropped: int
    """How many messages of the batch did not enter."""
    request: Request
    """The request that follows the step."""


class Session:
    """A conversation over one source of skills, in one dialect.

    Args:
        source: where the skills are; looked at anew in each step.
        dialect: by name or instance.
        system: the system text, which tohlab neither writes nor changes.
        tools: the agent's other tools: schemas, or an `AskUserTool`, which the session also runs. One named
            like the skill tool shadows it.
        history: a stored log to resume, as `Event`s or `Message`s; the catalogs in it are found by their
            source, so nothing that the model already reads is said again.
        tool_order: an explicit wire order of tools; None sorts them by name.

    Raises:
        UnsupportedByDialect: a dialect that does not tell its catalog by appended user messages.
    """

    def __init__(
        self,
        source: SkillSource,
        dialect: str | Dialect = "toh",
        *,
        system: str = "",
        tools: Iterable[ToolSchema | AskUserTool] = (),
        history: Iterable[Event | Message] = (),
        tool_order: Iterable[str] | None = None,
    ) -> None:
        self.source = source
        self.dialect = get_dialect(dialect)
        if self.dialect.placement != "user-message" or self.dialect.refresh != "append":
            raise UnsupportedByDialect(
                f"a session cannot place a catalog by {self.dialect.placement}/{self.dialect.refresh}, as "
                f"{self.dialect.name!r} does; it knows user-message/append"
            )
        self.system = system
        self.skill_tool = SkillTool(source, self.dialect)
        self._schema = self.skill_tool.schema
        given = tuple(tools)
        self._ask_tools = tuple(tool for tool in given if isinstance(tool, AskUserTool))
        others = tuple(tool.schema if isinstance(tool, AskUserTool) else tool for tool in given)
        self._surface = ToolSurface(
            dialect=self.dialect,
            inherited=(self._schema, *(t for t in others if t.name != self._schema.name)),
            own=tuple(t for t in others if t.name == self._schema.name),
            order=None if tool_order is None else tuple(tool_order),
        )
        self._tools = self._surface.visible()
        self._skills = SkillTexts(self.dialect)
        self._log = Log(history)
        self._handed_out: list[tuple[int, int, tuple[ToolSchema, ...], str]] = []
        self._surfaces: list[tuple[Message, ...]] = []  # what was sent at last before each compaction
        self._breaks: list[tuple[int, Break]] = []

    # What there is.

    @property
    def history(self) -> tuple[Event, ...]:
        """The log, oldest first, with what compaction took out of sight; `history=` resumes from it."""
        return tuple(self._log.events)

    @property
    def request(self) -> Request:
        """The request as the log stands, without taking a step."""
        return Request(tools=self._tools, system=self.system, messages=self._log.messages)

    @property
    def requests(self) -> tuple[Request, ...]:
        """The requests that the session's steps handed out, oldest first."""
        surfaces = (*self._surfaces, self._log.messages)
        return tuple(
            Request(tools=tools, system=system, messages=surfaces[surface][:length])
            for surface, length, tools, system in self._handed_out
        )

    @property
    def breaks(self) -> tuple[tuple[int, Break], ...]:
        """What was done on purpose that keeps a request from beginning with the one before, with the place of
        that request in `requests`."""
        return tuple(self._breaks)

    @property
    def catalogs(self) -> SessionCatalog:
        """What the conversation has been told of its skills."""
        return self._log.catalogs

    @property
    def skill_tool_visible(self) -> bool:
        """Whether the model has the harness's own skill tool, neither hidden nor shadowed by another."""
        return any(tool is self._schema for tool in self._tools)

    # Steps.

    def user(self, *texts: str, signal: AbortSignal | None = None) -> Request:
        """Take a step with a user message of these texts, one block each, and return its request."""
        if not texts:
            raise SessionError("a user step needs a text; for a step without one call next_request()")
        blocks = tuple(TextBlock(text=text) for text in texts)
        source = MappingProxyType({"kind": "user"})
        return self.step(Message(role="user", content=blocks, source=source), signal=signal).request

    def next_request(self, *, signal: AbortSignal | None = None) -> Request:
        """Take a step without user text, as a harness does after tool results, and return its request."""
        return self.step(signal=signal).request

    def step(self, *batch: Message, reject: bool = False, signal: AbortSignal | None = None) -> Step:
        """Take a step with a batch of user-role messages from anywhere.

        The batch may hold a catalog of its own (a readable `skill-catalog` source): it is kept if it is
        right, replaced where it stands if it is stale, dropped if none is due. A failed step logs nothing.

        Args:
            batch: what enters the conversation in this step, in order.
            reject: something inside the harness refused the step.
            signal: aborted, it makes the step fail.

        Raises:
            SessionError: the signal is aborted, calls of the model wait for results, or a message of the
                batch has another role.
            Exception: whatever the source raises.
        """
        if reject:
            return Step(decision="reject", messages=(), dropped=len(batch), request=self.request)
        if self._log.open_calls:
            waiting = ", ".join(self._log.open_calls)
            raise SessionError(f"calls wait for their results: {waiting}; give them with tool_result() first")
        wrong = next((m.role for m in batch if m.role != "user"), None)
        if wrong is not None:
            raise SessionError(f"a step takes user messages, not {wrong}; use assistant() or tool_result()")
        self._check(signal)
        entering = list(batch)
        position, proposed = next(
            ((i, c) for i, m in enumerate(batch) if (c := catalog_in(m.source)) is not None), (None, None)
        )
        visible = self.skill_tool_visible
        catalog, complete = self._skills.look(self.source) if visible else (Catalog(), True)
        self._check(signal)
        decision = self._log.catalogs.observe(catalog, visible=visible, complete=complete, proposed=proposed)
        dropped = 0
        if decision.action in ("drop", "replace") and position is not None:
            entering.pop(position)
            dropped = 1
        if decision.update is not None:
            told = self._skills.catalog(decision.update)
            entering.insert(position if position is not None else len(entering), told)
        entering += self._skills.invocations(self.source, batch)
        self._check(signal)
        self._log.append(*entering)
        self._handed_out.append((len(self._surfaces), len(self._log.messages), self._tools, self.system))
        return Step(decision="enter", messages=tuple(entering), dropped=dropped, request=self.request)

    def fork(self) -> Session:
        """Return a session that begins with all that this one has and goes on by itself.

        It is what `Session(..., history=self.history)` gives, hidden tools and open calls included, without
        working it out again: many requests that begin alike each take their step in a fork of one session.
        """
        new = copy.copy(self)
        new._log = self._log.fork()
        new._handed_out = list(self._handed_out)
        new._surfaces = list(self._surfaces)
        new._breaks = list(self._breaks)
        return new

    # What the model and its tools say.

    def assistant(self, text: str = "", tool_calls: Iterable[ToolCall] = ()) -> Message:
        """Log what the model answered and return the message.

        Raises:
            SessionError: an id of a call was used before.
        """
        calls = tuple(tool_calls)
        ids = [call.id for call in calls]
        for call in calls:
            if call.id in self._log.call_ids or ids.count(call.id) > 1:
                raise SessionError(f"the call id {call.id!r} was used before; ids must differ")
        content = (TextBlock(text=text),) if text else ()
        message = Message(role="assistant", content=content, tool_calls=calls)
        self._log.append(message)
        return message

    def tool_result(self, call_id: str, text: str) -> Message:
        """Log what a call gave back and return the message.

        Raises:
            SessionError: no call of that id waits for a result.
        """
        if call_id not in self._log.open_calls:
            waiting = ", ".join(self._log.open_calls) or "none"
            raise SessionError(f"no call {call_id!r} waits for a result; waiting: {waiting}")
        source = MappingProxyType({"kind": "tool-result", "callId": call_id})
        message = Message(role="tool", content=(TextBlock(text=text),), tool_call_id=call_id, source=source)
        self._log.append(message)
        return message

    def execute(self, name: str, arguments: str, *, signal: AbortSignal | None = None) -> ToolResult:
        """Return what a call of a tool gives back, without logging it; arguments as the model wrote them.

        Raises:
            SessionError: a tool that the model has, but that is not the harness's skill tool: tohlab does not
                run it, or only `aexecute` does.
        """
        tool = self._visible(name)
        if tool is None:
            return failure(self.dialect, "unknown-tool", tool=name)
        if tool is not self._schema:
            raise SessionError(
                f"tool {name!r} waits for a person; use await session.aexecute({name!r}, arguments)"
                if self._ask_tool(tool)
                else f"tool {name!r} is not the harness's skill tool; give its result yourself"
            )
        return self.skill_tool.call_text(arguments, signal=signal)

    async def aexecute(
        self, name: str, arguments: str, *, agent: Agent | None = None, signal: AbortSignal | None = None
    ) -> ToolResult:
        """Return what a call of a tool gives back, without logging it, also of one that asks the user.

        Args:
            name: the tool's name; an unknown or hidden one gives an error text, as for a model.
            arguments: the JSON text as the model wrote it.
            agent: the live agent that calls; only the tool that asks the user looks at it.
            signal: takes the call back.

        Raises:
            SessionError: a tool that the model has, but that tohlab does not run.
            ScriptError, AskerUnavailable: nobody was there to answer; see `AskUserTool.call`.
        """
        tool = self._visible(name)
        ask_tool = None if tool is None else self._ask_tool(tool)
        if ask_tool is None:
            return self.execute(name, arguments, signal=signal)
        return await ask_tool.call_text(arguments, agent=agent, signal=signal)

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | str,
        text: str = "",
        *,
        agent: Agent | None = None,
        signal: AbortSignal | None = None,
    ) -> ToolResult:
        """Run a call of the model and log it with what it reads back; return the result.

        Nothing is logged while the call runs, nor if it raises or is cancelled; then call and result are
        appended together, so what the model was sent before stays a prefix of what it is sent next.

        Args:
            name: the tool's name.
            arguments: an object, which is written as compact JSON, or the JSON text as the model wrote it.
            text: what the model says beside the call.
            agent: see `aexecute`.
            signal: see `aexecute`.

        Raises:
            SessionError: see `aexecute`.
            ScriptError, AskerUnavailable: see `aexecute`.
        """
        raw = arguments if isinstance(arguments, str) else json_stringify(arguments)
        result = await self.aexecute(name, raw, agent=agent, signal=signal)
        self._log_call(name, raw, result, text)
        return result

    def call_skill(self, name: str, text: str = "") -> ToolResult:
        """Log that the model loads a skill, and what it reads back; return the result.

        Args:
            name: the skill's name, as the model writes it; a wrong one gives an error text, as for a model.
            text: what the model says beside the call.
        """
        raw = json_stringify({"name": name})
        result = self.execute(self._schema.name, raw)
        self._log_call(self._schema.name, raw, result, text)
        return result

    # Compaction and visibility.

    def compact(self, summary: str = "", *, keep_last: int = 0) -> None:
        """Take everything but the last `keep_last` messages out of what the model is sent.

        A result does not stay without its call: results at the front of what would be kept go too. A catalog
        that goes is told again in the next step.

        Args:
            summary: what stands for what went, as a user message before what is kept; empty for nothing.
            keep_last: how many messages stay, at most.
        """
        if keep_last < 0:
            raise SessionError(f"keep_last must be 0 or more, not {keep_last}")
        first_kept = self._log.first_kept(keep_last)
        self.shadow(i for i in self._log.shown() if i < first_kept)
        if summary:
            self._log.insert(first_kept, text_message("user", summary, kind="compaction-summary"))

    def shadow(self, positions: Iterable[int]) -> None:
        """Take the messages at these positions of `history` out of what the model is sent."""
        before = self._log.messages
        self._log.shadow(positions)
        self._breaks.append((len(self._handed_out), "compaction"))
        self._surfaces.append(before)

    def restrict(
        self, *, allow: Iterable[str] | None = None, deny: Iterable[str] | None = None
    ) -> Callable[[], None]:
        """Hide inherited tools from the model and return a function that lifts the restriction.

        Raises:
            ToolsError: a restriction that the harness refuses, in its words.
        """
        self._see(self._surface.restrict(allow=allow, deny=deny))
        restriction = self._surface.restrictions[-1]
        return lambda: self._see(self._surface.lift(restriction))

    def hide_skill_tool(self) -> None:
        """Hide the skill tool; without it nothing can be loaded, and the next step says so."""
        if self.skill_tool_visible:
            self.restrict(deny=[self._schema.name])

    def shadow_skill_tool(self, tool: ToolSchema) -> None:
        """Give the agent a tool of its own under the skill tool's name, which then stands in its place."""
        if tool.name != self._schema.name:
            raise SessionError(f"a tool that shadows must be named {self._schema.name!r}, not {tool.name!r}")
        self._see(replace(self._surface, own=(*self._others(), tool)))

    def show_skill_tool(self) -> None:
        """Undo every restriction that hides the skill tool, and every tool that shadows it."""
        left = tuple(r for r in self._surface.restrictions if r.passes(self._schema.name))
        self._see(replace(self._surface, own=self._others(), restrictions=left))

    # How.

    def _visible(self, name: str) -> ToolSchema | None:
        return next((tool for tool in self._tools if tool.name == name), None)

    def _ask_tool(self, schema: ToolSchema) -> AskUserTool | None:
        return next((tool for tool in self._ask_tools if tool.schema is schema), None)

    def _log_call(self, name: str, arguments: str, result: ToolResult, text: str) -> None:
        call = ToolCall(id=self._log.new_call_id(), name=name, arguments=arguments)
        self.assistant(text, [call])
        self.tool_result(call.id, result.text)

    def _others(self) -> tuple[ToolSchema, ...]:
        return tuple(tool for tool in self._surface.own if tool.name != self._schema.name)

    def _see(self, surface: ToolSurface) -> None:
        self._surface = surface
        self._tools = surface.visible()
        self._breaks.append((len(self._handed_out), "header_change"))

    def _check(self, signal: AbortSignal | None) -> None:
        if signal is not None and signal.aborted:
            raise SessionError(str(signal.reason))
