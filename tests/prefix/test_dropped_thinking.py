"""On older models a plain user message after thinking and tool use loses the entries of the messages.

Source: Anthropic, Prompt caching, "what invalidates the cache" (2026-08-21): lost on Haiku up to 4.5 and
older Opus and Sonnet, kept on Opus from 4.5 and Sonnet from 4.6 on; tools and system are kept on all.
"""

from __future__ import annotations

from typing import Any

import pytest

from tohlab.prefix import Sent, explain
from tohlab.prefix.policies import get_policy
from tohlab.request import Message, Request, TextBlock, ToolCall, read_body, text_message
from tohlab.tokens import get_meter

OLD = (
    "claude-haiku-4-5",
    "claude-opus-4-1",
    "claude-opus-4",
    "claude-sonnet-4-5-20250929",
    "claude-sonnet-4",
)
NEW = ("claude-opus-4-5", "claude-opus-5", "claude-sonnet-4-6", "claude-sonnet-5", "claude-fable-5", "")
LONG = "Look at the file and say what is in it. " * 600


def session(*, thinks: bool = True, calls: bool = True) -> list[dict[str, Any]]:
    """Messages of a turn with a tool, and the plain user message after it."""
    thought = [{"type": "thinking", "thinking": "Which file? " * 20, "signature": "s"}] if thinks else []
    call = [{"type": "tool_use", "id": "t1", "name": "bash", "input": {"c": "ls"}}] if calls else []
    said = [{"type": "text", "text": "I look."}]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "a.txt"}
    return [
        {"role": "user", "content": LONG},
        {"role": "assistant", "content": [*thought, *said, *call]},
        {"role": "user", "content": [result]} if calls else {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "It has one file."},
        {"role": "user", "content": "And the next one?"},
    ]


def sent(messages: list[dict[str, Any]], model: str) -> Sent:
    request = read_body({"system": "Careful. " * 5000, "messages": messages}).request
    return Sent(request=request, model=model, mode="implicit", marks=("system",))


def reads(rows: list[dict[str, Any]], model: str, lengths: tuple[int, ...]) -> list[int]:
    cache, meter = get_policy("anthropic").start(), get_meter()
    return [cache.submit(sent(rows[:n], model).cached(meter), 0.0).read_tokens for n in lengths]


@pytest.mark.parametrize("model", OLD)
def test_older_models_keep_tools_and_system_alone(model: str) -> None:
    _, in_the_loop, plain = reads(session(), model, (1, 3, 5))
    meter = get_meter()
    assert in_the_loop == len(sent(session()[:1], model).cached(meter))
    assert plain == meter.count("Careful. " * 5000)


@pytest.mark.parametrize("model", NEW)
def test_newer_models_keep_the_messages(model: str) -> None:
    assert reads(session(), model, (1, 3, 5))[2] == len(sent(session()[:3], model).cached(get_meter()))


@pytest.mark.parametrize("turn", [{"thinks": False}, {"calls": False}])
def test_only_thinking_with_tool_use_is_dropped(turn: dict[str, bool]) -> None:
    rows = session(**turn)
    read = reads(rows, "claude-sonnet-4-5", (1, 3, 5))[2]
    assert read == len(sent(rows[:3], "claude-sonnet-4-5").cached(get_meter()))


def test_what_is_written_after_the_drop_is_read_again() -> None:
    rows = [*session(), {"role": "assistant", "content": "Two."}, {"role": "user", "content": "Fine."}]
    *_, plain, later = reads(rows, "claude-sonnet-4-5", (1, 3, 5, 7))
    assert later == len(sent(rows[:5], "claude-sonnet-4-5").cached(get_meter())) > plain


def test_chat_bodies_with_thoughts_and_calls_follow_the_same_rule() -> None:
    call = ToolCall(id="t1", name="bash", arguments="{}")
    asked = (
        text_message("user", LONG),
        Message(role="assistant", reasoning="Which file? " * 20, tool_calls=(call,)),
        Message(role="tool", content=(TextBlock(text="a.txt"),), tool_call_id="t1"),
    )
    later = (*asked, text_message("assistant", "One."), text_message("user", "And then?"))
    model = "claude-sonnet-4-5"
    both = [Sent(request=Request(messages=m), model=model, mode="implicit") for m in (asked, later)]
    found = explain(*both, "anthropic")
    assert found.use.why == "thinking_dropped"
    assert found.use.read_tokens == 0


def test_the_loss_is_told_with_its_reason() -> None:
    rows = session()
    found = explain(sent(rows[:3], "claude-sonnet-4-5"), sent(rows, "claude-sonnet-4-5"), "anthropic")
    (change,) = found.changes
    assert change.reason == "template_strips_reasoning"
    assert change.lost_tokens == found.lost_tokens > 0
    assert "a plain user message after thinking and tool use took the thinking out" in found.sentence
