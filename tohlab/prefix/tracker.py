"""A session's requests, each compared with the one before."""

from __future__ import annotations

from tohlab.prefix.compare import PrefixComparison, compare_prefix
from tohlab.request import Request
from tohlab.tokens.meter import TokenMeter, get_meter


class PrefixTracker:
    """Compares each request with the one pushed before it; a turn costs what the turn added.

    Args:
        meter: what counts; `o200k_base` unless told otherwise.

    Raises:
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """

    def __init__(self, meter: TokenMeter | None = None) -> None:
        self._meter = meter or get_meter()
        self._last = Request()

    @property
    def last(self) -> Request:
        """The request pushed last; an empty one at first."""
        return self._last

    def push(self, request: Request) -> PrefixComparison:
        """Return how `request` compares with the last one, and remember it; the first with nothing at all."""
        comparison = compare_prefix(self._last, request, self._meter)
        self._last = request
        return comparison
