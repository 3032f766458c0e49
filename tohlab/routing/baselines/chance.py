"""Baselines that read no description: by frequency, by chance, by names."""

from __future__ import annotations

import random
from collections import Counter
from typing import Final

from tohlab.routing.baselines.task import Task
from tohlab.routing.similarity import words

Answers = list[tuple[str, ...]]
MOST: Final = 100_000
"""Answers that `random` counts at most; beyond it draws from the possible ones."""


def majority(task: Task) -> list[Answers]:
    """Return for each case the expected set that is most frequent, the first by name among equals."""
    counts = Counter(case.expected for case in task.cases if case.expected is not None)
    most = max(sorted(counts), key=lambda expected: counts[expected])
    return [[most] for _ in task.cases]


def by_chance(task: Task) -> tuple[list[Answers], str]:
    """Return for each case every answer with at most one skill, each once, and what that means.

    The mean over them is the expected value of a pick by chance. Where that would be more than `MOST`
    answers, as many as fit are drawn for each case instead, and the sentence says so.
    """
    options: Answers = [(), *((name,) for name in task.names)]
    fit = max(1, MOST // len(task.cases))
    if fit >= len(options):
        return [options for _ in task.cases], (
            f"each of the {len(options)} answers (one skill, or none) counts once for each case: these are "
            "the expected values of a pick by chance, not one draw of it"
        )
    rng = random.Random(0)
    return [rng.sample(options, fit) for _ in task.cases], (
        f"{fit} of the {len(options)} answers (one skill, or none) were drawn for each case (seed 0): close "
        "to the expected values of a pick by chance"
    )


def chance_shares(task: Task) -> tuple[dict[str, float], str]:
    """Return for each labelled case, by its id, how likely a pick by chance is right, and what that means.

    The same as the means over all of `by_chance`, and exact for any number of skills: only no skill, the
    expected ones, their twins and the optional ones can be right, so only those are tried.
    """
    n = len(task.names) + 1
    known = set(task.names)
    shares = {}
    for case in task.cases:
        if case.expected is None:
            continue
        names = {*case.expected, *case.optional, *(twin for twin, _ in case.aliases)} & known
        options: Answers = [(), *((name,) for name in names)]
        right = sum(set(case.counted(loaded)) == set(case.expected) for loaded in options)
        shares[case.id] = right / n
    return shares, f"expected values of a pick by chance among {n} answers (one skill, or none), not one draw"


def by_names(task: Task) -> list[Answers]:
    """Return for each case the skill of whose name the request has the largest share of words, if any."""
    named = [(name, frozenset(words(name))) for name in task.names]
    found: list[Answers] = []
    for case in task.cases:
        asked = frozenset(words(case.query))
        best: tuple[float, int] = (0.0, 0)
        chosen: tuple[str, ...] = ()
        for name, own in named:
            shared = len(own & asked)
            if shared and (shared / len(own), shared) > best:
                best, chosen = (shared / len(own), shared), (name,)
        found.append([chosen])
    return found
