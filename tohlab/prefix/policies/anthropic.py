"""Anthropic's prompt cache, and Claude's and Nova's on Bedrock: entries at marked blocks and nowhere else."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Final, Self

from tohlab.errors import PrefixError
from tohlab.prefix.policies.base import CachedRequest, Knob, Section, Source
from tohlab.prefix.policies.snapshot import UNLIMITED, Lookup, Snapshot, Write, lookup
from tohlab.prefix.reasons import Reason

SHORT_S: Final = 300.0
LONG_S: Final = 3600.0

MINIMUM_TOKENS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "opus-5": 512,
        "fable-5": 512,
        "fable-5-1": 512,
        "mythos-5": 512,
        "mythos-5-1": 512,
        "mythos-preview": 2048,
        "opus-4-8": 1024,
        "opus-4-7": 2048,
        "opus-4-6": 4096,
        "opus-4-5": 4096,
        "opus-4-1": 1024,
        "opus-4": 1024,
        "sonnet-5": 1024,
        "sonnet-4-6": 1024,
        "sonnet-4-5": 1024,
        "sonnet-4": 1024,
        "haiku-4-5": 4096,
        "haiku-3-5": 2048,
        "3-5-haiku": 2048,
    }
)
"""Shortest prefix that is cached, by model; another version is another model. Both documents agree.
Up to 3.5 the API puts the version before the name: `claude-3-5-haiku-20241022`."""

_FAMILIES: Final = ("claude", "opus", "sonnet", "haiku", "fable", "mythos")
_OTHER_VERSION: Final = r"(?!\d|-[1-9]\d?(?![0-9a-z]))"
"""What may not follow a model's name: `opus-5-1` is not `opus-5`, but `opus-5-20260901` is."""

