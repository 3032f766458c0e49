"""A dated price table: what each class of tokens costs, and who said so when.

The table lies in `prices.toml` beside this module and is read on first use; a table of your own replaces or
extends it. Prices are exact decimals. A model without a price is an error that names the nearest, never 0.
"""

from __future__ import annotations

import difflib
import functools
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from tohlab.errors import PriceError, UnknownPrice

Day = date
"""Under a name that no field has."""

PER_TOKENS: Final = 1_000_000
"""Prices are for so many tokens."""

PriceStatus = Literal["documented", "reported", "assumed", "own"]
_STATUSES: Final = ("documented", "reported", "assumed", "own")
_LARGEST_EXPONENT: Final = 12
"""Of a price, so that amounts stay exact and can be written out."""
_RATES: Final = ("input", "read", "short_write", "long_write", "output")


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


class PriceTable:
    """Prices by model name, and the rules that families share.

    Args:
        prices: in any order; of two with one name the later counts.
        rules: likewise.
    """

    def __init__(self, prices: Iterable[Price], rules: Iterable[CacheRules] = ()) -> None:
        self._prices = {price.model: price for price in prices}
        self.rules: Mapping[str, CacheRules] = MappingProxyType({rule.name: rule for rule in rules})
        """How each family prices its cache, also for models whose list price is not here."""

    def __iter__(self) -> Iterator[Price]:
        return iter(self._prices.values())

    def __len__(self) -> int:
        return len(self._prices)

    @property
    def models(self) -> tuple[str, ...]:
        """The names that have a price, in the table's order."""
        return tuple(self._prices)

    def extended(self, other: PriceTable | Iterable[Price]) -> PriceTable:
        """Return both tables in one; where both have a model, `other` counts."""
        rules = other.rules.values() if isinstance(other, PriceTable) else ()
        return PriceTable((*self, *other), (*self.rules.values(), *rules))

    def price(self, model: str) -> Price:
        """Return the price of exactly that model.

        Raises:
            UnknownPrice: there is none; the message names the nearest.
        """
        if model in self._prices:
            return self._prices[model]
        bare = model.rsplit("/", 1)[-1]
        near = tuple(
            dict.fromkeys(
                [
                    *(n for n in self._prices if bare.startswith(n)),
                    *difflib.get_close_matches(bare, self._prices),
                ]
            )
        )[:3]
        hint = f" Near: {', '.join(near)}; a version's price may differ from its family's." if near else ""
        raise UnknownPrice(
            f"there is no price of {model!r}.{hint}",
            model=model,
            nearest=near,
            known=self.models,
            remedy="Give one with PriceTable.from_file() or Price().",
        )

    @classmethod
    def from_file(cls, path: str | Path) -> PriceTable:
        """Return the table in a TOML or JSON file of the same shape as `tohlab/tokens/prices.toml`.

        Rows may name the `rules` of this file and those that come with tohlab. A row needs `model`, `input`,
        `output` and `date`; `source` defaults to the file, `status` to `own`.

        Raises:
            PriceError: the file cannot be read, or a row is wrong; the message has file and row.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PriceError(f"{path}: cannot be read: {error}") from error
        return cls(*_parse(text, str(path), default_prices().rules, is_json=path.suffix == ".json"))


@functools.lru_cache(maxsize=1)
def default_prices() -> PriceTable:
    """Return the table that comes with tohlab; read once."""
    path = Path(__file__).with_name("prices.toml")
    return PriceTable(*_parse(path.read_text(encoding="utf-8"), path.name, {}, is_json=False))


def price_for(model: str, table: PriceTable | None = None) -> Price:
    """Return the price of a model, by its exact name.

    Args:
        model: as the API names it, such as `claude-opus-5`; a dated version has a price of its own.
        table: where to look; the table that comes with tohlab unless told otherwise.

    Raises:
        UnknownPrice: it has no price there; the message names the nearest.
    """
    return (table or default_prices()).price(model)


# The file.


def _parse(
    text: str, where: str, known: Mapping[str, CacheRules], *, is_json: bool
) -> tuple[list[Price], list[CacheRules]]:
    load: Callable[..., Any] = json.loads if is_json else tomllib.loads
    try:
        data = load(text, parse_float=Decimal)
    except ValueError as error:
        raise PriceError(f"{where}: {error}") from error
    except RecursionError as error:
        raise PriceError(f"{where}: nested too deeply to be a table of prices") from error
    models = data.get("models") if isinstance(data, Mapping) else None
    rules = data.get("rules", []) if isinstance(data, Mapping) else None
    if not isinstance(models, list) or not isinstance(rules, list):
        raise PriceError(f"{where}: a table needs a list of [[models]]")
    own = [_rules(row, f"{where}: rules[{i}]", where) for i, row in enumerate(rules)]
    families = {**known, **{rule.name: rule for rule in own}}
    return [_price(row, families, f"{where}: models[{i}]", where) for i, row in enumerate(models)], own


_ABOUT: Final = ("source", "date", "status", "note", "peak", "short_lifetime_s", "long_lifetime_s")


def _rules(row: Any, at: str, where: str) -> CacheRules:
    row = _row(row, "name", at, {"name", "read", "short_write", "long_write", *_ABOUT})
    at = f"{at} ({row['name']})"
    classes: dict[str, Any] = {
        name: _number(row[name], f"{at}: {name}") if name in row else None
        for name in ("read", "short_write", "long_write")
    }
    return CacheRules(name=row["name"], **classes, **_about(row, at, where), peak=_peak(row.get("peak"), at))


def _price(row: Any, rules: Mapping[str, CacheRules], at: str, where: str) -> Price:
    row = _row(row, "model", at, {"model", "rules", "until", "may_hold_longer", "long", *_RATES, *_ABOUT})
    at = f"{at} ({row['model']})"
    family = None
    if "rules" in row:
        family = rules.get(str(row["rules"]))
        if family is None:
            raise PriceError(f"{at}: no rules {row['rules']!r}; there are {', '.join(rules) or 'none'}")
    about = _about(row, at, where)
    if family is not None:
        about["short_lifetime_s"] = about["short_lifetime_s"] or family.short_lifetime_s
        about["long_lifetime_s"] = about["long_lifetime_s"] or family.long_lifetime_s
        about["note"] = " ".join(note for note in (about["note"], family.note) if note)
    longer = row.get("may_hold_longer", False)
    if not isinstance(longer, bool) or (longer and "until" not in row):
        raise PriceError(f"{at}: may_hold_longer is true or false, and goes with until")
    base = Price(
        model=row["model"],
        rates=_rates(row, family, at),
        peak=_peak(row.get("peak"), at) or (family.peak if family else None),
        until=_date(row["until"], f"{at}: until") if "until" in row else "",
        may_hold_longer=longer,
        **about,
    )
    if "long" not in row:
        return base
    above = row["long"].get("above_tokens") if isinstance(row["long"], Mapping) else None
    if isinstance(above, bool) or not isinstance(above, int) or above < 0:
        raise PriceError(f"{at}: long needs above_tokens, a whole number from 0")
    _known(row["long"], f"{at}: long", {"above_tokens", *_RATES})
    return replace(base, long_above_tokens=above, long_rates=_rates(row["long"], family, f"{at}: long"))


def _row(row: Any, key: str, at: str, known: set[str]) -> Mapping[str, Any]:
    if not isinstance(row, Mapping) or not isinstance(row.get(key), str):
        raise PriceError(f"{at} needs a {key}, a text")
    _known(row, f"{at} ({row[key]})", known)
    return row


def _known(row: Mapping[str, Any], at: str, known: set[str]) -> None:
    unknown = [name for name in row if name not in known]
    if unknown:
        raise PriceError(f"{at}: unknown {', '.join(unknown)}; known are {', '.join(sorted(known))}")


def _about(row: Mapping[str, Any], at: str, where: str) -> dict[str, Any]:
    status = row.get("status", "own")
    if status not in _STATUSES:
        raise PriceError(f"{at}: status is {status!r}; use one of {', '.join(_STATUSES)}")
    about: dict[str, Any] = {
        "source": str(row.get("source", where)),
        "date": _date(row.get("date"), f"{at}: date"),
        "status": status,
        "note": str(row.get("note", "")),
    }
    for name in ("short_lifetime_s", "long_lifetime_s"):
        value = row.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value <= 0):
            raise PriceError(f"{at}: {name} must be a whole number of seconds, not {value!r}")
        about[name] = value
    return about


def _rates(row: Mapping[str, Any], family: CacheRules | None, at: str) -> Rates:
    own = {name: _number(row[name], f"{at}: {name}") for name in _RATES if name in row}
    if "input" not in own or "output" not in own:
        raise PriceError(f"{at} needs input and output, in USD per million tokens")
    for name in ("read", "short_write", "long_write"):
        multiple = getattr(family, name, None)
        if name not in own and multiple is not None:
            own[name] = own["input"] * multiple
    return Rates(
        input=own["input"],
        read=own.get("read"),
        short_write=own.get("short_write"),
        long_write=own.get("long_write"),
        output=own["output"],
    )


def _number(value: Any, at: str) -> Decimal:
    number = Decimal(value) if isinstance(value, (int, Decimal)) and not isinstance(value, bool) else None
    if number is None or not number.is_finite() or number < 0:
        raise PriceError(f"{at} must be a number from 0, not {value!r}")
    if number and abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise PriceError(f"{at} is {value}, which is no price in USD per million tokens")
    return number


def _date(value: Any, at: str) -> str:
    try:
        return (value if isinstance(value, date) else date.fromisoformat(value)).isoformat()
    except (TypeError, ValueError) as error:
        raise PriceError(f"{at} must be a day such as 2026-12-01, not {value!r}") from error


def _peak(row: Any, at: str) -> Peak | None:
    if row is None:
        return None
    try:
        peak = Peak(
            multiplier=_number(row["multiplier"], f"{at}: peak, multiplier"),
            days=tuple(int(day) for day in row["days"]),
            hours_utc=tuple((time.fromisoformat(a), time.fromisoformat(b)) for a, b in row["hours_utc"]),
            note=str(row.get("note", "")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise PriceError(f"{at}: peak needs multiplier, days and hours_utc: {error}") from error
    _known(row, f"{at}: peak", {"multiplier", "days", "hours_utc", "note"})
    if not set(peak.days) <= set(range(7)):
        raise PriceError(f"{at}: peak, days are 0 (Monday) to 6, not {', '.join(map(str, peak.days))}")
    for since, until in peak.hours_utc:
        if since.tzinfo or until.tzinfo or since >= until:
            raise PriceError(
                f"{at}: peak, hours_utc run from an earlier to a later hour of one day in UTC, not "
                f"{since.isoformat()} to {until.isoformat()}; write one that passes midnight as two"
            )
    return peak
