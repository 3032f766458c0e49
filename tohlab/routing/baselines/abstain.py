"""A threshold for "no skill" that no case has a say in for itself.

A ranking always has a best skill. From which score on it is loaded can only be learnt from labels, and a
threshold learnt on the cases that are reported would flatter the baseline. So the cases are dealt into five
parts with a seed, and the threshold for each part is the one with which the other four come out best.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from tohlab.errors import RoutingError
from tohlab.routing.baselines.task import Task

PARTS: Final = 5
SEED: Final = 0


def cross_fitted(task: Task, ranker: str) -> tuple[list[tuple[str, ...]], str]:
    """Return for each case the best skill, or none below its part's threshold; and how that was chosen.

    Raises:
        RoutingError: there are too few labelled cases to learn from.
    """
    labelled = sum(case.labelled for case in task.cases)
    if labelled < 2 * PARTS:
        raise RoutingError(
            f"a threshold needs {2 * PARTS} labelled cases to be chosen on others than its own, and there "
            f"are {labelled}; take {ranker} without +abstain"
        )
    scores = task.scores(ranker)
    best = [task.names[i] for i in scores.argmax(axis=1)]
    top = [float(value) for value in scores.max(axis=1)]
    # What a case gains by loading its best skill instead of none: 1, 0 or -1.
    gains: list[int | None] = [
        None
        if case.expected is None
        else (set(case.counted((name,))) == set(case.expected)) - (not case.expected)
        for case, name in zip(task.cases, best, strict=True)
    ]
    places = list(range(len(best)))
    random.Random(SEED).shuffle(places)
    picked: list[tuple[str, ...]] = [()] * len(best)
    used = []
    for part in range(PARTS):
        own = set(places[part::PARTS])
        others = [(top[i], gain) for i in places if i not in own and (gain := gains[i]) is not None]
        threshold = _threshold(others)
        used.append(threshold)
        for i in own:
            picked[i] = (best[i],) if top[i] >= threshold else ()
    return picked, (
        f"no skill below a score that was chosen for each fifth of the cases on the other four (seed "
        f"{SEED}): {min(used):.3g} to {max(used):.3g}"
    )


def _threshold(found: Sequence[tuple[float, int]]) -> float:
    """The score from which loading pays most, halfway to the next lower one; the lowest such among equals."""
    ordered = sorted(found, key=lambda pair: -pair[0])
    most, threshold = 0, float("inf")
    total = 0
    for i, (score, gain) in enumerate(ordered):
        total += gain
        lower = ordered[i + 1][0] if i + 1 < len(ordered) else float("-inf")
        if lower < score and total >= most:  # equal scores are loaded together
            most, threshold = total, (score + lower) / 2
    return threshold
