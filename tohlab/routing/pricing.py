"""Money from reported tokens: disjoint buckets, each with its own price, so that nothing is paid twice.

Two conventions are in use. In chat completions `prompt_tokens` includes the cached ones (and those written to
the cache); in Anthropic's Messages form `input_tokens` leaves them out and they stand beside it. `ChatReply`
reads both into one `Usage` whose `prompt` includes everything; here it is taken apart again. tohlab knows no
price list: a price is given by who asks, and without one there is no money in any report.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tohlab.errors import RoutingError
from tohlab.routing.client import Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model's tokens cost, in US dollars for a million."""

    input_usd: float
    """Prompt tokens that were computed afresh."""
    output_usd: float
    """Completion tokens, those of reasoning among them."""
    cached_usd: float | None = None
    """Prompt tokens read from the provider's cache; None: as `input_usd`."""
    cache_write_usd: float | None = None
    """Prompt tokens written to the provider's cache; None: as `input_usd`."""
    batch_share: float = 0.5
    """What an answer from a batch costs, as a share of all the prices above. OpenAI: half (documented, "Batch
    API FAQ", help.openai.com/en/articles/9197833, copy read on 2026-12-01); give another provider's own."""

    def __post_init__(self) -> None:
        for name in ("input_usd", "output_usd", "cached_usd", "cache_write_usd", "batch_share"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                what = "a share" if name == "batch_share" else "a number of dollars"
                raise RoutingError(f"a price must be {what}, 0 or more; {name} is {value}")

    @classmethod
    def parse(cls, text: str) -> Price:
        """Return the price written as `INPUT,OUTPUT[,CACHED[,WRITTEN]]`, dollars for a million tokens.

        Raises:
            RoutingError: it is not written so.
        """
        parts = text.split(",")
        try:
            numbers = [float(part) for part in parts]
        except ValueError:
            numbers = []
        if not 2 <= len(numbers) <= 4:
            raise RoutingError(
                f"{text!r} is no price; write dollars for a million tokens as "
                "INPUT,OUTPUT[,CACHED[,WRITTEN]], such as 0.25,2,0.025"
            )
        return cls(
            **dict(zip(("input_usd", "output_usd", "cached_usd", "cache_write_usd"), numbers, strict=False))
        )


def cost_usd(usage: Usage, price: Price) -> float | None:
    """Return what one answer cost, in US dollars; None if the service did not report its tokens."""
    if usage.prompt is None or usage.completion is None:
        return None
    cached, written = usage.cached or 0, usage.cache_write or 0
    cached_usd = price.input_usd if price.cached_usd is None else price.cached_usd
    write_usd = price.input_usd if price.cache_write_usd is None else price.cache_write_usd
    total = (
        (usage.prompt - cached - written) * price.input_usd
        + cached * cached_usd
        + written * write_usd
        + usage.completion * price.output_usd
    )
    return total / _MILLION * (price.batch_share if usage.batch else 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a number of answers cost."""

    now_usd: float
    """Those that were asked now."""
    recorded_usd: float
    """Those that were read from a store, when they were asked; nothing is paid for them now."""
    n_unknown: int
    """Answers whose tokens the service did not report; they are in neither sum."""


def total_cost(answers: Iterable[tuple[Usage, bool]], price: Price) -> Cost:
    """Return the cost of answers, each with whether it was read from a store."""
    now = recorded = 0.0
    unknown = 0
    for usage, stored in answers:
        cost = cost_usd(usage, price)
        if cost is None:
            unknown += 1
        elif stored:
            recorded += cost
        else:
            now += cost
    return Cost(now_usd=now, recorded_usd=recorded, n_unknown=unknown)