RENDERED_FROM: Final[Mapping[str, Section]] = MappingProxyType(
    {
        "web_search": "system",
        "web_fetch": "system",
        "citations": "system",
        "speed": "system",
        "tool_choice": "messages",
        "disable_parallel_tool_use": "messages",
        "images": "messages",
        "thinking": "messages",
        "effort": "messages",
        "output_config.effort": "messages",
    }
)
"""The first section that a parameter is part of: its own entries and all behind it are lost with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anthropic(Snapshot):
    """Up to four breakpoints, each looked back from by twenty blocks.

    `mode="implicit"` is the top-level `cache_control`, which marks the last block. A block is a segment.
    """

    breakpoints: int = 4
    """How many a request may have, the automatic one included."""
    lookback_blocks: int = 20
    """How many positions are looked at from each breakpoint, itself the first."""
    lifetimes_s: tuple[float, ...] = (SHORT_S, LONG_S)
    """What may be asked for, in seconds."""
    automatic: bool = True
    """Whether the top-level `cache_control` is understood."""
    thinking_from: Section = "messages"
    """The first section lost with other thinking or effort settings: `messages` at least; some models, which
    no document lists, render them before tools and system (`tools`)."""
    refreshes_marked: int = 1
    """1: a request that reads one entry also refreshes the shorter ones that it marks; 0: only the one."""
    tools_markable: bool = True
    """Whether a tool may carry a breakpoint."""
    maximum_tokens: int | None = None
    """How much can be cached at most; None for all."""
    drops_thinking: tuple[str, ...] = ()
    """Models on which a plain user message after thinking and tool use takes the thinking out of the prompt,
    and with it the entries of the messages."""
    model_minimums: tuple[tuple[str, int], ...] = ()
    """The minimum by model, in tokens; empty where one is stated for all. With it, `minimum_tokens` is
    assumed for a request that names no model of Claude's."""

    least: ClassVar[Mapping[str, float]] = MappingProxyType({"report_round": 1, "lookback_blocks": 1})

    @property
    def knobs(self) -> tuple[Knob, ...]:
        minimum = Knob(
            name="minimum_tokens",
            value=self.minimum_tokens,
            low=min(MINIMUM_TOKENS.values()),
            high=max(MINIMUM_TOKENS.values()),
            status="assumed",
            source="the minimum differs by model, and this stands for a request that names none of the list",
        )
        return (
            *((minimum,) if self.model_minimums else ()),
            Knob(
                name="refreshes_marked",
                value=self.refreshes_marked,
                low=0,
                high=1,
                status="assumed",
                source="no document says whether marked entries before the one that is read live on",
            ),
        )

    def assumed_for(self, models: Sequence[str]) -> tuple[Knob, ...]:
        known = bool(models) and all(self._stated_minimum(model) is not None for model in models)
        return tuple(knob for knob in self.knobs if not known or knob.name != "minimum_tokens")

    @property
    def by_model(self) -> bool:
        return bool(self.model_minimums)

    def rendered_from(self, param: str) -> Section | None:
        if param in ("thinking", "effort", "output_config.effort"):
            return self.thinking_from
        return RENDERED_FROM.get(param, "tools")

    def minimum_for(self, request: CachedRequest) -> int:
        """Return the minimum for the request's model.

        Raises:
            PrefixError: a model of Claude's whose minimum is not known; the message names the nearest.
        """
        stated = self._stated_minimum(request.model)
        if stated is not None:
            return stated
        model, minimums = _plain(request.model), self._minimums()
        if minimums and any(family in model for family in _FAMILIES):
            bare = model.rsplit("claude-", 1)[-1]
            within = sorted((name for name in minimums if name in bare), key=len, reverse=True)
            near = within or difflib.get_close_matches(bare, minimums, n=1)
            hint = f"; near: {near[0]}, and another version may have another" if near else ""
            raise PrefixError(
                f"{self.title}: the minimum of the model {request.model!r} is not known{hint}. Known: "
                f"{', '.join(minimums)}. Give it: get_policy({self.name!r}, "
                f"model_minimums=(({bare!r}, {self.minimum_tokens}),)) with its number, or judge a "
                "recorded session by a model that is known: --model"
            )
        return self.minimum_tokens

    def _minimums(self) -> dict[str, int]:
        return {_plain(name): tokens for name, tokens in self.model_minimums}

    def _stated_minimum(self, model: str) -> int | None:
        """The minimum of a model of the list; None for any other."""
        minimums = self._minimums()
        names = sorted(minimums, key=len, reverse=True)
        return next((minimums[name] for name in names if _is(name, _plain(model))), None)

    def epoch(self, request: CachedRequest) -> int | None:
        model = _plain(request.model)
        if not any(_is(name, model) for name in self.drops_thinking):
            return None
        found: int | None = None
        thought = called = False
        for boundary in request.boundaries:
            thought |= boundary.kind == "reasoning"
            called |= boundary.kind == "tool-call"
            if boundary.role == "user" and thought and called:
                found, thought, called = boundary.message, False, False
        return found

    def marked(self, request: CachedRequest) -> tuple[tuple[int, float], ...]:
        """Return the request's breakpoints: each boundary's place and its entry's lifetime in seconds.

        Raises:
            PrefixError: what the API answers with status 400.
        """
        placed = {place: mark.ttl_s or self.ttl_s or SHORT_S for place, mark in request.marks}
        if request.mode == "implicit" and request.boundaries:
            self._add_automatic(request, placed)
        if len(placed) > self.breakpoints:
            raise PrefixError(
                f"{self.title} takes {self.breakpoints} breakpoints a request, not {len(placed)}; "
                "take marks away"
            )
        last = float("inf")
        for place, ttl_s in sorted(placed.items()):
            path = request.boundaries[place].path
            if ttl_s not in self.lifetimes_s:
                known = ", ".join(f"{s:g}" for s in self.lifetimes_s)
                raise PrefixError(f"{self.title} has no lifetime of {ttl_s:g} s ({path}); it has {known} s")
            if ttl_s > last:
                raise PrefixError(
                    f"the breakpoint at {path} lives {ttl_s:g} s and one before it {last:g} s; {self.title} "
                    "wants longer lifetimes first"
                )
            if not self.tools_markable and request.boundaries[place].section == "tools":
                raise PrefixError(f"{self.title} takes no breakpoint in tools ({path}); mark system instead")
            last = ttl_s
        return tuple(sorted(placed.items()))

    def _add_automatic(self, request: CachedRequest, placed: dict[int, float]) -> None:
        if not self.automatic:
            raise PrefixError(f"{self.title} has no automatic breakpoint; mark one with marks=['messages']")
        place, ttl_s = len(request.boundaries) - 1, request.ttl_s or self.ttl_s or SHORT_S
        if placed.get(place, ttl_s) != ttl_s:
            raise PrefixError(
                f"the last block lives {placed[place]:g} s by its own mark and {ttl_s:g} s by the request's; "
                "give both the same lifetime"
            )
        placed[place] = ttl_s

    def writes(self, request: CachedRequest) -> Sequence[Write]:
        found = []
        for place, ttl_s in self.marked(request):
            boundary = request.boundaries[place]
            if self.maximum_tokens is None or boundary.end <= self.maximum_tokens:
                found.append(
                    Write(end=boundary.end, section=boundary.section, ttl_s=ttl_s, long=ttl_s > SHORT_S)
                )
        return found

    def lookups(self, request: CachedRequest) -> Iterable[Lookup]:
        for place, _ in reversed(self.marked(request)):
            for i in range(place, max(place - self.lookback_blocks, -1), -1):
                yield lookup(request.boundaries[i])

    def unlimited(self) -> Self:
        return replace(self, lookback_blocks=UNLIMITED)

    def also_refreshed(self, request: CachedRequest) -> Sequence[Lookup]:
        if not self.refreshes_marked:
            return ()
        return [lookup(request.boundaries[place]) for place, _ in self.marked(request)]


