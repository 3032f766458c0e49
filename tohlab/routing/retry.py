"""When a request is tried again, how long to wait before it, and when a whole run has to stop.

`RetryPolicy` is what a user sets; `Patience` is one run, or one worker's share of it, that keeps to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tohlab.errors import EndpointError
from tohlab.routing.client import ChatClient, ChatReply, ChatRequest

_ATTEMPTS: Final = MappingProxyType({"rate_limit": 5, "server": 3, "connection": 3, "timeout": 2})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """A bounded number of attempts by the kind of failure; what is not listed is never tried again."""

    attempts: Mapping[str, int] = field(default_factory=lambda: _ATTEMPTS, hash=False)
    """Kind of `EndpointError` to attempts in all."""
    first_wait_s: float = 0.5
    """Before the second attempt; doubled before each later one."""
    longest_wait_s: float = 60.0
    """Also the longest `Retry-After` that is obeyed; if the service asks for more, the request fails."""
    connection_failures: int = 3
    """The run stops after so many requests in a row that found no connection."""
    deadline_s: float | None = None
    """The longest time for one attempt; None: 60 s more than the client's own `timeout_s`, or 900 s."""
    failures: int = 10
    """The run stops after so many requests in a row that failed for the service's sake, whatever the kind."""

    def wait_s(self, error: EndpointError, attempt: int) -> float | None:
        """Return the seconds to wait before another attempt, or None if there is to be none.

        Args:
            error: why the last attempt failed.
            attempt: how many attempts there were, at least 1.
        """
        if attempt >= self.attempts.get(error.kind, 1):
            return None
        if error.retry_after_s is not None:
            return error.retry_after_s if error.retry_after_s <= self.longest_wait_s else None
        return float(min(self.first_wait_s * 2 ** (attempt - 1), self.longest_wait_s))

    def stops_run(self, error: EndpointError, *, in_a_row: int, answered: int) -> bool:
        """Return whether a request that failed for good shows that the others would fail too.

        Args:
            error: why it failed.
            in_a_row: how many requests failed since the last answer, this one among them.
            answered: how many requests this run had answered.
        """
        if error.kind in ("auth", "quota"):
            return True
        if not answered and (error.kind == "connection" or error.status == 404):
            return True
        return in_a_row >= (self.connection_failures if error.kind == "connection" else self.failures)


class Patience:
    """What a run has seen of its service, and so what to do after a further failure.

    One for all that ask side by side in one loop: when one is told to wait, all wait.

    Args:
        policy: the rules.
        answered: how many requests of this run are answered already.
        stored: how many answers an earlier run left; the service was there once, then.
    """

    def __init__(self, policy: RetryPolicy, *, answered: int = 0, stored: int = 0) -> None:
        self._policy = policy
        self._stored = stored
        self._not_before = 0.0
        self.answered = answered
        self.in_a_row = 0  # requests that failed for good since the last answer

    async def hold(self, tell: Callable[[float], None] = lambda left_s: None) -> None:
        """Wait until the service may be asked; `tell` hears the seconds left, about once a second."""
        while (left_s := self.left_s()) > 0:
            tell(left_s)
            await asyncio.sleep(min(left_s, 1.0))

    def left_s(self) -> float:
        """Return for how long nobody is to ask; not above 0 if anybody may."""
        return self._not_before - asyncio.get_running_loop().time()

    async def attempt(self, client: ChatClient, request: ChatRequest) -> ChatReply:
        """Return the answer of one attempt, which has an end whatever the client is.

        Raises:
            EndpointError: there was none.
        """
        limit_s = self._policy.deadline_s
        if limit_s is None:
            limit_s = getattr(client, "timeout_s", 840.0) + 60.0
        try:
            async with asyncio.timeout(limit_s):
                return await client.complete(request)
        except TimeoutError as error:
            raise EndpointError("timeout", f"there was no answer within {limit_s:g} s") from error

    def got_answer(self) -> None:
        """Count an answer."""
        self.answered += 1
        self.in_a_row = 0

    def tries_again(self, error: EndpointError, attempt: int) -> bool:
        """Return whether a request is tried again (after `hold`), or has failed for good.

        Args:
            error: why its last attempt failed.
            attempt: how many attempts there were, at least 1.
        """
        if error.kind == "connection" and not self.answered and not self._stored:
            return False  # nobody is there, so the first request says so at once
        wait_s = self._policy.wait_s(error, attempt)
        if wait_s is None:
            return False
        self._not_before = max(self._not_before, asyncio.get_running_loop().time() + wait_s)
        return True

    def stops_run(self, error: EndpointError) -> bool:
        """Count a request that failed for good; return whether it shows that the others would fail too."""
        self.in_a_row += 1
        return self._policy.stops_run(error, in_a_row=self.in_a_row, answered=self.answered)


def failure_name(error: EndpointError) -> str:
    """Return a failure in a word or two, such as `rate_limit 429`."""
    return error.kind if error.status is None else f"{error.kind} {error.status}"
