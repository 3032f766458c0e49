"""Waiting for a service: calls that are tried again, and polls whose waits grow, each with a word why."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tohlab.errors import EndpointError
from tohlab.routing.retry import RetryPolicy, failure_name

Got = TypeVar("Got")
Tell = Callable[[str], None]
"""Called with why nothing moves, about once a second."""


def wait(seconds: float, why: str, tell: Tell) -> None:
    """Wait, and say why and how long still."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        tell(f"{why} in {left:.0f} s")
        time.sleep(min(left, 1.0))


def insist(
    call: Callable[[], Got],
    what: str,
    retry: RetryPolicy,
    tell: Tell,
    *,
    before: Callable[[], Got | None] = lambda: None,
) -> Got:
    """Return what a call returns, tried again as the policy says.

    Args:
        call: one attempt.
        what: what it does, in two or three words.
        retry: how often, and how long to wait.
        tell: is told of each wait.
        before: called before each attempt but the first: what the last one may have reached although its
            answer
            was lost. If it returns something, that is the answer.

    Raises:
        EndpointError: the last attempt's.
    """
    attempts = 0
    while True:
        attempts += 1
        try:
            if attempts > 1 and (found := before()) is not None:
                return found
            return call()
        except EndpointError as error:
            wait_s = retry.wait_s(error, attempts)
            if wait_s is None:
                raise
            wait(wait_s, f"{what}: {failure_name(error)}, attempt {attempts + 1}", tell)
