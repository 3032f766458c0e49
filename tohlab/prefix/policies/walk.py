"""Policies that reuse any shared beginning, in units of a few tokens."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Literal, Self

from tohlab.errors import PrefixError
from tohlab.prefix.policies.base import CachedRequest, CachePolicy, CacheState, Use, Why
from tohlab.prefix.radix import Eviction, RadixTree, Touch


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixWalk(CachePolicy):
    """The longest common token prefix, in whole units."""

    unit: int = 1
    """Tokens that are kept or lost together, counted from the start of the prompt."""
    recompute_last: bool = False
    """Whether at least one token is computed anew, so that an aligned exact repeat loses its last unit."""
    exact_resend: bool = False
    """Whether a request that is sent again unchanged is read whole, whatever the unit."""
    hidden_tokens: int = 0
    """Tokens that the provider puts before the prompt: units are counted with them, reports without."""
    namespaced: bool = True
    """Whether a cache key or salt separates caches."""
    capacity_units: int | None = None
    """How many units there is room for; None for any number."""
    eviction: Eviction = "tails"
    """How room is made: see `tohlab.prefix.radix`."""
    keeps_output: bool = False
    """Whether what the model generated is kept, too, as far as it was computed (its last token never is)."""

    def __post_init__(self) -> None:
        if self.unit < 1 or (self.capacity_units is not None and self.capacity_units < 1):
            raise PrefixError(
                f"{self.name}: unit and capacity_units must be 1 or more, not {self.unit} and "
                f"{self.capacity_units}"
            )

    @property
    def promised(self) -> bool:
        """Whether such a beginning is said to be reused; if not, nothing is counted as read."""
        return True

    @property
    def family(self) -> Literal["prefix walk", "snapshot"]:
        return "prefix walk"

    def start(self) -> CacheState:
        return WalkState(self)

    def reported(self, found: int) -> int:
        """Return how many tokens are reported where so many leading ones are there, if any are promised."""
        aligned = (found + self.hidden_tokens) // self.unit * self.unit - self.hidden_tokens
        read = max(aligned, 0) // self.report_round * self.report_round
        return read if aligned >= self.minimum_tokens else 0


class WalkState(CacheState):
    """A cache that is walked token by token. `response_s` makes no difference: no source speaks of it."""

    def __init__(self, policy: PrefixWalk) -> None:
        super().__init__(policy)
        self._walk = policy
        # hidden tokens shift the units, so those are rounded when a request is read
        self._unit = policy.unit if policy.capacity_units is not None else 1
        self._tree = RadixTree(self._unit, policy.capacity_units, policy.eviction)
        self._whole: dict[tuple[object, bytes], float] = {}

    def fork(self) -> Self:
        new = copy.copy(self)
        new._tree = self._tree.fork()
        new._whole = dict(self._whole)
        return new

    def _use(self, request: CachedRequest, at_s: float, response_s: float) -> Use:
        policy, total = self._walk, request.total_tokens
        if request.mode == "off":
            return Use.plain(total, "not_asked")
        first = not self._tree.holds(self._scope(request))
        touch = self._touch(request, at_s)
        read = policy.reported(touch.found)
        if policy.exact_resend and self._resent(request, at_s):
            read = total
        why: Why = "read" if read else "nothing_cached" if first else self._why(request, touch)
        if read and not policy.promised:
            read, why = 0, "not_promised"
        return Use(
            total_tokens=total,
            read_tokens=read,
            write_tokens=0,
            long_write_tokens=0,
            plain_tokens=total - read,
            why=why,
            boundary=request.boundary_at(read) if read else None,
        )

    def _scope(self, request: CachedRequest) -> object:
        policy = self._walk
        rendered = tuple(p for p in request.params if policy.rendered_from(p[0]) is not None)
        return request.model, rendered, request.namespace if policy.namespaced else ""

    def _touch(self, request: CachedRequest, at_s: float) -> Touch:
        policy, total = self._walk, request.total_tokens
        whole = request.output if policy.keeps_output and request.output is not None else request.tokens
        keep = max(total, len(whole) - 1) if whole is not request.tokens else total
        unfinished = keep % self._unit > 0
        return self._tree.touch(
            whole.items,
            max(total - policy.recompute_last, 0),
            at_s,
            scope=self._scope(request),
            alive_since_s=-math.inf if policy.ttl_s is None else at_s - policy.ttl_s,
            keep=keep,
            reserve=int(unfinished),
        )

    def _resent(self, request: CachedRequest, at_s: float) -> bool:
        key = (self._scope(request), request.tokens.digest(request.total_tokens))
        before = self._whole.get(key)
        self._whole[key] = at_s
        ttl_s = self._walk.ttl_s
        return before is not None and (ttl_s is None or at_s - before <= ttl_s)

    def _why(self, request: CachedRequest, touch: Touch) -> Why:
        total, minimum = request.total_tokens, self._walk.minimum_tokens
        if self._walk.reported(touch.expired):
            return "ttl_expired"
        if total < minimum or 0 < touch.expired < minimum:
            return "below_minimum"
        return "unaligned_tail" if touch.expired else "no_entry_matches"
