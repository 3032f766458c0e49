"""What every cache policy has, how one is found, and what a policy sees of a request."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from tests.prefix.blocks import blocks
from tohlab.errors import PrefixError, UnknownPolicy
from tohlab.prefix.explain import explain
from tohlab.prefix.policies import (
    CachedRequest,
    CachePolicy,
    Mark,
    Use,
    cached_request,
    get_policy,
    policy_names,
)
from tohlab.prefix.policies.openai import OpenAI
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


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("anthropic", "the dropped thinking is still counted among the tokens"),
        ("anthropic", "server tools set a breakpoint of five minutes"),
        ("bedrock", "server tools set a breakpoint of five minutes"),
        ("qwen", "the explicit cache of Qwen4 models"),
        ("llama.cpp", "models with recurrent or hybrid layers"),
        ("llama.cpp-one-slot", "models with recurrent or hybrid layers"),
        ("sglang", "other orders of eviction"),
    ],
)
def test_what_is_not_modelled_is_said_by_policy_and_explanation(name: str, what: str) -> None:
    policy = get_policy(name)
    assert any(what in text for text in policy.not_modelled)
    result = explain(None, Request(messages=(text_message("user", "Hi."),)), name)
    assert result.to_dict()["not_modelled"] == list(policy.not_modelled)
    assert all(f"Not modelled: {text}." in result._repr_html_() for text in policy.not_modelled)


def test_what_is_not_modelled_is_no_setting() -> None:
    with pytest.raises(PrefixError, match="anthropic has no setting 'not_modelled'"):
        get_policy("anthropic", not_modelled=())


def test_an_unknown_setting_names_the_nearest() -> None:
    with pytest.raises(
        PrefixError, match=r"deepseek has no setting 'interval'; did you mean 'interval_tokens'\?"
    ):
        get_policy("deepseek", interval=64)


@pytest.mark.parametrize(
    ("name", "setting", "message"),
    [
        ("vllm", {"report_round": 0}, "report_round of vllm must be a whole number from 1, not 0"),
        ("vllm", {"unit": "16"}, "unit of vllm must be a whole number from 0, not '16'"),
        ("vllm", {"unit": 1.5}, "unit of vllm must be a whole number from 0, not 1.5"),
        ("vllm", {"ttl_s": float("nan")}, "ttl_s of vllm must be a number from 0, not nan"),
        ("vllm", {"ttl_s": -1.0}, r"ttl_s of vllm must be a number from 0, not -1\.0"),
        ("openai", {"writes_at_most": 0}, "writes_at_most of openai must be a whole number from 1, not 0"),
        ("openai", {"latest_marks": "60"}, "latest_marks of openai must be a whole number"),
        ("anthropic", {"lookback_blocks": -1}, "lookback_blocks of anthropic must be a whole number from 1"),
        ("deepseek", {"interval_tokens": 64.5}, "interval_tokens of deepseek must be a whole number"),
        ("llama.cpp", {"slots": 1.5}, "slots of llama.cpp must be a whole number"),
    ],
)
def test_a_setting_of_the_wrong_kind_is_refused(name: str, setting: dict[str, Any], message: str) -> None:
    with pytest.raises(PrefixError, match=message):
        get_policy(name, **setting)


def test_no_more_is_written_than_may_be() -> None:
    request = blocks(*[("user", f"u{i}", 1100) for i in range(3)], marks=[0, 1], mode="implicit")
    for most, ends in ((1, [3300]), (2, [2200, 3300]), (3, [1100, 2200, 3300])):
        policy = get_policy("openai", writes_at_most=most)
        assert isinstance(policy, OpenAI)
        assert [write.end for write in policy.writes(request)] == ends


def test_tokens_of_another_encoding_are_refused_and_not_missed_in_silence() -> None:
    request = Request(messages=(text_message("user", "Hello there. " * 500),))
    cache = get_policy("anthropic").start()
    cache.submit(cached_request(request, get_meter("o200k_base"), marks=["messages"]))
    with pytest.raises(PrefixError, match="of cl100k_base, plain renderer, those before it are of o200k"):
        cache.submit(cached_request(request, get_meter("cl100k_base"), marks=["messages"]), 1)
    with pytest.raises(PrefixError, match="of the engine renderer, those before it are of o200k_base"):
        cache.submit(CachedRequest.of_ids([1, 2, 3]), 1)
    assert cache.submit(cached_request(request, get_meter("o200k_base"), marks=["messages"]), 1).why == "read"


@pytest.mark.parametrize("ids", [[1.5], [float("nan")], [2**31], [3, -1], "abc"])
def test_what_is_no_token_is_refused(ids: Any) -> None:
    with pytest.raises(PrefixError, match="token ids are whole numbers from 0 to 2,147,483,647"):
        CachedRequest.of_ids(ids)
    with pytest.raises(PrefixError, match="token ids are whole numbers from 0 to 2,147,483,647"):
        CachedRequest.of_ids([1], ids)


@pytest.mark.parametrize("ttl_s", [0.0, -1.0, float("nan")])
def test_a_lifetime_of_no_time_is_refused(ttl_s: float) -> None:
    with pytest.raises(PrefixError, match=r"the lifetime of the breakpoint at system must be more than 0 s"):
        Mark(path="system", ttl_s=ttl_s)
    with pytest.raises(PrefixError, match=r"the lifetime of the request must be more than 0 s"):
        cached_request(Request(), ttl_s=ttl_s)


def test_an_unknown_mode_is_refused() -> None:
    mode: Any = "explcit"
    with pytest.raises(PrefixError, match="no mode 'explcit'; use one of default, implicit, explicit, off"):
        cached_request(Request(), mode=mode)


def test_older_names_of_a_model_have_its_minimum_too() -> None:
    for model in ("claude-haiku-3-5", "claude-3-5-haiku-20241022"):
        cache = get_policy("anthropic").start()
        request = blocks(("system", "s", 2047), marks=[0], model=model)
        assert [cache.submit(request, at_s).write_tokens for at_s in (0, 1)] == [0, 0]


@pytest.mark.parametrize("name", ["anthropic", "bedrock"])
@pytest.mark.parametrize(
    ("model", "near"),
    [
        ("claude-opus-5-1", "near: opus-5,"),
        ("claude-opus-4.9", "near: opus-4,"),
        ("claude-haiku-5", "near: haiku-4-5,"),
        ("us.anthropic.claude-sonet-5", "near: sonnet-5,"),
        ("claude-nova", "Known: opus-5, fable-5,"),
    ],
)
def test_the_minimum_of_an_unknown_model_is_not_guessed(name: str, model: str, near: str) -> None:
    cache = get_policy(name).start()
    with pytest.raises(
        PrefixError, match=f"the minimum of the model '{re.escape(model)}' is not known.*{near}"
    ):
        cache.submit(blocks(("system", "s", 5000), marks=[0], model=model))


@pytest.mark.parametrize(
    ("model", "minimum"),
    [
        ("claude-opus-5", 512),
        ("claude-fable-5.1", 512),
        ("claude-opus-5-20260901", 512),
        ("anthropic.claude-sonnet-4-6-20260301-v1:0", 1024),
        ("claude-opus-4-0", 1024),
        ("claude-opus-4-6[1m]", 4096),
        ("claude-haiku-4-5-latest", 4096),
    ],
)
def test_a_dated_name_is_the_same_model(model: str, minimum: int) -> None:
    for size, written in ((minimum - 1, 0), (minimum, minimum)):
        request = blocks(("system", "s", size), marks=[0], model=model)
        assert get_policy("anthropic").start().submit(request).write_tokens == written


def test_a_minimum_may_be_given_for_a_new_model() -> None:
    policy = get_policy("anthropic", model_minimums=(("opus-5.1", 300),))
    request = blocks(("system", "s", 300), marks=[0], model="claude-opus-5-1")
    assert policy.start().submit(request).write_tokens == 300


def test_without_a_model_the_minimum_is_an_assumption_in_sight() -> None:
    for name, value in (("anthropic", 512), ("bedrock", 1024)):
        (knob,) = [knob for knob in get_policy(name).knobs if knob.name == "minimum_tokens"]
        assert (knob.value, knob.low, knob.high, knob.status) == (value, 512, 4096, "assumed")
    request = blocks(("system", "s", 600), marks=[0])
    written = [
        get_policy("anthropic", minimum_tokens=n).start().submit(request).write_tokens for n in (512, 601)
    ]
    assert written == [600, 0]
    assert "minimum_tokens" not in {knob.name for knob in get_policy("bedrock-nova").knobs}


@pytest.mark.parametrize(
    ("models", "assumed"),
    [
        ((), True),
        (("claude-opus-5", "claude-haiku-4-5-20251001"), False),
        (("claude-opus-5", ""), True),
        (("gpt-4o",), True),
    ],
)
def test_a_minimum_that_is_known_for_every_model_is_not_assumed(
    models: tuple[str, ...], assumed: bool
) -> None:
    names = {knob.name for knob in get_policy("anthropic").assumed_for(models)}
    assert names == {"refreshes_marked"} | ({"minimum_tokens"} if assumed else set())
    older = get_policy("openai-older")
    assert older.assumed_for(models) == older.knobs


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
