"""Policies that reuse only what an earlier request wrote at a boundary, as a whole."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

from tohlab.prefix.policies.base import (
    SECTIONS,
    Boundary,
    CachedRequest,
    CachePolicy,
    CacheState,
    Section,
    Use,
    Why,
)

UNLIMITED: Final = 1 << 30
"""More places than any request has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """An entry that a request writes: its first `end` tokens."""

    end: int
    section: Section
    ttl_s: float
    long: bool = False
    """Whether the provider counts it among the long-lived ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A place at which an entry is looked for: the first `end` tokens."""

    end: int
    section: Section


@dataclass(slots=True)
class Entry:
    """What was written."""

    born_s: float
    """The start of the request that wrote it."""
    visible_s: float
    used_s: float
    """The start of the request that wrote or last refreshed it."""
    ttl_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(CachePolicy):
    """Entries at boundaries. What a subclass says is where they are written and where they are looked for."""

    visible: Literal["start", "response"] = "start"
    """From when on an entry can be read: the start of its request, or the moment its answer begins."""
    settle_s: float = 0.0
    """How many seconds after that it takes until it can be read."""
    counts_writes: bool = True
    """Whether the provider counts written tokens apart from ordinary input."""

    @property
    def family(self) -> Literal["prefix walk", "snapshot"]:
        return "snapshot"

    def start(self) -> CacheState:
        return SnapshotState(self)

    @abstractmethod
    def writes(self, request: CachedRequest) -> Sequence[Write]:
        """Return what a request writes, rising; entries below the minimum are left out by the cache.

        Raises:
            PrefixError: the request asks for what the provider refuses.
        """

    @abstractmethod
    def lookups(self, request: CachedRequest) -> Iterable[Lookup]:
        """Return where entries are looked for, in that order; the first one found is read."""

    def unlimited(self) -> Self:
        """Return the same rules without a limit on how many places are looked at."""
        return self

    def minimum_for(self, request: CachedRequest) -> int:
        """Return the minimum for the request's model."""
        return self.minimum_tokens

    def epoch(self, request: CachedRequest) -> int | None:
        """Return what beside settings must be the same for an entry in the messages: the place of the message
        that made the provider render the ones before it otherwise; None where nothing did."""
        return None

    def also_refreshed(self, request: CachedRequest) -> Sequence[Lookup]:
        """Return the places whose entries live on, too, when a request reads another one."""
        return ()


