"""What used tokens cost: exact amounts, with the price's date beside them.

Nothing is rounded, and nothing is priced at 0 because a number is missing: a class without a price and a
usage that was not reported are errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from tohlab.errors import PriceError
from tohlab.tokens.prices import PER_TOKENS, Price, Rates, price_for
from tohlab.tokens.usage import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPart:
    """One class of a cost."""

    name: str
    """`plain`, `read`, `short write`, `long write`, `write` (not split) or `output`."""
    tokens: int
    usd: Decimal
    share: float
    """Of the whole cost, 0 to 1; 0 where the whole costs nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a usage costs. `parts` add up to `total_usd` exactly."""

    total_usd: Decimal
    parts: tuple[CostPart, ...]
    price: Price
    """By which price, with its date."""
    tariff: str
    """`standard`, `long context`, `peak hours`, or the last two joined by a comma."""
    expiry: str = ""
    """Until when the price is said to hold, and whether the day of use lies after that; empty if nothing is
    said."""

    @property
    def input_usd(self) -> Decimal:
        """What the input alone costs."""
        return sum((part.usd for part in self.parts if part.name != "output"), Decimal(0))

    @property
    def sentence(self) -> str:
        """The amount, to a person."""
        dear = max(self.parts, key=lambda part: part.usd, default=None)
        most = f"; {dear.share:.0%} of it for {dear.name} tokens" if dear and dear.usd else ""
        return (
            f"${_digits(self.total_usd)} ({self.price.model}, {self.tariff}, prices of {self.price.date}, "
            f"{self.price.status}{', ' if self.expiry else ''}{self.expiry}){most}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; amounts are texts, so that no digit is lost."""
        return {
            "model": self.price.model,
            "total_usd": _digits(self.total_usd),
            "tariff": self.tariff,
            "price_date": self.price.date,
            "price_source": self.price.source,
            "price_status": self.price.status,
            "price_expiry": self.expiry,
            "parts": [
                {"name": p.name, "tokens": p.tokens, "usd": _digits(p.usd), "share": p.share}
                for p in self.parts
            ],
        }


def cost_usd(usage: Usage, price: Price | str, at: datetime | None = None) -> Cost:
    """Return what one request cost.

    Of several requests together the length of each is not known, so add up their costs instead.

    Args:
        usage: what it used.
        price: a price, or a model's name in the table that comes with tohlab.
        at: when it was sent, with a time zone; needed for prices that depend on the hour.

    Raises:
        PriceError: the usage has an unreported class that the price depends on, a class has no price, `at` is
            needed or has no time zone, or the price does not hold any more at that time. One that held "at
            least" through an earlier day is taken, and `Cost.expiry` says so.
        UnknownPrice: no price of that model.
    """
    if isinstance(price, str):
        price = price_for(price)
    rates, tariff = _tariff(usage, price, at)
    amounts = [
        (name, tokens, _amount(name, tokens, rate, price))
        for name, tokens, rate in _classes(usage, rates, price)
    ]
    total = sum((usd for _, _, usd in amounts), Decimal(0))
    parts = tuple(
        CostPart(name=name, tokens=tokens, usd=usd, share=float(usd / total) if total else 0.0)
        for name, tokens, usd in amounts
    )
    day = None if at is None else at.astimezone(UTC).date()
    return Cost(total_usd=total, parts=parts, price=price, tariff=tariff, expiry=price.expiry(day))


def _tariff(usage: Usage, price: Price, at: datetime | None) -> tuple[Rates, str]:
    if at is not None and not isinstance(at, datetime):
        raise PriceError(
            f"at={at!r} is no point in time; give one with its zone, such as datetime(2027, 1, 1, tzinfo=UTC)"
        )
    if at is not None and at.tzinfo is None:
        raise PriceError(f"at={at.isoformat()} has no time zone; say which, such as datetime.now(UTC)")
    if at is not None and not price.may_hold_longer and price.expired(at.astimezone(UTC).date()):
        raise PriceError(f"the price of {price.model} holds until {price.until} ({price.source})")
    rates, names = price.rates, []
    if price.long_rates is not None and price.long_above_tokens is not None:
        if usage.total_tokens is None:
            raise PriceError(
                f"{price.model} costs more above {price.long_above_tokens:,} tokens, and the input was not "
                f"reported; not reported: {', '.join(usage.missing)}"
            )
        if usage.total_tokens > price.long_above_tokens:
            rates = price.long_rates
            names.append("long context")
    if price.peak is not None:
        if at is None:
            raise PriceError(f"the price of {price.model} depends on the hour; give at=")
        if price.peak.holds_at(at):
            rates = rates.times(price.peak.multiplier)
            names.append("peak hours")
    return rates, ", ".join(names) or "standard"


def _classes(usage: Usage, rates: Rates, price: Price) -> list[tuple[str, int, Decimal | None]]:
    """Name, tokens and rate of each class, from whatever the usage reports."""
    if usage.output_tokens is None:
        raise _unreported(usage, price)
    rows: list[tuple[str, int, Decimal | None]]
    no_fee = rates.short_write == rates.long_write == rates.input
    if usage.read_tokens is None:
        raise _unreported(usage, price)
    if None not in (usage.plain_tokens, usage.short_write_tokens, usage.long_write_tokens):
        rows = [
            ("plain", usage.plain_tokens or 0, rates.input),
            ("read", usage.read_tokens, rates.read),
            ("short write", usage.short_write_tokens or 0, rates.short_write),
            ("long write", usage.long_write_tokens or 0, rates.long_write),
        ]
    elif usage.plain_tokens is not None and usage.write_tokens is not None:
        if rates.short_write != rates.long_write:
            raise PriceError(
                f"{usage.write_tokens:,} tokens were written to the cache, but for which lifetime was not "
                f"reported, and {price.model} prices them apart; give usage_from(..., lifetime=...)"
            )
        rows = [
            ("plain", usage.plain_tokens, rates.input),
            ("read", usage.read_tokens, rates.read),
            ("write", usage.write_tokens, rates.short_write),
        ]
    elif usage.unread_tokens is not None and no_fee:
        rows = [("plain", usage.unread_tokens, rates.input), ("read", usage.read_tokens, rates.read)]
    else:
        raise _unreported(usage, price)
    return [*rows, ("output", usage.output_tokens, rates.output)]


def _unreported(usage: Usage, price: Price) -> PriceError:
    return PriceError(
        f"the price of {price.model} depends on what was not reported: {', '.join(usage.missing)}. If you "
        f"know that it was nothing, say so with usage.assuming_unreported_zero()"
    )


def _amount(name: str, tokens: int, rate: Decimal | None, price: Price) -> Decimal:
    if rate is None:
        if tokens == 0:
            return Decimal(0)
        raise PriceError(
            f"{tokens:,} {name} tokens were used, but {price.model} has no price for them "
            f"({price.source}, {price.date}); add one to your own table"
        )
    return rate * tokens / PER_TOKENS


def _digits(usd: Decimal) -> str:
    """All digits that count, without an exponent."""
    return f"{usd.normalize():f}"
