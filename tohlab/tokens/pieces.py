"""Exact counts of long texts that have lines in common, with no line encoded twice.

tiktoken first splits a text by a regular expression and then merges bytes inside each part. Where that split
always breaks, a text can be taken apart and the counts of its pieces add up to the count of the whole. For
`o200k_base`, `o200k_harmony` and `cl100k_base` it breaks behind a line feed that is followed by blanks or
tabs (or none) and then by a character that is neither white space nor `/`:

- letters and digits take no line feed, so no such part reaches across;
- signs take line feeds behind them (with `o200k`, slashes too), and nothing else: a blank, a tab or any
  other sign ends the part;
- `\\s*[\\r\\n]+` ends in its last line feed or carriage return, and only blanks and tabs follow before the
  next character; the rules for other white space are tried after it, and it has matched.

No rule looks back, so what follows is split as if it stood alone. Of other encodings nothing is assumed
(`gpt2` takes blank lines at a text's end together, and otherwise not): there the whole text is encoded.
"""

from __future__ import annotations

import re
import threading
import weakref
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tohlab.request import Span
from tohlab.tokens.measure import share_out
from tohlab.tokens.meter import TiktokenMeter, TokenMeter

PROVEN: Final = frozenset(("cl100k_base", "o200k_base", "o200k_harmony"))
"""The encodings whose split is known to break at `CUT`; see this module's head."""
CUT: Final = re.compile(r"\n(?=[ \t]*[^\s/])")
"""A line feed behind which a text may be taken apart. Python's `\\s` holds all that tiktoken's does."""
MEMORY_CHARACTERS: Final = 16_000_000
"""How many characters of pieces are remembered for each meter; past that it starts anew."""

_SAMPLES: Final = (
    "a\nb", "a \n b", "a:\n  b", "a.\n-b", "a\n\nb", "a\n \n b", "a.\n\n\n1", "a.\n<b>\n  <c>\n</c>\n",
    "a;\r\nb", "a\r\n\tb", "x/\n-", "é\n日本", "a\n'll go", "a\n  's", "1\n2", "\n\nA", "!\n\u0301a",
)  # fmt: skip


@dataclass(slots=True)
class _Memory:
    counts: dict[str, tuple[int, bool]] = field(default_factory=dict)
    """Of each piece its tokens, and whether the last of them is its line feed alone."""
    held_characters: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


_memories: weakref.WeakKeyDictionary[TiktokenMeter, _Memory | None] = weakref.WeakKeyDictionary()
_memories_lock = threading.Lock()


def _memory_of(meter: TiktokenMeter) -> _Memory | None:
    """Return what is remembered for a meter; None where its encoding is not to be taken apart."""
    with _memories_lock:
        if meter not in _memories:
            _memories[meter] = _Memory() if meter.name in PROVEN and _breaks(meter) else None
        return _memories[meter]


def _breaks(meter: TiktokenMeter) -> bool:
    # A later tiktoken might give a name another expression: then the proof does not hold, and this may tell.
    return all(
        meter.encode(text) == tuple(token for piece in pieces_of(text) for token in meter.encode(piece))
        for text in (*_SAMPLES, "\n".join(_SAMPLES))
    )


def pieces_of(text: str) -> list[str]:
    """Return the pieces of a text whose counts add up to the count of the whole, for a proven encoding."""
    pieces, start = [], 0
    for match in CUT.finditer(text):
        stop = match.end()
        pieces.append(text[start:stop])
        start = stop
    pieces.append(text[start:])
    return pieces


def count_spans(text: str, spans: Sequence[Span], meter: TokenMeter) -> tuple[int, tuple[int, ...]]:
    """Return the tokens of a text encoded as one piece, and the share of each span, as `share_out` gives it.

    Lines that an earlier text had are not encoded again, where the meter's encoding allows that.

    Args:
        text: what is counted; the result is that of `meter.count`.
        spans: disjoint and in order.
        meter: what counts.
    """
    memory = _memory_of(meter) if isinstance(meter, TiktokenMeter) else None
    if memory is None or not isinstance(meter, TiktokenMeter) or not text:
        return meter.count(text), share_out(text, spans, meter)
    pieces = pieces_of(text)
    starts, before = [0], [0]
    """Where each piece begins, in characters and in tokens; at last the ends."""
    at = total = 0
    alone: list[bool] = []
    known = memory.counts
    new: dict[str, tuple[int, bool]] = {}
    for piece in pieces:
        found = known.get(piece) or new.get(piece)
        if found is None:
            found = new[piece] = meter.count_line(piece)
        at += len(piece)
        total += found[0]
        starts.append(at)
        before.append(total)
        alone.append(found[1])
    _keep(new, memory)
    edges = [edge for span in spans for edge in (span.start, span.stop)]
    tokens = _tokens_before(edges, text, pieces, starts, before, alone, meter)
    return total, tuple(stop - start for start, stop in zip(tokens[::2], tokens[1::2], strict=True))


def _keep(new: dict[str, tuple[int, bool]], memory: _Memory) -> None:
    if not new:
        return
    with memory.lock:
        if memory.held_characters > MEMORY_CHARACTERS:
            memory.counts.clear()
            memory.held_characters = 0
        memory.held_characters += sum(map(len, new))
        memory.counts.update(new)


def _tokens_before(
    edges: Sequence[int],
    text: str,
    pieces: Sequence[str],
    starts: Sequence[int],
    before: Sequence[int],
    alone: Sequence[bool],
    meter: TiktokenMeter,
) -> list[int]:
    """Return for each place in the text, in rising order, how many tokens begin before it."""
    result = []
    number, offsets_of, offsets = 0, -1, tuple[int, ...]()
    last = len(pieces) - 1
    for edge in edges:
        while number < last and starts[number + 1] <= edge:
            number += 1
        inside = edge - starts[number]
        if inside == 0:
            result.append(before[number])
        elif edge == starts[number + 1]:
            result.append(before[number + 1])
        elif edge == starts[number + 1] - 1 and text[edge] == "\n":
            # Most entries end just before their line's end: its last token is the line feed, or it is not.
            result.append(before[number + 1] - alone[number])
        else:
            if offsets_of != number:
                offsets_of, offsets = number, meter.encode_with_offsets(pieces[number])[1]
            result.append(before[number] + bisect_left(offsets, inside))
    return result
