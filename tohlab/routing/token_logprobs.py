"""The log-probabilities of a reply's tokens, where a service gives them.

A chat completion has them at `choices[0].logprobs.content[]`: each token with its text, its bytes (half a
character is no text), its natural log-probability, and the most likely tokens in its place. Many services
give none for tool calls, and some write -9999 for what they did not compute.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_TOP = 20
"""The most alternatives that the chat completions API gives for a token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLogprob:
    """One token that was sampled, and what might have stood there."""

    data: bytes
    """The token's bytes."""
    logprob: float
    """Its natural log-probability, at most 0, as the service gave it: mostly before any grammar."""
    top: tuple[tuple[bytes, float], ...] = ()
    """The most likely tokens there with their log-probabilities, most likely first; mostly with the sampled
    one among them, but not if a grammar or the temperature chose an unlikely one."""


def read_logprobs(choice: Mapping[str, Any]) -> tuple[TokenLogprob, ...] | None:
    """Return the tokens of one choice of a chat completion, or None where it has none that can be read."""
    found = choice.get("logprobs")
    content = found.get("content") if isinstance(found, Mapping) else None
    if not isinstance(content, list) or not content:
        return None
    tokens = []
    for entry in content:
        one = _one(entry)
        if one is None:  # a gap would put every later token in the wrong place
            return None
        top = entry.get("top_logprobs")
        others = [pair for other in (top if isinstance(top, list) else []) if (pair := _one(other))]
        tokens.append(TokenLogprob(data=one[0], logprob=one[1], top=tuple(others)))
    return tuple(tokens)


def _one(entry: Any) -> tuple[bytes, float] | None:
    if not isinstance(entry, Mapping):
        return None
    logprob, token, raw = entry.get("logprob"), entry.get("token"), entry.get("bytes")
    if isinstance(logprob, bool) or not isinstance(logprob, int | float) or math.isnan(logprob):
        return None
    value = min(float(logprob), 0.0)
    if isinstance(raw, list):
        try:
            return bytes(raw), value
        except (TypeError, ValueError):
            return None
    return (token.encode("utf-8", "replace"), value) if isinstance(token, str) else None
