"""One report of used tokens, whoever writes it: disjoint classes, no double counting, no invented zero."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens.usages import classes
from tohlab.errors import UsageError
from tohlab.tokens.usage import Usage, usage_from
from tohlab.tokens.usage_formats import FORMATS

COUNTS = st.integers(0, 10**7)


REPORTS: dict[str, dict[str, Any]] = {
    "openai-chat": {
        "prompt_tokens": 2000,
        "completion_tokens": 7,
        "total_tokens": 2007,
        "prompt_tokens_details": {
            "cached_tokens": 500,
            "cache_write_tokens": 300,
            "cache_write_tokens_details": {"ttl_30m_tokens": 200, "ttl_12h_tokens": 100},
        },
    },
    "openai-responses": {
        "input_tokens": 2000,
        "output_tokens": 7,
        "total_tokens": 2007,
        "input_tokens_details": {
            "cached_tokens": 500,
            "cache_write_tokens": 300,
            "cache_write_tokens_details": {"ttl_30m_tokens": 200, "ttl_12h_tokens": 100},
        },
    },
    "anthropic": {
        "input_tokens": 1200,
        "output_tokens": 7,
        "cache_read_input_tokens": 500,
        "cache_creation_input_tokens": 300,
        "cache_creation": {"ephemeral_5m_input_tokens": 200, "ephemeral_1h_input_tokens": 100},
    },
    "bedrock-converse": {
        "inputTokens": 1200,
        "outputTokens": 7,
        "totalTokens": 1207,
        "cacheReadInputTokens": 500,
        "cacheWriteInputTokens": 300,
        "cacheDetails": [{"ttl": "1h", "inputTokens": 100}, {"ttl": "5m", "inputTokens": 200}],
    },
    "qwen": {
        "prompt_tokens": 2000,
        "completion_tokens": 7,
        "total_tokens": 2007,
        "prompt_tokens_details": {
            "cached_tokens": 500,
            "cache_creation_input_tokens": 300,
            "cache_creation": {"ephemeral_5m_input_tokens": 200, "ephemeral_1h_input_tokens": 100},
        },
    },
}


@pytest.mark.parametrize("api", REPORTS)
def test_apis_that_bill_writes_give_the_same_four_classes(api: str) -> None:
    usage = usage_from(api, REPORTS[api])
    assert classes(usage) == (1200, 500, 200, 100)
    assert (usage.total_tokens, usage.write_tokens, usage.output_tokens) == (2000, 300, 7)
    assert (usage.unread_tokens, usage.read_share, usage.missing) == (1500, 0.25, ())


CHAT = {
    "prompt_tokens": 2000,
    "completion_tokens": 7,
    "total_tokens": 2007,
    "prompt_tokens_details": {"cached_tokens": 500},
}


@pytest.mark.parametrize(
    ("api", "raw"),
    [
        *(
            (api, CHAT)
            for api in ("groq", "mistral", "zai", "vllm", "sglang", "mlx-lm", "llamacpp-chat", "kimi")
        ),
        ("kimi", {"prompt_tokens": 2000, "completion_tokens": 7, "cached_tokens": 500}),
        ("kimi-messages", {"input_tokens": 1500, "output_tokens": 7, "cache_read_input_tokens": 500}),
        (
            "deepseek",
            {
                "prompt_tokens": 2000,
                "completion_tokens": 7,
                "prompt_cache_hit_tokens": 500,
                "prompt_cache_miss_tokens": 1500,
            },
        ),
        ("llamacpp", {"timings": {"cache_n": 500, "prompt_n": 1500, "predicted_n": 7}}),
        (
            "llamacpp-responses",
            {"input_tokens": 2000, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 500}},
        ),
        ("llamacpp-messages", {"input_tokens": 1500, "output_tokens": 7, "cache_read_input_tokens": 500}),
        ("ollama", {"prompt_eval_count": 2000, "prompt_eval_cached_count": 500, "eval_count": 7}),
        (
            "gemini",
            {
                "usageMetadata": {
                    "promptTokenCount": 1900,
                    "toolUsePromptTokenCount": 100,
                    "cachedContentTokenCount": 500,
                    "candidatesTokenCount": 4,
                    "thoughtsTokenCount": 3,
                    "totalTokenCount": 2007,
                }
            },
        ),
        (
            "gemini-interactions",
            {
                "usage": {
                    "total_input_tokens": 2000,
                    "total_cached_tokens": 500,
                    "total_output_tokens": 4,
                    "total_thought_tokens": 3,
                    "total_tokens": 2007,
                }
            },
        ),
        ("xai", {**CHAT, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 3}}),
    ],
)
def test_apis_that_bill_no_writes_have_none(api: str, raw: dict[str, Any]) -> None:
    usage = usage_from(api, raw)
    assert classes(usage) == (1500, 500, 0, 0)
    assert (usage.total_tokens, usage.output_tokens, usage.api) == (2000, 7, api)


def test_every_format_says_where_it_comes_from() -> None:
    assert set(REPORTS) < set(FORMATS)
    for form in FORMATS.values():
        assert form.source, form.name
        assert form.checked >= "2026-08-21", form.name


# What is not reported.


def test_writes_without_a_lifetime_are_known_together_only() -> None:
    raw = {"input_tokens": 5, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 300}
    usage = usage_from("anthropic", raw)
    assert classes(usage) == (5, 10, None, None)
    assert (usage.write_tokens, usage.total_tokens) == (300, 315)
    assert classes(usage_from("anthropic", raw, lifetime="short")) == (5, 10, 300, 0)
    assert classes(usage_from("anthropic", raw, lifetime="long")) == (5, 10, 0, 300)


def test_reads_can_be_known_where_writes_are_not() -> None:
    usage = usage_from("openai-chat", {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 64}})
    assert classes(usage) == (None, 64, None, None)
    assert (usage.unread_tokens, usage.read_share) == (36, 0.64)


def test_only_on_request_is_the_unreported_taken_for_nothing() -> None:
    usage = usage_from("vllm", {"prompt_tokens": 1000}).assuming_unreported_zero()
    assert (classes(usage), usage.output_tokens) == ((1000, 0, 0, 0), 0)
    raw = {"input_tokens": 5, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 300}
    unsplit = usage_from("anthropic", raw).assuming_unreported_zero()
    assert (unsplit.write_tokens, unsplit.short_write_tokens, unsplit.total_tokens) == (300, None, 315)
    hidden = usage_from(
        "openai-chat", {"prompt_tokens": 9, "prompt_tokens_details": {"cache_write_tokens": 4}}
    )
    assert hidden.assuming_unreported_zero().plain_tokens == 5
    with pytest.raises(UsageError, match="input was not reported"):
        usage_from("ollama", {"eval_count": 12}).assuming_unreported_zero()


def test_a_sum_knows_only_what_both_sides_knew() -> None:
    known = usage_from("vllm", CHAT)
    hidden = usage_from("vllm", {"prompt_tokens": 10, "completion_tokens": 1})
    assert classes(known + known) == (3000, 1000, 0, 0)
    both = known + hidden
    assert (both.read_tokens, both.total_tokens, both.output_tokens, both.api) == (None, 2010, 8, "vllm")


# What cannot be right.


@pytest.mark.parametrize(
    ("api", "raw", "message"),
    [
        ("openai-chat", [], "a usage object is expected, not list"),
        ("openai-chat", {}, r"none of prompt_tokens, .* is in the report \(it has: nothing\)"),
        ("openai-chat", {"usage": None}, "usage is empty: nothing was reported"),
        ("anthropic", {"prompt_tokens": 1}, r"it has: prompt_tokens\); is it of another API"),
        ("vllm", {"prompt_tokens": -1}, r"prompt_tokens must be a whole number from 0, not -1"),
        ("vllm", {"prompt_tokens": True}, r"must be a whole number from 0, not True"),
        ("vllm", {"prompt_tokens": "12"}, r"must be a whole number from 0, not '12'"),
        ("vllm", {"prompt_tokens": 1.5}, r"must be a whole number from 0, not 1.5"),
        ("kimi", {"cached_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2}}, "they are one field"),
        (
            "bedrock-converse",
            {"inputTokens": 1, "cacheDetails": [3]},
            "must hold an object for each lifetime",
        ),
        ("bedrock-converse", {"inputTokens": 1, "cacheDetails": "no"}, "must be an object, not 'no'"),
        ("vllm", {"prompt_tokens": 9, "prompt_tokens_details": "x"}, "must be an object, not 'x'"),
        (None, {}, "no usage format None"),
        ("opnai-chat", {}, r"no usage format 'opnai-chat'. Did you mean 'openai-chat'\? Known: "),
    ],
)
def test_what_is_no_report_is_refused(api: Any, raw: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        usage_from(api, raw)


def test_lifetimes_that_do_not_add_up_are_named() -> None:
    raw = REPORTS["anthropic"] | {"cache_creation_input_tokens": 301}
    with pytest.raises(
        UsageError, match=r"is 301, but the lifetimes in cache_creation add up to 300"
    ) as caught:
        usage_from("anthropic", raw)
    assert caught.value.fields == ("cache_creation_input_tokens", "cache_creation")
    with pytest.raises(
        UsageError, match=r"plain_tokens \+ read_tokens \+ write_tokens is 3, but total_tokens is 4"
    ):
        Usage(
            plain_tokens=1,
            read_tokens=2,
            short_write_tokens=0,
            long_write_tokens=0,
            output_tokens=0,
            total_tokens=4,
        )


class Dumped:
    """What a client library returns: an object that can be dumped."""

    def model_dump(self) -> dict[str, Any]:
        return {"usage": CHAT, "id": "x"}


def test_a_clients_object_and_a_whole_answer_are_read_too() -> None:
    assert usage_from("vllm", Dumped()) == usage_from("vllm", CHAT)


@given(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_classes_always_add_up_to_the_input(
    plain: int, read: int, short: int, long: int, output: int
) -> None:
    total = plain + read + short + long
    details = {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long}
    excluding = usage_from(
        "anthropic",
        {
            "input_tokens": plain,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": short + long,
            "cache_creation": details,
            "output_tokens": output,
        },
    )
    including = usage_from(
        "openai-responses",
        {
            "input_tokens": total,
            "input_tokens_details": {
                "cached_tokens": read,
                "cache_write_tokens": short + long,
                "cache_write_tokens_details": {"ttl_30m_tokens": short, "ttl_12h_tokens": long},
            },
            "output_tokens": output,
            "total_tokens": total + output,
        },
    )
    assert classes(excluding) == classes(including) == (plain, read, short, long)
    assert excluding.total_tokens == including.total_tokens == total
    assert including.to_dict()["plain_tokens"] == plain
