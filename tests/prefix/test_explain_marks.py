"""What is told of requests that mark no breakpoint, or were sent with caching off."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.prefix.conversations import SYSTEM, two_turns, words
from tohlab.prefix.changes import Sent
from tohlab.prefix.explain import explain
from tohlab.prefix.policies import get_policy
from tohlab.request import Request, text_message


@pytest.mark.parametrize(
    ("policy", "asked", "remedy"),
    [
        ("anthropic", {"mode": "implicit"}, 'Sent(request=..., mode="implicit")'),
        ("bedrock", {"marks": ("messages",)}, 'Sent(request=..., marks=("messages",))'),
        ("bedrock-nova", {"marks": ("messages",)}, 'Sent(request=..., marks=("messages",))'),
        ("gemini-explicit", {"marks": ("messages[0]",)}, 'Sent(request=..., marks=("messages[0]",))'),
    ],
)
def test_requests_without_a_breakpoint_are_told_so_with_what_to_do(
    policy: str, asked: dict[str, Any], remedy: str
) -> None:
    chat = Request(messages=(text_message("system", SYSTEM * 4), text_message("user", "Hi.")))
    more = (text_message("assistant", "Yes."), text_message("user", "Go on."))
    before, after = chat, replace(chat, messages=(*chat.messages, *more))
    result = explain(before, after, policy)
    assert words(result) == ["no_breakpoint"]
    title = get_policy(policy).title
    assert result.sentence.startswith(
        f"no_breakpoint: neither request marks a breakpoint, and {title} keeps and reads nothing without "
        f"one; {result.shared_tokens:,} shared tokens are not read. Cheapest: put "
    )
    assert remedy in result.changes[0].fix
    assert explain(*(Sent(request=r, **asked) for r in (before, after)), policy).use.read_tokens > 4096


def test_it_is_told_which_of_two_requests_marks_no_breakpoint() -> None:
    before, after = two_turns()
    late = explain(before, Sent(request=after, mode="implicit"), "anthropic")
    assert "no_breakpoint: the earlier request marks no breakpoint, and " in late.sentence
    first = explain(None, after, "anthropic")
    assert words(first) == ["previous_message_not_found", "no_breakpoint"]
    assert "no_breakpoint: the request marks no breakpoint, and " in first.sentence
    assert "; there is nothing to read. Cheapest: put `cache_control`" in first.sentence
    changed = explain(*two_turns(system="Another. " + SYSTEM), "anthropic")
    assert words(changed) == ["system_changed", "no_breakpoint"]
    assert words(explain(before, after, "vllm")) == ["unaligned_tail"]


@pytest.mark.parametrize("policy", ["openai", "deepseek", "llama.cpp", "anthropic"])
def test_caching_that_was_off_is_named_and_not_a_breakpoint(policy: str) -> None:
    before, after = two_turns()
    mode: Any = "implicit" if policy == "anthropic" else "default"
    on = [Sent(request=request, mode=mode) for request in (before, after)]
    off = [replace(sent, mode="off") for sent in on]
    late = explain(on[0], off[1], policy)
    assert words(late) == ["cache_off"]
    assert late.lost_tokens > 0
    assert late.sentence.startswith(
        f"cache_off: the request was sent with caching off; this loses {late.lost_tokens:,} tokens. "
    )
    both = explain(off[0], off[1], policy)
    assert words(both) == ["cache_off"]
    assert f"both requests were sent with caching off; {both.shared_tokens:,} shared tokens are not" in (
        both.sentence
    )
    early = explain(off[0], on[1], policy)
    if policy == "llama.cpp":  # the slot holds the earlier request all the same
        assert early.use.read_tokens > 0
    else:
        assert "the earlier request was sent with caching off" in early.sentence
        assert early.lost_tokens == 0
