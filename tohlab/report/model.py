"""What a report says, before anything is drawn.

Plain values only: a report can be built from a folder, from a recording or by hand in a test, and the page,
the terminal and `--json` all read the same fields. Counts are in the unit that their name ends in; a share is
0 to 1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Situation = Literal["running session", "next session"]
FileStatus = Literal["loaded", "user only", "shadowed", "not loaded", "not a skill"]
"""`loaded`: a model is told of the skill. `user only`: it loads, but only a user can start it. `shadowed`:
another file has its name. `not loaded`: the file was meant as a skill and gives none. `not a skill`: Markdown
beside the skills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where the numbers and texts come from."""

    tohlab_version: str
    dialect: str
    """The dialect's name, such as `toh`."""
    program: str
    """The harness whose texts the dialect writes."""
    dialect_version: str
    """The version of the harness whose texts these are."""
    dialect_date: str
    """The day on which that harness was read or run."""
    fidelity: str
    """How its texts are known: executed, source, documented or reconstructed."""
    encoding: str
    """The meter's name; every token count in the report is its count."""
    renderer: str
    """How a request becomes one row of tokens."""
    date: str | None = None
    """A date that the caller gave; a report reads no clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece:
    """A stretch of a text that a model reads; the pieces joined are the text."""

    text: str
    name: str = ""
    """The skill whose entry this is, or empty for the text around entries."""
    tokens: int | None = None
    """Its share of the whole text's tokens; None where it was not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRow:
    """What one skill costs."""

    name: str
    description: str
    """As the catalog says it: normalised and cut, not escaped."""
    entry_tokens: int
    """Its line in the catalog, paid in every request."""
    entry_characters: int
    loaded_tokens: int | None
    """The text that the model reads when it loads the skill; None if the body could not be read."""
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """How much of a request the one before it has already computed."""

    shared_tokens: int
    """From the start to the first token that differs."""
    before_tokens: int
    after_tokens: int
    where: str
    """The first difference as a path, or empty where there is none."""
    sentence: str

    @property
    def reused_share(self) -> float:
        """Shared tokens over the later request's tokens, 0 to 1; 1 for an empty later request."""
        return self.shared_tokens / self.after_tokens if self.after_tokens else 1.0

    @property
    def new_tokens(self) -> int:
        """What the later request has to compute afresh."""
        return self.after_tokens - self.shared_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """One change to one skill, and what the next request keeps of the prefix."""

    change: str
    """`add`, `edit`, `remove` or `reorder`."""
    situation: Situation
    """The session goes on, or a new one starts afterwards."""
    what: str
    """The change in words, with the skill's name."""
    strip: Strip
    lost_tokens: int
    """What would be reused without the change and is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateRow:
    """A share of cases with its interval."""

    successes: float
    """Of the n; with replicates the mean over a case's answers, so not always a whole number."""
    n: int
    """Cases."""
    value: float
    """0 to 1."""
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillScoreRow:
    """How one skill fared in one run."""

    name: str
    n_expected: int
    """Cases that expect it."""
    n_picked: int
    """Cases in which it was picked."""
    precision: RateRow | None
    """Of the cases that picked it, those that expect it; None where none picked it."""
    recall: RateRow | None
    """Of the cases that expect it, those that picked it; None where none expects it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRow:
    """One case that did not come out as labelled."""

    case_id: str
    query: str
    expected: tuple[str, ...]
    picked: tuple[str, ...]
    label: str
    """The kind of fault, such as `wrong_skill`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Which label was expected and which was picked, counted."""

    expected: tuple[str, ...]
    """Row labels, in drawing order."""
    picked: tuple[str, ...]
    """Column labels, in drawing order."""
    counts: Mapping[tuple[str, str], int]
    """(expected, picked) to cases; pairs with none are absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingRun:
    """One picker on the labelled requests."""

    label: str
    """The model or the baseline."""
    kind: Literal["model", "baseline"]
    n_total: int
    n_scored: int
    n_model_error: int
    n_service_error: int
    exact: RateRow
    """Cases whose set of picked skills is exactly the expected one."""
    no_skill: RateRow | None
    """Of the cases where no skill fits, those where none was picked."""
    per_skill: tuple[SkillScoreRow, ...] = ()
    confusion: Confusion | None = None
    misses: tuple[TrialRow, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader of the numbers has to know, as sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """The runs there are, or why there are none."""

    runs: tuple[RoutingRun, ...] = ()
    """The run that matters most first; its confusion is drawn."""
    cases: str = ""
    """What the labelled requests are, such as a file's name."""
    source: str = ""
    """Where the answers come from: a recording or a live endpoint."""
    note: str = ""
    """What is missing and how to get it, or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemRow:
    """One thing wrong with one file."""

    code: str
    level: Literal["error", "warning"]
    message: str
    line: int | None = None
    """Counted from 1."""
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """One skill file that was found, and what became of it."""

    path: str
    """Relative to the folder."""
    name: str | None
    status: FileStatus
    problems: tuple[ProblemRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that `tohlab report` says about one folder of skills."""

    title: str
    """The folder's own name."""
    command: str
    """How the exact catalog text is had on the command line."""
    provenance: Provenance
    catalog: tuple[TextPiece, ...]
    catalog_digest: str
    tool_schema: str
    """The skill tool as compact JSON, as it is sent."""
    catalog_tokens: int
    frame_tokens: int
    """The catalog without its entries."""
    tool_tokens: int
    skills: tuple[SkillRow, ...]
    """In catalog order."""
    changes: tuple[ChangeRow, ...]
    changes_note: str = ""
    """Why there are none, or empty."""
    routing: Routing
    files: tuple[FileRow, ...]
    complete: bool = True
    """False where a part of the folder could not be read."""

    @property
    def total_tokens(self) -> int:
        """Catalog and skill tool: what every request pays for having these skills."""
        return self.catalog_tokens + self.tool_tokens

    @property
    def n_problems(self) -> int:
        """All problems of all files."""
        return sum(len(file.problems) for file in self.files)

    def count(self, status: FileStatus) -> int:
        """Return how many files have that status."""
        return sum(file.status == status for file in self.files)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; the catalog is one text, confusion counts are a list."""
        data: dict[str, Any] = dataclasses.asdict(dataclasses.replace(self, routing=Routing(), catalog=()))
        data["catalog"] = "".join(piece.text for piece in self.catalog)
        data["total_tokens"] = self.total_tokens
        for row, change in zip(data["changes"], self.changes, strict=True):
            row["strip"]["reused_share"] = change.strip.reused_share
        data["routing"] = {
            "cases": self.routing.cases,
            "source": self.routing.source,
            "note": self.routing.note,
            "runs": [_run_dict(run) for run in self.routing.runs],
        }
        return data


def _run_dict(run: RoutingRun) -> dict[str, Any]:
    data = dataclasses.asdict(dataclasses.replace(run, confusion=None))
    data["confusion"] = (
        [{"expected": e, "picked": p, "cases": n} for (e, p), n in sorted(run.confusion.counts.items())]
        if run.confusion
        else None
    )
    return data
