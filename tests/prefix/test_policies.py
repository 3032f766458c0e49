"""What every cache policy has, how one is found, and what a policy sees of a request."""

from __future__ import annotations

import dataclasses

import pytest

from tests.prefix.blocks import blocks
from tohlab.errors import PrefixError, UnknownPolicy
from tohlab.prefix.policies import (
    CachedRequest,
    CachePolicy,
    Use,
    cached_request,
    get_policy,
    policy_names,
)
from tohlab.request import Message, Request, TextBlock, ToolSchema, text_message
from tohlab.tokens import get_meter, measure

POLICIES = [get_policy(name) for name in policy_names()]
TALK = Request(
    tools=(ToolSchema(name="search", description="Finds things.", parameters={"type": "object"}),),
    system="You are a careful helper.",
    messages=(
        text_message("user", "Where is the file?"),
        Message(role="assistant", content=(TextBlock(text="Let me"), TextBlock(text=" look."))),
    ),
)


def test_the_providers_and_engines_are_there() -> None:
    assert {
        "anthropic",
        "bedrock",
        "bedrock-nova",
        "deepseek",
        "gemini",
        "gemini-explicit",
        "kimi",
        "openai",
        "openai-gpt-5.5",
        "openai-older",
        "qwen",
        "sglang",
        "vllm",
    } <= set(policy_names())


@pytest.mark.parametrize(
    ("asked", "nearest"), [("vlm", "vllm"), ("Anthropic", "anthropic"), ("openai-5.5", "openai-gpt-5.5")]
)
def test_an_unknown_policy_names_the_nearest(asked: str, nearest: str) -> None:
    with pytest.raises(UnknownPolicy) as error:
        get_policy(asked)
    assert (error.value.name, error.value.nearest) == (asked, nearest)
    assert f"Did you mean {nearest!r}?" in str(error.value)


def test_what_is_like_nothing_lists_what_there_is() -> None:
    with pytest.raises(UnknownPolicy, match=r"there is no cache policy '12345'\. Known: anthropic, bedrock"):
        get_policy("12345")


def test_a_policy_may_be_given_instead_of_its_name() -> None:
    policy = get_policy("vllm", unit=32)
    assert get_policy(policy) is policy
    assert policy == get_policy("vllm", unit=32) != get_policy("vllm")


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
def test_every_policy_says_where_its_rules_come_from(policy: CachePolicy) -> None:
    assert policy.sources
    assert policy.status in ("verified-live", "vectors", "measured-by-others", "assumed")
    for source in policy.sources:
        assert source.title
        assert source.date.startswith("202")
    assert policy.family in ("prefix walk", "snapshot")


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
def test_every_assumption_is_a_setting_with_a_range(policy: CachePolicy) -> None:
    names = {field.name for field in dataclasses.fields(policy)}
    for knob in policy.knobs:
        assert knob.name in names
        assert getattr(policy, knob.name) == knob.value
        assert knob.low <= knob.value <= knob.high
        assert knob.low < knob.high
        assert knob.source
        assert getattr(policy.with_settings(**{knob.name: knob.high}), knob.name) == knob.high
        with pytest.raises(PrefixError, match=f"{knob.name} of {policy.name} lies between"):
            policy.with_settings(**{knob.name: knob.high + 1})


def test_an_unknown_setting_names_the_nearest() -> None:
    with pytest.raises(
        PrefixError, match=r"deepseek has no setting 'interval'; did you mean 'interval_tokens'\?"
    ):
        get_policy("deepseek", interval=64)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
def test_an_empty_request_is_a_request(policy: CachePolicy) -> None:
    use = policy.start().submit(cached_request(Request()))
    assert (use.total_tokens, use.read_share) == (0, 1.0)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
@pytest.mark.parametrize("at_s", [4.9, -1.0, float("nan"), float("inf")])
def test_time_does_not_run_backwards(policy: CachePolicy, at_s: float) -> None:
    cache = policy.start()
    cache.submit(blocks(("user", "u", 10)), 5.0)
    with pytest.raises(PrefixError, match="submit requests in the order of their start"):
        cache.submit(blocks(("user", "u", 10)), at_s)
    with pytest.raises(PrefixError, match="response_s must be 0 or more"):
        cache.submit(blocks(("user", "u", 10)), 6.0, response_s=-1)
    cache.submit(blocks(("user", "u", 10)), 5.0)


