"""Where each segment of a request starts, in tokens; extended from the request before, not counted again.

A long session's requests share nearly everything. A `Layout` is one request laid out in tokens: its segments,
and how many tokens stand before each. `layout_of` remembers the last few layouts of each meter and builds the
next one from whichever shares the most leading messages, so that a turn costs what the turn added: layouts of
one growing session lie on one `Trunk`, whose lists are only ever appended to. In short: segment lists are
compared, counts are cumulative, and each distinct text is encoded once.

Everything here is internal to tokens and prefix; `measure` and `compare_prefix` are the doors.
"""

from __future__ import annotations

import threading
import weakref
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tohlab.request import Message, Request, Segment

if TYPE_CHECKING:
    from tohlab.tokens.measure import SegmentCost
    from tohlab.tokens.meter import TokenMeter

REMEMBERED: Final = 8
"""How many requests' layouts are kept for each meter."""


class Trunk:
    """The longest request of a line of requests, each of which begins with the one before."""

    __slots__ = ("_lock", "_made", "_messages", "beside", "cost_ends", "costs", "ends", "message_ends")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: list[Segment] = []
        self._messages: list[Message] = []
        self.ends: list[int] = [0]
        """Tokens before each segment, and at last all: one more than there are segments."""
        self.message_ends: list[int] = []
        """Segments before each message, and at last all: one more than there are messages."""
        self.costs: list[SegmentCost] = []
        """Costs of the leading messages, as far as anyone asked; several for a segment with named parts."""
        self.cost_ends: list[int] = []
        """Costs before each message for which there are any, and at last all; as `message_ends`."""
        self.beside: Any = None
        """What prefix keeps with the trunk: tokens and boundaries of the leading segments."""

    @property
    def segments(self) -> list[Segment]:
        """The segments. They are made when they are asked for: what is only appended is never looked at."""
        made, ends = self._made, self.message_ends
        if len(made) < ends[-1]:
            with self._lock:
                start = bisect_left(ends, len(made))
                for i in range(start, len(ends) - 1):
                    made += self._messages[i].segments(i)
        return made

    def begin(self, segments: Iterable[Segment], meter: TokenMeter) -> None:
        """Set what stands before the messages: tools and system text."""
        self._made += segments
        for segment in self._made:
            self.ends.append(self.ends[-1] + meter.count(segment.text))
        self.message_ends.append(len(self._made))

    @property
    def before_messages(self) -> list[Segment]:
        """Tools and system text."""
        return self._made[: self.message_ends[0]]

    @property
    def messages(self) -> list[Message]:
        """The messages. Treat as read-only."""
        return self._messages

    def add(self, messages: Iterable[Message], meter: TokenMeter) -> None:
        """Append messages."""
        ends, count = self.ends, meter.count
        tokens = ends[-1]
        for message in messages:
            for text in message.texts():
                tokens += count(text)
                ends.append(tokens)
            self._messages.append(message)
            self.message_ends.append(len(ends) - 1)

    def branch(self, messages: int) -> Trunk:
        """Return a trunk that begins with this one's first `messages` messages."""
        new = Trunk()
        cut = self.message_ends[messages]
        new._made = self.segments[:cut]
        new._messages = self._messages[:messages]
        new.ends = self.ends[: cut + 1]
        new.message_ends = self.message_ends[: messages + 1]
        new.cost_ends = self.cost_ends[: messages + 1]
        new.costs = self.costs[: new.cost_ends[-1]] if new.cost_ends else []
        return new


class Layout:
    """One request laid out in tokens: the beginning of a trunk. Treat as read-only."""

    __slots__ = ("base", "length", "request", "shared_messages", "total_tokens", "trunk")

    def __init__(self, request: Request, trunk: Trunk, base: Request | None, shared: int) -> None:
        self.request = request
        self.trunk = trunk
        self.base = base
        """The request on whose layout this one was built, and so many of whose messages it has."""
        self.shared_messages = shared
        self.length = trunk.message_ends[len(request.messages)]
        """How many segments the request has."""
        self.total_tokens = trunk.ends[self.length]

    def opens_message(self, index: int) -> bool:
        """Whether the segment is the first of a message."""
        ends = self.trunk.message_ends
        found = bisect_left(ends, index)
        return found < len(self.request.messages) and ends[found] == index


@dataclass(slots=True)
class _Memory:
    layouts: deque[Layout] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    lock: threading.Lock = field(default_factory=threading.Lock)


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


def common_messages(a: tuple[Message, ...], b: tuple[Message, ...]) -> int:
    """Return how many leading messages two requests share.

    A tuple is at most another one if it is its beginning, and messages have no order of their own, so `<=`
    either says that or raises. It copies nothing, which counts in a conversation of thousands of messages.
    """
    try:
        if a <= b:
            return len(a)
        if b <= a:
            return len(b)
    except TypeError:
        pass
    return common_prefix(a, b)


_memories: weakref.WeakKeyDictionary[TokenMeter, _Memory] = weakref.WeakKeyDictionary()
_memories_lock = threading.Lock()


def memory_of(meter: TokenMeter) -> _Memory:
    """Return what is remembered for a meter; nothing lasting for one that cannot be weakly referenced."""
    try:
        memory = _memories.get(meter)
        if memory is None:
            with _memories_lock:
                memory = _memories.setdefault(meter, _Memory())
    except TypeError:
        memory = _Memory()
    return memory


def layout_of(request: Request, meter: TokenMeter) -> Layout:
    """Return the request laid out in tokens, building on the layouts that this meter's requests had last."""
    memory = memory_of(meter)
    with memory.lock:
        base: Layout | None = None
        shared = -1
        for layout in reversed(memory.layouts):
            known = layout.request
            if known is request:
                return layout
            if (known.system, known.system_blocks) != (request.system, request.system_blocks):
                continue
            if known.tools != request.tools:
                continue
            length = len(known.messages)
            if length > shared:
                same = common_messages(known.messages, request.messages)
                if same > shared:
                    base, shared = layout, same
                if same == length:
                    break
        try:
            layout = _build(request, meter, base, shared)
        except BaseException:
            memory.layouts.clear()  # a trunk may have been left half grown; none is built on again
            raise
        memory.layouts.append(layout)
    return layout


def _build(request: Request, meter: TokenMeter, base: Layout | None, shared: int) -> Layout:
    messages = request.messages
    if base is None:
        shared = 0
        trunk = Trunk()
        trunk.begin(request.head.segments(), meter)
    else:
        trunk = base.trunk
        # What begins with the trunk's last request makes it longer; what parts from it needs its own.
        if shared < len(messages) and shared + 1 < len(trunk.message_ends):
            trunk = trunk.branch(shared)
    trunk.add(messages[shared:], meter)
    return Layout(request, trunk, base.request if base else None, shared)