def _plain(model: str) -> str:
    return model.lower().replace(".", "-").replace(" ", "-")


def _is(name: str, model: str) -> bool:
    return re.search(re.escape(name) + _OTHER_VERSION, model) is not None


_ANTHROPIC: Final = (
    Source(
        title="Anthropic, Prompt caching (docs/en/build-with-claude)", date="2026-08-21", status="vectors"
    ),
    Source(title="anthropics/skills, claude-api/shared/prompt-caching.md", date="2026-10", status="vectors"),
)

_REMEDIES: Final[tuple[tuple[Reason, str], ...]] = (
    (
        "tools_changed",
        "leave `tools` as they are and send `tool_addition` or `tool_removal` blocks (beta, from Opus 5 on)",
    ),
    (
        "system_changed",
        'append a `{"role": "system"}` message to `messages` (Opus 5 and 4.8, Fable and Mythos 5.1)',
    ),
    (
        "ttl_expired",
        "mark the stable part with a lifetime of one hour, or send something within five minutes",
    ),
    ("lookback_exceeded", "set a further breakpoint every fifteen blocks or so"),
    ("breakpoint_moved", "mark the last block that stays the same, in every request"),
)
_CACHE_CONTROL: Final[tuple[tuple[Reason, str], ...]] = (
    (
        "no_breakpoint",
        'put `cache_control` at the top level of every request, here `Sent(request=..., mode="implicit")`, '
        "or on the last block that stays the same",
    ),
)
_CACHE_POINT: Final[tuple[tuple[Reason, str], ...]] = (
    (
        "no_breakpoint",
        "put a `cachePoint` at the end of every request, here "
        '`Sent(request=..., marks=("messages",))`, or behind the last block that stays the same',
    ),
)

DROPS_THINKING: Final = (
    *("haiku-4-5", "haiku-3-5", "3-5-haiku", "haiku-3", "3-haiku"),
    *("opus-4-1", "opus-4", "opus-3", "3-opus"),
    *(
        "sonnet-4-5",
        "sonnet-4",
        "sonnet-3-7",
        "3-7-sonnet",
        "sonnet-3-5",
        "3-5-sonnet",
        "sonnet-3",
        "3-sonnet",
    ),
)
"""Haiku up to 4.5, Opus before 4.5, Sonnet before 4.6 (Prompt caching, "what invalidates the cache")."""

_NOT_MODELLED: Final = (
    "server tools set a breakpoint of five minutes of their own, no document says where",
    "on models that drop thinking, the dropped thinking is still counted among the tokens; whether Fable and "
    "Mythos drop it no document says, and it is taken to be kept",
)

POLICIES: Final = (
    Anthropic(
        name="anthropic",
        title="Anthropic Messages",
        sources=_ANTHROPIC,
        models=_FAMILIES,
        remedies=(*_REMEDIES, *_CACHE_CONTROL),
        not_modelled=_NOT_MODELLED,
        minimum_tokens=512,
        model_minimums=tuple(MINIMUM_TOKENS.items()),
        drops_thinking=DROPS_THINKING,
        ttl_s=SHORT_S,
        visible="response",
    ),
    Anthropic(
        name="bedrock",
        title="Amazon Bedrock (Claude)",
        sources=(
            Source(title="Amazon Bedrock user guide, Prompt caching", date="2026-10", status="vectors"),
            *_ANTHROPIC,
        ),
        models=_FAMILIES,
        remedies=(*_REMEDIES, *_CACHE_POINT),
        not_modelled=_NOT_MODELLED,
        minimum_tokens=1024,
        model_minimums=tuple(MINIMUM_TOKENS.items()),
        drops_thinking=DROPS_THINKING,
        ttl_s=SHORT_S,
        visible="response",
        automatic=False,
    ),
    Anthropic(
        name="bedrock-nova",
        title="Amazon Bedrock (Nova)",
        sources=(
            Source(title="Amazon Bedrock user guide, Prompt caching", date="2026-10", status="assumed"),
        ),
        models=("nova",),
        remedies=_CACHE_POINT,
        minimum_tokens=1000,
        ttl_s=SHORT_S,
        visible="response",
        automatic=False,
        lifetimes_s=(SHORT_S,),
        tools_markable=False,
        maximum_tokens=32_000,
    ),
)
