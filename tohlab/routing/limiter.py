"""How many requests are under way at once: more while answers come, half as many when the service complains.

As networks do it (RFC 5681). Until the first complaint each answer lets in one request more, so the number
doubles in the time that an answer takes; after it each answer lets in a little more, one for all that are
under way. A refusal for too many requests, a time-out or a failing server halves the number. Requests that
were begun before a halving do not halve it again.
"""

from __future__ import annotations

import asyncio
from typing import Final

SLOWED_BY: Final = frozenset({"rate_limit", "server", "timeout"})
"""Kinds of `EndpointError` that say "fewer at once"."""


class Limiter:
    """A number of places that grows and shrinks with the answers.

    Args:
        start: how many requests at once to begin with.
        ceiling: how many at most.
    """

    def __init__(self, start: int, ceiling: int) -> None:
        self._room = float(min(start, ceiling))
        self._ceiling = ceiling
        self._active = 0
        self._halvings = 0
        self._changed = asyncio.Event()

    @property
    def places(self) -> int:
        """How many requests may be under way at once now."""
        return int(self._room)

    async def enter(self) -> int:
        """Wait for a place and take it; the number returned is given back to `leave`."""
        while self._active >= self.places:
            self._changed.clear()
            await self._changed.wait()
        self._active += 1
        return self._halvings

    def leave(self, token: int, kind: str | None) -> None:
        """Give a place back after an answer (None) or a failure of some kind."""
        self._active -= 1
        if kind is None:
            more = 1 / self._room if self._halvings else 1.0
            self._room = min(float(self._ceiling), self._room + more)
        elif kind in SLOWED_BY and token == self._halvings:
            self._room = max(1.0, self._room / 2)
            self._halvings += 1
        self._changed.set()
