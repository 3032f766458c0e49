"""TheOpen Harness's own estimate of tokens, from lengths alone; not a count.

The harness shows and budgets with it (its `packages/llm/token-meter/src/estimate.ts`), and says itself that
it underprices CJK text and JSON. It is here so that its numbers can be reproduced and set beside real counts;
it is never used in place of one. All lengths are in UTF-16 code units.

Source: TheOpen Harness's token meter and status line; the `token_*` and `cache_hit_percent` vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from tohlab.ecma import json_stringify, utf16_length
from tohlab.request import Message, Request, ToolSchema

OVERHEAD: Final = 4
"""What a message, a text block, a tool result, a tool call, the system text and the tools list each add."""


def estimate_text(text: str) -> int:
    """Return a fourth of the length, rounded up; 0 for the empty text."""
    return -(-utf16_length(text) // 4)


def estimate_message(message: Message) -> int:
    """Return the estimate of one message: its blocks and calls, and 4 for itself.

    A text block is its text + 4. In a `tool` message the result adds 4 around its blocks. A tool call is its
    name, its arguments and 4.
    """
    total = OVERHEAD
    if message.role == "tool":
        total += OVERHEAD
    for block in message.content:
        total += estimate_text(block.text) + OVERHEAD
    for call in message.tool_calls:
        total += estimate_text(call.name) + estimate_text(call.arguments) + OVERHEAD
    return total


def estimate_system(text: str) -> int:
    """Return the estimate of the system text; 0 if there is none."""
    return estimate_text(text) + OVERHEAD if text else 0


def estimate_tools(tools: Sequence[ToolSchema]) -> int:
    """Return the estimate of all tools together, written as one JSON array; 0 if there are none."""
    if not tools:
        return 0
    return estimate_text(json_stringify([tool.to_dict() for tool in tools])) + OVERHEAD


def estimate_request(request: Request) -> int:
    """Return the estimate of a whole request: tools, system text and every message."""
    return (
        estimate_tools(request.tools)
        + estimate_system(request.system)
        + sum(estimate_message(message) for message in request.messages)
    )


def cache_hit_percent(uncached_tokens: int, read_tokens: int, write_tokens: int) -> str | None:
    """Return the harness's cache hit rate as it shows it, such as `"99"` or `"99.95"`; None without input.

    The rate is read / (uncached + read + write). It is a whole percentage, rounded half up, with just as many
    decimals as it takes not to show 100 where it is less.
    """
    billed = uncached_tokens + read_tokens + write_tokens
    if billed == 0:
        return None
    if read_tokens == billed:
        return "100"
    percent = Decimal(100 * read_tokens) / Decimal(billed)
    for decimals in range(28):
        shown = percent.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
        if shown < 100:
            return str(shown)
    return str(percent)
