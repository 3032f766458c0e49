"""Errors for cases that share their fate: the requests written for one skill, or paraphrases of one request.

Such cases are right or wrong together, so a rate over them is less certain than its n says (measured on
public routing sets: 1.9 and 3.5 times). The standard error is the cluster-robust one with the factor
G / (G - 1) (CR1). Intervals take the jackknife's over clusters: the same number where all clusters are of one
size, and not too small where they are not. Their degrees of freedom are those of as many equal clusters as
the sizes amount to, n^2 / sum of squared sizes, less one; for equal ones G - 1. The interval of a rate is
Wilson's with the effective number of cases that the error amounts to, widened for the degrees of freedom
(Korn and Graubard 1998), so that it stays within 0..1 and is Wilson's own where each case is a cluster. Where
all cases came out alike there is no variance to estimate, and each cluster counts as one case.
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
    found = _errors(values, clusters)
    low = high = None
    if found.se is not None:
        n, spread = found.n, found.mean * (1 - found.mean)
        if found.robust_se > 0 and spread > 0:
            effective = min(float(n), n * spread / (n - 1) / found.robust_se**2)
        else:
            effective = float(found.count)
        # As many cases as give with n - 1 degrees of freedom what these give with theirs.
        effective *= (_student(n - 1) / _student(found.freedom)) ** 2
        low, high = _wilson(found.mean, effective, _normal())
    return _mean(found, low, high)


def clustered_mean(values: Sequence[float], clusters: Sequence[str]) -> ClusteredMean:
    """Return the mean of any numbers (such as differences) with its clustered error and a t interval.

    Raises:
        ValueError: there are no cases, or not as many clusters as values.
        MissingExtra: scipy is not installed.
    """
    found = _errors(values, clusters)
    low = high = None
    if found.se is not None:
        half = _student(found.freedom) * found.robust_se
        low, high = found.mean - half, found.mean + half
    return _mean(found, low, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Errors:
    n: int
    count: int
    """Clusters."""
    mean: float
    naive_se: float | None
    se: float | None = None
    """CR1."""
    robust_se: float = 0.0
    """The jackknife's over clusters."""
    freedom: float = 0.0


def _errors(values: Sequence[float], clusters: Sequence[str]) -> _Errors:
    if not values or len(values) != len(clusters):
        raise ValueError("there must be cases, and one cluster for each")
    n = len(values)
    mean = math.fsum(values) / n
    parts: defaultdict[str, list[float]] = defaultdict(list)
    for value, cluster in zip(values, clusters, strict=True):
        parts[cluster].append(value - mean)
    count = len(parts)
    naive = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1) / n) if n > 1 else None
    if count < 2:
        return _Errors(n=n, count=count, mean=mean, naive_se=naive)
    sums = [(math.fsum(rests), len(rests)) for rests in parts.values()]
    meat = math.fsum(total**2 for total, _ in sums)
    left_out = math.fsum((total / (n - size)) ** 2 for total, size in sums)
    equal = n * n / sum(size * size for _, size in sums)
    return _Errors(
        n=n,
        count=count,
        mean=mean,
        naive_se=naive,
        se=math.sqrt(count / (count - 1) * meat) / n,
        robust_se=math.sqrt((count - 1) / count * left_out),
        # Nearly all cases in one cluster: less than one degree would be no distribution worth the name.
        freedom=max(1.0, equal - 1),
    )


def _mean(found: _Errors, low: float | None, high: float | None) -> ClusteredMean:
    if found.se is None:
        warning = "all cases are one cluster, so there is no error to be had"
    elif found.count < FEW:
        warning = f"only {found.count} clusters, so the error itself is uncertain; {FEW} or more are needed"
    else:
        warning = ""
    return ClusteredMean(
        value=found.mean,
        se=found.se,
        naive_se=found.naive_se,
        low=low,
        high=high,
        n=found.n,
        n_clusters=found.count,
        warning=warning,
    )


@lru_cache(maxsize=4096)
def _student(freedom: float) -> float:
    try:
        from scipy.special import stdtrit
    except ImportError as error:
        raise MissingExtra("scipy", "eval") from error
    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


@lru_cache(maxsize=1)
def _normal() -> float:
    return _student(math.inf)


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's interval for a number of cases that need not be whole."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)
