"""A sweep is run: every point of the grid checked first, then each as a normal run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tohlab.dialects import Dialect
from tohlab.dialects.harness import Harness
from tohlab.errors import (
    AnswerNotKept,
    BudgetExceeded,
    EndpointError,
    ReplayMiss,
    RoutingError,
    RunInterrupted,
)
from tohlab.routing.aggregate import make_report
from tohlab.routing.baselines import run_baseline
from tohlab.routing.budget import Budget, Purse
from tohlab.routing.client import ChatClient
from tohlab.routing.clusters import By
from tohlab.routing.dataset import ListedSkills, RoutingDataset
from tohlab.routing.pricing import Price
from tohlab.routing.prompts import Choice, Placement
from tohlab.routing.report import RoutingReport
from tohlab.routing.run_settings import Progress
from tohlab.routing.runner import run_routing
from tohlab.routing.store import ReplyStore
from tohlab.routing.sweeps.comparing import Ran, summary
from tohlab.routing.sweeps.covariates import covariates
from tohlab.routing.sweeps.grid import Grid, plan_grid, wanted
from tohlab.routing.sweeps.plan import Axis, Plan
from tohlab.routing.sweeps.results import Sweep
from tohlab.routing.sweeps.telling import Told
from tohlab.routing.wires import Limit, find_dialect, find_wire
from tohlab.skills.model import SkillSource
from tohlab.tokens import TokenMeter, get_meter

_OWN = ("bad_request", "context_length", "content_filter", "garbage")
"""Failures that are about what one point asks; after any other the next point would fail too."""


def sweep(
    dataset: RoutingDataset,
    source: SkillSource,
    asked: ChatClient | str | None,
    *,
    over: Axis | Sequence[Axis],
    model: str = "",
    dialect: str | Dialect | Harness = "toh",
    description_limit: Limit = "own",
    choice: Choice = "tools",
    placement: Placement = "opening",
    enumerate_names: bool | None = None,
    earlier: SkillSource | None = None,
    price: Price | None = None,
    budget: Budget | None = None,
    store: ReplyStore | None = None,
    progress: Callable[[Progress], None] | None = None,
    meter: TokenMeter | None = None,
    by: By = "skill",
    comparing_seed: int = 0,
    **options: Any,
) -> Sweep:
    """Run every combination of the axes' values over the same cases and set the results side by side.

    Each point is a normal run (`run_routing`, or `run_baseline`), so with a store it replays, resumes and is
    paid once. All points are planned and checked before the first is asked. Each is compared with the first
    one, case by case, with Holm's correction for all of them.

    Args:
        dataset: the labelled requests.
        source: the skills.
        asked: a client; or the name of a baseline, which needs no model; or None, to replay from the store.
        over: one axis or several (`dialects`, `description_limits`, `orders`, `sizes`, `choices`,
            `placements`, `enumeration`, `paraphrases`, `models`, `baselines`, `catalog_states`).
        model: the model's name at the service.
        dialect: as in `run_routing`, where it is no axis; likewise `description_limit`, `choice`,
            `placement`, `enumerate_names`, `earlier`, `store`.
        price: what tokens cost; without one there is no money.
        budget: for the whole sweep: refused at the start if the prompts of all points are more; when it is
            used up, what is in the store is still read, and the rest is missing.
        progress: called with how far the whole sweep is.
        meter: counts what the list and the tools cost; by default o200k_base.
        by: what makes cases a cluster (see `clusters`).
        comparing_seed: of the redrawn clusters.
        options: `mode`, `replicates`, `concurrency`, `temperature`, `seed`, `max_tokens`, `endpoint` and
            `retry`, as in `run_routing`; none for a baseline.

    Raises:
        RoutingError: an axis that does not fit; a point that cannot be made.
        RunInterrupted: Ctrl-C; its `report` is the `Sweep` of what was answered, or None.
        TohlabError: as `run_routing`. A service that refuses what one point asks leaves that point without a
            score; only if all points are so is it raised.
    """
    meter = meter or get_meter()
    plan = Plan(
        dataset=dataset,
        source=source,
        asked=asked,
        model=model,
        dialect=dialect,
        description_limit=description_limit,
        choice=choice,
        placement=placement,
        enumerate_names=enumerate_names,
        earlier=earlier,
        price=price,
    )
    grid = plan_grid(plan, over)
    known = [covariates(made, meter) for _, made in grid.plans]
    asking = any(not isinstance(made.asked, str) for _, made in grid.plans)
    given = [*options, *(["store"] if store is not None else []), *(["budget"] if budget else [])]
    if not asking and given:
        raise RoutingError(f"a baseline asks nobody, so leave out {', '.join(sorted(given))}")
    if asking:
        _check_model(grid)
    purse = _purse(budget, grid, store, options)
    told = Told(progress, [_asked(made, options) for _, made in grid.plans])
    ran: list[Ran] = []

    def result() -> Sweep | None:
        if not any(one.report is not None for one in ran):
            return None
        return summary(grid.axes, ran, n_wanted=len(grid.plans), meter=meter.name, by=by, seed=comparing_seed)

    last: EndpointError | BudgetExceeded | None = None
    for (settings, made), knows in zip(grid.plans, known, strict=True):
        report, missing = None, ""
        where = ", ".join(f"{name} {value}" for name, value in settings)
        try:
            report = _run(made, store, purse, told, options)
        except (RunInterrupted, AnswerNotKept) as error:
            if isinstance(error.report, RoutingReport):
                ran.append(Ran(settings=settings, plan=made, known=knows, report=error.report, missing=""))
            raise type(error)(
                f"in the point {where} ({len(ran)} of {len(grid.plans)}): {error}",
                answered=told.before + error.answered,
                total=told.total,
                report=result(),
            ) from error
        except ReplayMiss as error:
            raise ReplayMiss(
                f"in the point {where}: {error}",
                key=error.key,
                nearest_key=error.nearest_key,
                difference=error.difference,
            ) from error
        except (EndpointError, BudgetExceeded) as error:
            if isinstance(error, EndpointError) and error.kind not in _OWN:
                raise EndpointError(
                    error.kind,
                    f"in the point {where}: {error}",
                    status=error.status,
                    retry_after_s=error.retry_after_s,
                ) from error
            last, missing = error, f"no score: {error}"
        told.next()
        ran.append(Ran(settings=settings, plan=made, known=knows, report=report, missing=missing))
    found = result()
    if found is None:
        assert last is not None
        raise last
    return found


def _check_model(grid: Grid) -> None:
    for settings, made in grid.plans:
        if not isinstance(made.asked, str) and not made.model:
            where = ", ".join(value for _, value in settings)
            raise RoutingError(f"the point {where} has no model; name one with model= or the axis models()")


def _run(
    plan: Plan, store: ReplyStore | None, purse: Purse | None, told: Told, options: Mapping[str, Any]
) -> RoutingReport:
    if isinstance(plan.asked, str):
        return baseline_report(plan)
    return run_routing(
        plan.dataset,
        plan.source,
        plan.asked,
        store=store,
        budget=purse,
        progress=told,
        **plan.asking(),
        **{"baselines": False, **options},
    )


def baseline_report(plan: Plan) -> RoutingReport:
    """Return what a baseline makes of a point; it reads the descriptions as the point's list has them, or
    whole where nothing limits them but the dialect itself."""
    assert isinstance(plan.asked, str)
    found = find_dialect(plan.dialect)
    if isinstance(found, Dialect) and plan.description_limit == "own":
        return run_baseline(plan.asked, plan.dataset, plan.source, dialect=found)
    wire = find_wire(found, plan.source, limit=plan.description_limit)
    report = run_baseline(plan.asked, plan.dataset, _AsListed(wire.shown))
    return make_report(
        report.trials,
        model=report.model,
        dataset=report.dataset,
        skills=report.skills,
        dialect=found.name,
        sample_of=report.sample_of,
        sample_seed=report.sample_seed,
    )


class _AsListed(ListedSkills):
    """Skills in the order and the words of a list."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        super().__init__(pairs)
        place = {name: i for i, (name, _) in enumerate(pairs)}
        self._skills = tuple(sorted(self._skills, key=lambda skill: place[skill.name]))


def _purse(
    budget: Budget | None, grid: Grid, store: ReplyStore | None, options: Mapping[str, Any]
) -> Purse | None:
    if budget is None:
        return None
    purse = Purse(budget)
    reads = store if options.get("mode") in (None, "replay", "replay_or_record") else None
    purse.check(request for _, plan in grid.plans for request in wanted(plan, reads, options)[0])
    return purse


def _asked(plan: Plan, options: Mapping[str, Any]) -> int:
    return 0 if isinstance(plan.asked, str) else len(plan.dataset.cases) * int(options.get("replicates", 1))
