"""From a folder of skills to a `Report`: each room is asked once, and what it says is put side by side."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tohlab import __version__
from tohlab.catalog import Catalog
from tohlab.dialects import Dialect, get_dialect
from tohlab.edits import what_edits_cost
from tohlab.errors import SkillError
from tohlab.library import library_cases, library_recording, library_skills
from tohlab.report.answers import ask_or_replay
from tohlab.report.convert import change_of, pieces_of
from tohlab.report.model import (
    FileRow,
    FileStatus,
    ProblemRow,
    Provenance,
    Report,
    SkillRow,
    TextPiece,
)
from tohlab.request import TextBlock
from tohlab.routing.client import ChatClient
from tohlab.skills.checks import FileReport, check_tree
from tohlab.skills.model import Problem, Snapshot
from tohlab.skills.sources import FilesystemSource
from tohlab.tokens import CatalogCost, TokenMeter, get_meter, measure_catalog


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
        routing=ask_or_replay(
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
