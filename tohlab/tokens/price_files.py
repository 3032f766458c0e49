"""The rows of a table of prices, read from a text; a wrong one is an error with its place."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from typing import Any, Final

from tohlab.errors import PriceError
from tohlab.tokens.price_values import CacheRules, Peak, Price, Rates

_STATUSES: Final = ("documented", "reported", "assumed", "own")
_LARGEST_EXPONENT: Final = 12
"""Of a price, so that amounts stay exact and can be written out."""
_RATES: Final = ("input", "read", "short_write", "long_write", "output")


def parse_prices(
    text: str, where: str, known: Mapping[str, CacheRules], *, is_json: bool
) -> tuple[list[Price], list[CacheRules]]:
    """Return the prices and the rules in the text of a table.

    Args:
        text: TOML or JSON, of the same shape as `tohlab/tokens/prices.toml`.
        where: what messages call the text, and the source of rows that name none.
        known: rules that rows may name beside the text's own.
        is_json: whether it is JSON.

    Raises:
        PriceError: a row is wrong; the message has its place.
    """
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
