"""The routing part of a report: which runs there are for these skills, or what is missing to have one."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from tohlab.dialects import Dialect
from tohlab.errors import RoutingError, StoreError
from tohlab.report.convert import run_of
from tohlab.report.model import Routing, RoutingRun
from tohlab.routing.baselines import run_baselines
from tohlab.routing.client import ChatClient
from tohlab.routing.dataset import RoutingDataset, load_cases
from tohlab.routing.prompts import Choice, Placement, Prompter, prompter
from tohlab.routing.report import RoutingReport
from tohlab.routing.runner import run_routing
from tohlab.routing.store import ReplyStore
from tohlab.skills.model import SkillSource

PICTURED = ("bm25", "names")
"""The baselines whose confusion is drawn; of the others the rates say enough."""


def ask_or_replay(
    source: SkillSource,
    dialect: Dialect,
    *,
    cases: Path | str | None,
    recording: Path | str | None,
    client: ChatClient | None,
    model: str | None,
    choice: str | None,
    own: bool,
    options: Mapping[str, Any],
) -> Routing:
    """Return the routing part of a report: a live run or a replay where there is one, then the baselines.

    Args:
        source: the skills.
        dialect: whose texts are sent.
        cases: labelled requests, or None.
        recording: recorded answers, or None.
        client: a live service to ask instead, or None.
        model: whose answers.
        choice: how a live model is asked.
        own: these are tohlab's own skills and requests.
        options: passed on to `run_routing` for a live run.

    Raises:
        RoutingError: a live service without the name of a model, or anything that a run raises.
    """
    if cases is None:
        return Routing(note=_HOW_TO_LABEL)
    dataset = load_cases(cases)
    reports: list[RoutingReport] = []
    note = where = ""
    if client is not None:
        if model is None:
            raise RoutingError("a live service was given without the name of a model; add it (--model)")
        asked: dict[str, Any] = {"choice": choice} if choice else {}
        options = {**options, "baselines": False}  # they are set beside all the runs at once below
        reports.append(run_routing(dataset, source, client, model=model, dialect=dialect, **asked, **options))
        where = getattr(client, "base_url", "a live service")
    elif recording is not None:
        if own and not Path(recording).is_file():
            note = _NO_RECORDING
        else:
            reports += replay(dataset, source, recording, dialect=dialect, model=model)
            where = f"the recording {Path(recording).name}"
    else:
        note = _HOW_TO_ASK
    beside = run_baselines(_scored(dataset, reports), source, dialect=dialect)
    n = len(dataset)
    return Routing(
        runs=(*(run_of(report) for report in reports), *(_baseline(report) for report in beside)),
        cases=f"{n:,} labelled requests" + ("" if own else f" ({dataset.name})"),
        source=where,
        note=note,
    )


def _scored(dataset: RoutingDataset, reports: Sequence[RoutingReport]) -> RoutingDataset:
    """The cases that the model was scored on, so that the baselines have the same n; all without a model."""
    if not reports:
        return dataset
    ids = reports[0].right_shares()
    return replace(dataset, cases=tuple(case for case in dataset.cases if case.id in ids))


def _baseline(report: RoutingReport) -> RoutingRun:
    run = run_of(report)
    if report.model.removeprefix("baseline:") in PICTURED:
        return run
    return replace(run, confusion=None, misses=(), per_skill=())


def replay(
    dataset: RoutingDataset,
    source: SkillSource,
    recording: Path | str,
    *,
    dialect: str | Dialect = "toh",
    model: str | None = None,
) -> tuple[RoutingReport, ...]:
    """Return the runs that a recording holds the answers of, one for each of its models.

    How the model was asked (`tools` or `json`, where the catalog stood, at which temperature, how often each
    case) is found out from the recording.

    Args:
        dataset: the labelled requests.
        source: the skills.
        recording: recorded answers, JSON lines, perhaps compressed.
        dialect: whose texts were sent.
        model: only this model; None: all there are.

    Raises:
        StoreError: the recording cannot be read, or has no answers.
        ReplayMiss: it has no answer to one of the requests; the message shows the nearest one.
    """
    reports = []
    with ReplyStore(":memory:") as store:
        store.import_(recording)
        models = (model,) if model else store.models()
        if not models:
            raise StoreError(
                f"the recording {recording} has no answers; record some with tohlab route --export"
            )
        for name in models:
            asked = _how_asked(dataset, source, store, name, dialect)
            reports.append(
                run_routing(
                    dataset,
                    source,
                    None,
                    model=name,
                    dialect=dialect,
                    store=store,
                    mode="replay",
                    baselines=False,
                    **asked,
                )
            )
    return tuple(reports)


def _how_asked(
    dataset: RoutingDataset, source: SkillSource, store: ReplyStore, model: str, dialect: str | Dialect
) -> dict[str, Any]:
    """The settings under which the first case is in the store; the usual ones where there are none."""
    query = dataset.cases[0].query
    for choice, placement, (temperature, max_tokens) in itertools.product(
        get_args(Choice), get_args(Placement), store.samplings(model)
    ):
        try:
            made = prompter(
                source,
                model=model,
                dialect=dialect,
                choice=choice,
                placement=placement,
                temperature=temperature,
                seed=None,
                max_tokens=max_tokens,
            )
        except RoutingError:
            continue  # not every harness can be asked in every way
        request = made.request(query, 0)
        for endpoint in store.endpoints(model):
            if store.get(request, endpoint=endpoint) is not None:
                return {
                    "choice": choice,
                    "placement": placement,
                    "temperature": temperature,
                    "max_tokens": max_tokens,
                    "endpoint": endpoint,
                    "replicates": _replicates(dataset, made, store, endpoint),
                }
    return {}


def _replicates(dataset: RoutingDataset, made: Prompter, store: ReplyStore, endpoint: str) -> int:
    """How often every case was asked; 1 if some were not asked at all, which is then found out."""

    def whole(replicate: int) -> bool:
        asked = ((made.request(case.query, replicate), replicate) for case in dataset.cases)
        return all(store.get_many(asked, endpoint=endpoint))

    return next(number for number in itertools.count(1) if not whole(number))


_HOW_TO_LABEL = """\
There are no labelled requests for these skills, so nothing is said about which one gets picked. Write \
down what users ask and which skills should be loaded for it, one JSON object a line:

    {"id": "r1", "query": "Fill in the form in application.pdf", "expected": ["pdf-forms"]}
    {"id": "r2", "query": "What does this clause mean?", "expected": []}

An empty list says that no skill fits. Then give the file, and a model to ask:

    tohlab report DIR --cases cases.jsonl --base-url http://127.0.0.1:8080/v1 --model NAME

Without a model, simple baselines are scored on the requests."""

_HOW_TO_ASK = """\
These are baselines only: no model was asked. Name a service and a model to see how often it picks the right \
skill:

    tohlab report DIR --cases cases.jsonl --base-url http://127.0.0.1:8080/v1 --model NAME"""

_NO_RECORDING = """\
These are baselines only: the recorded answers of a model are not among the data of this tohlab. Ask a model \
yourself:

    tohlab report --base-url http://127.0.0.1:8080/v1 --model NAME"""
