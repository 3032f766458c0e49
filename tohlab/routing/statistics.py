"""Rates with intervals that hold at 0, at n and at small n; repeated tries; many tests at once.

Intervals are Wilson's, from `scipy.stats.binomtest`; the normal approximation is never used, since it gives
[1, 1] for 20 of 20. Clopper and Pearson's, which never covers less than it says, and Bayes' with a uniform
prior are there for who wants them (Bowyer et al. 2025, arXiv 2503.01747). What was never tried is None, not 0
and not NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tohlab.errors import MissingExtra, RoutingError

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


@lru_cache(maxsize=4096)
def clopper_pearson(successes: int, n: int) -> tuple[float, float]:
    """Return the ends of the 95 % Clopper-Pearson interval: wider than Wilson's, never below 95 %.

    Raises:
        MissingExtra: scipy is not installed.
        ValueError: `n` is 0, or `successes` is not in 0..n.
    """
    try:
        from scipy.stats import binomtest
    except ImportError as error:
        raise MissingExtra("scipy", "eval") from error
    interval = binomtest(successes, n).proportion_ci(confidence_level=CONFIDENCE, method="exact")
    return float(interval.low), float(interval.high)


def credible(successes: int, n: int) -> tuple[float, float]:
    """Return the ends of the central 95 % interval of what one believes after a uniform prior, Beta(1, 1).

    Raises:
        MissingExtra: scipy is not installed.
        ValueError: `successes` is not in 0..n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"there cannot be {successes} successes of {n}")
    try:
        from scipy.stats import beta
    except ImportError as error:
        raise MissingExtra("scipy", "eval") from error
    posterior = beta(successes + 1, n - successes + 1)
    return float(posterior.ppf((1 - CONFIDENCE) / 2)), float(posterior.ppf((1 + CONFIDENCE) / 2))


def rule_of_three(n: int) -> float:
    """Return how frequent a failure may still be, with 95 % confidence, that was not seen in `n` tries.

    It is 1 - 0.05 ** (1 / n), of which 3 / n is the approximation that gives the rule its name.
    """
    if n < 1:
        raise ValueError("nothing was tried")
    return float(1.0 - (1.0 - CONFIDENCE) ** (1.0 / n))


def pass_at_k(right: int, n: int, k: int) -> float:
    """Return the chance that at least one of `k` answers is right, unbiased from `right` of `n` answers.

    1 - C(n - right, k) / C(n, k), after Chen et al. 2021, arXiv 2107.03374.

    Raises:
        RoutingError: there are fewer than `k` answers, so it cannot be said.
    """
    _check_tries(right, n, k)
    return 1.0 - math.comb(n - right, k) / math.comb(n, k)


def pass_hat_k(right: int, n: int, k: int) -> float:
    """Return the chance that all of `k` answers are right (pass^k), unbiased from `right` of `n` answers.

    C(right, k) / C(n, k), after tau-bench, arXiv 2406.12045.

    Raises:
        RoutingError: there are fewer than `k` answers, so it cannot be said.
    """
    _check_tries(right, n, k)
    return math.comb(right, k) / math.comb(n, k)


def _check_tries(right: int, n: int, k: int) -> None:
    if k < 1 or not 0 <= right <= n:
        raise ValueError(f"k must be at least 1 and {right} right answers of {n} must be possible")
    if n < k:
        raise RoutingError(f"{k} tries cannot be judged from {n} answers; ask again with --replicates {k}")


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values adjusted for having been looked at together, by Holm's method, in their order.

    Taking those below 0.05 as shown is wrong in at most 5 % of all such tables, however the tests depend on
    each other (Holm 1979).
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    worst = 0.0
    for rank, i in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = worst
    return tuple(adjusted)


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return p-values adjusted for the share of false finds (Benjamini and Hochberg), for a first look only.

    Raises:
        MissingExtra: scipy is not installed.
    """
    if not p_values:
        return ()
    try:
        from scipy.stats import false_discovery_control
    except ImportError as error:
        raise MissingExtra("scipy", "eval") from error
    return tuple(float(p) for p in false_discovery_control(list(p_values), method="bh"))
