"""What a usage costs: exact, dated, and never 0 for want of a number."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.errors import PriceError, UnknownPrice
from tohlab.tokens import (
    Cost,
    Price,
    PriceTable,
    Rates,
    Usage,
    cost_usd,
    default_prices,
    price_for,
    usage_from,
)

D = Decimal


def rates(
    plain: str, output: str, read: str | None = None, short: str | None = None, long: str | None = None
) -> Rates:
    return Rates(
        input=D(plain),
        read=None if read is None else D(read),
        short_write=None if short is None else D(short),
        long_write=None if long is None else D(long),
        output=D(output),
    )


def own(values: Rates, **more: object) -> Price:
    return Price(model="mine", rates=values, source="me", date="2026-12-01", status="own", **more)  # type: ignore[arg-type] # facts by name


def used(plain: int = 0, read: int = 0, short: int = 0, long: int = 0, output: int = 0) -> Usage:
    return Usage(
        plain_tokens=plain,
        read_tokens=read,
        short_write_tokens=short,
        long_write_tokens=long,
        output_tokens=output,
    )


def part(cost: Cost, name: str) -> Decimal:
    return next(p.usd for p in cost.parts if p.name == name)


# The table.


def test_every_price_says_who_said_so_and_when() -> None:
    table = default_prices()
    assert len(table) == len(table.models) > 30
    for price in table:
        assert price.source.startswith("https://") or price.status == "reported", price.model
        assert "2026-08-21" <= price.date <= "2026-12-01", price.model
        assert price.rates.read is not None, price.model
        assert price.rates.read < price.rates.input < price.rates.output, price.model
    for rule in table.rules.values():
        assert rule.source
        assert rule.status != "own"


def test_the_multiples_are_those_of_the_rules() -> None:
    opus, sol, four = price_for("claude-opus-5"), price_for("gpt-5.6-sol"), price_for("gpt-4o")
    assert (opus.rates.short_write, opus.rates.long_write, opus.rates.read) == (D("6.25"), D(10), D("0.5"))
    assert (opus.short_lifetime_s, opus.long_lifetime_s) == (300, 3600)
    assert sol.rates.short_write == sol.rates.input * D("1.25")
    assert sol.rates.read == sol.rates.input * D("0.1")
    assert four.rates.read == four.rates.input * D("0.5")
    assert four.rates.short_write == four.rates.input
    flash = price_for("deepseek-flash")
    assert flash.rates.read == flash.rates.input * D("0.02")
    rules = default_prices().rules
    assert {
        name: rules[name].read for name in ("groq", "xai", "qwen-implicit", "qwen-explicit", "mistral")
    } == {
        "groq": D("0.5"),
        "xai": D("0.25"),
        "qwen-implicit": D("0.2"),
        "qwen-explicit": D("0.1"),
        "mistral": D("0.1"),
    }


def test_a_model_without_a_price_is_an_error_with_the_near_names() -> None:
    with pytest.raises(
        UnknownPrice, match=r"no price of 'anthropic/claude-opus-5-20260724'. Near: claude-opus-5,"
    ):
        price_for("anthropic/claude-opus-5-20260724")
    with pytest.raises(
        UnknownPrice, match=r"no price of 'zzz'. Give one with PriceTable.from_file"
    ) as caught:
        cost_usd(used(plain=1), "zzz")
    assert (caught.value.model, caught.value.nearest) == ("zzz", ())


# Amounts.


def test_a_cost_says_what_each_class_is_and_of_which_day_the_price_is() -> None:
    cost = cost_usd(used(plain=1_000, read=10_000, short=2_000, long=500, output=100), "claude-opus-5")
    assert [(p.name, p.tokens, p.usd) for p in cost.parts] == [
        ("plain", 1_000, D("0.005")),
        ("read", 10_000, D("0.005")),
        ("short write", 2_000, D("0.0125")),
        ("long write", 500, D("0.005")),
        ("output", 100, D("0.0025")),
    ]
    assert cost.total_usd == D("0.03")
    assert cost.input_usd == D("0.0275")
    assert sum(p.share for p in cost.parts) == pytest.approx(1)
    assert cost.sentence == (
        "$0.03 (claude-opus-5, standard, prices of 2026-10-24, documented); 42% of it for short write tokens."
    )
    assert cost.to_dict()["price_date"] == "2026-10-24"


@given(*(st.integers(0, 10**9) for _ in range(5)))
def test_no_digit_is_lost(plain: int, read: int, short: int, long: int, output: int) -> None:
    price = own(rates("0.075", "0.3", "0.0075", "0.09375", "0.15"))
    cost = cost_usd(used(plain, read, short, long, output), price)
    # In units of 1e-11 USD everything is a whole number.
    exact = 7_500 * plain + 750 * read + 9_375 * short + 15_000 * long + 30_000 * output
    assert cost.total_usd * 10**11 == exact
    assert sum((p.usd for p in cost.parts), D(0)) == cost.total_usd


def test_nothing_costs_nothing_and_shares_nothing() -> None:
    cost = cost_usd(used(), "claude-opus-5")
    assert (cost.total_usd, [p.share for p in cost.parts]) == (0, [0.0] * 5)
    assert cost.sentence.startswith("$0")


# The accounting faults that users reported.


def test_cached_input_is_not_charged_at_the_full_rate_too() -> None:  # litellm#14849
    raw = {
        "prompt_token_count": 262_960,
        "cached_content_token_count": 257_955,
        "candidates_token_count": 7_160,
    }
    price = own(rates("2.5", "15", "0.25", "2.5", "2.5"))
    right = cost_usd(usage_from("gemini", raw), price)
    wrong = right.total_usd + (price.rates.input - D("0.25")) * 257_955 / 1_000_000
    assert (round(right.total_usd, 3), round(wrong, 3)) == (
        D("0.184"),
        D("0.765"),
    )  # reported: 0.185 and 0.764


def test_the_error_of_billing_reads_twice_would_grow_with_the_hits() -> None:  # pi#2148
    raw = {
        "prompt_tokens": 20_212,
        "prompt_tokens_details": {"cached_tokens": 16_298},
        "completion_tokens": 1_400,
    }
    price = own(rates("0.5", "2", "0.05", "0.5", "0.5"))
    right = cost_usd(usage_from("vllm", raw), price).total_usd
    wrong = right + price.rates.input * 16_298 / 1_000_000
    assert (round(right, 4), round(wrong, 4)) == (D("0.0056"), D("0.0137"))


def test_dropped_cache_fields_would_make_a_request_dearer() -> None:  # langfuse#12635, #13988
    # 2.5 times too dear is what is paid where two thirds are read at a tenth.
    usage = used(plain=1_000, read=2_000)
    price = own(rates("3", "15", "0.3", "3", "3"))
    assert cost_usd(usage, price).total_usd * D("2.5") == cost_usd(used(plain=3_000), price).total_usd


def test_reads_are_not_subtracted_twice() -> None:  # ruby_llm OTel #38
    raw = {"prompt_tokens": 1_000, "prompt_cache_hit_tokens": 960, "prompt_cache_miss_tokens": 40}
    at = datetime(2026, 12, 5, 12, tzinfo=UTC)
    cost = cost_usd(usage_from("deepseek", {**raw, "completion_tokens": 0}), "deepseek-flash", at)
    assert part(cost, "plain") == D("0.15") * 40 / 1_000_000


def test_writes_for_an_hour_are_not_priced_as_writes_for_five_minutes() -> None:  # ccusage#899
    cost = cost_usd(used(long=1_000_000), "claude-opus-5").total_usd
    assert cost == 10
    assert cost_usd(used(short=1_000_000), "claude-opus-5").total_usd / cost - 1 == D("-0.375")


def test_an_unsplit_write_has_no_price_where_the_lifetimes_differ() -> None:  # ccstats#86
    raw = {
        "input_tokens": 5,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 100,
        "output_tokens": 0,
    }
    with pytest.raises(PriceError, match=r"100 tokens were written .* prices them apart; .*lifetime="):
        cost_usd(usage_from("anthropic", raw), "claude-opus-5")
    assert cost_usd(usage_from("anthropic", raw, lifetime="long"), "claude-opus-5").total_usd == D("0.001025")
    chat = {
        "prompt_tokens": 105,
        "completion_tokens": 0,
        "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 100},
    }
    cost = cost_usd(usage_from("openai-chat", chat), "gpt-5.6-sol")
    assert [(p.name, p.tokens) for p in cost.parts][2] == ("write", 100)
    assert cost.total_usd == D("4") * 5 / 1_000_000 + D("5") * 100 / 1_000_000


def test_a_custom_price_that_forgets_the_cache_prices_no_read() -> None:  # litellm#28009, #26016
    with pytest.raises(PriceError, match=r"7 read tokens were used, but mine has no price for them"):
        cost_usd(used(plain=1, read=7), own(rates("1", "2")))
    assert cost_usd(used(plain=1), own(rates("1", "2"))).total_usd == D("0.000001")


def test_bedrock_reads_and_writes_are_both_paid() -> None:  # litellm#15270
    raw = {
        "inputTokens": 10,
        "outputTokens": 0,
        "cacheReadInputTokens": 100,
        "cacheWriteInputTokens": 1_000,
        "cacheDetails": [{"ttl": "5m", "inputTokens": 1_000}],
    }
    cost = cost_usd(usage_from("bedrock-converse", raw), "claude-opus-5")
    assert cost.total_usd == (D(5) * 10 + D("0.5") * 100 + D("6.25") * 1_000) / 1_000_000


def test_xais_own_amount_comes_out() -> None:
    """Usage, price and amount (232856000 ticks of 1e-10 USD) are from a public report."""
    raw = {
        "prompt_tokens": 10_120,
        "completion_tokens": 1_499,
        "total_tokens": 14_428,
        "prompt_tokens_details": {"cached_tokens": 128},
        "completion_tokens_details": {"reasoning_tokens": 2_809},
    }
    price = own(rates("1.25", "2.5", "0.2", "1.25", "1.25"))
    assert cost_usd(usage_from("xai", raw), price).total_usd == D("0.0232856")


# What was not reported.


def test_what_an_engine_hides_is_not_priced_as_nothing() -> None:
    hidden = usage_from("vllm", {"prompt_tokens": 1000, "completion_tokens": 3})
    with pytest.raises(PriceError, match=r"not reported: plain_tokens, read_tokens. If you know .* say so"):
        cost_usd(hidden, own(rates("1", "2", "0.1", "1", "1")))
    assert cost_usd(hidden.assuming_unreported_zero(), own(rates("1", "2"))).total_usd == D("0.001006")
    with pytest.raises(PriceError, match="not reported: output_tokens"):
        cost_usd(
            usage_from("vllm", {"prompt_tokens": 3, "prompt_tokens_details": {"cached_tokens": 0}}), "o3"
        )


def test_writes_need_no_report_where_they_cost_what_input_costs() -> None:
    raw = {"prompt_tokens": 100, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 60}}
    usage = usage_from("openai-chat", raw)
    assert cost_usd(usage, "gpt-4o").total_usd == (D("2.5") * 40 + D("1.25") * 60) / 1_000_000
    with pytest.raises(PriceError, match="not reported: plain_tokens, short_write_tokens, long_write_tokens"):
        cost_usd(usage, "gpt-5.6-sol")


# Long requests and hours.


def test_a_long_request_pays_the_long_price_for_every_token() -> None:
    at_limit = cost_usd(used(plain=2_000, read=98_000, output=100), "claude-haiku-5-5")
    above = cost_usd(used(plain=2_001, read=98_000, output=100), "claude-haiku-5-5")
    assert (at_limit.tariff, above.tariff) == ("standard", "long context")
    assert part(above, "output") == 5 * part(at_limit, "output")
    assert part(above, "read") == 5 * part(at_limit, "read")
    writing = cost_usd(used(short=300_000), "gpt-5.6-sol")
    assert (writing.total_usd, writing.tariff) == (3, "long context")


@pytest.mark.parametrize(
    ("at", "tariff"),
    [
        (datetime(2026, 12, 1, 0, 59, tzinfo=UTC), "standard"),
        (datetime(2026, 12, 1, 1, 0, tzinfo=UTC), "peak hours"),
        (datetime(2026, 12, 1, 4, 0, tzinfo=UTC), "standard"),
        (datetime(2026, 12, 1, 9, 59, tzinfo=UTC), "peak hours"),
        (datetime(2026, 12, 5, 2, 0, tzinfo=UTC), "standard"),  # a Saturday
        (datetime(2026, 12, 1, 10, 0, tzinfo=timezone(timedelta(hours=8))), "peak hours"),
    ],
)
def test_deepseek_costs_twice_as_much_at_peak_hours(at: datetime, tariff: str) -> None:
    cost = cost_usd(used(plain=1_000_000), "deepseek-flash", at)
    assert cost.tariff == tariff
    assert cost.total_usd == D("0.15") * (2 if tariff == "peak hours" else 1)


def test_a_price_that_depends_on_the_hour_needs_one() -> None:
    with pytest.raises(PriceError, match="depends on the hour; give at="):
        cost_usd(used(plain=1), "deepseek-flash")
    naive = datetime(2026, 12, 1)  # noqa: DTZ001 - that it has no zone is the point
    for no_time in (date(2027, 1, 1), "2027-01-01"):
        with pytest.raises(PriceError, match="is no point in time; give one with its zone"):
            cost_usd(used(plain=1), "claude-opus-5", at=no_time)  # type: ignore[arg-type] # the fault itself
    with pytest.raises(PriceError, match="has no time zone"):
        cost_usd(used(plain=1), "claude-opus-5", naive)


def test_a_price_that_has_ended_is_not_used() -> None:
    assert cost_usd(used(plain=4), "gemini-3.8-flash", datetime(2026, 12, 31, tzinfo=UTC)).total_usd == D(
        "0.000003"
    )
    with pytest.raises(PriceError, match="holds until 2026-12-31"):
        cost_usd(used(plain=4), "gemini-3.8-flash", datetime(2027, 1, 1, tzinfo=UTC))


# A table of one's own.

OWN = """
[[models]]
model = "llama-on-groq"
rules = "groq"
input = 0.59
output = 0.79
date = 2026-11-30