def test_classes_that_do_not_add_up_are_a_fault_of_the_policy() -> None:
    with pytest.raises(PrefixError, match="is not 10; this is a fault of the policy"):
        Use(total_tokens=10, read_tokens=5, write_tokens=0, long_write_tokens=0, plain_tokens=4, why="read")


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
def test_a_request_that_asks_not_to_be_cached_pays_plainly(policy: CachePolicy) -> None:
    cache = policy.start()
    talk = blocks(("system", "s", 9000), ("user", "u", 9000))
    cache.submit(talk)
    use = cache.submit(dataclasses.replace(talk, mode="off"), 1)
    assert (use.plain_tokens, use.why) == (18_000, "not_asked")


def test_a_use_is_plain_data_and_a_sentence() -> None:
    cache = get_policy("vllm").start()
    talk = blocks(("system", "s", 160), ("user", "u", 40))
    assert cache.submit(talk).sentence == "Nothing is read: the cache is empty for this model and key."
    use = cache.submit(talk, 1)
    assert use.sentence == "192 of 200 tokens are read from the cache."
    assert use.to_dict() == {
        "total_tokens": 200,
        "read_tokens": 192,
        "write_tokens": 0,
        "long_write_tokens": 0,
        "plain_tokens": 8,
        "why": "read",
        "boundary": "system[0]",
    }


def test_a_request_has_a_boundary_at_the_end_of_each_segment() -> None:
    request = cached_request(TALK)
    cost = measure(TALK)
    assert request.total_tokens == cost.total_tokens == len(request.tokens.ids)
    assert [b.path for b in request.boundaries] == [s.path for s in cost.segments]
    assert [b.section for b in request.boundaries] == ["tools", "system", *["messages"] * 3]
    assert [b.ends_message for b in request.boundaries] == [True, True, True, False, True]
    assert [b.end for b in request.boundaries][-1] == cost.total_tokens
    assert request.section_start("system") == cost.segments[0].tokens
    assert (request.meter, request.renderer) == ("o200k_base", "plain")


def test_a_request_holds_the_ids_that_the_meter_gives() -> None:
    ids = [i for segment in TALK.segments() for i in get_meter().encode(segment.text)]
    assert list(cached_request(TALK).tokens.ids) == ids


@pytest.mark.parametrize(
    ("mark", "place"),
    [("tools", 0), ("system", 1), ("messages[0]", 2), ("messages[1].content[0]", 3), ("messages", 4)],
)
def test_a_mark_names_a_segment_or_the_last_of_several(mark: str, place: int) -> None:
    assert [i for i, _ in cached_request(TALK, marks=[mark]).marks] == [place]


def test_a_mark_that_names_nothing_says_what_there_is() -> None:
    with pytest.raises(PrefixError, match=r"a breakpoint at 'messages\[7\]' ends no segment"):
        cached_request(TALK, marks=["messages[7]"])
    with pytest.raises(PrefixError, match="it has: none"):
        cached_request(Request(), marks=["system"])


def test_equal_texts_under_other_roles_are_other_tokens_for_a_cache() -> None:
    one = cached_request(Request(messages=(text_message("user", "same"),)))
    other = cached_request(Request(messages=(text_message("assistant", "same"),)))
    assert one.tokens.ids == other.tokens.ids
    assert one.tokens.common(other.tokens) == 0


def test_an_output_continues_the_request() -> None:
    answer = text_message("assistant", "It is in the cellar.")
    request = cached_request(TALK, output=answer)
    following = Request(tools=TALK.tools, system=TALK.system, messages=(*TALK.messages, answer))
    assert request.output is not None
    assert request.output == cached_request(following).tokens
    assert request.output.starts_with(request.tokens)


def test_tokens_of_an_engine_need_no_boundaries() -> None:
    request = CachedRequest.of_ids([1, 2, 3], [4])
    assert (list(request.tokens.ids), request.boundary_at(2)) == ([1, 2, 3], None)
    assert request.output is not None
    assert list(request.output.ids) == [1, 2, 3, 4]
