"""Text in a skill that may do more than be read: closing tags, quotes in names, characters nobody sees.

What is found here is only suspicious. Whether it does anything depends on how a harness puts the text into
its own: `tohlab.survival` renders it and looks.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["closing-tag", "quote-in-name", "control-character", "invisible-character", "bidi-character"]
Place = Literal["name", "description", "body"]

_TAG: Final = re.compile(r"<(/?)([A-Za-z_][\w.:-]*)[^<>]{0,400}>")
_CHARACTERS: Final[dict[Kind, re.Pattern[str]]] = {
    "control-character": re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"),
    "invisible-character": re.compile(
        "[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
    ),
    "bidi-character": re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"),
}
_ANY: Final = re.compile("|".join(pattern.pattern for pattern in _CHARACTERS.values()))
_JOINERS: Final = "\u200c\u200d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """One thing in one text."""

    kind: Kind
    place: Place
    text: str
    """The tag as written, the name, or the characters."""
    offset: int
    """Where it stands in its text, counted from 0."""


def suspicions(text: str, place: Place) -> Iterator[Suspicion]:
    """Yield what may do more than be read in one part of a skill.

    A closing tag counts where the text itself has not opened it; of each such tag the first. Characters count
    once for each line. A joiner between two letters beyond ASCII is how emoji and many scripts are written.

    Args:
        text: the part, as it is meant (a description without its quotes).
        place: which part it is.
    """
    yield from _tags(text, place)
    if place == "name":
        for quote in "\"'":
            if quote in text:
                yield Suspicion(kind="quote-in-name", place=place, text=text, offset=text.index(quote))
    if _ANY.search(text):
        yield from _characters(text, place)


def _tags(text: str, place: Place) -> Iterator[Suspicion]:
    if "</" not in text:
        return
    depths: Counter[str] = Counter()
    told: set[str] = set()
    for match in _TAG.finditer(text):
        closes, name = match.groups()
        if not closes:
            depths[name] += not match[0].endswith("/>")
        elif depths[name] > 0:
            depths[name] -= 1
        elif name not in told:
            told.add(name)
            yield Suspicion(kind="closing-tag", place=place, text=match[0], offset=match.start())


def _characters(text: str, place: Place) -> Iterator[Suspicion]:
    start = 0
    for row in text.split("\n"):
        row = row.removesuffix("\r")
        for kind, pattern in _CHARACTERS.items():
            found = [m for m in pattern.finditer(row) if not _joins(row, m.start())]
            if found:
                characters = "".join(match[0] for match in found)
                yield Suspicion(kind=kind, place=place, text=characters, offset=start + found[0].start())
        start = text.find("\n", start) + 1


def _joins(row: str, at: int) -> bool:
    around = row[at - 1 : at] + row[at + 1 : at + 2]
    return row[at] in _JOINERS and len(around) == 2 and not any(map(str.isascii, around))


def spelled(characters: str) -> str:
    """Return characters by code point and name, each kind once, with how often."""
    parts = []
    for character, count in Counter(characters).items():
        name = unicodedata.name(character, "")
        times = f" x{count}" if count > 1 else ""
        parts.append(f"U+{ord(character):04X}{' ' + name if name else ''}{times}")
    return ", ".join(parts)
