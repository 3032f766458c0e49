"""Tokens become money once, whichever way a service counts its cached tokens."""

from __future__ import annotations

from typing import Any

import pytest

from tests.routing.service import completion
from tohlab.errors import RoutingError
from tohlab.routing import ChatReply, Usage
from tohlab.routing.pricing import Cost, Price, cost_usd, total_cost

PRICE = Price(input_usd=2.0, output_usd=8.0, cached_usd=0.5, cache_write_usd=2.5)


def usage(**reported: Any) -> Usage:
    return ChatReply.from_raw(completion("a", usage=reported)).usage


def test_a_million_tokens_of_which_most_are_cached_cost_the_same_in_both_conventions() -> None:
    subset = usage(
        prompt_tokens=1_000_000, completion_tokens=0, prompt_tokens_details={"cached_tokens": 900_000}
    )
    beside = usage(
        input_tokens=100_000,
        output_tokens=0,
        cache_read_input_tokens=900_000,
        cache_creation_input_tokens=0,
    )
    assert cost_usd(subset, PRICE) == cost_usd(beside, PRICE) == pytest.approx(0.1 * 2 + 0.9 * 0.5)
    assert subset.prompt == beside.prompt == 1_000_000


@pytest.mark.parametrize(
    ("prompt", "cached", "usd"),
    [(2006, 1920, (86 * 2 + 1920 * 0.5) / 1e6), (25_978, 24_540, (1438 * 2 + 24_540 * 0.5) / 1e6)],
)
def test_cached_tokens_are_neither_paid_twice_nor_at_the_full_price(
    prompt: int, cached: int, usd: float
) -> None:
    reported = usage(
        prompt_tokens=prompt, completion_tokens=0, prompt_tokens_details={"cached_tokens": cached}
    )
    assert cost_usd(reported, PRICE) == pytest.approx(usd)


def test_written_and_reasoning_tokens_are_parts_of_their_sums() -> None:
    reported = usage(
        input_tokens=10,
        output_tokens=30,
        cache_read_input_tokens=20,
        cache_creation_input_tokens=40,
    )
    assert reported == Usage(prompt=70, cached=20, completion=30, cache_write=40)
    assert cost_usd(reported, PRICE) == pytest.approx((10 * 2 + 20 * 0.5 + 40 * 2.5 + 30 * 8) / 1e6)
    thought = usage(prompt_tokens=1, completion_tokens=9, completion_tokens_details={"reasoning_tokens": 7})
    assert (thought.completion, thought.reasoning) == (9, 7)


def test_a_prompt_smaller_than_its_cached_part_was_counted_without_it() -> None:
    reported = usage(prompt_tokens=86, completion_tokens=1, prompt_tokens_details={"cached_tokens": 1920})
    assert reported.prompt == 2006


def test_without_a_price_of_their_own_cached_tokens_cost_as_others() -> None:
    plain = Price(input_usd=2.0, output_usd=8.0)
    assert cost_usd(Usage(prompt=100, cached=90, completion=0), plain) == pytest.approx(200 / 1e6)


def test_what_was_not_reported_costs_an_unknown_amount_and_not_nothing() -> None:
    assert cost_usd(Usage(), PRICE) is None
    paid = Usage(prompt=1_000_000, completion=0)
    assert total_cost([(paid, False), (paid, True), (Usage(), False)], PRICE) == Cost(
        now_usd=2.0, recorded_usd=2.0, n_unknown=1
    )


def test_a_price_is_written_as_numbers() -> None:
    assert Price.parse("2, 8,0.5") == Price(input_usd=2.0, output_usd=8.0, cached_usd=0.5)
    for text in ("2", "a,b", "", "1,2,3,4,5", "-1,2", "nan,1"):
        with pytest.raises(RoutingError, match="price"):
            Price.parse(text)
