"""Two runs over the same cases: is the difference more than chance?

One answer a case: McNemar's exact test looks at the cases that changed, and Newcombe's interval (1998, method
10) says how large the difference may be. Several answers a case, or cases that share their fate: paired
differences by case, tested by flipping the signs of whole clusters (the wild bootstrap with the hypothesis
imposed). The interval is made of the differences that such a test does not rule out, after half a case more
has gone up and half a case down, as one does for rare events: twenty cases of which none changed do not show
that none ever will. The percentiles of redrawn clusters would be too narrow for few clusters; chapter 9
counts how often each holds. Each draw has a seed, so the same runs give the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tohlab.errors import MissingExtra
from tohlab.routing.statistics import CONFIDENCE, wilson

RESAMPLES = 9_999
"""How many draws a bootstrap takes."""
FEWEST: Final = 6
"""With fewer clusters all signs alike come up in more than 5 % of the flips, so nothing can be ruled out."""


def p_number(p_value: float) -> str:
    """Return a p-value as a cell shows it, such as `0.245`; `< 0.001` where three digits would say zero."""
    text = f"{p_value:.3f}"
    return "< 0.001" if float(text) == 0 else text


def p_text(p_value: float) -> str:
    """Return a p-value as a sentence says it: `p = 0.245`, or `p < 0.001`."""
    text = p_number(p_value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


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
    """What flipping the signs of whole clusters says of a mean difference."""

    p_value: float | None
    """Two-sided; None for a single cluster."""
    low: float | None
    """Lower end of the 95 % interval; None for fewer than 6 clusters, whose flipped signs can rule nothing
    out."""
    high: float | None
    n_clusters: int
    seed: int
    resamples: int


def paired_bootstrap(
    differences: Sequence[float], clusters: Sequence[str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Resampled:
    """Return test and interval for the mean of paired differences, by flipping the signs of whole clusters.

    A value is ruled out if the mean of what is left after subtracting it would seldom be as far from 0 under
    flipped signs. A draw parts the clusters into two, and the values between the means of the two parts are
    those that it speaks for, so all values are tested at once (Hartigan 1969, typical values).

    Args:
        differences: second run less first, one for each case, -1..1.
        clusters: the cluster of each case.
        seed: of the draws.
        resamples: how many draws, at least 20.

    Raises:
        ValueError: there are no cases, not as many clusters as differences, or too few draws for 5 %.
        MissingExtra: numpy is not installed.
    """
    if not differences or len(differences) != len(clusters):
        raise ValueError("there must be cases, and one cluster for each")
    # How many draws must speak for a value that is at p = 0.05.
    needed = math.ceil((1 - CONFIDENCE) * (1 + resamples) - 1e-9) - 1
    if needed < 1:
        raise ValueError(f"{resamples} draws are too few for a 95 % interval")
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
    sizes = np.bincount(index, minlength=count).astype(float)
    rng = np.random.default_rng(seed)
    total, n = float(sums.sum()), len(differences)
    # Two more clusters for the interval: half a case that went up, and half a case that went down.
    more_sums, more_sizes = np.append(sums, [0.5, -0.5]), np.append(sizes, [0.5, 0.5])
    extreme, lows, highs = 0, [], []
    for start in range(0, resamples, 1000):  # in pieces, so that large sets need little memory
        take = min(1000, resamples - start)
        part = rng.integers(0, 2, size=(take, count + 2)).astype(float)
        flipped = 2 * (part[:, :count] @ sums) - total
        extreme += int((np.abs(flipped) >= abs(total) - 1e-9).sum())
        up, cases = part @ more_sums, part @ more_sizes
        # Where all are on one side the other has no mean: that speaks for any value. Its sum need not be
        # exactly 0 (differences may be fractions), so its size decides.
        rest = n + 1 - cases
        one = np.divide(up, cases, out=np.full(take, np.nan), where=cases > 0)
        other = np.divide(total - up, rest, out=np.full(take, np.nan), where=rest > 0)
        lows.append(np.nan_to_num(np.minimum(one, other), nan=-np.inf))
        highs.append(np.nan_to_num(np.maximum(one, other), nan=np.inf))
    low = float(np.sort(np.concatenate(lows))[needed - 1])
    high = float(np.sort(np.concatenate(highs))[-needed])
    bounded = count >= FEWEST
    return Resampled(
        p_value=(1 + extreme) / (1 + resamples),
        low=low if bounded else None,
        high=high if bounded else None,
        n_clusters=count,
        seed=seed,
        resamples=resamples,
    )