[[models]]
model = "gpt-4o"
input = 1
read = 0.1
output = 2
date = "2026-11-30"
"""


def test_a_table_of_ones_own_extends_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(OWN)
    mine = PriceTable.from_file(path)
    assert mine.price("llama-on-groq").rates.read == D("0.295")
    assert (mine.price("gpt-4o").status, mine.price("gpt-4o").source) == ("own", str(path))
    both = default_prices().extended(mine)
    assert price_for("gpt-4o", both).rates.input == 1
    assert price_for("o3", both) == price_for("o3")
    with pytest.raises(UnknownPrice):
        price_for("o3", mine)


def test_a_table_may_be_json(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text('{"models": [{"model": "m", "input": 0.1, "output": 0.2, "date": "2026-12-01"}]}')
    assert PriceTable.from_file(path).price("m").rates.input == D("0.1")


def test_every_price_whose_note_names_a_last_day_has_it_as_a_field() -> None:
    said = re.compile(r"(?:through|until|promotional|expires).*?(\d{4}-\d\d-\d\d)", re.IGNORECASE)
    noted = {price.model: found[1] for price in default_prices() if (found := said.search(price.note))}
    assert "gpt-5.6-sol" in noted
    assert {model: price_for(model).until for model in noted} == noted


def test_a_price_that_held_at_least_until_a_day_says_so_beside_the_amount() -> None:
    on_time = cost_usd(used(plain=1_000_000), "gpt-5.6-sol", datetime(2026, 11, 21, 23, tzinfo=UTC))
    late = cost_usd(used(plain=1_000_000), "gpt-5.6-sol", datetime(2026, 11, 22, tzinfo=UTC))
    assert late.total_usd == on_time.total_usd
    assert "documented, at least until 2026-11-21);" in on_time.sentence
    said = "held at least until 2026-11-21, and the day asked about is 2026-11-22"
    assert f"documented, {said});" in late.sentence
    assert late.to_dict()["price_expiry"] == said
    assert cost_usd(used(plain=1), "claude-opus-5").expiry == ""


@pytest.mark.parametrize("row", ["may_hold_longer = 1\nuntil = 2026-12-01", "may_hold_longer = true"])
def test_a_price_that_may_hold_longer_needs_a_day(tmp_path: Path, row: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'[[models]]\nmodel = "m"\ninput = 1\noutput = 1\ndate = 2026-12-01\n{row}\n')
    with pytest.raises(PriceError, match="may_hold_longer is true or false, and goes with until"):
        PriceTable.from_file(path)
