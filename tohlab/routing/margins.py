"""How sure a model was of the skill that it named, by the probabilities of the name's tokens.

The answer's first name is followed token by token. At each step the listed tokens are those with which some
name of the catalog (or "no skill") could go on, those that lead to several names, and the rest. The walk ends
where only one name is left, since what comes then is spelling.

`share` is the probability that the service would name this one if it could only say names: at each step the
listed tokens that no name can go on with are left out and the others add up to 1. That is what a service does
that is held to a grammar, and for others it sets aside how likely the model was to say something else
altogether. `probability` is the plain product. A token that several names share (`pdf` of `pdf-forms` and
`pdf-tables`) is counted as `ambiguous` wherever the answer did not go that way, and for none of them: nobody
knows how it would have gone on. Names whose tokens are not among the listed ones have a share of 0 at that
step, and `unseen` says how much probability was not listed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from tohlab.routing.answers import NO_SKILL
from tohlab.routing.client import ChatReply
from tohlab.routing.token_logprobs import TokenLogprob

_FIRST_NAME: Final = {
    "json": re.compile(rb'"skills"\s*:\s*\[\s*"'),
    "tools": re.compile(rb'"name"\s*:\s*"'),
}
"""What stands before a name: in the JSON that was asked for, and in a call's arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """How sure one answer was of its first name."""

    name: str
    """The first name of the answer; `(none)` for no skill (in `json`)."""
    share: float
    """Its probability among names, 0..1: what the margin and calibration go by."""
    probability: float
    """The plain product of the tokens' probabilities, up to where only this name is left, 0..1."""
    runner_up: str | None
    """The name with the next largest share; None where no other name was among the listed tokens."""
    runner_up_share: float
    """0..1; 0 where there is none, which means that it is smaller than what was listed."""
    ambiguous: float
    """Share of tokens that lead to several names, none of which is the answer's way, 0..1."""
    unseen: float
    """The largest probability, over the steps, of tokens that were not listed, 0..1."""
    n_tokens: int
    """How many tokens were needed to tell the name from the others."""

    @property
    def margin(self) -> float:
        """`share` less `runner_up_share`, -1..1; below 0 where the answer was not the likeliest name."""
        return self.share - self.runner_up_share

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with the margin."""
        return {**asdict(self), "margin": self.margin}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return what `to_dict` wrote."""
        return cls(**{key: value for key, value in data.items() if key != "margin"})


def read_margin(reply: ChatReply, names: Sequence[str], *, choice: str) -> Margin | None:
    """Return how sure a reply was of its first name, or None where that cannot be known.

    It cannot where the service gave no log-probabilities (as most do for tool calls), where the answer names
    nothing of the catalog, or where the name is not found in the tokens exactly once.

    Args:
        reply: the model's answer.
        names: the names in the catalog.
        choice: `tools` or `json`.
    """
    tokens = reply.logprobs
    if tokens is None or not names:
        return None
    text = b"".join(token.data for token in tokens)
    start, end = 0, len(text)
    candidates = list(names)
    if choice == "json":
        # A service may have taken something away around the content (a fence of Markdown).
        content = reply.content.encode("utf-8", "replace")
        start = text.find(content)
        if not content or start < 0 or text.find(content, start + 1) >= 0:
            return None
        end = start + len(content)
        candidates.append(NO_SKILL)
    elif not reply.tool_calls:
        return None
    found = _FIRST_NAME[choice].finditer(text, start, end)
    spelled = {name: _spelled(name) for name in candidates}
    places = [
        (match.end(), name)
        for match in found
        for name, spelling in spelled.items()
        if text.startswith(spelling, match.end())
    ]
    if len(places) != 1 and not (choice == "tools" and places and _same_order(places, reply)):
        return None
    return _walk(tokens, places[0][0], places[0][1], spelled)


def _same_order(places: Sequence[tuple[int, str]], reply: ChatReply) -> bool:
    """Whether the names found are those of the calls, one for one, so that the first is the first call's."""
    if len(places) != len(reply.tool_calls):
        return False
    return all(
        _spelled(name).decode() in call.arguments
        for (_, name), call in zip(places, reply.tool_calls, strict=True)
    )


def _spelled(name: str) -> bytes:
    """A name as it stands in JSON, with the quote that ends it: `pdf` is not the start of `pdf-forms`."""
    return json.dumps(name, ensure_ascii=False)[1:].encode("utf-8", "replace")


def _walk(
    tokens: Sequence[TokenLogprob], place: int, chosen: str, spelled: dict[str, bytes]
) -> Margin | None:
    """Follow the tokens from the one that holds the first byte of the name."""
    offset, step = 0, 0
    while offset + len(tokens[step].data) <= place:
        offset += len(tokens[step].data)
        step += 1
    before = b"".join(token.data for token in tokens)[
        offset:place
    ]  # what the first token has before the name
    alive = {name: before + spelling for name, spelling in spelled.items()}
    shares = dict.fromkeys(alive, 0.0)
    ambiguous = unseen = used = 0.0
    reached, product = 1.0, 1.0
    path, first = b"", step
    while True:
        token = tokens[step]
        listed = _listed(token)
        unseen = max(unseen, 1.0 - math.fsum(listed.values()))
        ways = {data: _fitting(path + data, alive) for data in listed}
        used = math.fsum(p for data, p in listed.items() if ways[data])
        if used <= 0.0:
            return None  # the service wrote no probability for what it sampled
        for data, p in listed.items():
            if data == token.data or not ways[data]:
                continue
            if len(ways[data]) == 1:
                shares[ways[data][0]] += reached * p / used
            else:
                ambiguous += reached * p / used
        reached *= listed[token.data] / used
        product *= listed[token.data]
        path += token.data
        alive = {name: alive[name] for name in ways[token.data]}
        step += 1
        if len(alive) <= 1 or step == len(tokens):
            break
    shares[chosen] += reached
    others = {name: share for name, share in shares.items() if name != chosen and share > 0.0}
    runner_up = max(others, key=lambda name: others[name], default=None)
    return Margin(
        name=chosen,
        share=min(1.0, shares[chosen]),
        probability=product,
        runner_up=runner_up,
        runner_up_share=others[runner_up] if runner_up is not None else 0.0,
        ambiguous=ambiguous,
        unseen=max(0.0, unseen),
        n_tokens=step - first,
    )


def _listed(token: TokenLogprob) -> dict[bytes, float]:
    """The probabilities of the tokens that are listed at a step, the sampled one among them."""
    found: dict[bytes, float] = {}
    for data, logprob in token.top:
        found[data] = found.get(data, 0.0) + math.exp(logprob)  # two tokens may have the same bytes
    found.setdefault(token.data, math.exp(token.logprob))
    found.pop(b"", None)
    return found


def _fitting(path: bytes, alive: dict[str, bytes]) -> list[str]:
    """The names that a text could be the start of, or that it has gone past the end of."""
    return [name for name, full in alive.items() if full.startswith(path) or path.startswith(full)]
