"""Words for what broke a prompt cache, and what to do about each.

The words are the union of the two providers' own diagnosis enums (OpenAI `prompt_cache_diagnostics.reason`,
guide of 2026-11; Anthropic beta `cache-diagnosis-2026-04-07`, `cache_miss_reason`) and what neither of them
tells apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, get_args

Reason = Literal[
    # both
    "model_changed",
    "tools_changed",
    # OpenAI
    "prompt_cache_key_changed",
    "service_tier_changed",
    "text_format_changed",
    "reasoning_effort_changed",
    "verbosity_changed",
    "context_compacted",
    "input_changed",
    # Anthropic
    "system_changed",
    "messages_changed",
    "previous_message_not_found",
    "unavailable",
    # told apart here
    "skill_added",
    "skill_reordered",
    "template_strips_reasoning",
    "date_rollover",
    "below_minimum",
    "lookback_exceeded",
    "ttl_expired",
    "breakpoint_moved",
    "no_breakpoint",
    "cache_off",
    "unaligned_tail",
]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)

REMEDIES: Final[Mapping[Reason, str]] = MappingProxyType(
    {
        "model_changed": "keep one model for the whole conversation and give side tasks to a sub-agent",
        "tools_changed": "keep every tool's text and place; hide a tool by not allowing it rather than by "
        "taking it out, and add new ones behind the history where the API can",
        "prompt_cache_key_changed": "keep one cache key for requests that share a prefix",
        "service_tier_changed": "keep one service tier for requests that share a prefix",
        "text_format_changed": "keep one output format and schema for the whole conversation",
        "reasoning_effort_changed": "keep one effort for the whole conversation, or change it by an appended "
        "item where the API has one",
        "verbosity_changed": "keep one verbosity for the whole conversation",
        "context_compacted": "compact seldom and far: all that stands behind the summary is written anew",
        "input_changed": "append a message instead of changing an earlier one",
        "system_changed": "leave the system text as it is and append what is new as a message",
        "messages_changed": "append a message instead of changing an earlier one",
        "previous_message_not_found": "nothing to do: a first request has nothing to read",
        "unavailable": "count on nothing, or use a cache that promises reuse",
        "skill_added": "tell of the skill by a message at the end, or put it at the end of the list",
        "skill_reordered": "keep the list in one order, such as by name",
        "template_strips_reasoning": "send no reasoning back, or use a template or model that keeps it",
        "date_rollover": "put the date at the end, in the newest message",
        "below_minimum": "make the shared part longer than the minimum, or leave it uncached",
        "lookback_exceeded": "set another breakpoint within reach of the last entry",
        "ttl_expired": "ask for a longer lifetime, or send something within it",
        "breakpoint_moved": "set a breakpoint where the earlier request wrote its entry",
        "no_breakpoint": "mark the end of what stays the same, in every request",
        "cache_off": "leave caching on in every request that shares a prefix",
        "unaligned_tail": "live with it: only whole units are kept",
    }
)
"""The cheapest way to do the same, where a policy knows no better one."""

PARAMETER_REASONS: Final[Mapping[str, Reason]] = MappingProxyType(
    {
        "service_tier": "service_tier_changed",
        "text.format": "text_format_changed",
        "response_format": "text_format_changed",
        "output_config.format": "text_format_changed",
        "reasoning.effort": "reasoning_effort_changed",
        "reasoning_effort": "reasoning_effort_changed",
        "effort": "reasoning_effort_changed",
        "output_config.effort": "reasoning_effort_changed",
        "thinking": "reasoning_effort_changed",
        "text.verbosity": "verbosity_changed",
        "verbosity": "verbosity_changed",
        "context_management": "context_compacted",
    }
)

_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DAY: Final = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*"
_MOMENT: Final = re.compile(
    rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}|\d{{1,2}}:\d\d(?::\d\d)?"
    rf"|\b{_DAY}\b(?=[ ,])|\b{_MONTH}\.? \d{{1,2}}\b|\b\d{{1,2}}\.? {_MONTH}\b|\b{_MONTH},? \d{{4}}\b",
    re.IGNORECASE,
)
_THOUGHTS: Final = re.compile(r"<(think|thinking|reasoning)>.*?</\1>\s*", re.DOTALL)


def only_dates_differ(before: str, after: str) -> bool:
    """Return whether two texts differ, but not once their dates and times are taken out."""
    return before != after and _MOMENT.sub("", before) == _MOMENT.sub("", after)


def only_thoughts_gone(before: str, after: str) -> bool:
    """Return whether the later text is the earlier one without its `<think>` parts."""
    return before != after and _THOUGHTS.sub("", before).strip() == after.strip()
