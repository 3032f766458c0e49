"""How far a name is from the names there are, so that an invented one can be told from a mistyped one."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NearName:
    """A name that is in no catalog, and the one that is most like it."""

    asked: str
    """What the answer named."""
    name: str
    """The name of the catalog that is nearest."""
    edits: int
    """Levenshtein distance between the two, in code points; at least 1."""
    variant: bool
    """Whether they are the same but for case, blanks, underscores and hyphens."""

    def __str__(self) -> str:
        how = (
            "the same but for case, blanks, underscores or hyphens"
            if self.variant
            else f"{self.edits} edit{'' if self.edits == 1 else 's'} away"
        )
        return f"nearest {self.name!r} ({how})"


def near_name(asked: str, names: Sequence[str]) -> NearName | None:
    """Return the name of `names` that is most like `asked`, or None where none is like it.

    Args:
        asked: a name that is not among them.
        names: the names of the catalog.
    """
    plain = _plain(asked)
    same = next((name for name in names if _plain(name) == plain), None) if plain else None
    close = difflib.get_close_matches(asked.lower().strip().replace("_", "-").replace(" ", "-"), names, n=1)
    found = same or (close[0] if close else None)
    if found is None:
        return None
    return NearName(asked=asked, name=found, edits=edit_distance(asked, found), variant=same is not None)


def edit_distance(one: str, other: str) -> int:
    """Return the Levenshtein distance of two texts: the fewest insertions, deletions and replacements."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        above, row[0] = row[0], i
        for j, right in enumerate(other, start=1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (left != right))
    return row[-1]


def _plain(name: str) -> str:
    return "".join(c for c in name.casefold() if c not in " _-\t\n")
