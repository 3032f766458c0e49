"""Two runs over the same cases: is the difference more than chance?

One answer a case: McNemar's exact test looks at the cases that changed, and Newcombe's interval (1998, method
10) says how large the difference may be. Several answers a case, or cases that share their fate: paired
differences by case, tested by flipping the signs of whole clusters (the wild bootstrap with the hypothesis
imposed) and bounded by drawing whole clusters (pairs bootstrap). Each draw has a seed, so the same runs give
the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tohlab.errors import MissingExtra
from tohlab.routing.statistics import CONFIDENCE, wilson

RESAMPLES = 9_999
"""How many draws a bootstrap takes."""


def mcnemar(gained: int, lost: int) -> float:
    """Return the two-sided p-value of McNemar's exact test for so many cases that changed each way.

    Raises:
        MissingExtra: scipy is not installed.
    """
    if gained + lost == 0:
        return 1.0
    try:
        from scipy.stats import binomtest
    except ImportError as error:
        raise MissingExtra("scipy", "eval") from error
    return float(binomtest(gained, gained + lost, 0.5).pvalue)


def newcombe(both: int, gained: int, lost: int, neither: int) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a paired difference of rates, second run less first.

    Args:
        both: cases that are right in both runs.
        gained: right in the second run only.
        lost: right in the first run only.
        neither: wrong in both.

    Raises:
        ValueError: there are no cases.
        MissingExtra: scipy is not installed.
    """
    n = both + gained + lost + neither
    if n == 0:
        raise ValueError("there are no cases to compare")
    second, first = (both + gained) / n, (both + lost) / n
    (low_2, high_2), (low_1, high_1) = wilson(both + gained, n), wilson(both + lost, n)
    product = (both + gained) * (lost + neither) * (both + lost) * (gained + neither)
    cross = float(both * neither - gained * lost)
    if cross > 0:  # the continuity correction of method 10
        cross = max(cross - n / 2, 0.0)
    phi = cross / math.sqrt(product) if product else 0.0
    below, above = second - low_2, high_1 - first
    over, under = high_2 - second, first - low_1
    low = second - first - math.sqrt(max(0.0, below**2 - 2 * phi * below * above + above**2))
    high = second - first + math.sqrt(max(0.0, over**2 - 2 * phi * over * under + under**2))
    return max(-1.0, low), min(1.0, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampled:
    """What redrawing whole clusters says of a mean difference."""

    p_value: float | None
    """Two-sided, from flipped signs; None for a single cluster."""
    low: float | None
    """Lower end of the 95 % percentile interval; None for a single cluster."""
    high: float | None
    n_clusters: int
    seed: int
    resamples: int


def paired_bootstrap(
    differences: Sequence[float], clusters: Sequence[str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Resampled:
    """Return test and interval for the mean of paired differences, by redrawing whole clusters.

    Args:
        differences: second run less first, one for each case.
        clusters: the cluster of each case.
        seed: of the draws.
        resamples: how many draws.

    Raises:
        ValueError: there are no cases, or not as many clusters as differences.
        MissingExtra: numpy is not installed.
    """
    if not differences or len(differences) != len(clusters):
        raise ValueError("there must be cases, and one cluster for each")
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtra("numpy", "eval") from error
    names = {name: i for i, name in enumerate(dict.fromkeys(clusters))}
    count = len(names)
    if count < 2:
        return Resampled(p_value=None, low=None, high=None, n_clusters=count, seed=seed, resamples=resamples)
    index = np.array([names[c] for c in clusters])
    sums = np.bincount(index, weights=np.array(differences, dtype=float), minlength=count)
    sizes = np.bincount(index, minlength=count)
    rng = np.random.default_rng(seed)
    observed = abs(float(sums.sum()))
    extreme, means = 0, []
    for start in range(0, resamples, 1000):  # in pieces, so that large sets need little memory
        take = min(1000, resamples - start)
        signs = rng.integers(0, 2, size=(take, count)) * 2 - 1
        extreme += int((np.abs(signs @ sums) >= observed - 1e-9).sum())
        drawn = rng.integers(0, count, size=(take, count))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(np.concatenate(means), [tail, 1 - tail])
    return Resampled(
        p_value=(1 + extreme) / (1 + resamples),
        low=float(low),
        high=float(high),
        n_clusters=count,
        seed=seed,
        resamples=resamples,
    )
