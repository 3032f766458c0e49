"""The tokens of a request as something that policies compare quickly.

A `TokenSequence` is the beginning of a `Strip`, an array that is only ever appended to; the requests of one
growing session lie on one strip, so that a turn costs what the turn added. Each item is a token id, and the
first one of a segment also holds the segment's header (section, role, whether it opens a message): two
requests share an item only where they share what stands before it. Tokens that an engine rendered itself
have no headers, since the template's own tokens are among them.
"""

from __future__ import annotations

import functools
import hashlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

ID_BITS: Final = 32
ID_MASK: Final = (1 << ID_BITS) - 1


class Strip:
    """Items that are only ever appended to, with a running hash at the end of each stretch."""

    __slots__ = ("hashes", "items", "pending", "places")

    def __init__(self) -> None:
        self.items = array("q")
        self.places = [0]
        """Where a running hash is kept, rising."""
        self.hashes: list[hashlib.blake2b] = [hashlib.blake2b(digest_size=16)]
        self.pending = 0
        """Headers of empty segments: they show in the next item."""

    def add(self, ids: Iterable[int], header: int = 0) -> None:
        """Append a stretch; `header` is 0 for none, else below 2**31."""
        chunk = array("q", ids)
        if header or self.pending:
            mixed = (self.pending * 31 + header) & 0x7FFFFFFF
            if chunk:
                chunk[0] |= mixed << ID_BITS
                self.pending = 0
            else:
                self.pending = mixed
        if chunk:
            running = self.hashes[-1].copy()
            running.update(chunk)
            self.items += chunk
            self.places.append(len(self.items))
            self.hashes.append(running)


class TokenSequence:
    """Tokens of one request, read only; `len()` counts them.

    Args:
        strip: what it is the beginning of.
        length: how many tokens of it.
    """

    __slots__ = ("_length", "_strip")

    def __init__(self, strip: Strip, length: int) -> None:
        self._strip = strip
        self._length = length

    @classmethod
    def of(cls, ids: Iterable[int]) -> TokenSequence:
        """Return the sequence of these ids (0 to 2**31 - 1), without headers."""
        strip = Strip()
        strip.add(ids)
        return cls(strip, len(strip.items))

    def __deepcopy__(self, memo: object) -> TokenSequence:
        return self  # nothing of it changes

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return f"TokenSequence(<{self._length:,} tokens>)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TokenSequence):
            return NotImplemented
        return len(self) == len(other) and self.common(other) == len(self)

    def __hash__(self) -> int:
        return hash(self.digest(self._length))

    @property
    def items(self) -> array[int]:
        """The strip's items; those from `len(self)` on belong to other requests."""
        return self._strip.items

    @property
    def ids(self) -> array[int]:
        """The token ids alone."""
        return array("i", [item & ID_MASK for item in self._strip.items[: self._length]])

    def common(self, other: TokenSequence) -> int:
        """Return how many leading tokens both share."""
        return common_items(self.items, other.items, 0, min(len(self), len(other)))

    def first(self, tokens: int) -> TokenSequence:
        """Return the sequence of the first `tokens` tokens, at most all of them; nothing is copied."""
        return TokenSequence(self._strip, min(tokens, self._length))

    def starts_with(self, other: TokenSequence) -> bool:
        """Return whether it begins with the whole other one."""
        return len(other) <= len(self) and self.common(other) == len(other)

    def digest(self, tokens: int) -> bytes:
        """Return a hash of the first `tokens` tokens and their headers: equal for equal beginnings.

        It is tohlab's own, 16 bytes, and no engine's block hash.
        """
        strip = self._strip
        place = bisect_right(strip.places, tokens) - 1
        start, running = strip.places[place], strip.hashes[place]
        if start < tokens:
            running = running.copy()
            running.update(strip.items[start:tokens])
        return running.digest()


@functools.lru_cache(maxsize=4096)
def header_of(section: str, role: str, opens_message: bool) -> int:
    """Return a number of 31 bits that stands for a segment's header; never 0."""
    text = f"{section}\0{role}\0{opens_message}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") >> 1 | 1


def common_items(one: array[int], other: array[int], start: int, stop: int) -> int:
    """Return the first place from `start` on where two arrays differ; `stop` where none does.

    Stretches are compared in C, each twice as long as the one before, then the last one is halved.
    """
    if one is other:
        return stop
    step = 256
    while start < stop:
        end = min(start + step, stop)
        if one[start:end] != other[start:end]:
            break
        start, step = end, step * 2
    else:
        return start
    while end - start > 1:
        middle = (start + end) // 2
        if one[start:middle] == other[start:middle]:
            start = middle
        else:
            end = middle
    return start
