"""What a price is: the classes of tokens, peak hours, how a family prices its cache, who said so when.

Prices are exact decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Final, Literal

Day = date
"""Under a name that no field has."""

PER_TOKENS: Final = 1_000_000
"""Prices are for so many tokens."""

PriceStatus = Literal["documented", "reported", "assumed", "own"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Prices of the five classes, in USD per million tokens. None: no price is stated."""

    input: Decimal
    """Of plain input."""
    read: Decimal | None
    """Of input read from the cache."""
    short_write: Decimal | None
    """Of input written to the cache for its short lifetime."""
    long_write: Decimal | None
    """Of input written for the long lifetime."""
    output: Decimal

    def times(self, factor: Decimal) -> Rates:
        """Return every price times `factor`."""

        def scaled(rate: Decimal | None) -> Decimal | None:
            return None if rate is None else rate * factor

        return Rates(
            input=self.input * factor,
            read=scaled(self.read),
            short_write=scaled(self.short_write),
            long_write=scaled(self.long_write),
            output=self.output * factor,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """Hours at which everything costs more."""

    multiplier: Decimal
    days: tuple[int, ...]
    """Days of the week in UTC, Monday is 0."""
    hours_utc: tuple[tuple[time, time], ...]
    """From, inclusive, to, exclusive."""
    note: str = ""

    def holds_at(self, at: datetime) -> bool:
        """Return whether `at` lies in a peak hour."""
        utc = at.astimezone(UTC)
        return utc.weekday() in self.days and any(a <= utc.time() < b for a, b in self.hours_utc)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model costs, with source, date and worth of the numbers."""

    model: str
    rates: Rates
    """For a request of ordinary length outside of peak hours."""
    source: str
    date: str
    """When the source was read, as an ISO date."""
    status: PriceStatus
    """`documented`, `reported` by a third party, `assumed`, or your `own`."""
    long_above_tokens: int | None = None
    """A request with more input than this has the prices of `long_rates`, for all of its tokens."""
    long_rates: Rates | None = None
    peak: Peak | None = None
    short_lifetime_s: int | None = None
    """How long a cheap write is kept, where it is stated."""
    long_lifetime_s: int | None = None
    until: str = ""
    """The last day on which the prices hold, as an ISO date; empty if none is stated."""
    may_hold_longer: bool = False
    """Whether the source says that they hold `at least` through `until`: then they may hold after it, too."""
    note: str = ""

    def expired(self, on: Day) -> bool:
        """Return whether the last day on which the prices are said to hold lies before a day."""
        return bool(self.until) and date.fromisoformat(self.until) < on

    def expiry(self, on: Day | None) -> str:
        """Return what is to be said beside a number: until when the prices hold, if that is stated.

        Args:
            on: the day of use, in UTC; None looks at no day.
        """
        if not self.until:
            return ""
        least = "at least " if self.may_hold_longer else ""
        if on is None or not self.expired(on):
            return f"{least}until {self.until}"
        return f"held {least}until {self.until}, and the day asked about is {on.isoformat()}"

    @property
    def off_peak_note(self) -> str:
        """What is to be said where peak hours are left out: the note, and what costs more in them."""
        if self.peak is None:
            return self.note
        more = f"Outside of peak hours, in which all costs {self.peak.multiplier:f} times as much."
        return " ".join(text for text in (self.note, more, self.peak.note) if text)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRules:
    """How a family of models prices its cache, as multiples of the input price. None: not stated."""

    name: str
    read: Decimal | None
    short_write: Decimal | None
    long_write: Decimal | None
    source: str
    date: str
    """When the source was read, as an ISO date."""
    status: PriceStatus
    peak: Peak | None = None
    short_lifetime_s: int | None = None
    long_lifetime_s: int | None = None
    note: str = ""
