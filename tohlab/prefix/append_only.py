"""A check for tests: does each request of a conversation begin with the one before?

    from tohlab.prefix.append_only import assert_append_only

    def test_my_agent_keeps_its_prefix():
        assert_append_only(session)

What a harness does on purpose is allowed where it is recorded: a compaction, a changed header.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, Protocol

from tohlab.errors import PrefixError
from tohlab.prefix.compare import PrefixComparison, compare_prefix
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
            reason; or there is nothing to compare.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    recorded: Sequence[tuple[int, Allowed]] = ()
    if isinstance(conversation, Request):
        raise PrefixError("one request alone cannot break off; give the requests of a conversation in order")
    if isinstance(conversation, Iterable):
        requests = tuple(conversation)
    else:
        requests, recorded = tuple(conversation.requests), conversation.breaks
    allowed = dict(allow or {})
    _check(allowed, len(requests))
    for place in range(1, len(requests)):
        before, after = requests[place - 1], requests[place]
        result = compare_prefix(before, after, meter)
        if not result.append_only:
            reasons = {why for at, why in recorded if at == place} | {allowed.get(place)}
            _hold(before, after, reasons, place, result, meter)
        elif place in allowed:
            raise PrefixError(
                f"allow names request {place} ({allowed[place]}), but that begins with the whole request "
                "before it; take it out of allow"
            )


def _check(allowed: Mapping[int, str], requests: int) -> None:
    if requests < 2:
        raise PrefixError(f"{requests} requests cannot break off; two and more can")
    for place, why in allowed.items():
        if why not in ALLOWED:
            raise PrefixError(f"{why!r} is no reason to break off; there are: {', '.join(ALLOWED)}")
        if not 0 < place < requests:
            raise PrefixError(f"allow names request {place}; there are requests 1 to {requests - 1} to check")


def _hold(
    before: Request,
    after: Request,
    reasons: set[Allowed | None],
    place: int,
    result: PrefixComparison,
    meter: TokenMeter,
) -> None:
    """A reason covers its own part only: a compaction keeps the header, a changed header the messages."""
    header = (before.tools, before.system) == (after.tools, after.system)
    bodies = Request(messages=before.messages), Request(messages=after.messages)
    messages = compare_prefix(*bodies, meter).append_only
    if not header and "header_change" not in reasons:
        meant = f'allow={{{place}: "header_change"}}'
    elif not messages and "compaction" not in reasons:
        meant = f'allow={{{place}: "compaction"}}'
    else:
        return
    raise AssertionError(
        f"request {place} does not begin with request {place - 1}: {result.sentence} "
        f"{result.lost_tokens:,} of {result.before_tokens:,} earlier tokens are lost. Append instead, or say that it is meant: {meant}"
    )
