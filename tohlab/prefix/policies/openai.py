"""OpenAI's prompt caches: three families of models, three sets of rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Final, Self

from tohlab.errors import PrefixError
from tohlab.prefix.policies.base import Boundary, CachedRequest, Knob, Section, Source
from tohlab.prefix.policies.snapshot import UNLIMITED, Lookup, Snapshot, Write, lookup
from tohlab.prefix.policies.walk import PrefixWalk
from tohlab.prefix.reasons import Reason

RENDERED: Final = frozenset(
    {
        "tools",
        "parallel_tool_calls",
        "text.format",
        "reasoning.effort",
        "text.verbosity",
        "context_management",
        "service_tier",
    }
)
"""Settings that must be the same for a shared prefix; `tool_choice` and `allowed_tools` need not."""

_GUIDE: Final = "OpenAI, Prompt caching guide"


_REMEDIES: Final[tuple[tuple[Reason, str], ...]] = (
    (
        "tools_changed",
        'keep the list; take tools out of use by `tool_choice: "none"` or `allowed_tools`, and append new '
        "ones by tool search with `defer_loading` or an `additional_tools` item",
    ),
    (
        "reasoning_effort_changed",
        "keep `reasoning.effort`; on GPT-6 append a `configuration_update` item",
    ),
    (
        "breakpoint_moved",
        "put an explicit `prompt_cache_breakpoint` at the end of the part that stays, in every request",
    ),
    (
        "lookback_exceeded",
        "put an explicit `prompt_cache_breakpoint` at a message end within the last twenty",
    ),
)


def _rendered_from(param: str) -> Section | None:
    return "tools" if param in RENDERED else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAI(Snapshot):
    """GPT-5.6 and later: an implicit breakpoint at the end of the latest eligible message, and marked ones.

    Which four of more than four possible writes are made is not documented; the latest are assumed.
    """

    writes_at_most: int = 4
    """Entries a request may write, the implicit one included."""
    first_marks: int = 2
    """How many of the first marked breakpoints are looked up."""
    latest_marks: int = 50
    """How many of the latest ones; the guide says 50, the SDK's docstring 80."""
    earlier_messages: int = 20
    """How many earlier eligible message ends are looked up unless the mode is `explicit`."""
    lifetimes_s: tuple[float, ...] = (1800.0, 43200.0)
    """What may be asked for, in seconds."""

    least: ClassVar[Mapping[str, float]] = MappingProxyType({"report_round": 1, "writes_at_most": 1})

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return (
            Knob(
                name="latest_marks",
                value=self.latest_marks,
                low=50,
                high=80,
                status="assumed",
                source="the guide says 50, openai-python 3.57.0 says 80",
            ),
        )

    def rendered_from(self, param: str) -> Section | None:
        return _rendered_from(param)

    def eligible(self, request: CachedRequest) -> tuple[Boundary, ...]:
        """Return the ends of the messages at which an implicit breakpoint may stand, rising.

        User messages, the last of a group of tool results, the last of the initial developer messages.
        """
        ends = [b for b in request.boundaries if b.section != "tools" and b.ends_message]
        found, initial = [], True
        for i, end in enumerate(ends):
            following = ends[i + 1].role if i + 1 < len(ends) else ""
            initial = initial and end.role == "system"
            if (
                end.role == "user"
                or (end.role == "tool" and following != "tool")
                or (initial and following != "system")
            ):
                found.append(end)
        return tuple(found)

    def writes(self, request: CachedRequest) -> Sequence[Write]:
        ttl_s = request.ttl_s or self.ttl_s or self.lifetimes_s[0]
        if ttl_s not in self.lifetimes_s:
            known = ", ".join(f"{s:g}" for s in self.lifetimes_s)
            raise PrefixError(f"{self.title} has no lifetime of {ttl_s:g} s; it has {known} s")
        chosen = {request.boundaries[place].end: request.boundaries[place] for place, _ in request.marks}
        implicit = self.eligible(request)[-1:] if request.mode != "explicit" else ()
        for boundary in implicit:
            chosen.pop(boundary.end, None)
        latest = sorted(chosen.values(), key=lambda b: b.end, reverse=True)
        kept = latest[: self.writes_at_most - len(implicit)]
        ends = sorted((*kept, *implicit), key=lambda b: b.end)
        return [Write(end=b.end, section=b.section, ttl_s=ttl_s) for b in ends]

    def unlimited(self) -> Self:
        return replace(self, latest_marks=UNLIMITED, earlier_messages=UNLIMITED)

    def lookups(self, request: CachedRequest) -> Iterable[Lookup]:
        marked = [request.boundaries[place] for place, _ in request.marks]
        chosen = {b.end: b for b in (*marked[: self.first_marks], *marked[-self.latest_marks :])}
        if request.mode != "explicit":
            eligible = self.eligible(request)
            chosen |= {b.end: b for b in eligible[-self.earlier_messages - 1 :]}
            chosen |= {b.end: b for b in eligible[:1] if b.role == "system"}
        return [lookup(chosen[end]) for end in sorted(chosen, reverse=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIByInterval(PrefixWalk):
    """GPT-5.5 and earlier: breakpoints every so many tokens, counted from hidden text before the prompt."""

    unit_range: tuple[int, int]
    """Between which the interval may lie; both the same where it is documented."""

    def rendered_from(self, param: str) -> Section | None:
        return _rendered_from(param)

    @property
    def knobs(self) -> tuple[Knob, ...]:
        low, high = self.unit_range
        interval = Knob(
            name="unit",
            value=self.unit,
            low=low,
            high=high,
            status="assumed",
            source='"regular, model-dependent intervals"; an older text of the guide said 128',
        )
        return (
            *((interval,) if low != high else ()),
            Knob(
                name="hidden_tokens",
                value=self.hidden_tokens,
                low=0,
                high=4096,
                status="assumed",
                source="the hidden system message has no published length",
            ),
            Knob(
                name="minimum_tokens",
                value=self.minimum_tokens,
                low=1024,
                high=4096,
                status="assumed",
                source="varies with tools, images, schema, effort and verbosity; about 1,024",
            ),
            Knob(
                name="ttl_s",
                value=self.ttl_s or 0,
                low=300,
                high=86400,
                status="assumed",
                source="5 to 10 minutes idle in memory; with 24h typically 30 minutes, up to 24 hours",
            ),
        )


POLICIES: Final = (
    OpenAI(
        name="openai",
        models=(r"gpt-5\.[6-9]", r"gpt-5\.\d\d", r"gpt-[6-9]", r"gpt-[12]\d"),
        # a model that nobody knows yet has these rules by the guide's own words, "GPT-5.6 and later", with
        # one minimum for all; of Claude each model has a minimum of its own, so that there it is an error
        named_models=(r"gpt-5\.6(?!\d)", r"gpt-6(?!\d)"),
        title="OpenAI GPT-5.6 and later",
        sources=(Source(title=_GUIDE, date="2026-11", status="vectors"),),
        minimum_tokens=1024,
        ttl_s=1800.0,
        system_word="input_changed",
        messages_word="input_changed",
        remedies=_REMEDIES,
    ),
    OpenAIByInterval(
        name="openai-gpt-5.5",
        models=(r"gpt-5\.5(?!\d)",),
        title="OpenAI GPT-5.5",
        sources=(Source(title=_GUIDE, date="2026-11", status="vectors"),),
        minimum_tokens=1024,
        unit=2048,
        unit_range=(2048, 2048),
        report_round=128,
        ttl_s=1800.0,
        system_word="input_changed",
        messages_word="input_changed",
        remedies=_REMEDIES,
    ),
    OpenAIByInterval(
        name="openai-older",
        models=(r"gpt-[34]", r"gpt-5(?!\.(?:[5-9]|\d\d))", r"\bo[134]\b", "chatgpt", "codex-mini"),
        title="OpenAI before GPT-5.5",
        sources=(
            Source(title=_GUIDE, date="2026-11", status="vectors"),
            Source(title=f"{_GUIDE}, older text (1,024 and steps of 128)", date="2025", status="vectors"),
        ),
        minimum_tokens=1024,
        unit=128,
        unit_range=(128, 2048),
        report_round=128,
        ttl_s=1800.0,
        system_word="input_changed",
        messages_word="input_changed",
        remedies=_REMEDIES,
    ),
)
