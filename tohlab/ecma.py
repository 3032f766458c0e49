"""What JavaScript does to text, where Python does it otherwise.

The harnesses measured here are written in TypeScript; their texts depend on ECMAScript's idea of white space,
of string length (UTF-16 code units) and of JSON. Source: ECMA-262 (WhiteSpace, LineTerminator,
QuoteJSONString), checked against the `description`, `digest` and `gesture_scan` vectors.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

WHITESPACE: Final = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""The members of ECMAScript's `\\s`, as the inside of a character class."""

_STRIP_CHARS: Final = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    chr(c) for c in range(0x2000, 0x200B)
)
_RUN: Final = re.compile(f"[{WHITESPACE}]+")
_COMPACT_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONGEST_INT: Final = 400  # digits; JavaScript's numbers end near 1e308


def trim(text: str) -> str:
    """Return `text` without ECMAScript white space at both ends, as `String.prototype.trim` does."""
    return text.strip(_STRIP_CHARS)


def collapse_whitespace(text: str) -> str:
    """Return `text` with each run of ECMAScript white space as one space, and trimmed."""
    return trim(_RUN.sub(" ", text))


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 code units, which is what `text.length` is in JavaScript."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_slice(text: str, stop: int) -> str:
    """Return the first `stop` UTF-16 code units; a cut pair leaves its lone high surrogate, as there."""
    if len(text) <= stop and text.isascii():
        return text
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * stop]
    return units.decode("utf-16-le", "surrogatepass")


def utf16_sort_key(text: str) -> bytes:
    """Return a key that sorts as JavaScript's `<` does: by UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def join_surrogates(text: str) -> str:
    """Return `text` with each high and low surrogate side by side as the one character they mean."""
    if not _LONE_SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def to_well_formed(text: str) -> str:
    """Return `text` with U+FFFD for each lone surrogate, as `String.prototype.toWellFormed` does."""
    if not _LONE_SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def json_parse(text: str) -> Any:
    """Return the value of JSON text as `JSON.parse` gives it.

    `NaN` and `Infinity` are refused as there, and a whole number of very many digits is a float, as every
    number is there; Python's own reader would refuse it.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply for this Python.
    """
    return json.loads(text, parse_constant=_no_constant, parse_int=json_int)


def json_int(digits: str) -> int | float:
    """Return the number that JSON's digits stand for, whatever their count (for `json.loads`)."""
    if digits == "-0":
        return -0.0  # a number of its own in JavaScript, which no JSON text brings back
    return int(digits) if len(digits) <= _LONGEST_INT else float(digits)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def json_stringify(value: Any) -> str:
    """Return `JSON.stringify(value)`: compact, non-ASCII raw, lone surrogates as lower-case `\\udxxx`.

    A high and a low surrogate side by side are the one character they mean, as in every JavaScript string.
    """
    text = _COMPACT_JSON.encode(value)
    if text.isascii():
        return text
    text = join_surrogates(text)
    return _LONE_SURROGATE.sub(lambda m: f"\\u{ord(m.group()):04x}", text)


def number_to_string(value: float) -> str:
    """Return `String(value)`: the shortest digits that give the number back, plain up to 21 digits."""
    try:
        number = float(value)
    except OverflowError:
        number = float("inf") if value > 0 else float("-inf")
    if number != number or number in (float("inf"), float("-inf")):
        return "NaN" if number != number else f"{'-' if number < 0 else ''}Infinity"
    if number == 0:
        return "0"
    mantissa, _, exponent = f"{abs(number)!r}".partition("e")
    whole, _, part = mantissa.partition(".")
    part = "" if part == "0" else part
    digits = (whole + part).lstrip("0")
    # The number is 0.DIGITS times ten to the power of `point`.
    point = len(whole) + int(exponent or 0) - (len(whole + part) - len(digits))
    digits = digits.rstrip("0")
    sign = "-" if number < 0 else ""
    if 0 < point <= 21:
        text = digits.ljust(point, "0")
        return f"{sign}{text[:point]}" + (f".{text[point:]}" if len(digits) > point else "")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"
