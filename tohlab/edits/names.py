"""The edits there are, and those that are made to a request itself, whoever sends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Literal, get_args

from tohlab.edits.layout import CATALOG
from tohlab.request import Request, TextBlock, text_message

EditName = Literal[
    "append",
    "add",
    "insert",
    "edit",
    "remove",
    "reorder",
    "tool-text",
    "tool-order",
    "clock",
    "prune",
    "compact",
    "dialect",
]
ALL_EDITS: Final[tuple[EditName, ...]] = get_args(EditName)
SKILL_EDITS: Final[tuple[EditName, ...]] = ("add", "insert", "edit", "remove", "reorder")

TITLES: Final[Mapping[EditName, str]] = MappingProxyType(
    {
        "append": "append a turn",
        "add": "add a skill at the end of the list",
        "insert": "add a skill in its sorted place",
        "edit": "edit a skill's description",
        "remove": "remove a skill",
        "reorder": "move a skill to the front",
        "tool-text": "change the last tool's description",
        "tool-order": "swap the last two tools",
        "clock": "put a clock at the head of the system text",
        "prune": "prune an old tool result",
        "compact": "compact the conversation",
        "dialect": "switch to another harness",
    }
)
CLOCK: Final = "The time is 2026-12-01 12:00:15.\n"
PRUNED: Final = "[An old result was removed to save room.]"
TOOL_REMARK: Final = " It is the last choice."
SUMMARY_CHARS: Final = 60
"""How much of each user text and answer goes into a compaction's summary, in characters."""
PRUNED_AT: Final = 0.5
"""How far into the messages the pruned result stands, as a share."""


def _tool_text(request: Request) -> Request | str:
    if not request.tools:
        return "the session has no tools"
    last = request.tools[-1]
    return replace(
        request,
        tools=(*request.tools[:-1], replace(last, description=last.description + TOOL_REMARK)),
    )


def _tool_order(request: Request) -> Request | str:
    if len(request.tools) < 2:
        return f"the session has {len(request.tools)} of the two tools that it takes"
    return replace(request, tools=(*request.tools[:-2], request.tools[-1], request.tools[-2]))


def _clock(request: Request) -> Request | str:
    first = request.messages[0] if request.messages else None
    if request.system or first is None or first.role != "system" or not first.content:
        first_block, *others = request.system_blocks or (0,)
        blocks = (first_block + len(CLOCK), *others) if request.system_blocks else ()
        return replace(request, system=CLOCK + request.system, system_blocks=blocks)
    block = TextBlock(text=CLOCK + first.content[0].text)
    changed = replace(first, content=(block, *first.content[1:]))
    return replace(request, messages=(changed, *request.messages[1:]))


def _prune(request: Request) -> Request | str:
    places = [i for i, message in enumerate(request.messages) if message.is_result]
    if not places:
        return "the session has no tool result"
    wanted = PRUNED_AT * len(request.messages)
    at = min(places, key=lambda i: abs(i - wanted))
    old = request.messages[at].content
    kept = tuple(replace(block, text=PRUNED, spans=()) for block in old if block.kind)
    pruned = replace(request.messages[at], content=kept or (TextBlock(text=PRUNED),))
    return replace(request, messages=(*request.messages[:at], pruned, *request.messages[at + 1 :]))


def _compact(request: Request) -> Request | str:
    """Everything but lists, system texts and the last turn becomes one message."""
    *earlier, following = request.messages
    kept = [m for m in earlier if m.role == "system" or m.kind == CATALOG]
    talk = [m for m in earlier if m.role != "system" and m.kind != CATALOG]
    start = next(
        (i for i in range(len(talk) - 1, -1, -1) if talk[i].role == "user" and not talk[i].is_result), 0
    )
    if not start:
        return "the session has one turn only"
    lines = [
        f"{m.role}: {' '.join(m.text.split())[:SUMMARY_CHARS]}"
        for m in talk[:start]
        if m.role in ("user", "assistant") and m.text and not m.calls and not m.is_result
    ]
    summary = text_message(
        "user", "Summary of what was said before:\n" + "\n".join(lines), kind="compaction-summary"
    )
    return replace(request, messages=(*kept, summary, *talk[start:], following))


ON_REQUESTS: Final[Mapping[EditName, Callable[[Request], Request | str]]] = MappingProxyType(
    {
        "tool-text": _tool_text,
        "tool-order": _tool_order,
        "clock": _clock,
        "prune": _prune,
        "compact": _compact,
    }
)
"""What an edit makes of the next request, or why it cannot be made."""
