"""A report that was written as JSON (`tohlab route --json --trials`), read back and counted again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tohlab.errors import DatasetError
from tohlab.routing.aggregate import make_report
from tohlab.routing.baseline_score import BaselineScore, RecallAtK
from tohlab.routing.client import Usage
from tohlab.routing.dataset import RoutingCase
from tohlab.routing.margins import Margin
from tohlab.routing.nearness import NearName
from tohlab.routing.report import RoutingReport
from tohlab.routing.scoring import Trial

_REMEDY = "write one with: tohlab route ... --json --trials > FILE"


def load_report(path: str | Path) -> RoutingReport:
    """Return a report as `RoutingReport.to_dict(trials=True)` wrote it.

    Every number is counted anew from the single answers; only the rows of the baselines, which need the
    skills, are taken as they were written.

    Raises:
        DatasetError: the file cannot be read, or is no such report; with its path.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise DatasetError("there is no such file", path) from None
    except OSError as error:
        raise DatasetError(f"cannot be read: {error.strerror}", path) from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"not JSON ({error}); {_REMEDY}", path) from None
    if not isinstance(data, dict) or not isinstance(data.get("trials"), list) or "skills" not in data:
        raise DatasetError(f"this is no report with its single answers; {_REMEDY}", path)
    try:
        trials = [_trial(row) for row in data["trials"]]
        own = set(_shown_notes(trials, data))
        report = make_report(
            trials,
            model=data["model"],
            dataset=data["dataset"],
            skills=tuple(data["skills"]),
            dialect=data["dialect"],
            choice=data["choice"],
            placement=data["placement"],
            replicates=data["replicates"],
            sample_of=data["sample_of"],
            sample_seed=data["sample_seed"],
            notes=[note for note in data["notes"] if note not in own],
            digests=tuple(data.get("digests", {}).items()),
        )
        return replace(
            report,
            baselines=tuple(BaselineScore.from_dict(row) for row in data.get("baselines", ())),
            retrieval=tuple(RecallAtK.from_dict(row) for row in data.get("retrieval", ())),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DatasetError(f"this is no report of this version ({error!r}); {_REMEDY}", path) from error


def _shown_notes(trials: list[Trial], data: Mapping[str, Any]) -> tuple[str, ...]:
    """The notes that counting anew gives by itself."""
    report = make_report(trials, model="", dataset="", skills=tuple(data["skills"]), dialect="")
    return report.notes


def _trial(row: Mapping[str, Any]) -> Trial:
    expected = row["expected"]
    case = RoutingCase(
        id=row["id"],
        query=row["query"],
        expected=None if expected is None else tuple(expected),
        not_expected=tuple(row["not_expected"]),
        optional=tuple(row["optional"]),
        aliases=tuple(row["aliases"].items()),
        group=row["group"],
        split=row["split"],
    )
    return Trial(
        case=case,
        label=row["label"],
        replicate=row["replicate"],
        loaded=tuple(row["loaded"]),
        invalid=tuple(row["invalid"]),
        near=tuple(NearName(**near) for near in row["near"]),
        repeats=row["repeats"],
        cut=row["cut"],
        detail=row["detail"],
        usage=Usage(**row["usage"]),
        latency_s=row["latency_s"],
        attempts=tuple(row["attempts"]),
        stored=row["stored"],
        margin=Margin.from_dict(row["margin"]) if row.get("margin") is not None else None,
    )
