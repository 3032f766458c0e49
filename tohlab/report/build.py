"""From a folder of skills to a `Report`: each room is asked once, and what it says is put side by side."""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from tohlab import __version__
from tohlab.catalog import Catalog
from tohlab.dialects import Dialect, get_dialect
from tohlab.edits import what_edits_cost
from tohlab.errors import RoutingError, SkillError, StoreError
from tohlab.library import library_cases, library_recording, library_skills
from tohlab.report.convert import change_of, pieces_of, run_of
from tohlab.report.model import (
    FileRow,
    FileStatus,
    ProblemRow,
    Provenance,
    Report,
    Routing,
    SkillRow,
    TextPiece,
)
from tohlab.request import TextBlock
from tohlab.routing.baselines import run_baseline
from tohlab.routing.client import ChatClient
from tohlab.routing.dataset import RoutingDataset, load_cases
from tohlab.routing.prompts import Choice, Placement, prompter
from tohlab.routing.report import RoutingReport
from tohlab.routing.runner import run_routing
from tohlab.routing.store import ReplyStore
from tohlab.skills.checks import FileReport, check_tree
from tohlab.skills.model import Problem, SkillSource, Snapshot
from tohlab.skills.sources import FilesystemSource
from tohlab.tokens import CatalogCost, TokenMeter, get_meter, measure_catalog

BASELINES = ("bm25", "names")


def build_report(
    directory: Path | str | None = None,
    *,
    dialect: str | Dialect = "toh",
    meter: TokenMeter | None = None,
    cases: Path | str | None = None,
    recording: Path | str | None = None,
    client: ChatClient | None = None,
    model: str | None = None,
    choice: str | None = None,
    title: str | None = None,
    date: str | None = None,
    **run_options: Any,
) -> Report:
    """Return everything there is to say about one folder of skills.

    Args:
        directory: where the skills are, at any depth; None for tohlab's own library, with its labelled
            requests and its recorded answers.
        dialect: whose texts.
        meter: what counts tokens; `o200k_base` unless told otherwise.
        cases: labelled requests for these skills, JSON lines; without them nothing is said about routing.
        recording: recorded answers to those requests, to be replayed.
        client: a live service to ask instead; needs `model`.
        model: whose answers; None takes the only one in the recording.
        choice: how a live model is asked, `tools` or `json`; a recording says it by itself.
        title: the report's name; the folder's own name unless given.
        date: a date to print; no clock is read.
        run_options: passed on to `run_routing` for a live run (`store`, `replicates`, `progress`, ...).

    Raises:
        SkillError: there is no skill file in the folder.
        DatasetError: the cases cannot be read, or name a skill that is not there.
        StoreError: the recording cannot be read.
        ReplayMiss: the recording lacks an answer.
        EndpointError: the live service did not answer.
        EncodingUnavailable: the default encoding cannot be had.
    """
    harness = get_dialect(dialect)
    meter = meter or get_meter()
    own = directory is None
    folder = library_skills() if directory is None else Path(directory)
    files = check_tree(folder)
    if not any(file.is_skill_file for file in files):
        raise SkillError(
            f"{folder} has no skill; a skill is a folder with a SKILL.md, or a .md file beside it"
        )
    source = FilesystemSource.tree(folder)
    snapshot = source.snapshot()
    catalog = harness.catalog_of(snapshot)
    block = harness.render_catalog(catalog, "initial") if catalog.entries else None
    cost = measure_catalog(source, harness, meter, bodies=True, snapshot=snapshot)
    edits = what_edits_cost(source, harness, meter, snapshot=snapshot)
    if own:
        cases = cases or library_cases()
        if recording is None and client is None:
            recording = library_recording()
    name = title or ("tohlab's own library" if own else folder.resolve().name)
    return Report(
        title=name,
        command=shlex.join(["tohlab", "render", "datasets/skills" if own else str(directory)]),
        provenance=Provenance(
            tohlab_version=__version__,
            dialect=harness.name,
            program=harness.provenance.program,
            dialect_version=harness.version,
            dialect_date=harness.date,
            fidelity=harness.fidelity,
            encoding=meter.name,
            renderer=cost.renderer,
            date=date,
        ),
        catalog=_catalog(block, cost) if block else (),
        catalog_digest=catalog.digest,
        tool_schema=harness.skill_tool().to_json(),
        catalog_tokens=sum(row.tokens for row in cost.rows if row.kind != "tool"),
        frame_tokens=sum(row.tokens for row in cost.rows if row.kind == "catalog"),
        tool_tokens=sum(row.tokens for row in cost.rows if row.kind == "tool"),
        skills=_skills(block, catalog, cost, snapshot, folder),
        changes=tuple(change_of(cost) for cost in edits),
        changes_note="" if edits else "A model is told of no skill here, so there is nothing to change.",
        routing=_routing(
            source,
            harness,
            cases=cases,
            recording=recording,
            client=client,
            model=model,
            choice=choice,
            own=own,
            options=run_options,
        ),
        files=_files(files, snapshot, folder, harness.name),
        complete=snapshot.complete,
    )


def _catalog(block: TextBlock, cost: CatalogCost) -> tuple[TextPiece, ...]:
    entries = [row.tokens for row in cost.rows if row.kind == "skill"]
    frame = sum(row.tokens for row in cost.rows if row.kind == "catalog")
    return pieces_of(block, entries, frame)


