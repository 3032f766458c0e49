"""How Mistral Vibe finds names: those near to one that is not there, and those that a user's text starts."""

from __future__ import annotations

import re
from typing import Final

_MENTION: Final = re.compile(r"(?<!\S)/(\S+)")
_MENTIONED_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._:-]*")
_FENCED: Final = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_INLINE: Final = re.compile(r"(`+)[^`\n]*?\1")
_PUNCTUATION: Final = ".,;:!?)]}'\"`"


def near_names(asked: str, names: list[str]) -> tuple[str, ...]:
    """Return the three names that are nearest to what was asked, nearest first.

    Only ASCII letters and digits count, in lower case. Equal comes first, then one that holds the other, then
    by Levenshtein distance as a share of the longer one; nothing in common is left out, and the order of the
    list settles ties. Found by trying the program's native core over two thousand random names.
    """
    wanted = _letters(asked)
    rated: list[tuple[float, int, str]] = []
    for at, name in enumerate(names):
        letters = _letters(name)
        if not wanted or not letters:
            continue
        if wanted == letters:
            likeness = 2.0
        elif wanted in letters or letters in wanted:
            likeness = 1.0
        else:
            likeness = 1 - _distance(wanted, letters) / max(len(wanted), len(letters))
        if likeness > 0:
            rated.append((-likeness, at, name))
    return tuple(name for _, _, name in sorted(rated)[:3])


def invoked_names(text: str) -> tuple[str, ...]:
    """Return the case-folded names that a text starts: a leading `/name`, then each `/name` outside code."""
    prose = _INLINE.sub("\0", _FENCED.sub("\0", text))
    start = len(prose) - len(prose.lstrip())
    stripped = text.strip()
    names = (
        [stripped[1:].split(None, 1)[0].casefold()]
        if stripped.startswith("/") and stripped[1:].strip()
        else []
    )
    for match in _MENTION.finditer(prose):
        name = match[1].rstrip(_PUNCTUATION)
        if match.start() != start and _MENTIONED_NAME.fullmatch(name) and name not in names:
            names.append(name)
    return tuple(names)


def quoted(text: str) -> str:
    """Return a text in quotes, as Rust shows it: what cannot be printed by its number."""
    # As Rust shows a text: what cannot be printed by its number.
    special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
    shown = (special.get(c) or (c if c.isprintable() else f"\\u{{{ord(c):x}}}") for c in text)
    return f'"{"".join(shown)}"'


def _letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isascii() and char.isalnum())


def _distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def is_loop(text: str) -> bool:
    """Return whether a text is the program's `/loop`, in which nothing is looked for."""
    words = text.split(None, 1)
    return bool(words) and words[0].casefold() == "/loop"
