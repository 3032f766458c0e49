"""Choosing among several runs without being fooled: splits that keep copies together, and a test of the best.

The best of m descriptions looks good on the cases it was chosen by even if all are the same: with five
identical ones a common design declares a winner in 62 to 69 of 100 runs. So the cases by which one chooses
and the cases by which one reports are apart, and `best_of` says whether there is evidence for any.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tohlab.errors import MissingExtra, RoutingError
from tohlab.routing.clusters import By, cluster_of
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.paired import RESAMPLES, p_text
from tohlab.routing.power import ALPHA
from tohlab.routing.report import RoutingReport
from tohlab.routing.similarity import pairs

SHARES: Mapping[str, float] = {"train": 0.4, "selection": 0.3, "report": 0.3}
"""Write descriptions by `train`, choose one by `selection`, and report on `report` once."""


def split_cases(
    dataset: RoutingDataset,
    shares: Mapping[str, float] = SHARES,
    *,
    seed: int = 0,
    alike: float = 0.8,
) -> RoutingDataset:
    """Return the cases with a `split` each, drawn with `seed`; cases that are near copies stay together.

    Each set of expected skills is spread over the splits by the shares, so that every skill has cases in
    each as far as there are enough.

    Args:
        dataset: the cases; splits that they have are replaced.
        shares: the splits' names and how large each is, as shares of 1.
        seed: of the draw.
        alike: from which TF-IDF cosine on two requests count as copies.

    Raises:
        RoutingError: the shares are not positive numbers that add up to 1.
    """
    if not shares or min(shares.values()) <= 0 or abs(sum(shares.values()) - 1) > 1e-9:
        raise RoutingError(f"the shares of splits must be above 0 and add up to 1, not {dict(shares)}")
    group = list(range(len(dataset.cases)))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    for i, j, _ in pairs([case.query for case in dataset.cases], alike):
        group[root(j)] = root(i)
    copies: defaultdict[int, list[int]] = defaultdict(list)
    for i in range(len(dataset.cases)):
        copies[root(i)].append(i)
    strata: defaultdict[tuple[str, ...] | None, list[list[int]]] = defaultdict(list)
    for first, found in copies.items():
        strata[dataset.cases[first].expected].append(found)
    rng = random.Random(seed)
    placed: dict[int, str] = {}
    filled = dict.fromkeys(shares, 0)
    for stratum in strata.values():
        rng.shuffle(stratum)
        stratum.sort(key=len, reverse=True)
        here = dict.fromkeys(shares, 0)
        size = sum(map(len, stratum))
        for found in stratum:
            # Where the stratum lacks most; among equals, where the whole lacks most.
            name = max(
                shares,
                key=lambda s: (
                    round(shares[s] * size - here[s], 9),
                    shares[s] * (len(placed) + 1) - filled[s],
                ),
            )
            here[name] += len(found)
            filled[name] += len(found)
            placed.update(dict.fromkeys(found, name))
    cases = tuple(replace(case, split=placed[i]) for i, case in enumerate(dataset.cases))
    return replace(dataset, cases=cases)


def only_split(dataset: RoutingDataset, split: str) -> RoutingDataset:
    """Return the cases of one split.

    Raises:
        RoutingError: no case is in it; the message lists the splits there are.
    """
    cases = tuple(case for case in dataset.cases if case.split == split)
    if not cases:
        known = ", ".join(sorted({case.split for case in dataset.cases if case.split})) or "none"
        raise RoutingError(f"no case is in the split {split!r}; splits: {known}")
    return replace(dataset, cases=cases, sample_of=len(dataset.cases))


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which of several runs over the same cases came out best, and whether that means anything."""

    best: int
    """The position of the best run, the first of those that are equal."""
    means: tuple[float, ...]
    """The exact rates over the cases that all runs scored, 0..1. The best one's is flattered by the choice,
    so it is no estimate of how good that run is; ask again on cases that were not used."""
    p_value: float
    """How often the best of as many equal runs would stand out as much."""
    evidence: bool
    """Whether `p_value` is below 0.05."""
    n: int
    """The cases that all runs scored."""
    looks: int
    """How many runs were compared."""
    seed: int
    insensitive: bool
    """Whether all runs came out the same in every case, so that these cases cannot tell them apart."""

    @property
    def sentence(self) -> str:
        """What may be said, as one sentence."""
        if self.insensitive:
            return f"No evidence: all {self.looks} runs are right and wrong in the same {self.n} cases."
        if not self.evidence:
            return (
                f"No evidence that any of the {self.looks} runs is better ({p_text(self.p_value)}, "
                f"n = {self.n}): the best of equals would often look as good."
            )
        return (
            f"Run {self.best} stands out of {self.looks} ({p_text(self.p_value)}, n = {self.n}); measure how "
            "good it is on cases that were not used for choosing."
        )


def best_of(
    reports: Sequence[RoutingReport], *, by: By = "skill", seed: int = 0, resamples: int = RESAMPLES
) -> Selection:
    """Return the best of several runs over the same cases, with a test of whether it stands out.

    The test deals the runs' results of each cluster of cases out anew, as if the runs were equal, and counts
    how often the best then stands out as much.

    Raises:
        RoutingError: fewer than two runs, or no case that all of them scored.
        MissingExtra: numpy is not installed.
    """
    if len(reports) < 2:
        raise RoutingError("there must be two runs or more to choose from")
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtra("numpy", "eval") from error
    shares = [report.right_shares() for report in reports]
    common = [case for case in reports[0].cases() if all(case.id in found for found in shares)]
    if not common:
        raise RoutingError("there is no case that all of the runs scored")
    names: dict[str, int] = {}
    index = np.array([names.setdefault(cluster_of(case, by), len(names)) for case in common])
    scores = np.array([[found[case.id] for case in common] for found in shares])
    sums = np.array([np.bincount(index, weights=row, minlength=len(names)) for row in scores]).T
    totals = sums.sum(axis=0)
    observed = totals.max() - totals.mean()
    rng = np.random.default_rng(seed)
    extreme = 0
    for start in range(0, resamples, 1000):  # in pieces, so that large sets need little memory
        take = min(1000, resamples - start)
        dealt = rng.permuted(np.broadcast_to(sums, (take, *sums.shape)), axis=2).sum(axis=1)
        extreme += int((dealt.max(axis=1) - dealt.mean(axis=1) >= observed - 1e-9).sum())
    p_value = (1 + extreme) / (1 + resamples)
    return Selection(
        best=int(totals.argmax()),
        means=tuple(float(total) / len(common) for total in totals),
        p_value=p_value,
        evidence=p_value < ALPHA,
        n=len(common),
        looks=len(reports),
        seed=seed,
        insensitive=bool((scores == scores[0]).all()),
    )
