"""What an explanation costs in money, and faults that others had, as small as they go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.prefix.conversations import BASH, GREP, SYSTEM, Rates, session, two_turns, words
from tests.session.shelf import Shelf
from tohlab.errors import PrefixError
from tohlab.prefix.changes import Sent
from tohlab.prefix.explain import explain
from tohlab.prefix.explanation import requests_until_longer_pays
from tohlab.prefix.policies import get_policy
from tohlab.request import (
    Message,
    Request,
    Segment,
    Span,
    TextBlock,
)
from tohlab.session import Session
from tohlab.tokens import get_meter


def test_money_is_told_where_rates_are_given() -> None:
    result = explain(*two_turns(system="Another. " + SYSTEM), "openai", rates=Rates())
    total = result.use.total_tokens
    assert result.use.write_tokens == total
    assert result.cost_usd == Decimal(total * 5) / 1_000_000
    twin = result.twin
    assert result.twin_cost_usd == (Decimal("0.4") * twin.read_tokens + 5 * twin.write_tokens) / 1_000_000
    assert result.extra_cost_usd == result.cost_usd - result.twin_cost_usd
    assert f"This one costs ${result.extra_cost_usd:.6f} more" in result.sentence
    assert explain(*two_turns(), "openai").extra_cost_usd is None


@pytest.mark.parametrize(("shared", "requests"), [(221, 10), (103, 1963), (102, None), (220, 11), (1023, 2)])
def test_when_lengthening_a_short_prefix_pays(shared: int, requests: int | None) -> None:
    """OpenAI's guide: minimum 1,024, reads 0.1, writes 1.25; 221 tokens at 10 requests, 103 at 1,963."""
    rates = Rates(Decimal(1), Decimal("0.1"), Decimal("1.25"))
    assert requests_until_longer_pays(shared, 1024, rates) == requests


# Faults that others had, as small as they go.


def listed(**places: str) -> Message:
    """A catalog with the place of each skill, as several harnesses write it."""
    text, spans = "Skills:\n", []
    for name, place in places.items():
        entry = f"- {name}: does it ({place})\n"
        spans.append(Span(label=f'entry "{name}"', start=len(text), stop=len(text) + len(entry)))
        text += entry
    block = TextBlock(text=text, spans=tuple(spans))
    return Message(role="user", content=(block,), source={"kind": "skill-catalog"})


def test_a_skill_found_by_another_path_is_an_edited_message() -> None:
    """anomalyco/opencode#29950: two sessions with one setup differ in a location."""
    talk = session(2).request
    ways = (listed(pdf="/home/.agents/skills/pdf"), listed(pdf="/home/.claude/skills/pdf"))
    before, after = (replace(talk, messages=(way, *talk.messages)) for way in ways)
    result = explain(before, after, "openai")
    assert words(result) == ["input_changed"]
    assert (result.changes[0].before, result.changes[0].after) == ("agents", "claude")
    assert result.changes[0].label == 'messages[0] / skill catalog / entry "pdf"'


def test_a_list_inside_a_tools_description_loses_everything() -> None:
    """QwenLM/qwen-code#4896: reading a file makes a skill visible and so rewrites a tool."""
    plain = replace(BASH, name="skill", description="Loads a skill. Skills: pdf.")
    active = replace(plain, description="Loads a skill. Skills: pdf, excel.")
    requests = session(2, tools=(plain, GREP)).request, session(3, tools=(active, GREP)).request
    for policy in ("openai", "vllm"):
        change = explain(*requests, policy).changes[0]
        assert change.reason == "tools_changed"
        assert ", excel" in change.after
        assert change.lost_tokens > 1000


def test_a_shortlist_that_goes_with_the_turn_costs_the_turn_or_everything() -> None:
    """NousResearch/hermes-agent#113503: what is put beside the user's text is gone in the next request."""
    talk = Session(Shelf(), system=SYSTEM)
    first = talk.user("Please look at the file. " * 200)
    shortlist = TextBlock(text="Perhaps of use: pdf, excel.")
    *rest, last = first.messages
    before = replace(first, messages=(*rest, replace(last, content=(*last.content, shortlist))))
    talk.assistant("Done.")
    after = talk.user("And the next one.")
    engine, hosted = explain(before, after, "sglang"), explain(before, after, "openai")
    assert engine.use.read_tokens == engine.shared_tokens
    assert engine.lost_tokens == get_meter().count(shortlist.text)
    assert hosted.use.read_tokens == 0
    assert hosted.changes[0].reason == "input_changed"
    assert hosted.changes[0].lost_tokens == hosted.reusable_tokens > 1024


def test_reasoning_of_its_own_segment_is_told_apart() -> None:
    """A message whose segments name their reasoning, as a harness that sends it back has them."""

    class Thinking(Message):
        def segments(self, index: int) -> Iterator[Segment]:
            yield Segment(path=f"messages[{index}].reasoning", kind="reasoning", role=self.role, text="Hm.")
            yield from super().segments(index)

        def texts(self) -> list[str]:
            return ["Hm.", *super().texts()]

    talk = session(3).request
    thought = [
        Thinking(role=m.role, content=m.content, source=m.source) if m.role == "assistant" else m
        for m in talk.messages
    ]
    result = explain(replace(talk, messages=tuple(thought)), session(4).request, "vllm")
    assert words(result)[0] == "template_strips_reasoning"


def test_a_marked_beginning_below_the_minimum_is_told_apart_from_what_is_shared() -> None:
    rules = get_policy("gemini-explicit", minimum_tokens=500)
    requests = [session(turns, system="Be brief.").request for turns in (9, 10)]
    before, after = (Sent(request=r, mode="implicit", marks=("system",)) for r in requests)
    result = explain(before, after, rules)
    assert (words(result), result.use.read_tokens) == (["below_minimum"], 0)
    assert result.shared_tokens > 500
    said = re.search(r"the longest marked beginning has ([\d,]+), and the minimum is 500", result.sentence)
    assert said is not None
    assert 0 < int(said[1].replace(",", "")) < 500


def test_a_body_as_it_was_sent_is_refused_with_the_way_to_read_it() -> None:
    sent: Any = {"messages": [{"role": "user", "content": "Hi."}]}
    for before, after in ((sent, Request()), (Request(), sent), (None, sent)):
        with pytest.raises(PrefixError, match=r"a Request is expected, not dict; .*read_body\(body\)"):
            explain(before, after, "openai")
