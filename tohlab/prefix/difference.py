"""One difference between two requests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tohlab.prefix.compare import Divergence
from tohlab.prefix.reasons import Reason

Where = Literal["settings", "tools", "system", "messages"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is not as it was."""

    reason: Reason
    where: Where
    path: str
    """Its address in the later request; in the earlier one for what was taken out; a setting's name."""
    label: str
    """The same for a person."""
    before: str
    """The earlier characters that differ, or the setting's value; empty for an insertion."""
    after: str
    """The later ones; empty for a deletion."""
    what: str
    """What happened, as the predicate of a sentence that begins with the label."""
    character: int = 0
    """The first character that differs, in the segment at `path`."""
    token: int = 0
    """The first token of the later request that it concerns; the request's end for what follows nothing."""
    appended: bool = False
    """Whether it stands behind everything that was sent before, so that nothing is lost by it."""
    names: tuple[str, ...] = ()
    """Skills or tools that it is about."""


def located(
    found: Divergence, reason: Reason, where: Where, path: str, at: int, names: Iterable[str] = ()
) -> Difference:
    """A difference found in a request of one part, moved to where that part stands."""
    root = found.label.split(" / ", 1)
    label = f"{path.removesuffix('.content[0]')} / {root[1]}" if len(root) > 1 else path
    return Difference(
        reason=reason,
        where=where,
        path=path,
        label=label,
        before=found.before,
        after=found.after,
        what=found.change,
        character=found.character,
        token=at + found.token,
        names=tuple(names),
    )


def excerpt(text: str) -> str:
    """Return at most 60 characters of a text."""
    return text if len(text) <= 60 else text[:59] + "…"
