"""What every cache policy is: what it answers, where its rules come from, and what about it is assumed.

There are two families. A *prefix walk* shares the longest common token prefix, in units of 1, 16, 128 or 256
tokens. A *snapshot* policy shares only what some earlier request wrote at a boundary, as a whole; a longer
common prefix is worth nothing there. A policy is a value; `start()` gives the cache that it describes, empty.
"""

from __future__ import annotations

import copy
import difflib
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, Self

from tohlab.errors import PrefixError
from tohlab.prefix.policies.cached import (
    SECTIONS,
    Boundary,
    CachedRequest,
    Mark,
    Mode,
    Section,
    cached_request,
)
from tohlab.prefix.reasons import Reason
from tohlab.prefix.sequence import TokenSequence

__all__ = [
    "SECTIONS",
    "Boundary",
    "CachePolicy",
    "CacheState",
    "CachedRequest",
    "Knob",
    "Mark",
    "Mode",
    "Section",
    "Source",
    "Status",
    "TokenSequence",
    "Use",
    "Why",
    "cached_request",
]

Status = Literal["verified-live", "vectors", "measured-by-others", "assumed"]
"""How sure a rule is: held against the running program; against the documents' own examples and stated rules;
measured by somebody else; or a guess that nothing published settles."""

Why = Literal[
    "read",
    "nothing_cached",
    "no_entry_matches",
    "below_minimum",
    "lookback_exceeded",
    "not_looked_for",
    "ttl_expired",
    "not_visible_yet",
    "unaligned_tail",
    "not_asked",
    "not_promised",
    "thinking_dropped",
]
WHY: Final[dict[Why, str]] = {
    "read": "an entry was read",
    "nothing_cached": "the cache is empty for this model and key",
    "no_entry_matches": "no entry that exists is a beginning of this request",
    "below_minimum": "what could be shared is shorter than the minimum",
    "lookback_exceeded": "a matching entry lies further back than is looked",
    "not_looked_for": "a matching entry ends where this request looks for none",
    "ttl_expired": "the matching entry has expired",
    "not_visible_yet": "the matching entry is written by a request whose answer has not begun",
    "unaligned_tail": "the shared part is shorter than one unit",
    "not_asked": "the request marks no breakpoint, so nothing is looked up or written",
    "not_promised": "the provider promises no reuse",
    "thinking_dropped": "a plain user message after thinking and tool use took the thinking out of the "
    "prompt, and the entries of the messages with it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a rule was read."""

    title: str
    """The document, program or measurement, with its version."""
    date: str
    """Of the copy that was read, such as `2026-10-11` or `2026-10`."""
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A number that no document settles: a setting in sight, with the range in which it may lie."""

    name: str
    """The policy's field of that name holds the value."""
    value: float
    low: float
    high: float
    status: Status
    source: str
    """What the value rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What one request reads, writes and pays plainly. The four classes add up to `total_tokens`."""

    total_tokens: int
    read_tokens: int
    """Read from the cache."""
    write_tokens: int
    """Written to the cache and counted as such by the provider; 0 where writing is not counted."""
    long_write_tokens: int
    """The same for entries that live longer, where they are counted apart (one hour at Anthropic)."""
    plain_tokens: int
    """Ordinary input."""
    why: Why
    """`read`, or why nothing was."""
    boundary: Boundary | None = None
    """The last boundary at or before the end of what was read; None where nothing was."""

    def __post_init__(self) -> None:
        parts = (self.read_tokens, self.write_tokens, self.long_write_tokens, self.plain_tokens)
        if min(parts) < 0 or sum(parts) != self.total_tokens:
            raise PrefixError(
                f"a policy's classes must add up: read {parts[0]} + write {parts[1]} + long write {parts[2]} "
                f"+ plain {parts[3]} is not {self.total_tokens}; this is a fault of the policy"
            )

    @classmethod
    def plain(cls, total_tokens: int, why: Why) -> Use:
        """Return the use of a request that neither reads nor writes."""
        return cls(
            total_tokens=total_tokens,
            read_tokens=0,
            write_tokens=0,
            long_write_tokens=0,
            plain_tokens=total_tokens,
            why=why,
        )

    @property
    def read_share(self) -> float:
        """The read part, 0 to 1; 1 for an empty request, which needs nothing."""
        return self.read_tokens / self.total_tokens if self.total_tokens else 1.0

    @property
    def sentence(self) -> str:
        """What happened, for a person."""
        if self.why == "read":
            return f"{self.read_tokens:,} of {self.total_tokens:,} tokens are read from the cache."
        return f"Nothing is read: {WHY[self.why]}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; `boundary` is its path or None."""
        result: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        result["boundary"] = self.boundary.path if self.boundary else None
        return result


_UNNAMED: Final = ("", "")
"""Meter and renderer of a request that does not say whose its tokens are."""


def _tokens(kind: tuple[str, str]) -> str:
    meter, renderer = kind
    return f"of {meter}, {renderer} renderer" if meter else f"of the {renderer} renderer"


def _found(patterns: Sequence[str], model: str) -> bool:
    return any(re.search(pattern, model, re.IGNORECASE) for pattern in patterns)


class CacheState(ABC):
    """One cache, as it is after the requests submitted so far. Not for several threads at once."""

    def __init__(self, policy: CachePolicy) -> None:
        self.policy = policy
        self._now_s = -math.inf
        self._tokens_of = _UNNAMED

    def submit(self, request: CachedRequest, at_s: float = 0.0, *, response_s: float = 0.0) -> Use:
        """Return what a request reads and writes, and remember what it leaves behind.

        Args:
            request: what is sent.
            at_s: when it starts, in seconds from any one moment; never before an earlier request's start.
            response_s: how long after that its answer begins; what it writes can be read from then on.

        Raises:
            PrefixError: `at_s` lies before an earlier request's, or is no number; the request asks for what
                the provider refuses; or its tokens are of another encoding or renderer than those before.
        """
        if not math.isfinite(at_s) or at_s < self._now_s:
            raise PrefixError(
                f"a request at {at_s} s comes after one at {self._now_s} s; "
                "submit requests in the order of their start"
            )
        if not response_s >= 0:
            raise PrefixError(f"response_s must be 0 or more, not {response_s}")
        kind = (request.meter, request.renderer)
        if _UNNAMED not in (kind, self._tokens_of) and kind != self._tokens_of:
            raise PrefixError(
                f"this request's tokens are {_tokens(kind)}, those before it are {_tokens(self._tokens_of)}; "
                "give both the same meter and renderer"
            )
        use = self._use(request, at_s, response_s)
        self._now_s = at_s
        if kind != _UNNAMED:
            self._tokens_of = kind
        return use

    def fork(self) -> Self:
        """Return a cache that holds the same and goes its own way from now on."""
        return copy.deepcopy(self)

    @abstractmethod
    def _use(self, request: CachedRequest, at_s: float, response_s: float) -> Use:
        """What `submit` does; time has been checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePolicy(ABC):
    """The rules of one provider's or engine's prompt cache."""

    name: str
    """How `get_policy` finds it."""
    title: str
    """For a person."""
    sources: tuple[Source, ...]
    """The first is the one that `status` speaks of."""
    minimum_tokens: int = 0
    """A shared beginning shorter than this is not cached, without any notice."""
    report_round: int = 1
    """Reported reads are rounded down to a multiple of this."""
    ttl_s: float | None = None
    """How long an entry lives after its last use, in seconds; None where nothing is said."""
    refresh: Literal["read", "none"] = "read"
    """What starts an entry's life anew: being read, or nothing."""
    system_word: Reason = "system_changed"
    """What the provider's own diagnosis calls another system text."""
    messages_word: Reason = "messages_changed"
    """What it calls another earlier message."""
    remedies: tuple[tuple[Reason, str], ...] = ()
    """Cheapest ways of making a change that only this provider has, by reason."""
    models: tuple[str, ...] = ()
    """Which models the rules are for: patterns that are found in a model's name; empty for any model."""
    named_models: tuple[str, ...] = ()
    """Those of them that there were when the rules were read, likewise, where the source states the rules for
    all later models too; empty where it does not."""
    not_modelled: tuple[str, ...] = ()
    """What its cache does beyond these rules, as far as that is known: there a prediction may be wrong."""

    least: ClassVar[Mapping[str, float]] = MappingProxyType({"report_round": 1})
    """The smallest value of a setting that is a number, where it is not 0."""

    def __deepcopy__(self, memo: object) -> Self:
        return self  # a value

    @property
    def status(self) -> Status:
        """How sure the rules are."""
        return self.sources[0].status

    @property
    def by_model(self) -> bool:
        """Whether the rules differ by model, so that a request without one is judged by an assumption."""
        return False

    def serves(self, model: str) -> bool | None:
        """Return whether the rules are for a model; None where they are for any."""
        if not self.models:
            return None
        return _found(self.models, model)

    def is_later(self, model: str) -> bool:
        """Return whether a model is served only because the rules are stated for all later ones."""
        return bool(self.named_models) and bool(self.serves(model)) and not _found(self.named_models, model)

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """What is assumed, each with its range; empty where nothing is."""
        return ()

    def assumed_for(self, models: Sequence[str]) -> tuple[Knob, ...]:
        """Return what is assumed of requests to these models, one each and empty for one that names none.

        That is `knobs` without those whose value is known for all of them; all of `knobs` for no request.
        """
        return self.knobs

    @property
    @abstractmethod
    def family(self) -> Literal["prefix walk", "snapshot"]:
        """Whether any shared beginning is reused, or only what was written at a boundary."""

    @abstractmethod
    def start(self) -> CacheState:
        """Return an empty cache that follows these rules."""

    def rendered_from(self, param: str) -> Section | None:
        """Return the first section that a parameter is rendered into; None for one that is not rendered."""
        return "tools"

    def with_settings(self, **settings: Any) -> Self:
        """Return the same policy with other settings: fields of the class, knobs within their range.

        Raises:
            PrefixError: no such setting (the message names the nearest), or a knob outside its range.
        """
        names = [f.name for f in fields(self) if f.name not in ("name", "title", "sources", "not_modelled")]
        for name in settings:
            if name not in names:
                near = difflib.get_close_matches(name, names, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise PrefixError(
                    f"{self.name} has no setting {name!r}{hint} It has: {', '.join(sorted(names))}"
                )
        for f in fields(self):
            if f.name in settings:
                self._check_setting(f.name, str(f.type), settings[f.name])
        for knob in self.knobs:
            value = settings.get(knob.name, knob.value)
            if not knob.low <= value <= knob.high:
                raise PrefixError(
                    f"{knob.name} of {self.name} lies between {knob.low:g} and {knob.high:g}, not {value!r}"
                )
        return replace(self, **settings)

    def _check_setting(self, name: str, type_: str, value: Any) -> None:
        """Refuse a number of the wrong kind, below the least that makes sense, or none at all."""
        kinds = type_.split(" | ")
        number = next((kind for kind in kinds if kind in ("int", "float")), None)
        if number is None or (value is None and "None" in kinds):
            return
        least = self.least.get(name, 0)
        whole = number == "int"
        taken: Any = int if whole else int | float
        if isinstance(value, bool) or not isinstance(value, taken) or not value >= least:
            kind = "a whole number" if whole else "a number"
            raise PrefixError(f"{name} of {self.name} must be {kind} from {least:g}, not {value!r}")
