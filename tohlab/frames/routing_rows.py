"""The rows of routing runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tohlab.errors import TohlabError
from tohlab.frames.columns import Table
from tohlab.routing.baseline_score import BaselineScore
from tohlab.routing.calibration import first_right
from tohlab.routing.comparison import RunComparison
from tohlab.routing.lints import LintReport
from tohlab.routing.report import RoutingReport
from tohlab.routing.scoring import Trial
from tohlab.routing.statistics import Rate


def report_rows(report: RoutingReport, table: Table | None) -> tuple[str, Iterable[Mapping[str, Any]]]:
    """Return the name and the rows of one of a routing report's tables."""
    chosen = table or "trials"
    if chosen == "trials":
        return chosen, trial_rows(report.trials)
    if chosen == "skills":
        return chosen, _skill_rows(report)
    if chosen == "confusion":
        return chosen, (
            {"expected": c.expected, "predicted": c.predicted, "n": c.n} for c in report.confusion()
        )
    if chosen == "margins":
        return chosen, margin_rows(report.trials)
    if chosen == "baselines":
        return chosen, _baseline_rows(report)
    raise TohlabError(
        "a routing report gives the tables 'trials', 'skills', 'confusion', 'margins' and 'baselines', not "
        f"{chosen!r}"
    )


def trial_rows(trials: Sequence[Trial]) -> Iterable[Mapping[str, Any]]:
    """Yield one row for each answer."""
    for trial in trials:
        expected = trial.case.expected
        scored = expected is not None and trial.state != "service_error"
        yield {
            "case": trial.case.id,
            "query": trial.case.query,
            "group": trial.case.group,
            "replicate": trial.replicate,
            "expected": " ".join(expected) if expected is not None else None,
            "loaded": " ".join(trial.loaded),
            "invalid": " ".join(trial.invalid),
            "label": trial.label,
            "state": trial.state,
            "right": trial.right if scored else None,
            "detail": trial.detail,
            "latency_s": trial.latency_s,
        }


def margin_rows(trials: Sequence[Trial]) -> Iterable[Mapping[str, Any]]:
    """Yield one row for each scored answer; NA where the service gave no log-probabilities of the name."""
    for trial in trials:
        if not trial.case.labelled or trial.state == "service_error":
            continue
        found = trial.margin
        yield {
            "case": trial.case.id,
            "replicate": trial.replicate,
            "expected": " ".join(trial.case.expected or ()),
            "name": found and found.name,
            "share": found and found.share,
            "probability": found and found.probability,
            "runner_up": found and found.runner_up,
            "runner_up_share": found and found.runner_up_share,
            "margin": found and found.margin,
            "ambiguous": found and found.ambiguous,
            "unseen": found and found.unseen,
            "name_tokens": found and found.n_tokens,
            "first_right": first_right(trial) if found else None,
            "right": trial.right,
        }


def _baseline_rows(report: RoutingReport) -> Iterable[Mapping[str, Any]]:
    own = (report.exact, report.one_skill, report.several_skills, report.no_skill)
    yield {"picker": report.model, "baseline": report.is_baseline, **_rates(own), **_versus(None)}
    for row in report.baselines:
        rates = (row.exact, row.one_skill, row.several_skills, row.no_skill)
        yield {"picker": row.name, "baseline": True, **_rates(rates), **_versus(row)}


def _rates(rates: Sequence[Rate | None]) -> dict[str, Any]:
    exact, one, several, none = rates
    return {
        **rate_row("exact", exact),
        "one_skill": one and one.value,
        "several_skills": several and several.value,
        "no_skill": none and none.value,
    }


def _versus(row: BaselineScore | None) -> dict[str, Any]:
    names = ("gained", "lost", "difference", "low", "high", "p_value", "p_adjusted")
    values = {name: getattr(row, name) if row else None for name in names}
    return {
        "difference_low" if k == "low" else "difference_high" if k == "high" else k: v
        for k, v in values.items()
    }


def _skill_rows(report: RoutingReport) -> Iterable[Mapping[str, Any]]:
    for score in report.per_skill:
        yield {
            "name": score.name,
            "support": score.support,
            "predicted": score.predicted,
            **rate_row("precision", score.precision),
            **rate_row("recall", score.recall),
            "f1": score.f1,
        }


def change_rows(found: RunComparison) -> Iterable[Mapping[str, Any]]:
    """Yield one row for each case that was gained or lost."""
    for name, changes in (("gained", found.gained), ("lost", found.lost)):
        for change in changes:
            yield {
                "case": change.case,
                "query": change.query,
                "expected": " ".join(change.expected),
                "change": name,
                "a_right": change.a_right,
                "b_right": change.b_right,
                "a_loaded": " ".join(change.a_loaded),
                "b_loaded": " ".join(change.b_loaded),
                "a_label": change.a_label,
                "b_label": change.b_label,
            }


def lint_rows(found: LintReport) -> Iterable[Mapping[str, Any]]:
    """Yield one row for each lint."""
    for lint in found.lints:
        yield {
            "code": lint.code,
            "level": lint.level,
            "message": lint.message,
            "cases": " ".join(lint.cases),
            "skills": " ".join(lint.skills),
        }


def rate_row(name: str, rate: Rate | None) -> dict[str, Any]:
    """Return the four columns of a rate."""
    if rate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None, f"{name}_n": 0}
    return {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high, f"{name}_n": rate.n}
