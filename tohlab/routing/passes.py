"""Several tries at each case: is one of them right, are all of them right."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tohlab.routing.statistics import pass_at_k, pass_hat_k


@dataclass(frozen=True, slots=True, kw_only=True)
class Passes:
    """What several tries at each case give, means over cases."""

    k: int
    """How many tries."""
    at_least_once: float
    """pass@k: one of `k` answers is right, 0..1."""
    every_time: float
    """pass^k: all of `k` answers are right, 0..1."""
    n: int
    """Cases with `k` scored answers or more."""
    left_out: int
    """Labelled cases with fewer, which are in neither number."""


def passes(results: Collection[Sequence[bool]], k: int, n_cases: int) -> Passes:
    """Return the means over the cases that have `k` answers.

    Args:
        results: for each case, whether each of its scored answers was right.
        k: how many tries.
        n_cases: all labelled cases, those without a scored answer among them.

    Raises:
        RoutingError: no case has `k` scored answers.
    """
    enough = [right for right in results if len(right) >= k]
    if not enough:
        pass_at_k(0, max(map(len, results), default=0), k)  # says what is missing
    n = len(enough)
    return Passes(
        k=k,
        at_least_once=sum(pass_at_k(sum(right), len(right), k) for right in enough) / n,
        every_time=sum(pass_hat_k(sum(right), len(right), k) for right in enough) / n,
        n=n,
        left_out=n_cases - n,
    )
