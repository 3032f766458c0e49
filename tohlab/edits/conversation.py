"""A conversation apart from the harness that leads it: what would be said whatever the list of skills is.

A `Conversation` holds the system text, the tools and the talk of an agent without its skills; where these
stand among them is a harness's business (`tohlab.edits.layout`). The model is called after each message of a
user and after each group of tool results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tohlab.request import Message, ToolSchema, text_message

NEXT_TEXT: Final = "Thank you. Please go on with the next one."
"""What the user says next, unless a conversation says otherwise."""

NEXT: Final = text_message("user", NEXT_TEXT, kind="user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What was said so far, and what the user says next."""

    system: str = ""
    """The system text without any skills."""
    tools: tuple[ToolSchema, ...] = ()
    """The agent's tools without the one that loads skills, in wire order."""
    messages: tuple[Message, ...] = ()
    """The talk, up to the model's last answer."""
    following: Message = NEXT
    """What the user says next."""
    gap_s: float = 15.0
    """How many seconds lie between two calls of the model."""

    def calls(self) -> tuple[int, ...]:
        """Return how many messages were there at each call of the model, rising."""
        return calls_of(self.messages)


def calls_of(messages: Sequence[Message]) -> tuple[int, ...]:
    """Return how many messages were there each time the model was called: those before its answers."""
    return tuple(
        i
        for i, message in enumerate(messages)
        if message.role == "assistant" and i and messages[i - 1].role != "assistant"
    )


def whole_turns(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return the messages up to the model's last answer that waits for nothing."""
    kept = list(messages)
    while kept and (kept[-1].role != "assistant" or kept[-1].calls):
        kept.pop()
    return tuple(kept)
