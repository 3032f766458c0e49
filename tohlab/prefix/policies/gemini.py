"""Gemini's two caches: an automatic one that is never promised, and named objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tohlab.errors import PrefixError
from tohlab.prefix.policies.base import CachedRequest, Knob, Source
from tohlab.prefix.policies.snapshot import Lookup, Snapshot, Write, lookup
from tohlab.prefix.policies.walk import PrefixWalk


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpromised(PrefixWalk):
    """An automatic cache without a promise: nothing is counted as read unless one is optimistic."""

    optimistic: int = 0
    """1 counts the longest shared beginning as read, which is the most that can happen; 0 counts nothing."""
    minimum_range: tuple[int, int]
    """Between which the minimum may lie."""
    evidence: str
    """What is known of how often such a beginning is read."""

    @property
    def knobs(self) -> tuple[Knob, ...]:
        low, high = self.minimum_range
        return (
            Knob(
                name="optimistic",
                value=self.optimistic,
                low=0,
                high=1,
                status="measured-by-others",
                source=self.evidence,
            ),
            Knob(
                name="minimum_tokens",
                value=self.minimum_tokens,
                low=low,
                high=high,
                status="assumed",
                source="differs by model and was changed within the last year",
            ),
        )

    @property
    def promised(self) -> bool:
        return bool(self.optimistic)


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiExplicit(Snapshot):
    """A named `cachedContents` object: what stands before the mark.

    The first request that marks such a beginning is taken to create the object (the API does it in a call of
    its own), later ones to name it. Its life counts from its creation and is not lengthened by use.
    """

    def writes(self, request: CachedRequest) -> Sequence[Write]:
        if len(request.marks) > 1:
            raise PrefixError(
                f"{self.title} reads one object a request, not {len(request.marks)}; mark one end"
            )
        ttl_s = self.ttl_s or 3600.0
        return [
            Write(
                end=request.boundaries[place].end,
                section=request.boundaries[place].section,
                ttl_s=mark.ttl_s or request.ttl_s or ttl_s,
            )
            for place, mark in request.marks
        ]

    def lookups(self, request: CachedRequest) -> Iterable[Lookup]:
        return [lookup(request.boundaries[place]) for place, _ in request.marks]


POLICIES: Final = (
    Unpromised(
        name="gemini",
        models=("gemini",),
        title="Gemini, implicit",
        sources=(
            Source(title="Gemini API docs, Context caching", date="2026-10-13", status="measured-by-others"),
            Source(
                title="rig-core, implicit hits of gemini-3.8-flash", date="2026", status="measured-by-others"
            ),
        ),
        minimum_tokens=4096,
        minimum_range=(1024, 4096),
        evidence="rig-core measured 1 hit in 138 extending requests on gemini-3.8-flash",
    ),
    GeminiExplicit(
        name="gemini-explicit",
        models=("gemini",),
        title="Gemini, explicit",
        sources=(Source(title="Gemini API docs, Context caching", date="2026-10-13", status="vectors"),),
        remedies=(
            (
                "no_breakpoint",
                "put the beginning that stays the same into a `cachedContents` object and name it in every "
                'request, here `Sent(request=..., marks=("messages[0]",))`',
            ),
        ),
        minimum_tokens=4096,
        ttl_s=3600.0,
        refresh="none",
    ),
)
