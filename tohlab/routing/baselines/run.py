"""Running baselines: each case is routed, and the answers are scored as a model's are."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Final, Literal, get_args

from tohlab.dialects import Dialect
from tohlab.dialects.harness import Harness
from tohlab.errors import MissingExtra, RoutingError
from tohlab.routing.aggregate import make_report
from tohlab.routing.answers import Answer
from tohlab.routing.baselines.abstain import PARTS, cross_fitted
from tohlab.routing.baselines.chance import Answers, by_chance, by_names, majority
from tohlab.routing.baselines.embedding import has_embedding, weights_name
from tohlab.routing.baselines.task import FLOORS, Task
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.report import RoutingReport
from tohlab.routing.scoring import Trial, judge
from tohlab.routing.unloaded import unloaded_notes
from tohlab.routing.wires import digests_of
from tohlab.skills.model import SkillSource

Baseline = Literal[
    "majority",
    "random",
    "names",
    "bm25",
    "tfidf",
    "embedding",
    "bm25+abstain",
    "tfidf+abstain",
    "embedding+abstain",
]
BASELINES: Final[tuple[str, ...]] = get_args(Baseline)
"""All there are, in the order of every table."""


def missing_baselines() -> dict[str, str]:
    """Return the baselines whose package is not installed, each with how to install it."""
    if has_embedding():
        return {}
    said = str(MissingExtra("wordllama", "embed"))
    return {name: said for name in BASELINES if name.startswith("embedding")}


def available_baselines() -> tuple[str, ...]:
    """Return the baselines that can run here."""
    missing = missing_baselines()
    return tuple(name for name in BASELINES if name not in missing)


def check_baselines() -> None:
    """Make sure that baselines can run, without importing anything.

    Raises:
        MissingExtra: a package of the extra `eval` is not installed.
    """
    for package in ("numpy", "scipy", "bm25s"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(package, "eval")


def run_baseline(
    name: str, dataset: RoutingDataset, source: SkillSource, *, dialect: str | Dialect | Harness = "toh"
) -> RoutingReport:
    """Route every case without a language model and return the scored result.

    Args:
        name: one of `BASELINES`.
        dataset: the labelled requests.
        source: the skills.
        dialect: whose catalog decides which skills there are.

    Raises:
        RoutingError: there is no such baseline, or there are too few labelled cases for its threshold.
        DatasetError: an expected skill is not in the catalog, or there is nothing to score.
        MissingExtra: what it needs is not installed (bm25s, numpy and scipy: `eval`; wordllama: `embed`).
    """
    if name not in BASELINES:
        raise RoutingError(f"there is no baseline {name!r}; known: {', '.join(BASELINES)}")
    return route(name, Task(dataset, source, dialect))


def run_baselines(
    dataset: RoutingDataset,
    source: SkillSource,
    *,
    names: Sequence[str] | None = None,
    dialect: str | Dialect | Harness = "toh",
) -> tuple[RoutingReport, ...]:
    """Route every case by several baselines and return the scored results, in the order of `names`.

    Args:
        dataset: the labelled requests.
        source: the skills.
        names: which; by default all that are installed, those with `+abstain` only where a case expects no
            skill and there are enough cases to choose a threshold.
        dialect: whose catalog decides which skills there are.

    Raises:
        RoutingError: there is no such baseline.
        DatasetError: an expected skill is not in the catalog, or there is nothing to score.
        MissingExtra: what one of `names` needs is not installed.
    """
    if unknown := [name for name in names or () if name not in BASELINES]:
        raise RoutingError(f"there is no baseline {unknown[0]!r}; known: {', '.join(BASELINES)}")
    task = Task(dataset, source, dialect)
    return tuple(route(name, task) for name in (default_names(task) if names is None else names))


def default_names(task: Task) -> tuple[str, ...]:
    """Return the baselines that are worth a row for these cases and can run here."""
    silent = any(case.expected == () for case in task.cases)
    enough = sum(case.labelled for case in task.cases) >= 2 * PARTS
    return tuple(
        name for name in available_baselines() if (silent and enough) or not name.endswith("+abstain")
    )


def route(name: str, task: Task) -> RoutingReport:
    """Return one baseline's scored result; `name` is one of `BASELINES`."""
    return route_with_notes(name, task)[0]


def route_with_notes(name: str, task: Task) -> tuple[RoutingReport, tuple[str, ...]]:
    """Return one baseline's scored result, and what is to be known of this baseline only."""
    picked, notes = _picked(name, task)
    trials = [
        Trial(case=case, label=judge(case, Answer(loaded=loaded)), loaded=loaded, replicate=i)
        for case, answers in zip(task.cases, picked, strict=True)
        for i, loaded in enumerate(answers)
    ]
    report = make_report(
        trials,
        model=f"baseline:{name}",
        dataset=task.dataset.name,
        skills=task.names,
        dialect=task.dialect.name,
        replicates=max(map(len, picked)),
        sample_of=task.dataset.sample_of,
        sample_seed=task.dataset.sample_seed,
        notes=[*unloaded_notes(task.unloaded), *notes],
        digests=digests_of(task.shown),
    )
    return report, tuple(notes)


def _picked(name: str, task: Task) -> tuple[list[Answers], list[str]]:
    if name == "majority":
        return majority(task), []
    if name == "names":
        return by_names(task), []
    if name == "random":
        answers, said = by_chance(task)
        return answers, [said]
    ranker, _, abstains = name.partition("+")
    weights = [f"weights: {weights_name()}"] if ranker == "embedding" else []
    if abstains:
        picked, said = cross_fitted(task, ranker)
        return [[loaded] for loaded in picked], [said]
    scores = task.scores(ranker)
    floor = FLOORS.get(ranker, float("-inf"))
    best, top = scores.argmax(axis=1), scores.max(axis=1)
    found: list[Answers] = [
        [(task.names[i],) if value > floor else ()] for i, value in zip(best, top, strict=True)
    ]
    always = [] if ranker in FLOORS else ["always loads the nearest skill: it has no threshold for no skill"]
    return found, [*always, *weights]