def _skills(
    block: TextBlock | None, catalog: Catalog, cost: CatalogCost, snapshot: Snapshot, folder: Path
) -> tuple[SkillRow, ...]:
    if block is None:
        return ()
    paths = {skill.name: skill.path for skill in snapshot.skills}
    rows = (row for row in cost.rows if row.kind == "skill")
    return tuple(
        SkillRow(
            name=entry.name,
            description=entry.description,
            entry_tokens=row.tokens,
            entry_characters=span.stop - span.start,
            loaded_tokens=row.loaded_tokens,
            path=_relative(path, folder) if (path := paths[entry.name]) else None,
        )
        for entry, row, span in zip(catalog.entries, rows, block.spans, strict=True)
    )


def _relative(path: str, folder: Path) -> str:
    """The path below the folder, with `/` on every system, as `check_tree` writes it."""
    return os.path.relpath(path, os.path.abspath(folder)).replace(os.sep, "/")  # noqa: PTH100 (links stay)


def _files(
    files: Sequence[FileReport], snapshot: Snapshot, folder: Path, dialect: str
) -> tuple[FileRow, ...]:
    top = os.path.join(os.path.abspath(folder), "")  # noqa: PTH100, PTH118 (links stay as they are)
    hidden = {
        _relative(skill.path, folder)
        for skill in snapshot.skills
        if skill.path and not skill.invocation.model_invocable
    }
    return tuple(
        FileRow(
            path=file.path,
            name=file.name,
            status=_status(file, file.path in hidden, dialect),
            problems=tuple(_problem(problem, top) for problem in file.problems),
        )
        for file in files
    )


def _status(file: FileReport, hidden: bool, dialect: str) -> FileStatus:
    if any(problem.code == "shadowed" for problem in file.problems):
        return "shadowed"
    if file.loads[dialect]:
        return "user only" if hidden else "loaded"
    return "not loaded" if file.is_skill_file else "not a skill"


def _problem(problem: Problem, top: str) -> ProblemRow:
    """A problem as a row; paths below the folder are written from it, so that no machine's own path shows."""
    return ProblemRow(
        code=problem.code,
        level=problem.level,
        message=problem.message.replace(top, ""),
        line=problem.line,
        remedy=problem.remedy.replace(top, ""),
    )


def _routing(
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
    if cases is None:
        return Routing(note=_HOW_TO_LABEL)
    dataset = load_cases(cases)
    reports: list[RoutingReport] = []
    note = where = ""
    if client is not None:
        if model is None:
            raise RoutingError("a live service was given without the name of a model; add it (--model)")
        asked: dict[str, Any] = {"choice": choice} if choice else {}
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
    reports += [run_baseline(name, dataset, source, dialect=dialect) for name in BASELINES]
    n = len(dataset)
    return Routing(
        runs=tuple(run_of(report) for report in reports),
        cases=f"{n:,} labelled requests" + ("" if own else f" ({dataset.name})"),
        source=where,
        note=note,
    )


def replay(
    dataset: RoutingDataset,
    source: SkillSource,
    recording: Path | str,
    *,
    dialect: str | Dialect = "toh",
    model: str | None = None,
) -> tuple[RoutingReport, ...]:
    """Return the runs that a recording holds the answers of, one for each of its models.

    How the model was asked (`tools` or `json`, where the catalog stood) is found out from the recording.

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
                    dataset, source, None, model=name, dialect=dialect, store=store, mode="replay", **asked
                )
            )
    return tuple(reports)


def _how_asked(
    dataset: RoutingDataset, source: SkillSource, store: ReplyStore, model: str, dialect: str | Dialect
) -> dict[str, Any]:
    """The settings under which the first case is in the store; the usual ones where there are none."""
    query = dataset.cases[0].query
    for choice, placement in itertools.product(get_args(Choice), get_args(Placement)):
        made = prompter(
            source,
            model=model,
            dialect=dialect,
            choice=choice,
            placement=placement,
            temperature=0.0,
            seed=None,
            max_tokens=256,
        )
        request = made.request(query, 0)
        for endpoint in store.endpoints(model):
            if store.get(request, endpoint=endpoint) is not None:
                return {"choice": choice, "placement": placement, "endpoint": endpoint}
    return {}


_HOW_TO_LABEL = """\
There are no labelled requests for these skills, so nothing is said about which one gets picked. Write \
down what users ask and which skills should be loaded for it, one JSON object a line:

    {"id": "r1", "query": "Fill in the form in application.pdf", "expected": ["pdf-forms"]}
    {"id": "r2", "query": "What does this clause mean?", "expected": []}

An empty list says that no skill fits. Then give the file, and a model to ask:

    tohlab report DIR --cases cases.jsonl --base-url http://127.0.0.1:8080/v1 --model NAME

Without a model, two simple baselines are scored on the requests."""

_HOW_TO_ASK = """\
These are baselines only: no model was asked. Name a service and a model to see how often it picks the right \
skill:

    tohlab report DIR --cases cases.jsonl --base-url http://127.0.0.1:8080/v1 --model NAME"""

_NO_RECORDING = """\
These are baselines only: the recorded answers of a model are not among the data of this tohlab. Ask a model \
yourself:

    tohlab report --base-url http://127.0.0.1:8080/v1 --model NAME"""
