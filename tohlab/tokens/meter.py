"""Text to tokens, and back to the characters they start at.

A `TokenMeter` is anything that counts; a count always names its meter. `TiktokenMeter` is the one we have: it
treats all content as plain text (a special token's spelling inside a skill is just characters), and never
encodes the same text twice while it remembers it.
"""

from __future__ import annotations

import functools
import re
import threading
from array import array
from collections import OrderedDict
from itertools import accumulate
from typing import Any, Final, Protocol, runtime_checkable

from tohlab.errors import TokensError
from tohlab.tokens.encodings import DEFAULT_ENCODING, EncodingSource, load_encoding

MEMORY_CHARACTERS: Final = 32_000_000
"""How many characters of text a meter remembers by default, with 4 bytes a token beside them."""

_BLANKS_LIMIT: Final = 900_000
"""tiktoken 0.14 panics at a million (its regex engine's backtracking limit)."""

_NOTHING_SPECIAL: Final = frozenset[str]()
_LONG_BLANKS: Final = re.compile(rf"\s{{{_BLANKS_LIMIT}}}")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@runtime_checkable
class TokenMeter(Protocol):
    """Anything that counts tokens.

    `encode` is pure: the same text gives the same ids. `encode_with_offsets` gives the same ids and, for each
    token, the index of the character (Python code point) in which its first byte lies; so the indices never
    fall, and the first is 0. `count(text)` is `len(encode(text))`.
    """

    @property
    def name(self) -> str:
        """What a count made by it is named after, such as `o200k_base`."""
        ...

    def count(self, text: str) -> int: ...

    def encode(self, text: str) -> tuple[int, ...]: ...

    def encode_with_offsets(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]: ...


class TiktokenMeter:
    """Counts with a tiktoken encoding; remembers what it has encoded.

    Safe to use from several threads. `source` says where the encoding's ranks came from.

    Args:
        encoding: the encoding's name.
        memory_characters: how many characters of text to remember; the least recently used go first. One text
            that is longer is not remembered.

    Raises:
        EncodingUnavailable: the encoding cannot be had.
        MissingExtra: tiktoken is not installed.
        TokensError: (from the counting methods) a run of 900,000 and more blanks.
    """

    def __init__(
        self, encoding: str = DEFAULT_ENCODING, *, memory_characters: int = MEMORY_CHARACTERS
    ) -> None:
        self._encoding, self._source = load_encoding(encoding)
        self._line_feed = self._encoding.encode_single_token("\n")
        # As `encode_ordinary`, without an int object for each token. It is not in tiktoken's documentation,
        # so another version may lack it; then the documented call does, a little slower.
        self._to_buffer = getattr(
            getattr(self._encoding, "_core_bpe", None), "encode_to_tiktoken_buffer", None
        )
        self._memory: OrderedDict[str, array[int]] = OrderedDict()
        self._memory_characters = memory_characters
        self._held_characters = 0
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"TiktokenMeter({self.name!r})"

    @property
    def name(self) -> str:
        """The encoding's name."""
        return self._encoding.name

    @property
    def source(self) -> EncodingSource:
        """Where the ranks came from."""
        return self._source

    def count(self, text: str) -> int:
        """Return how many tokens `text` is. The empty text is 0."""
        return len(self._ids(text))

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the token ids of `text`, in which no special token is recognised."""
        return tuple(self._ids(text))

    def encode_with_offsets(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the ids and, for each, the index of the character in which the token's first byte lies.

        A token that begins inside a character belongs to that character. Lone surrogates are counted as
        tiktoken does: each as U+FFFD, a high and a low one side by side as the character they mean.
        """
        ids = tuple(self._ids(text))
        pieces = self._encoding.decode_tokens_bytes(ids)
        if text.isascii():
            ends = accumulate(map(len, pieces), initial=0)
            return ids, tuple(ends)[:-1]
        starts: list[int] = []
        characters = 0
        for piece in pieces:
            starts.append(characters - (0x80 <= piece[0] < 0xC0))
            characters += sum((byte & 0xC0) != 0x80 for byte in piece)
        pairs = [match.start() - n for n, match in enumerate(_PAIR.finditer(text))]
        if pairs:  # what is one character to tiktoken is two here
            shifts = [0] * (characters + 1)
            for pair in pairs:
                shifts[pair + 1] += 1
            shifts = list(accumulate(shifts))
            starts = [start + shifts[start] for start in starts]
        return ids, tuple(starts)

    def count_line(self, text: str) -> tuple[int, bool]:
        """Return how many tokens `text` is, and whether the last of them is a line feed and nothing else.

        Nothing of it is remembered: this is for whoever remembers the counts.
        """
        ids = self._encode_list(text)
        return len(ids), bool(ids) and ids[-1] == self._line_feed

    def special(self, text: str) -> int:
        """Return the id of a special token such as `<|end|>`; content never produces it.

        Raises:
            TokensError: the encoding has no such special token.
        """
        if text not in self._encoding.special_tokens_set:
            known = ", ".join(sorted(self._encoding.special_tokens_set)[:12])
            raise TokensError(f"{self.name} has no special token {text!r}; it has {known}")
        return self._encoding.encode_single_token(text)

    def _ids(self, text: str) -> array[int]:
        # Sessions and repositories count thousands of short texts: what stands here counts.
        memory = self._memory
        known = memory.get(text)
        if known is not None:
            with self._lock:
                if text in memory:  # another thread may just have forgotten it
                    memory.move_to_end(text)
            return known
        length = len(text)
        ids = array("I")
        if self._to_buffer is None or length >= _BLANKS_LIMIT:
            ids.extend(self._encode_list(text))
        else:
            try:
                ids.frombytes(memoryview(self._to_buffer(text, _NOTHING_SPECIAL)).cast("B"))
            except UnicodeEncodeError:  # half a character, which `encode_ordinary` knows how to count
                ids.extend(self._encode_list(text))
        if length <= self._memory_characters:
            with self._lock:
                if text not in memory:
                    memory[text] = ids
                    self._held_characters += length
                    if self._held_characters > self._memory_characters:
                        self._forget()
        return ids

    def _forget(self) -> None:
        while self._held_characters > self._memory_characters:
            forgotten, _ = self._memory.popitem(last=False)
            self._held_characters -= len(forgotten)

    def _encode_list(self, text: str) -> list[int]:
        blanks = _LONG_BLANKS.search(text) if len(text) >= _BLANKS_LIMIT else None
        if blanks is None:
            return self._encoding.encode_ordinary(text)
        # tiktoken's regex engine gives up with a panic; a clear error is better than a wrong count.
        raise TokensError(
            f"a text has {_BLANKS_LIMIT:,} white-space characters in a row at character {blanks.start():,}, "
            f"more than tiktoken can split; shorten that run"
        )


def token_array(meter: TokenMeter, text: str) -> Any:
    """Return the ids as something that slices and compares quickly; for the rooms that compare."""
    if isinstance(meter, TiktokenMeter):
        return meter._ids(text)
    return meter.encode(text)


def get_meter(name: str = DEFAULT_ENCODING) -> TiktokenMeter:
    """Return the process's shared meter for an encoding; what one caller had encoded, the next need not.

    Raises:
        EncodingUnavailable: the encoding cannot be had; the message lists where it was looked for.
        MissingExtra: tiktoken is not installed.
    """
    return _shared_meter(name)


@functools.lru_cache(maxsize=8)
def _shared_meter(name: str) -> TiktokenMeter:
    return TiktokenMeter(name)
