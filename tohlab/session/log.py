"""What was said in a session, what of it the model is sent, and what that means for catalogs and calls."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tohlab.catalog import SessionCatalog, catalog_in
from tohlab.request import Message, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One message of a session's log."""

    message: Message
    on_surface: bool = True
    """False once compaction took it out of what the model is sent; the log keeps it."""


class Log:
    """The messages of a session in order, with what follows from them.

    Args:
        history: a stored log, as `Event`s or `Message`s.
    """

    def __init__(self, history: Iterable[Event | Message] = ()) -> None:
        self.events: list[Event] = [e if isinstance(e, Event) else Event(message=e) for e in history]
        self.messages: tuple[Message, ...] = ()
        """What the model is sent."""
        self.catalogs = SessionCatalog()
        """What the conversation has been told of its skills."""
        self.call_ids: set[str] = set()
        """Of every call that was ever made."""
        self.open_calls: dict[str, ToolCall] = {}
        """Those that wait for their result, by id."""
        self._reread()

    def fork(self) -> Log:
        """Return a log that begins with this one and goes on by itself."""
        new = copy.copy(self)
        new.events = list(self.events)
        new.call_ids = set(self.call_ids)
        new.open_calls = dict(self.open_calls)
        return new

    def append(self, *messages: Message) -> None:
        """Add messages that the model is sent."""
        for message in messages:
            self._note(message, len(self.events))
            self.events.append(Event(message=message))
        self.messages += messages

    def insert(self, position: int, message: Message) -> None:
        """Put a message elsewhere than at the end."""
        self.events.insert(position, Event(message=message))
        self._reread()

    def shadow(self, positions: Iterable[int]) -> None:
        """Take the messages at these positions out of what the model is sent."""
        for i in positions:
            self.events[i] = replace(self.events[i], on_surface=False)
        self._reread()

    def shown(self) -> list[int]:
        """Return the positions of what the model is sent."""
        return [i for i, event in enumerate(self.events) if event.on_surface]

    def first_kept(self, keep_last: int) -> int:
        """Return where the last `keep_last` messages begin; a result does not stay without its call."""
        shown = self.shown()
        kept = shown[len(shown) - keep_last :] if keep_last < len(shown) else shown
        while kept and self.events[kept[0]].message.role == "tool":
            kept = kept[1:]
        return kept[0] if kept else len(self.events)

    def new_call_id(self) -> str:
        """Return an id that no call has had."""
        number = len(self.call_ids) + 1
        while f"call_{number}" in self.call_ids:
            number += 1
        return f"call_{number}"

    def _note(self, message: Message, position: int) -> None:
        if message.role == "user":
            catalog = catalog_in(message.source)
            if catalog is not None:
                self.catalogs = self.catalogs.publish(catalog, position)
        for call in message.tool_calls:
            self.call_ids.add(call.id)
            self.open_calls[call.id] = call
        if message.tool_call_id is not None:
            self.open_calls.pop(message.tool_call_id, None)

    def _reread(self) -> None:
        """Work everything out again, after the log was changed elsewhere than at its end."""
        self.messages = tuple(event.message for event in self.events if event.on_surface)
        self.catalogs = SessionCatalog.resume(
            (e.message.source if e.message.role == "user" else {}, e.on_surface) for e in self.events
        )
        self.call_ids.clear()
        self.open_calls.clear()
        for event in self.events:
            for call in event.message.tool_calls:
                self.call_ids.add(call.id)
                if event.on_surface:
                    self.open_calls[call.id] = call
            if event.message.tool_call_id is not None:
                self.open_calls.pop(event.message.tool_call_id, None)
