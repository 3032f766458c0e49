"""What an explanation says: changes, uses, money.

Computed by `explain`; the values here know how to word themselves for a person, a table and a program.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from tohlab.prefix.policies.base import Boundary, Use
from tohlab.prefix.reasons import Reason


class InputRates(Protocol):
    """What input costs, in US dollars for a million tokens; None where a class has no price of its own."""

    @property
    def input(self) -> Decimal: ...

    @property
    def read(self) -> Decimal | None: ...

    @property
    def short_write(self) -> Decimal | None: ...

    @property
    def long_write(self) -> Decimal | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that changed, or one rule that was met, in the providers' own word."""

    reason: Reason
    path: str
    """Its address, such as `tools[13]`; a setting's name; empty for a rule about the whole request."""
    label: str
    """The same for a person."""
    before: str
    """The earlier characters that differ, at most 60."""
    after: str
    """The later ones, at most 60."""
    character: int
    """The first character that differs, from 0 in the segment at `path`."""
    token: int
    """The first token of the later request that it concerns."""
    lost_tokens: int
    """Tokens that this alone keeps from being read; 0 for what costs nothing or lies behind another change of
    the same section."""
    fix: str
    """The cheapest way of doing the same."""
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data under the same names."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What one request makes of another's cache, and why not more."""

    policy: str
    status: str
    """How sure the policy's rules are."""
    meter: str
    shared_tokens: int
    """The longest common prefix: the most that any cache could read."""
    reusable_tokens: int
    """What the earlier request left to be read by one that only appends."""
    use: Use
    """Of the later request."""
    twin: Use
    """Of the earlier request with only the new messages appended, sent at once."""
    next_use: Use
    """Of the request after the later one, which appends one short message."""
    changes: tuple[Change, ...]
    """What lost most of all first, as it is rendered; empty where all that can be read is read."""
    boundary: Boundary | None
    """The last boundary at which an entry was read; None where none was."""
    cost_usd: Decimal | None = None
    """The later request's input; None without rates, as the others."""
    twin_cost_usd: Decimal | None = None
    next_cost_usd: Decimal | None = None
    not_modelled: tuple[str, ...] = ()
    """What the cache does beyond the policy's rules; see `CachePolicy.not_modelled`."""

    @property
    def lost_tokens(self) -> int:
        """Tokens that could be read and are not."""
        return max(self.reusable_tokens - self.use.read_tokens, 0)

    @property
    def extra_cost_usd(self) -> Decimal | None:
        """What the request costs more than its twin; negative where it is cheaper, as after compaction."""
        if self.cost_usd is None or self.twin_cost_usd is None:
            return None
        return self.cost_usd - self.twin_cost_usd

    @property
    def sentence(self) -> str:
        """What happened, for a person, in one paragraph."""
        parts = [change.sentence for change in self.changes]
        if not parts:
            parts = [
                f"Nothing is lost: {self.use.read_tokens:,} of {self.use.total_tokens:,} tokens are read."
            ]
        else:
            where = self.boundary.path if self.boundary else "none"
            parts.append(
                f"{self.use.read_tokens:,} of {self.use.total_tokens:,} tokens are read; the last boundary "
                f"with an entry is {where}."
            )
        parts.append(
            f"The next request reads {self.next_use.read_tokens:,} and pays for "
            f"{self.next_use.total_tokens - self.next_use.read_tokens:,}."
        )
        if self.extra_cost_usd is not None:
            parts.append(f"This one costs ${self.extra_cost_usd:.6f} more than appending alone would.")
        return " ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: every field, the derived numbers and the sentence; money as text."""

        def money(value: Decimal | None) -> str | None:
            return None if value is None else str(value)

        return {
            "policy": self.policy,
            "status": self.status,
            "not_modelled": list(self.not_modelled),
            "meter": self.meter,
            "shared_tokens": self.shared_tokens,
            "reusable_tokens": self.reusable_tokens,
            "lost_tokens": self.lost_tokens,
            "use": self.use.to_dict(),
            "twin": self.twin.to_dict(),
            "next_use": self.next_use.to_dict(),
            "changes": [change.to_dict() for change in self.changes],
            "boundary": self.boundary.path if self.boundary else None,
            "cost_usd": money(self.cost_usd),
            "twin_cost_usd": money(self.twin_cost_usd),
            "next_cost_usd": money(self.next_cost_usd),
            "extra_cost_usd": money(self.extra_cost_usd),
            "sentence": self.sentence,
        }

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{change.reason}</code></td><td>{html.escape(change.label)}</td>"
            f"<td><del>{html.escape(change.before)}</del> <ins>{html.escape(change.after)}</ins></td>"
            f"<td style='text-align:right'>{change.lost_tokens:,}</td><td>{html.escape(change.fix)}</td></tr>"
            for change in self.changes
        )
        head = "<tr><th>why</th><th>where</th><th>what</th><th>tokens lost</th><th>cheapest way</th></tr>"
        return (
            f"<p>{html.escape(self.policy)} ({html.escape(self.status)}): {self.use.read_tokens:,} of "
            f"{self.use.total_tokens:,} tokens read, {self.lost_tokens:,} lost.</p>"
            + (f"<table>{head}{rows}</table>" if rows else "")
            + "".join(f"<p>Not modelled: {html.escape(text)}.</p>" for text in self.not_modelled)
        )


def cost_usd(use: Use, rates: InputRates | None) -> Decimal | None:
    """In US dollars; a class without a rate of its own is ordinary input."""
    if rates is None:
        return None

    def rate(own: Decimal | None) -> Decimal:
        return rates.input if own is None else own

    total = (
        use.plain_tokens * rates.input
        + use.read_tokens * rate(rates.read)
        + use.write_tokens * rate(rates.short_write)
        + use.long_write_tokens * rate(rates.long_write)
    )
    return total / 1_000_000


def requests_until_longer_pays(shared_tokens: int, minimum_tokens: int, rates: InputRates) -> int | None:
    """Return from how many requests on it is cheaper to lengthen a shared part up to the minimum.

    Left as it is, each request pays for it as ordinary input; lengthened, the first one writes it and all
    others read it. None where it never pays. Source: OpenAI's guide, "Escape the minimum cacheable length
    cost trap".

    Args:
        shared_tokens: how long the shared part is, below the minimum.
        minimum_tokens: how long it must be to be cached.
        rates: see `explain`.
    """
    read = rates.input if rates.read is None else rates.read
    write = rates.input if rates.short_write is None else rates.short_write
    saved = shared_tokens * rates.input - minimum_tokens * read
    if saved <= 0:
        return None
    return math.floor(minimum_tokens * (write - read) / saved) + 1
