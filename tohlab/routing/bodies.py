"""The parts of chat requests that many of them share, made once and shared as one value.

A run asks thousands of requests that begin alike. As one value the beginning takes its room once, and a key
over it is quickly made (`tohlab.routing.keys`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tohlab.request import Message, ToolSchema
from tohlab.request.openai import message_body, tool_body
from tohlab.request.values import chat_messages

Body = Mapping[str, Any]


class Bodies:
    """What is sent for messages and tools.

    Args:
        common: messages that all requests have, as the same values.
    """

    def __init__(self, common: Iterable[Message]) -> None:
        # What is looked up by its id is held beside it, so that the id is nobody else's.
        self._messages = {id(message): (message, _bodies(message)) for message in common}
        self._systems: dict[str, Body] = {}
        self._tools: tuple[tuple[ToolSchema, ...], tuple[Body, ...]] = ((), ())

    def of_messages(self, system: str, messages: Iterable[Message]) -> tuple[Body, ...]:
        """Return what is sent for a system text (none if empty) and messages."""
        found: list[Body] = []
        if system:
            found.append(self._systems.setdefault(system, {"role": "system", "content": system}))
        for message in messages:
            known = self._messages.get(id(message))
            found += known[1] if known is not None else _bodies(message)
        return tuple(found)

    def of_tools(
        self, tools: tuple[ToolSchema, ...], change: Callable[[ToolSchema], ToolSchema]
    ) -> tuple[Body, ...]:
        """Return what is sent for tools, each changed first; `change` is always the same."""
        if self._tools[0] is not tools:
            self._tools = (tools, tuple(tool_body(change(tool)) for tool in tools))
        return self._tools[1]


def _bodies(message: Message) -> tuple[Body, ...]:
    return tuple(message_body(part) for part in chat_messages(message))
