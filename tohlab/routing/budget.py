"""What a run will cost, told before it, and a limit that it does not pass.

Prompt tokens are counted with a tiktoken encoding over what is sent; a service's own template and tokenizer
give somewhat other numbers, so the estimate names its encoding. What is spent is taken from the answers' own
usage, and a request is only begun if it would still fit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from tohlab.errors import BudgetExceeded, RoutingError
from tohlab.routing.client import ChatRequest, Usage
from tohlab.routing.pricing import Price, cost_usd
from tohlab.routing.recording import dump
from tohlab.tokens import TokenMeter, get_meter


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a run may use, replayed answers not among it."""

    tokens: int | None = None
    """Prompt and completion tokens together; None: no limit."""
    usd: float | None = None
    """US dollars; needs `price`. None: no limit."""
    price: Price | None = None

    def __post_init__(self) -> None:
        if self.usd is not None and self.price is None:
            raise RoutingError("a budget in money needs a price; give one (--price IN,OUT)")
        for value in (self.tokens, self.usd):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise RoutingError(f"a budget must be above 0, not {value}")

    def __str__(self) -> str:
        limits = [] if self.tokens is None else [f"{self.tokens:,} tokens"]
        return " and ".join(limits + ([] if self.usd is None else [f"{self.usd:g} USD"])) or "no limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What the requests of a run would use; those that the store can answer are not among them."""

    requests: int
    """How many would be asked."""
    stored: int
    """How many are in the store."""
    prompt_tokens: int
    """Of all requests, counted by `meter` over messages, tools and answer format, without a template."""
    completion_tokens: int | None
    """At most so many, all answers at their longest; None where their length is left to the service."""
    meter: str
    low_usd: float | None
    """If the whole prompt is billed at its cheapest and nothing is answered; None without a price."""
    high_usd: float | None
    """If nothing is cached and every answer is the longest; None without a price or a longest answer."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return asdict(self)


def request_tokens(request: ChatRequest, meter: TokenMeter) -> int:
    """Return the tokens of what a request sends: each message's texts, the tools and the answer format."""
    total = 0
    for message in request.messages:
        for key, value in message.items():
            if key != "role" and value is not None:
                total += meter.count(value if isinstance(value, str) else dump(value))
    if request.tools:
        total += meter.count(dump(list(request.tools)))
    if request.response_format is not None:
        total += meter.count(dump(request.response_format))
    return total


def estimate(
    requests: Iterable[ChatRequest],
    *,
    stored: int = 0,
    price: Price | None = None,
    meter: TokenMeter | None = None,
) -> Estimate:
    """Return what requests would use.

    Raises:
        MissingExtra: tiktoken is not installed.
        EncodingUnavailable: its ranks cannot be had.
    """
    meter = meter or get_meter()
    count = prompt = 0
    completion: int | None = 0
    for request in requests:
        count += 1
        prompt += request_tokens(request, meter)
        if completion is not None:
            completion = None if request.max_tokens is None else completion + request.max_tokens
    low = high = None
    if price is not None:
        cheapest = min(price.input_usd, price.input_usd if price.cached_usd is None else price.cached_usd)
        low = prompt * cheapest / 1e6
        high = None if completion is None else _full(prompt, completion, price)
    return Estimate(
        requests=count,
        stored=stored,
        prompt_tokens=prompt,
        completion_tokens=completion,
        meter=meter.name,
        low_usd=low,
        high_usd=high,
    )


class Purse:
    """What a run has spent of its budget, and whether a request still fits.

    Args:
        budget: the limit.
        meter: counts what is about to be asked.
    """

    def __init__(self, budget: Budget, meter: TokenMeter | None = None) -> None:
        self.budget = budget
        self.spent_tokens = 0
        self.spent_usd = 0.0
        self.closed = False
        self._meter = meter or get_meter()
        self._reserved_tokens = 0
        self._reserved_usd = 0.0
        self._longest = 0

    def check(self, requests: Iterable[ChatRequest]) -> None:
        """Make sure that the requests fit at the least that they can use.

        Raises:
            BudgetExceeded: they do not; the text says what they need.
        """
        wanted = list(requests)
        found = estimate(wanted, price=self.budget.price, meter=self._meter)
        limits, low = self.budget, found.low_usd
        over_tokens = limits.tokens is not None and found.prompt_tokens > limits.tokens
        over_usd = limits.usd is not None and low is not None and low > limits.usd
        if over_tokens or over_usd:
            money = "" if low is None else f", {low:.4f} USD at the cheapest"
            raise BudgetExceeded(
                f"the budget of {limits} does not do: the prompts of {found.requests} requests alone are "
                f"{found.prompt_tokens:,} tokens ({found.meter}{money}). Raise it, or take a sample "
                "(--limit N)."
            )

    def reserve(self, request: ChatRequest) -> tuple[int, float] | None:
        """Set aside what a request can use at most, and return that; None (for good) if it does not fit."""
        if self.closed:
            return None
        prompt = request_tokens(request, self._meter)
        completion = self._longest if request.max_tokens is None else request.max_tokens
        price = self.budget.price
        tokens, usd = prompt + completion, 0.0 if price is None else _full(prompt, completion, price)
        over_tokens = (
            self.budget.tokens is not None
            and self.spent_tokens + self._reserved_tokens + tokens > self.budget.tokens
        )
        over_usd = self.budget.usd is not None and self.spent_usd + self._reserved_usd + usd > self.budget.usd
        if over_tokens or over_usd:
            # Not "try the next": of those that still fit, all would be short.
            self.closed = True
            return None
        self._reserved_tokens += tokens
        self._reserved_usd += usd
        return tokens, usd

    def release(self, reserved: tuple[int, float], usage: Usage | None) -> None:
        """Take back what was set aside; an answer that did not report its usage counts as that much."""
        tokens, usd = reserved
        self._reserved_tokens -= tokens
        self._reserved_usd -= usd
        if usage is None:
            return
        known = usage.prompt is not None and usage.completion is not None
        self.spent_tokens += (usage.prompt or 0) + (usage.completion or 0) if known else tokens
        self._longest = max(self._longest, usage.completion or 0)
        if self.budget.price is not None:
            cost = cost_usd(usage, self.budget.price)
            self.spent_usd += usd if cost is None else cost


def _full(prompt: int, completion: int, price: Price) -> float:
    return (prompt * price.input_usd + completion * price.output_usd) / 1e6
