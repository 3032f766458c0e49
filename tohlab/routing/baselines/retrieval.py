"""Retrieve, then route: if a search narrows the catalog first, how often is the right skill still in it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tohlab.dialects import Dialect
from tohlab.dialects.harness import Harness
from tohlab.errors import RoutingError
from tohlab.routing.baseline_score import RecallAtK
from tohlab.routing.baselines.run import available_baselines
from tohlab.routing.baselines.task import RANKERS, Task
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.statistics import rate
from tohlab.skills.model import SkillSource

KS: Final = (1, 3, 5, 10, 20)


def retrieval_recall(
    dataset: RoutingDataset,
    source: SkillSource,
    *,
    rankers: Sequence[str] | None = None,
    ks: Sequence[int] = KS,
    dialect: str | Dialect | Harness = "toh",
) -> tuple[RecallAtK, ...]:
    """Return how often the expected skills are among the k that a search ranks first.

    Cases that expect no skill say nothing here and are left out. Twins count as the skill that is labelled.

    Args:
        dataset: the labelled requests.
        source: the skills.
        rankers: `bm25`, `tfidf`, `embedding`; by default all that are installed.
        ks: how many skills are offered; those that are not fewer than the catalog's are left out.
        dialect: whose catalog decides which skills there are.

    Raises:
        RoutingError: there is no such ranker, or a k below 1.
        DatasetError: an expected skill is not in the catalog, or there is nothing to score.
        MissingExtra: what one of `rankers` needs is not installed.
    """
    if unknown := [name for name in rankers or () if name not in RANKERS]:
        raise RoutingError(f"nothing ranks skills by {unknown[0]!r}; known: {', '.join(RANKERS)}")
    if any(k < 1 for k in ks):
        raise RoutingError("a search has to offer at least one skill (k >= 1)")
    task = Task(dataset, source, dialect)
    chosen = rankers if rankers is not None else [name for name in RANKERS if name in available_baselines()]
    return recall_of(task, chosen, ks)


def recall_of(task: Task, rankers: Sequence[str], ks: Sequence[int] = KS) -> tuple[RecallAtK, ...]:
    """Return the same for a task whose rankings may be known already."""
    rows = []
    for ranker in rankers:
        # A stable sort of the negated scores, so that the first in catalog order wins a tie.
        order = (-task.scores(ranker)).argsort(axis=1, kind="stable")
        needed = []
        for case, ranked in zip(task.cases, order, strict=True):
            if not case.expected:
                continue
            names = [dict(case.aliases).get(task.names[i], task.names[i]) for i in ranked]
            needed.append(1 + max(names.index(name) for name in case.expected))
        for k in ks:
            if k < len(task.names) and (found := rate(sum(n <= k for n in needed), len(needed))):
                rows.append(RecallAtK(ranker=ranker, k=k, recall=found))
    return tuple(rows)
