"""A check for tests: does each request of a conversation begin with the one before?

    from tohlab.prefix.append_only import assert_append_only

    def test_my_agent_keeps_its_prefix():
        assert_append_only(session)

What a harness does on purpose is allowed where it is recorded: a compaction, a changed header.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from tohlab.errors import PrefixError
from tohlab.prefix.compare import PrefixComparison, as_request, compare_prefix
from tohlab.request import Request
from tohlab.tokens.meter import TokenMeter, get_meter

Allowed = Literal["compaction", "header_change"]
ALLOWED: Final[Mapping[Allowed, str]] = {
    "compaction": "earlier messages were replaced by a shorter form",
    "header_change": "tools or system text were changed on purpose",
}


class Conversation(Protocol):
    """What a `Session` is: the requests that it handed out, and what it did on purpose between them."""

    @property
    def requests(self) -> Sequence[Request]: ...

    @property
    def breaks(self) -> Sequence[tuple[int, Allowed]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendOnlyCheck:
    """Whether each request of a conversation begins with the whole request before it."""

    requests: int
    """How many there are."""
    before_tokens: int
    """All requests but the last together: what could be kept."""
    shared_tokens: int
    """What the request after each kept of it."""
    meant: tuple[tuple[int, Allowed], ...]
    """Breaks that were made on purpose, each with the place of the request that breaks off."""
    broken_at: int | None
    """The place of the first request that breaks off without that, the first request being 0."""
    comparison: PrefixComparison | None
    """That request with the one before it; None where there is no such request."""
    remedy: str = ""
    """How `allow` would say that it is meant."""

    @property
    def append_only(self) -> bool:
        """Whether nothing breaks off but what is meant to."""
        return self.broken_at is None

    @property
    def kept_share(self) -> float:
        """The part of what was sent before that was kept, 0 to 1."""
        return self.shared_tokens / self.before_tokens if self.before_tokens else 1.0

    @property
    def sentence(self) -> str:
        """The badge: `append-only: yes` or `append-only: no, first divergence ...`."""
        meant = "".join(f"; request {place} breaks off on purpose ({why})" for place, why in self.meant)
        if self.comparison is None:
            return f"append-only: yes, {self.requests:,} requests{meant}"
        return (
            f"append-only: no, first divergence in request {self.broken_at}: {self.comparison.sentence} "
            f"{self.comparison.lost_tokens:,} of {self.comparison.before_tokens:,} earlier tokens are lost."
            f"{meant}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the numbers, the badge and the comparison."""
        return {
            "requests": self.requests,
            "append_only": self.append_only,
            "before_tokens": self.before_tokens,
            "shared_tokens": self.shared_tokens,
            "kept_share": self.kept_share,
            "meant": [list(pair) for pair in self.meant],
            "broken_at": self.broken_at,
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "badge": self.sentence,
        }


def assert_append_only(
    conversation: Conversation | Iterable[Request],
    *,
    allow: Mapping[int, Allowed] | None = None,
    meter: TokenMeter | None = None,
) -> None:
    """Pass if every request begins with the whole request before it, else fail and say where one does not.

    Args:
        conversation: the requests in the order in which they were sent; or a session, whose steps' requests
            are taken, and whose compactions and restrictions of tools are allowed where they happened.
        allow: which requests may break off and why, by their place, the first being 0: `{3: "compaction"}`.
        meter: what counts; `o200k_base` unless told otherwise.

    Raises:
        AssertionError: a request does not begin with the one before; the message names the requests, the
            place, the characters and the tokens.
        PrefixError: `allow` names a request that does not break off or that is not there, or an unknown
            reason; or there is nothing to compare, or something else than requests.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    check = check_append_only(conversation, allow=allow, meter=meter)
    result = check.comparison
    if result is not None:
        place = check.broken_at or 0
        raise AssertionError(
            f"request {place} does not begin with request {place - 1}: {result.sentence} "
            f"{result.lost_tokens:,} of {result.before_tokens:,} earlier tokens are lost. Append instead, or "
            f"say that it is meant: {check.remedy}"
        )


def check_append_only(
    conversation: Conversation | Iterable[Request],
    *,
    allow: Mapping[int, Allowed] | None = None,
    meter: TokenMeter | None = None,
) -> AppendOnlyCheck:
    """Return what `assert_append_only` asserts, as a value; arguments and errors are the same."""
    meter = meter or get_meter()
    recorded: Sequence[tuple[int, Allowed]] = ()
    if isinstance(conversation, Request):
        raise PrefixError("one request alone cannot break off; give the requests of a conversation in order")
    if isinstance(conversation, Iterable):
        requests = tuple(as_request(request) for request in conversation)
    else:
        requests, recorded = tuple(conversation.requests), conversation.breaks
    allowed = dict(allow or {})
    _check(allowed, len(requests))
    before_tokens = shared_tokens = 0
    meant: list[tuple[int, Allowed]] = []
    broken: tuple[int, PrefixComparison, str] | None = None
    for place in range(1, len(requests)):
        before, after = requests[place - 1], requests[place]
        result = compare_prefix(before, after, meter)
        before_tokens += result.before_tokens
        shared_tokens += result.shared_tokens
        if not result.append_only:
            reasons = {why for at, why in recorded if at == place} | {allowed.get(place)}
            remedy = _unmeant(before, after, reasons, place, meter)
            if not remedy:
                meant += [(place, why) for why in ALLOWED if why in reasons]
            if remedy and broken is None:
                broken = place, result, remedy
        elif place in allowed:
            raise PrefixError(
                f"allow names request {place} ({allowed[place]}), but that begins with the whole request "
                "before it; take it out of allow"
            )
    return AppendOnlyCheck(
        requests=len(requests),
        before_tokens=before_tokens,
        shared_tokens=shared_tokens,
        meant=tuple(meant),
        broken_at=broken[0] if broken else None,
        comparison=broken[1] if broken else None,
        remedy=broken[2] if broken else "",
    )


def _check(allowed: Mapping[int, str], requests: int) -> None:
    if requests < 2:
        raise PrefixError(f"{requests} requests cannot break off; two and more can")
    for place, why in allowed.items():
        if why not in ALLOWED:
            raise PrefixError(f"{why!r} is no reason to break off; there are: {', '.join(ALLOWED)}")
        if not 0 < place < requests:
            raise PrefixError(f"allow names request {place}; there are requests 1 to {requests - 1} to check")


def _unmeant(
    before: Request, after: Request, reasons: set[Allowed | None], place: int, meter: TokenMeter
) -> str:
    """How to allow what no reason covers; empty where all is covered.

    A reason covers its own part only: a compaction keeps the header, a changed header the messages.
    """
    header = (before.tools, before.system) == (after.tools, after.system)
    bodies = Request(messages=before.messages), Request(messages=after.messages)
    messages = compare_prefix(*bodies, meter).append_only
    if not header and "header_change" not in reasons:
        return f'allow={{{place}: "header_change"}}'
    if not messages and "compaction" not in reasons:
        return f'allow={{{place}: "compaction"}}'
    return ""
