"""Where each segment of a request starts, in tokens; extended from the request before, not counted again.

A long session's requests share nearly everything. A `Layout` is one request laid out in tokens: its segments,
and how many tokens stand before each. `layout_of` remembers the last few layouts of each meter and builds the
next one from whichever shares the most leading messages, so that a turn costs what the turn added. The method
and its measurements are prefix.md 4.1, C: segment lists compared, cumulative counts, each distinct text
encoded once.

Everything here is internal to tokens and prefix; `measure` and `compare_prefix` are the doors.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from tohlab.request import Request, Segment

if TYPE_CHECKING:
    from tohlab.tokens.measure import SegmentCost
    from tohlab.tokens.meter import TokenMeter

REMEMBERED: Final = 8
"""How many requests' layouts are kept for each meter."""


class Layout:
    """One request laid out in tokens. Treat as read-only."""

    __slots__ = ("costs", "ends", "message_ends", "request", "segments")

    def __init__(
        self,
        request: Request,
        segments: tuple[Segment, ...],
        ends: tuple[int, ...],
        message_ends: tuple[int, ...],
    ) -> None:
        self.request = request
        self.segments = segments
        self.ends = ends
        """Tokens before each segment, and at last the total: one more than there are segments."""
        self.message_ends = message_ends
        """Segments before each message, and at last all: one more than there are messages."""
        self.costs: tuple[tuple[SegmentCost, ...], ...] = ()
        """Costs of the leading segments, as far as anyone asked."""

    @property
    def total_tokens(self) -> int:
        return self.ends[-1]


def common_prefix(a: Any, b: Any) -> int:
    """Return how many leading items two sequences of one type share, by halving: comparisons run in C."""
    low, high = 0, min(len(a), len(b))
    if a[:high] == b[:high]:
        return high
    while low < high:  # a[:low] is shared; the answer is at most high
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


_memory: weakref.WeakKeyDictionary[TokenMeter, deque[Layout]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def layout_of(request: Request, meter: TokenMeter) -> Layout:
    """Return the request laid out in tokens, building on the layouts that this meter's requests had last."""
    try:
        with _lock:
            recent = _memory.setdefault(meter, deque(maxlen=REMEMBERED))
            candidates = list(recent)
    except TypeError:  # a meter that cannot be weakly referenced or hashed is not remembered
        return _build(request, meter, None, 0)
    base: Layout | None = None
    shared = -1
    for layout in reversed(candidates):
        known = layout.request
        if known is request:
            return layout
        if known.system != request.system or known.tools != request.tools:
            continue
        length = len(known.messages)
        if length > shared:
            same = common_prefix(known.messages, request.messages)
            if same > shared:
                base, shared = layout, same
            if same == length:
                break
    layout = _build(request, meter, base, max(shared, 0))
    with _lock:
        recent.append(layout)
    return layout


def _build(request: Request, meter: TokenMeter, base: Layout | None, shared: int) -> Layout:
    if base is None:
        opening: tuple[int, ...] = (len(request.tools) + bool(request.system),)
        kept: tuple[Segment, ...] = ()
        fresh = list(request.segments())
        known_ends: tuple[int, ...] = ()
        tokens = 0
        messages = request.messages
    else:
        opening = base.message_ends[: shared + 1]
        cut = opening[-1]
        kept = base.segments[:cut]
        messages = request.messages[shared:]
        fresh = [segment for i, message in enumerate(messages, shared) for segment in message.segments(i)]
        known_ends = base.ends[:cut]
        tokens = base.ends[cut]
    ends = list(accumulate((meter.count(segment.text) for segment in fresh), initial=tokens))
    sizes = (len(message.content) + len(message.tool_calls) for message in messages)
    message_ends = list(accumulate(sizes, initial=opening[-1]))
    layout = Layout(
        request, kept + tuple(fresh), known_ends + tuple(ends), opening[:-1] + tuple(message_ends)
    )
    if base is not None:
        layout.costs = base.costs[: len(kept)]
    return layout
