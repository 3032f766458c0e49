"""Rates with intervals that hold at 0, at n and at small n.

Intervals are Wilson's, from `scipy.stats.binomtest`; the normal approximation is never used, since it gives
[1, 1] for 20 of 20. What was never tried is None, not 0 and not NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tohlab.errors import MissingExtra

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share of n things, with its interval."""

    successes: float
    """How many of the n; with replicates the mean over cases times n, so not always a whole number."""
    n: int
    """How many independent things (cases), at least 1."""
    value: float
    """`successes / n`, in 0..1."""
    low: float
    """Lower end of the 95 % Wilson interval, in 0..1."""
    high: float
    """Upper end, in 0..1."""

    def to_dict(self) -> dict[str, Any]:
        """Return `{successes, n, value, low, high}` as plain numbers."""
        return {
            "successes": self.successes,
            "n": self.n,
            "value": self.value,
            "low": self.low,
            "high": self.high,
        }

    def __str__(self) -> str:
        return f"{self.value:.1%} [{self.low:.1%}, {self.high:.1%}] (n={self.n})"


@lru_cache(maxsize=4096)
def wilson(successes: int, n: int) -> tuple[float, float]:
    """Return the ends of the 95 % Wilson interval of `successes` out of `n`.

    Raises:
        MissingExtra: scipy is not installed.
        ValueError: `n` is 0, or `successes` is not in 0..n.
    """
    try:
        from scipy.stats import binomtest
    except ImportError as error:
        raise MissingExtra("scipy", "eval") from error
    interval = binomtest(successes, n).proportion_ci(confidence_level=CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def rate(successes: float, n: int) -> Rate | None:
    """Return `successes` of `n` with its interval, or None for n = 0.

    A number of successes that is not whole (a mean over replicates of each case) gets the lower end of the
    whole number below and the upper end of the one above: the cases stay the n, and the interval is never too
    narrow by rounding.
    """
    if n == 0:
        return None
    whole = round(successes)
    if math.isclose(successes, whole, abs_tol=1e-9):
        low, high = wilson(whole, n)
        return Rate(successes=whole, n=n, value=whole / n, low=low, high=high)
    low, high = wilson(math.floor(successes), n)[0], wilson(math.ceil(successes), n)[1]
    return Rate(successes=successes, n=n, value=successes / n, low=low, high=high)
