"""The order in which the harness reads a folder: JavaScript's `localeCompare`.

This is an approximation of ICU's root collation, which Node uses for a plain `localeCompare`: punctuation
before symbols before digits before letters; letters by their base first, then by accents, then lower case
before upper. It agrees with ICU on ASCII names and on Latin letters with accents. It does not know the
tailored orders of single languages, contractions, or the order of scripts where that differs from Unicode's.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

CollationKey = tuple[str, str, str]

_PUNCTUATION: Final = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_PRIMARY: Final = {ord(c): chr(i + 1) for i, c in enumerate(_PUNCTUATION)} | {
    ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
}
# The accents of Latin letters in the order of their secondary weights (acute, grave, breve, circumflex, …).
_ACCENTS: Final = {
    ord(c): chr(i + 33)
    for i, c in enumerate("\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0328\u0327\u0304")
}
_PLAIN: Final = re.compile(r"[a-z0-9.\-]*")


def collation_key(name: str) -> CollationKey:
    """Return a key that sorts names as `localeCompare` does; see the module for where it is approximate."""
    if _PLAIN.fullmatch(name):
        return name.translate(_PRIMARY), "", ""
    if name.isascii():
        return name.translate(_PRIMARY), "", name.swapcase()
    base: list[str] = []
    accents: list[str] = []
    for char in unicodedata.normalize("NFD", name):
        category = unicodedata.category(char)
        if category in ("Mn", "Cc", "Cf") and char not in _PUNCTUATION:
            accents.append(char.translate(_ACCENTS))
            continue
        accents.append(" ")
        if char.isascii():
            base.append(char.translate(_PRIMARY))
        elif category[0] in "PZS":
            base.append("/" + char)  # after ASCII punctuation, before the digits
        else:
            base.append(char.casefold())
    return "".join(base), "".join(accents).rstrip(" "), name.swapcase()
