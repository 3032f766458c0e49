"""What a comparison could have shown: power, the smallest difference it can see, the cases it needs.

Twenty requests can show almost nothing: a difference of 10 points where 15 % of the cases change is seen in 2
of 100 such comparisons. So each comparison prints the smallest difference that it could have seen.
"""

from __future__ import annotations

import math
from functools import lru_cache

from tohlab.errors import MissingExtra

ALPHA = 0.05
POWER = 0.8


@lru_cache(maxsize=65536)
def mcnemar_power(n: int, difference: float, changed: float, alpha: float = ALPHA) -> float:
    """Return how often McNemar's exact test shows a difference that is there, 0..1; computed, not drawn.

    Args:
        n: cases, asked once by each run.
        difference: between the two rates, 0..1.
        changed: the share of cases that come out differently, at least `difference`.
        alpha: the test's level.

    Raises:
        ValueError: fewer cases change than the difference needs.
        MissingExtra: scipy is not installed.
    """
    if not 0 <= difference <= changed <= 1:
        raise ValueError(f"a difference of {difference} needs as many cases that change, not {changed}")
    if n == 0 or changed == 0:
        return 0.0
    try:
        import numpy as np
        from scipy.stats import binom
    except ImportError as error:
        raise MissingExtra("scipy", "eval") from error
    better = (changed + difference) / (2 * changed)
    counts = np.arange(n + 1)
    weights = binom.pmf(counts, n, changed)
    # The largest number of cases on the smaller side that is still shown, for each number of changed cases.
    limits = binom.ppf(alpha / 2, counts, 0.5)
    limits = np.where(binom.cdf(limits, counts, 0.5) > alpha / 2, limits - 1, limits)
    shown = binom.cdf(limits, counts, better) + binom.cdf(limits, counts, 1 - better)
    return float(np.where(limits >= 0, weights * shown, 0.0).sum())


def smallest_difference(
    n: int, changed: float, *, alpha: float = ALPHA, power: float = POWER
) -> float | None:
    """Return the smallest difference of rates that `n` cases show with the wanted power; None for none.

    Args:
        n: cases, asked once by each run.
        changed: the share of cases that changed; a difference that is larger than it changes as many itself.
        alpha: the test's level.
        power: how often a true difference is to be shown.
    """

    def enough(difference: float) -> bool:
        return mcnemar_power(n, difference, max(changed, difference), alpha) >= power

    if n < 1 or not enough(1.0):
        return None
    low, high = 0, 1000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle / 1000) else (middle, high)
    return high / 1000


def cases_needed(
    difference: float, changed: float, *, alpha: float = ALPHA, power: float = POWER, limit: int = 20_000
) -> int | None:
    """Return how many cases show `difference` with the wanted power; None if more than `limit`."""
    low, high = 0, 1
    while mcnemar_power(high, difference, changed, alpha) < power:
        low, high = high, high * 2
        if low >= limit:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if mcnemar_power(middle, difference, changed, alpha) >= power:
            high = middle
        else:
            low = middle
    return high if high <= limit else None


def detectable(se: float, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """Return the smallest difference that a mean with this standard error shows with the wanted power."""
    return (_normal(1 - alpha / 2) + _normal(power)) * se


def cases_for(
    difference: float,
    *,
    between: float,
    within_a: float = 0.0,
    within_b: float = 0.0,
    replicates_a: int = 1,
    replicates_b: int = 1,
    alpha: float = ALPHA,
    power: float = POWER,
) -> int:
    """Return the cases that a comparison with replicates needs (Miller 2024, arXiv 2411.00640, section 5).

    n = (z_{alpha/2} + z_power)^2 (w^2 + s_A^2 / K_A + s_B^2 / K_B) / d^2: replicates buy the part within.

    Args:
        difference: d, the difference of means that is to be shown.
        between: w^2, the variance between cases of the expected difference.
        within_a: s_A^2, the variance of the first run's answers to one case; likewise `within_b`.
        replicates_a: K_A, answers a case in the first run; likewise `replicates_b`.
        alpha: the test's level.
        power: how often a true difference is to be shown.
    """
    if difference == 0:
        raise ValueError("no number of cases shows a difference of 0")
    factor = (_normal(1 - alpha / 2) + _normal(power)) ** 2
    spread = between + within_a / replicates_a + within_b / replicates_b
    return math.ceil(factor * spread / difference**2)


def _normal(share: float) -> float:
    try:
        from scipy.stats import norm
    except ImportError as error:
        raise MissingExtra("scipy", "eval") from error
    return float(norm.ppf(share))
