"""The rows of sweeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tohlab.errors import TohlabError
from tohlab.frames.columns import COLUMNS, Table
from tohlab.frames.routing_rows import rate_row, trial_rows
from tohlab.routing.sweeps import Sweep, SweepPoint


def sweep_rows(found: Sweep, table: Table | None) -> tuple[str, Iterable[Mapping[str, Any]]]:
    """Return the name and the rows of one of a sweep's tables."""
    if table in (None, "sweep"):
        return "sweep", _point_rows(found)
    if table in ("trials", "sweep_trials"):
        return "sweep_trials", _trial_rows(found)
    raise TohlabError(f"a sweep gives the tables 'sweep' and 'trials', not {table!r}")


def _settings(point: SweepPoint) -> dict[str, str | None]:
    given = {name.replace("-", "_"): value for name, value in point.settings}
    names = [column.name for column in COLUMNS["sweep_trials"]]
    if unknown := given.keys() - set(names):
        raise TohlabError(f"the axis {min(unknown)!r} has no column in the table of sweeps")
    return {name: given.get(name) for name in names[1 : names.index("case")]}


def _point_rows(found: Sweep) -> Iterable[Mapping[str, Any]]:
    best = {id(point) for point in found.frontier()}
    numbers = dict(zip(found.axes[0].labels, found.axes[0].numbers, strict=True))
    for i, point in enumerate(found.points):
        report, compared = point.report, point.comparison
        rates = {
            name: None if report is None or (rate := getattr(report, name)) is None else rate.value
            for name in ("no_skill", "one_skill", "several_skills")
        }
        reported = report is not None and report.tokens.reported > 0
        yield {
            "point": i,
            **_settings(point),
            "number": numbers[point.settings[0][1]],
            **rate_row("exact", point.exact),
            "missing": point.missing,
            "n_skills": point.n_skills,
            "catalog_tokens": point.catalog_tokens,
            "tool_tokens": point.tool_tokens,
            "nearest": point.nearest,
            **rates,
            "model_errors": None if report is None else report.n_model_error,
            "service_errors": None if report is None else report.n_service_error,
            "prompt_tokens": report.tokens.prompt if report is not None and reported else None,
            "cost_usd": point.cost_usd,
            "difference": None if compared is None else compared.difference,
            "difference_low": None if compared is None else compared.low,
            "difference_high": None if compared is None else compared.high,
            "p_adjusted": point.p_adjusted,
            "smallest": None if compared is None else compared.smallest,
            "gained": None if compared is None else len(compared.gained),
            "lost": None if compared is None else len(compared.lost),
            "verdict": point.verdict,
            "not_beaten": None if report is None else id(point) in best,
        }


def _trial_rows(found: Sweep) -> Iterable[Mapping[str, Any]]:
    for i, point in enumerate(found.points):
        settings = _settings(point)
        for row in trial_rows(point.report.trials if point.report is not None else ()):
            yield {"point": i, **settings, **row}
