"""The harness's own estimate, from lengths alone."""

from __future__ import annotations

import pytest

from tohlab.dialects import get_dialect
from tohlab.request import Message, Request, TextBlock, ToolCall, text_message
from tohlab.tokens.toh_estimate import (
    cache_hit_percent,
    estimate_message,
    estimate_request,
    estimate_system,
    estimate_text,
    estimate_tools,
)


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("😀", 1), ("😀" * 3, 2)]
)
def test_a_text_is_a_fourth_of_its_utf16_length_rounded_up(text: str, tokens: int) -> None:
    assert estimate_text(text) == tokens


def test_messages_blocks_results_and_calls_each_add_four() -> None:
    assert estimate_message(text_message("user", "abcd")) == 9
    assert estimate_message(text_message("tool", "abcd")) == 13
    assert estimate_message(Message(role="user", content=(TextBlock(text="abcd"),) * 2)) == 14
    call = ToolCall(id="1", name="skill", arguments='{"name":"pdf"}')
    assert estimate_message(Message(role="assistant", tool_calls=(call,))) == 4 + 2 + 4 + 4


def test_a_request_is_its_tools_system_and_messages() -> None:
    tool = get_dialect("toh").skill_tool()
    assert estimate_tools([tool]) == 99
    assert estimate_system("x" * 10) == 7
    request = Request(tools=(tool,), system="x" * 10, messages=(text_message("user", "abcd"),))
    assert estimate_request(request) == 99 + 7 + 9
    assert estimate_request(Request()) == 0


@pytest.mark.parametrize(
    ("uncached", "read", "write", "percent"),
    [
        (0, 0, 0, None),
        (7, 0, 0, "0"),
        (0, 5, 0, "100"),
        (7, 1, 0, "13"),
        (1, 198, 0, "99"),
        (1, 199, 0, "99.5"),
        (0, 997, 3, "99.7"),
        (1, 1999, 0, "99.95"),
        (1, 999_999, 0, "99.9999"),
        (1, 9_007_199_254_740_990, 0, "99.99999999999999"),
    ],
)
def test_a_partial_hit_is_never_shown_as_a_hundred(
    uncached: int, read: int, write: int, percent: str | None
) -> None:
    assert cache_hit_percent(uncached, read, write) == percent
