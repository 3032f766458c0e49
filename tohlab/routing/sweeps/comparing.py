"""From the reports of all points to the sweep: each beside the first, corrected for how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tohlab.errors import RoutingError
from tohlab.routing.clusters import By
from tohlab.routing.compare import compare
from tohlab.routing.comparison import RunComparison
from tohlab.routing.order import OrderEffects, flips, loads_of, order_effects
from tohlab.routing.report import RoutingReport
from tohlab.routing.statistics import Rate, holm
from tohlab.routing.sweeps.covariates import Covariates
from tohlab.routing.sweeps.plan import Plan
from tohlab.routing.sweeps.results import Sweep, SweepPoint, SweptAxis


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One point that was run."""

    settings: tuple[tuple[str, str], ...]
    plan: Plan
    known: Covariates
    report: RoutingReport | None
    missing: str


def summary(
    axes: tuple[SweptAxis, ...], ran: Sequence[Ran], *, n_wanted: int, meter: str, by: By, seed: int
) -> Sweep:
    """Return the sweep of the points that were run."""
    looks = [_look(ran[0], one, by, seed) if i else (None, "") for i, one in enumerate(ran)]
    compared = [i for i, (found, _) in enumerate(looks) if found is not None]
    adjusted = dict(zip(compared, holm([_surest(looks[i][0]) for i in compared]), strict=True))
    points = tuple(
        SweepPoint(
            settings=one.settings,
            report=one.report,
            missing=one.missing,
            n_skills=one.known.n_skills,
            catalog_tokens=one.known.catalog_tokens,
            tool_tokens=one.known.tool_tokens,
            nearest=one.known.nearest,
            cost_usd=_cost(one),
            comparison=found,
            p_adjusted=adjusted.get(i),
            why_not=why_not,
            notes=tuple(
                dict.fromkeys(
                    (*one.plan.notes, *one.known.notes, *(one.report.notes if one.report is not None else ()))
                )
            ),
        )
        for i, (one, (found, why_not)) in enumerate(zip(ran, looks, strict=True))
    )
    models = dict.fromkeys(one.report.model for one in ran if one.report is not None)
    return Sweep(
        dataset=ran[0].plan.dataset.name,
        asked=", ".join(models),
        axes=axes,
        points=points,
        n_wanted=n_wanted,
        meter=meter,
        flip=_flip(ran),
        order=_order(axes, ran),
        notes=_notes(ran, n_wanted),
    )


def _look(first: Ran, one: Ran, by: By, seed: int) -> tuple[RunComparison | None, str]:
    if first.report is None or one.report is None:
        return None, "" if one.report is None else "the first point has no score to compare with"
    if one.plan.apart or first.plan.apart:
        return None, f"not compared with the first point: {one.plan.apart or first.plan.apart}"
    try:
        found = compare(
            _aligned(first, first.report),
            _aligned(one, one.report),
            by=by,
            seed=seed,
            price=first.plan.price,
            price_b=one.plan.price,
        )
    except RoutingError as error:
        return None, f"not compared with the first point: {error}"
    return found, ""


def _aligned(one: Ran, report: RoutingReport) -> RoutingReport:
    """The report with each case as the one that it stands for."""
    stands_for = one.plan.stands_for
    if not stands_for:
        return report
    trials = []
    for trial in report.trials:
        seed = stands_for.get(trial.case.id, trial.case)
        trials.append(replace(trial, case=replace(trial.case, id=seed.id, query=seed.query)))
    return replace(report, trials=tuple(trials))


def _surest(found: RunComparison | None) -> float:
    """The p-value by which a verdict goes: a difference has to hold for cases and for whole clusters."""
    assert found is not None
    return max(found.p_value, 1.0 if found.clustered_p is None else found.clustered_p)


def _cost(one: Ran) -> float | None:
    if one.report is None or one.plan.price is None or isinstance(one.plan.asked, str):
        return None
    cost = one.report.cost(one.plan.price)
    answers = sum(t.state != "service_error" for t in one.report.trials)
    return None if cost.n_unknown or not answers else cost.now_usd + cost.recorded_usd


def _comparable(ran: Sequence[Ran]) -> list[RoutingReport]:
    return [_aligned(one, one.report) for one in ran if one.report is not None and not one.plan.apart]


def _flip(ran: Sequence[Ran]) -> Rate | None:
    reports = _comparable(ran)
    return flips([loads_of(report) for report in reports]) if len(reports) > 1 else None


def _order(axes: tuple[SweptAxis, ...], ran: Sequence[Ran]) -> OrderEffects | None:
    reports = _comparable(ran)
    if [axis.name for axis in axes] != ["order"] or len(reports) < 2:
        return None
    return order_effects(reports, parts=3)


def _notes(ran: Sequence[Ran], n_wanted: int) -> tuple[str, ...]:
    notes = []
    if len(ran) < n_wanted:
        notes.append(f"the sweep was stopped: {len(ran)} of {n_wanted} points were begun")
    if (failed := sum(one.missing != "" for one in ran)) > 0:
        notes.append(f"{failed} of {len(ran)} points have no score")
    return tuple(notes)
