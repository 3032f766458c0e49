"""Errors for cases that share their fate: the requests written for one skill, or paraphrases of one request.

Such cases are right or wrong together, so a rate over them is less certain than its n says (measured on
public routing sets: 1.9 and 3.5 times). The standard error is the cluster-robust one with the factor
G / (G - 1) (CR1). The interval is Wilson's with the effective number of cases that this error amounts to,
widened for the G - 1 degrees of freedom (Korn and Graubard 1998), so that it stays within 0..1; where all
cases came out alike there is no variance to estimate, and each cluster counts as one case.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, get_args

from tohlab.errors import MissingExtra, RoutingError
from tohlab.routing.dataset import RoutingCase
from tohlab.routing.statistics import CONFIDENCE

By = Literal["skill", "group", "case"]
"""What makes cases a cluster: the same expected skills, the same `group`, or nothing. A case without any
(no skill expected, no group) is a cluster of its own."""
FEW: Final = 10
"""Fewer clusters than this give an error that is itself a guess."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredMean:
    """A mean over cases with the error that its clusters give."""

    value: float
    """The mean over cases, each once."""
    se: float | None
    """Its standard error (CR1); None for a single cluster, from which none can be had."""
    naive_se: float | None
    """The error if all cases were independent; None for a single case."""
    low: float | None
    """Lower end of the 95 % interval; None where `se` is."""
    high: float | None
    """Upper end."""
    n: int
    """Cases."""
    n_clusters: int
    warning: str
    """Why the error is not to be relied on, or empty."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def cluster_of(case: RoutingCase, by: By = "skill") -> str:
    """Return the name of the cluster that a case is in.

    Raises:
        RoutingError: `by` is none of the known words.
    """
    if by not in get_args(By):
        raise RoutingError(f"cases cannot be clustered by {by!r}; known: {', '.join(get_args(By))}")
    if by == "group" and case.group:
        return f"group {case.group}"
    if by == "skill" and case.expected:
        return f"skill {' '.join(case.expected)}"
    return f"case {case.id}"


def clustered_share(values: Sequence[float], clusters: Sequence[str]) -> ClusteredMean:
    """Return the mean of shares (0..1 for each case) with its clustered error and an interval within 0..1.

    Args:
        values: one number for each case, 0..1.
        clusters: the cluster of each case.

    Raises:
        ValueError: there are no cases, or not as many clusters as values.
        MissingExtra: scipy is not installed.
    """
    mean, se, naive, count = _errors(values, clusters)
    low = high = None
    if se is not None:
        spread = mean * (1 - mean)
        effective = min(float(len(values)), spread / se**2) if se > 0 and spread > 0 else float(count)
        normal, student = _quantiles(count)
        low, high = _wilson(mean, effective * (normal / student) ** 2, normal)
    return _mean(mean, se, naive, low, high, len(values), count)


def clustered_mean(values: Sequence[float], clusters: Sequence[str]) -> ClusteredMean:
    """Return the mean of any numbers (such as differences) with its clustered error and a t interval.

    Raises:
        ValueError: there are no cases, or not as many clusters as values.
        MissingExtra: scipy is not installed.
    """
    mean, se, naive, count = _errors(values, clusters)
    low = high = None
    if se is not None:
        student = _quantiles(count)[1]
        low, high = mean - student * se, mean + student * se
    return _mean(mean, se, naive, low, high, len(values), count)


def _errors(
    values: Sequence[float], clusters: Sequence[str]
) -> tuple[float, float | None, float | None, int]:
    if not values or len(values) != len(clusters):
        raise ValueError("there must be cases, and one cluster for each")
    n = len(values)
    mean = math.fsum(values) / n
    sums: defaultdict[str, list[float]] = defaultdict(list)
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster].append(value - mean)
    count = len(sums)
    naive = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1) / n) if n > 1 else None
    if count < 2:
        return mean, None, naive, count
    meat = math.fsum(math.fsum(rests) ** 2 for rests in sums.values())
    return mean, math.sqrt(count / (count - 1) * meat) / n, naive, count


def _mean(
    mean: float,
    se: float | None,
    naive: float | None,
    low: float | None,
    high: float | None,
    n: int,
    count: int,
) -> ClusteredMean:
    if se is None:
        warning = "all cases are one cluster, so there is no error to be had"
    elif count < FEW:
        warning = f"only {count} clusters, so the error itself is uncertain; {FEW} or more are needed"
    else:
        warning = ""
    return ClusteredMean(
        value=mean, se=se, naive_se=naive, low=low, high=high, n=n, n_clusters=count, warning=warning
    )


@lru_cache(maxsize=4096)
def _quantiles(count: int) -> tuple[float, float]:
    try:
        from scipy.stats import norm, t
    except ImportError as error:
        raise MissingExtra("scipy", "eval") from error
    upper = (1 + CONFIDENCE) / 2
    return float(norm.ppf(upper)), float(t.ppf(upper, count - 1))


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's interval for a number of cases that need not be whole."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
