"""The accounting faults that users reported of other programs, each with its numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tokens.usages import classes
from tohlab.errors import UsageError
from tohlab.tokens.usage import usage_from


def test_gemini_cached_tokens_are_not_charged_at_both_rates() -> None:  # litellm#14849
    usage = usage_from("gemini", {"prompt_token_count": 262_960, "cached_content_token_count": 257_955})
    assert classes(usage) == (5_005, 257_955, 0, 0)


def test_a_prompt_that_holds_its_cached_part_is_not_billed_twice() -> None:  # Aider#5516
    raw = {
        "prompt_tokens": 17_111,
        "prompt_tokens_details": {"cached_tokens": 17_102},
        "completion_tokens": 1,
    }
    assert classes(usage_from("vllm", raw)) == (9, 17_102, 0, 0)


def test_writes_are_no_plain_input() -> None:  # browser-use#5305
    raw = {"prompt_tokens": 2000, "prompt_tokens_details": {"cached_tokens": 500, "cache_write_tokens": 300}}
    usage = usage_from("openai-chat", raw)
    assert (usage.plain_tokens, usage.write_tokens) == (1200, 300)


def test_input_without_the_cache_and_input_with_it_come_to_the_same() -> None:  # langfuse#12306
    excluding = usage_from(
        "anthropic",
        {
            "input_tokens": 5,
            "cache_read_input_tokens": 130_208,
            "cache_creation_input_tokens": 0,
            "output_tokens": 1,
        },
    )
    including = usage_from(
        "otel",
        {
            "gen_ai.usage.input_tokens": 130_213,
            "gen_ai.usage.cache_read.input_tokens": 130_208,
            "gen_ai.usage.cache_creation.input_tokens": 0,
            "gen_ai.usage.output_tokens": 1,
        },
    )
    assert excluding.total_tokens == including.total_tokens == 130_213  # not 260,421
    assert classes(excluding) == classes(including) == (5, 130_208, 0, 0)


def test_a_gateway_in_openais_names_holds_the_cache_in_its_prompt() -> None:  # langfuse#10592
    details = {"cached_tokens": 9_000, "cache_write_tokens": 0}
    raw = {"prompt_tokens": 10_000, "completion_tokens": 5, "prompt_tokens_details": details}
    assert classes(usage_from("openrouter", raw)) == (1_000, 9_000, 0, 0)


def test_more_read_than_there_was_is_refused_and_not_clamped_to_nothing() -> None:  # langsmith-sdk#2519
    raw = {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 130_208}, "completion_tokens": 1}
    with pytest.raises(UsageError, match=r"prompt_tokens is 5 .*cached_tokens is 130,208") as caught:
        usage_from("vllm", raw)
    assert caught.value.fields == ("prompt_tokens", "prompt_tokens_details.cached_tokens")


def test_a_lifetime_that_nobody_knows_is_refused_and_not_dropped() -> None:  # langsmith-sdk#2519, `1hr`
    raw = {
        "input_tokens": 5,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 1000,
        "cache_creation": {"ephemeral_1hr_input_tokens": 1000},
    }
    with pytest.raises(UsageError, match=r"ephemeral_1hr_input_tokens is no known lifetime"):
        usage_from("anthropic", raw)


def test_a_miss_count_exported_as_the_sum_is_found_out() -> None:  # ruby_llm OTel #38
    raw = {"prompt_tokens": 40, "prompt_cache_hit_tokens": 960, "prompt_cache_miss_tokens": 40}
    with pytest.raises(UsageError, match=r"prompt_tokens is 40 .* prompt_cache_hit_tokens is 960"):
        usage_from("deepseek", raw)
    raw = {"prompt_tokens": 990, "prompt_cache_hit_tokens": 960, "prompt_cache_miss_tokens": 40}
    with pytest.raises(UsageError, match=r"hit_tokens \+ prompt_cache_miss_tokens is 1,000, but prompt_t"):
        usage_from("deepseek", raw)


def test_hits_and_misses_alone_are_the_whole_input() -> None:
    raw = {"prompt_cache_hit_tokens": 960, "prompt_cache_miss_tokens": 40, "completion_tokens": 7}
    use = usage_from("deepseek", raw)
    assert (use.total_tokens, use.read_tokens, use.plain_tokens, use.output_tokens) == (1000, 960, 40, 7)
    half = usage_from("deepseek", {"prompt_cache_hit_tokens": 960})
    assert (half.total_tokens, half.plain_tokens) == (None, None)


@pytest.mark.parametrize("depth", [1, 2])
def test_a_report_that_contains_itself_is_refused(depth: int) -> None:
    raw: dict[str, Any] = {}
    raw["usage"] = raw if depth == 1 else {"usage": raw}
    with pytest.raises(UsageError, match="the answer's usage contains itself"):
        usage_from("openai-chat", raw)


def test_ollama_without_a_count_reported_none_and_not_zero() -> None:  # ollama#2068, #5370, #8008
    old = usage_from("ollama", {"eval_count": 12})
    assert (old.total_tokens, old.read_tokens, old.output_tokens) == (None, None, 12)
    new = usage_from("ollama", {"prompt_eval_count": 900, "prompt_eval_cached_count": 896, "eval_count": 12})
    assert classes(new) == (4, 896, 0, 0)


@pytest.mark.parametrize("details", [{}, {"prompt_tokens_details": None}, {"prompt_tokens_details": {}}])
def test_an_engine_that_hides_its_hits_is_not_one_without_any(  # vllm-ascend#9030, gpustack#5189
    details: dict[str, Any],
) -> None:
    usage = usage_from("vllm", {"prompt_tokens": 1000, "completion_tokens": 3, **details})
    assert (usage.total_tokens, usage.read_tokens, usage.plain_tokens) == (1000, None, None)
    assert usage.read_share is None
    assert usage.missing == ("plain_tokens", "read_tokens")
    told = usage_from("vllm", {"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 0}})
    assert (told.read_tokens, told.plain_tokens, told.read_share) == (0, 1000, 0.0)


def test_reasoning_that_xai_counts_beside_the_answer_is_output() -> None:
    raw = {
        "prompt_tokens": 10_120,
        "completion_tokens": 1_499,
        "total_tokens": 14_428,
        "prompt_tokens_details": {"cached_tokens": 128},
        "completion_tokens_details": {"reasoning_tokens": 2_809},
    }
    usage = usage_from("xai", raw)
    assert (usage.plain_tokens, usage.read_tokens, usage.output_tokens) == (9_992, 128, 4_308)
    with pytest.raises(UsageError, match=r"come to 11,619, but total_tokens is 14,428"):
        usage_from("groq", raw)