class SnapshotState(CacheState):
    """Entries by the digest of the tokens they hold."""

    def __init__(self, policy: Snapshot) -> None:
        super().__init__(policy)
        self._snapshot = policy
        self._entries: dict[object, Entry] = {}
        self._scopes: set[object] = set()
        self._epochs: set[int | None] = set()
        self._epoch: int | None = None
        """Of the request that is looked at."""

    def fork(self) -> Self:
        new = copy.copy(self)
        new._entries = {key: copy.copy(entry) for key, entry in self._entries.items()}
        new._scopes, new._epochs = set(self._scopes), set(self._epochs)
        return new

    def _use(self, request: CachedRequest, at_s: float, response_s: float) -> Use:
        total = request.total_tokens
        if request.mode == "off":
            return Use.plain(total, "not_asked")
        self._epoch = self._snapshot.epoch(request)
        policy, minimum = self._snapshot, self._snapshot.minimum_for(request)
        writes = [w for w in policy.writes(request) if w.end >= minimum]
        read, found, why = self._read(request, at_s, minimum)
        if found is not None:
            if policy.refresh == "read":
                found.used_s = at_s
            for place in policy.also_refreshed(request):
                entry = self._entries.get(self._key(request, place.end, place.section))
                if entry is not None and self._alive(entry, at_s):
                    entry.used_s = at_s
        for write in writes:
            if write.end > read:
                self._write(request, write, at_s, response_s)
        self._scopes.add(self._scope(request, "tools"))
        self._epochs.add(self._epoch)
        return self._bill(request, read, writes, why)

    def _read(self, request: CachedRequest, at_s: float, minimum: int) -> tuple[int, Entry | None, Why]:
        """How much is read, of which entry; and why nothing is."""
        missed: Why | None = None
        longest = -1
        for place in self._snapshot.lookups(request):
            longest = max(longest, place.end)
            entry = self._entries.get(self._key(request, place.end, place.section))
            if entry is None:
                continue
            if not self._alive(entry, at_s):
                missed = missed or "ttl_expired"
            elif entry.visible_s > at_s:
                missed = missed or "not_visible_yet"
            else:
                return place.end, entry, "read"
        if longest < 0:
            return 0, None, "not_asked"
        if missed is not None:
            return 0, None, missed
        return 0, None, "below_minimum" if longest < minimum else self._why(request, at_s)

    def _why(self, request: CachedRequest, at_s: float) -> Why:
        if self._scope(request, "tools") not in self._scopes:
            return "nothing_cached"
        now = self._epoch
        for epoch in self._epochs - {now}:
            self._epoch = epoch
            dropped = self._any(request, self._snapshot.lookups(request), at_s)
            self._epoch = now
            if dropped:
                return "thinking_dropped"
        if self._any(request, self._snapshot.unlimited().lookups(request), at_s):
            return "lookback_exceeded"
        if self._any(request, map(lookup, reversed(request.boundaries)), at_s):
            return "not_looked_for"
        return "no_entry_matches"

    def _any(self, request: CachedRequest, places: Iterable[Lookup], at_s: float) -> bool:
        entries = (self._entries.get(self._key(request, place.end, place.section)) for place in places)
        return any(entry is not None and self._alive(entry, at_s) for entry in entries)

    def _write(self, request: CachedRequest, write: Write, at_s: float, response_s: float) -> None:
        policy = self._snapshot
        waits = response_s if policy.visible == "response" else 0.0
        key = self._key(request, write.end, write.section)
        known = self._entries.get(key)
        visible_s = at_s + waits + policy.settle_s
        if known is not None and self._alive(known, at_s):
            visible_s = min(visible_s, known.visible_s)
        self._entries[key] = Entry(born_s=at_s, visible_s=visible_s, used_s=at_s, ttl_s=write.ttl_s)

    def _bill(self, request: CachedRequest, read: int, writes: Sequence[Write], why: Why) -> Use:
        """Up to the highest hit is read; from there to the last long entry written long, then short."""
        total = request.total_tokens
        long_end = max((w.end for w in writes if w.long and w.end > read), default=read)
        end = max((w.end for w in writes), default=read)
        end = max(end, long_end)
        counted = self._snapshot.counts_writes
        long_write = long_end - read if counted else 0
        write = end - long_end if counted else 0
        return Use(
            total_tokens=total,
            read_tokens=read,
            write_tokens=write,
            long_write_tokens=long_write,
            plain_tokens=total - read - write - long_write,
            why=why,
            boundary=request.boundary_at(read) if read else None,
        )

    def _alive(self, entry: Entry, at_s: float) -> bool:
        since = entry.used_s if self._snapshot.refresh == "read" else entry.born_s
        return at_s - since <= entry.ttl_s

    def _scope(self, request: CachedRequest, section: Section) -> object:
        """What must be the same beside the tokens for an entry that ends in a section."""
        place = SECTIONS.index(section)
        rendered = []
        for name, value in request.params:
            first = self._snapshot.rendered_from(name)
            if first is not None and SECTIONS.index(first) <= place:
                rendered.append((name, value))
        scope = request.namespace, request.model, tuple(rendered)
        return scope if section != "messages" or self._epoch is None else (*scope, self._epoch)

    def _key(self, request: CachedRequest, end: int, section: Section) -> object:
        return self._scope(request, section), end, request.tokens.digest(end)


def lookup(boundary: Boundary) -> Lookup:
    """Return the lookup at a boundary."""
    return Lookup(end=boundary.end, section=boundary.section)
