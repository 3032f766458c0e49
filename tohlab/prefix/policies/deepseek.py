"""DeepSeek V4's cache on disk: prefix units, each of which is read as a whole or not at all."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, Self

from tohlab.prefix.policies.base import CachedRequest, CachePolicy, CacheState, Knob, Source, Use, Why
from tohlab.prefix.policies.snapshot import Entry
from tohlab.prefix.radix import RadixTree
from tohlab.prefix.sequence import TokenSequence


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepSeek(CachePolicy):
    """Units end at the end of the input, of the output, of a beginning that two requests share, and at fixed
    intervals."""

    interval_tokens: int = 4096
    """Long texts are cut into units at multiples of this; the true number is not published."""
    settle_s: float = 0.0
    """How many seconds it takes until a unit can be read."""

    @property
    def family(self) -> Literal["prefix walk", "snapshot"]:
        return "snapshot"

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return (
            Knob(
                name="interval_tokens",
                value=self.interval_tokens,
                low=64,
                high=65536,
                status="assumed",
                source='"a certain number of tokens"; 64 in a text of 2024',
            ),
            Knob(
                name="settle_s",
                value=self.settle_s,
                low=0,
                high=10,
                status="measured-by-others",
                source='"building takes seconds"; one project measured about 6 s',
            ),
            Knob(
                name="ttl_s",
                value=self.ttl_s or 0,
                low=3600,
                high=604800,
                status="assumed",
                source='"from a few hours to a few days"',
            ),
        )

    def start(self) -> CacheState:
        return DeepSeekState(self)


class DeepSeekState(CacheState):
    """Units by the digest of their tokens, and every request's tokens, to find what two of them share."""

    def __init__(self, policy: DeepSeek) -> None:
        super().__init__(policy)
        self._deepseek = policy
        self._units: dict[tuple[object, int, bytes], Entry] = {}
        self._lengths: dict[object, set[int]] = {}
        self._seen = RadixTree()

    def fork(self) -> Self:
        new = copy.copy(self)
        new._units = {key: copy.copy(unit) for key, unit in self._units.items()}
        new._lengths = {scope: set(ends) for scope, ends in self._lengths.items()}
        new._seen = self._seen.fork()
        return new

    def _use(self, request: CachedRequest, at_s: float, response_s: float) -> Use:
        total = request.total_tokens
        if request.mode == "off":
            return Use.plain(total, "not_asked")
        scope = (request.model, request.params, request.namespace)
        read, why = self._read(request.tokens, scope, at_s)
        whole = request.output or request.tokens
        shared = self._seen.touch(whole.items, total, scope=scope, keep=len(whole)).found
        for tokens, end in self._ends(request, shared):
            self._write(tokens, scope, end, at_s, at_s + response_s)
        return Use(
            total_tokens=total,
            read_tokens=read,
            write_tokens=0,
            long_write_tokens=0,
            plain_tokens=total - read,
            why=why,
            boundary=request.boundary_at(read) if read else None,
        )

    def _read(self, tokens: TokenSequence, scope: object, at_s: float) -> tuple[int, Why]:
        """The longest unit that the request begins with, or why there is none."""
        lengths = self._lengths.get(scope)
        if not lengths:
            return 0, "nothing_cached"
        missed: Why = "no_entry_matches"
        for length in sorted((n for n in lengths if n <= len(tokens)), reverse=True):
            unit = self._units.get((scope, length, tokens.digest(length)))
            if unit is None:
                continue
            if not self._alive(unit, at_s):
                missed = "ttl_expired"
            elif unit.visible_s > at_s:
                missed = "not_visible_yet"
            else:
                unit.used_s = at_s
                return length, "read"
        return 0, missed

    def _ends(self, request: CachedRequest, shared: int) -> Iterator[tuple[TokenSequence, int]]:
        whole = request.output or request.tokens
        for end in range(self._deepseek.interval_tokens, len(whole) + 1, self._deepseek.interval_tokens):
            yield whole, end
        yield request.tokens, request.total_tokens
        if request.output is not None:
            yield request.output, len(request.output)
        yield request.tokens, shared

    def _write(self, tokens: TokenSequence, scope: object, end: int, at_s: float, from_s: float) -> None:
        if not end:
            return
        key = (scope, end, tokens.digest(end))
        known = self._units.get(key)
        visible_s = from_s + self._deepseek.settle_s
        if known is not None and self._alive(known, at_s):
            known.used_s = at_s
            known.visible_s = min(known.visible_s, visible_s)
            return
        ttl_s = self._deepseek.ttl_s
        self._units[key] = Entry(
            born_s=at_s, visible_s=visible_s, used_s=at_s, ttl_s=float("inf") if ttl_s is None else ttl_s
        )
        self._lengths.setdefault(scope, set()).add(end)

    def _alive(self, unit: Entry, at_s: float) -> bool:
        return at_s - unit.used_s <= unit.ttl_s


POLICIES: Final = (
    DeepSeek(
        name="deepseek",
        models=("deepseek",),
        title="DeepSeek V4",
        sources=(
            Source(
                title="DeepSeek API docs, Context Caching (guides/kv_cache)", date="2026-10", status="vectors"
            ),
        ),
        ttl_s=86400.0,
    ),
)
