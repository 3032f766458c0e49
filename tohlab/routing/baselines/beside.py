"""The baselines beside a model's result: on the cases that it was scored on, and how far apart they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from tohlab.dialects import Dialect
from tohlab.dialects.harness import Harness
from tohlab.routing.baseline_score import BaselineScore
from tohlab.routing.baselines.chance import chance_shares
from tohlab.routing.baselines.retrieval import recall_of
from tohlab.routing.baselines.run import (
    available_baselines,
    default_names,
    missing_baselines,
    route_with_notes,
)
from tohlab.routing.baselines.task import RANKERS, Task
from tohlab.routing.clusters import cluster_of
from tohlab.routing.dataset import RoutingCase, RoutingDataset
from tohlab.routing.paired import paired_bootstrap
from tohlab.routing.report import RoutingReport
from tohlab.routing.statistics import Rate, holm, rate
from tohlab.skills.model import SkillSource

RESAMPLES: Final = 1_999
SEED: Final = 0


def with_baselines(
    report: RoutingReport, source: SkillSource, *, dialect: str | Dialect | Harness | None = None
) -> RoutingReport:
    """Return a model's report with the baselines for the same cases beside it, and what a search would offer.

    The same cases are those that the model was scored on, so that all rows have one n. Each baseline is
    compared with the model case by case, cases that expect the same skills together.

    Args:
        report: the model's report.
        source: the skills that it was asked with.
        dialect: whose catalog; by default the report's, by its name.

    Raises:
        DatasetError: the skills are not those of the report's cases.
        MissingExtra: a package of the extra `eval` is not installed.
    """
    shares = report.right_shares()
    cases = tuple(case for case in report.cases() if case.id in shares)
    dataset = RoutingDataset(
        cases=cases, name=report.dataset, sample_of=report.sample_of, sample_seed=report.sample_seed
    )
    task = Task(dataset, source, dialect or report.dialect)
    rows = []
    for name in default_names(task):
        own, notes = _shares(name, task)
        differences = [shares[case.id] - own[case.id] for case in cases]
        redrawn = paired_bootstrap(
            differences, [cluster_of(case) for case in cases], seed=SEED, resamples=RESAMPLES
        )
        rows.append(
            BaselineScore(
                name=name,
                exact=_rate(own, cases),
                one_skill=_rate_or_none(own, [c for c in cases if len(c.expected or ()) == 1]),
                several_skills=_rate_or_none(own, [c for c in cases if len(c.expected or ()) > 1]),
                no_skill=_rate_or_none(own, [c for c in cases if not c.expected]),
                gained=sum(difference > 1e-9 for difference in differences),
                lost=sum(difference < -1e-9 for difference in differences),
                difference=sum(differences) / len(differences),
                low=redrawn.low,
                high=redrawn.high,
                p_value=redrawn.p_value,
                p_adjusted=None,
                seed=SEED,
                resamples=RESAMPLES,
                notes=notes,
            )
        )
    adjusted = holm([1.0 if row.p_value is None else row.p_value for row in rows])
    scored = tuple(
        replace(row, p_adjusted=None if row.p_value is None else p)
        for row, p in zip(rows, adjusted, strict=True)
    )
    available = [name for name in RANKERS if name in available_baselines()]
    left_out = [
        f"the baseline {name} was left out: {said}"
        for name, said in missing_baselines().items()
        if "+" not in name
    ]
    return replace(
        report,
        baselines=scored,
        retrieval=recall_of(task, available),
        notes=(*report.notes, *left_out),
    )


def _shares(name: str, task: Task) -> tuple[Mapping[str, float], tuple[str, ...]]:
    """How much of each case a baseline has right, and what is to be known of it."""
    if name == "random":  # its report has an answer for each skill and case, and would take seconds
        shares, said = chance_shares(task)
        return shares, (said,)
    found, notes = route_with_notes(name, task)
    return found.right_shares(), notes


def _rate_or_none(shares: Mapping[str, float], cases: Sequence[RoutingCase]) -> Rate | None:
    return rate(sum(shares[case.id] for case in cases), len(cases))


def _rate(shares: Mapping[str, float], cases: Sequence[RoutingCase]) -> Rate:
    found = _rate_or_none(shares, cases)
    assert found is not None  # a report has a case that was scored
    return found
