"""Which part of each description fits: one more character for every skill in turn, as long as any fits.

The cost of a line is that of its bytes, four to a token and rounded up, its line break included. What does
not fit even bare is left out, and with it every description.
"""

from __future__ import annotations

from dataclasses import dataclass

from tohlab.dialects.codex.texts import ENTRY, ENTRY_BARE

BYTES_A_TOKEN = 4
PERCENT = 2
"""Of the context window, for the lines of the list; what stands around them is not counted."""
CHARACTERS_WITHOUT_WINDOW = 8_000
"""Where a window is named that is none (zero or less)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much the lines may cost, in tokens or in characters."""

    limit: int
    in_tokens: bool = True

    @classmethod
    def of(cls, window_tokens: int) -> Budget:
        """Return the budget of a window."""
        if window_tokens <= 0:
            return cls(limit=CHARACTERS_WITHOUT_WINDOW, in_tokens=False)
        return cls(limit=max(1, window_tokens * PERCENT // 100))

    def cost(self, text: str) -> int:
        """Return what a line costs, its line break included."""
        if self.in_tokens:
            return -(-(_bytes(text) + 1) // BYTES_A_TOKEN)
        return len(text) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One skill in the list."""

    name: str
    description: str
    path: str

    def line(self, chars: int) -> str:
        """Return the line with the first `chars` characters of the description."""
        if not chars or not self.description:
            return ENTRY_BARE.format(name=self.name, path=self.path)
        return ENTRY.format(name=self.name, description=self.description[:chars], path=self.path)


def shares(entries: tuple[Entry, ...], budget: Budget) -> tuple[int | None, ...]:
    """Return how many characters of each description are shown; None for an entry that is left out.

    Args:
        entries: in the order of the list, which is the order of precedence too.
        budget: what all lines together may cost.
    """
    lengths = [len(entry.description) for entry in entries]
    full = zip(entries, lengths, strict=True)
    if sum(budget.cost(entry.line(length)) for entry, length in full) <= budget.limit:
        return tuple(lengths)
    bare = [budget.cost(entry.line(0)) for entry in entries]
    remaining = budget.limit - sum(bare)
    if remaining < 0:
        return _bare_ones_that_fit(bare, budget.limit)
    return _spread(entries, bare, remaining, budget)


def _bare_ones_that_fit(bare: list[int], limit: int) -> tuple[int | None, ...]:
    used, taken = 0, list[int | None]()
    for cost in bare:
        fits = used + cost <= limit
        used += cost if fits else 0
        taken.append(0 if fits else None)
    return tuple(taken)


def _spread(
    entries: tuple[Entry, ...], bare: list[int], remaining: int, budget: Budget
) -> tuple[int | None, ...]:
    # What once does not fit never will, since what remains only shrinks: its turn is over.
    given = [0] * len(entries)
    costs = list(bare)
    sizes = [_bytes(entry.line(0)) + 2 if budget.in_tokens else len(entry.line(0)) + 2 for entry in entries]
    turn = [index for index, entry in enumerate(entries) if entry.description]
    while turn:
        still = []
        for index in turn:
            text = entries[index].description
            char = text[given[index]]
            size = sizes[index] + (_bytes(char) if budget.in_tokens else 1)
            cost = -(-size // BYTES_A_TOKEN) if budget.in_tokens else size
            if cost - costs[index] > remaining:
                continue
            remaining -= cost - costs[index]
            sizes[index], costs[index] = size, cost
            given[index] += 1
            if given[index] < len(text):
                still.append(index)
        turn = still
    return tuple(given)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
