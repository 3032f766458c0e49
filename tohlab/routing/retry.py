"""When a request is tried again, how long to wait before it, and when a whole run has to stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tohlab.errors import EndpointError

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
