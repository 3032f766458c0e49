"""Any result as a pandas DataFrame: long form, one row for each thing, columns that stay.

`COLUMNS` lists every table with every column, its type and what it holds; a unit stands in the name
(`loaded_tokens`, `latency_s`) and a share is 0 to 1. A missing number is `NA`, never 0. A result with nothing
in it gives the columns and no rows. This is the only module that imports pandas, and only when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from tohlab.catalog import Catalog
from tohlab.compare import Comparison, HarnessView
from tohlab.edits import EditCost, EditUse
from tohlab.errors import MissingExtra, TohlabError
from tohlab.prefix import PrefixComparison
from tohlab.prefix.explanation import Explanation
from tohlab.prefix.pool import HitCurve, PoolResult
from tohlab.renderers import AppendOnlyReport
from tohlab.routing.comparison import RunComparison
from tohlab.routing.lints import LintReport
from tohlab.routing.report import RoutingReport
from tohlab.routing.scoring import Trial
from tohlab.routing.statistics import Rate
from tohlab.skills.checks import FileReport
from tohlab.tokens import CatalogCost, RequestCost
from tohlab.tokens.rendered import ToolsCost

if TYPE_CHECKING:
    import pandas as pd


Table = Literal[
    "segments",
    "catalog_cost",
    "catalog",
    "harnesses",
    "harness",
    "prefix",
    "edits",
    "edit_uses",
    "explanations",
    "pool",
    "append_only",
    "tool_tokens",
    "trials",
    "skills",
    "confusion",
    "changes",
    "lints",
    "files",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a table."""

    name: str
    dtype: Literal["string", "Int64", "Float64", "boolean"]
    meaning: str


def _columns(*rows: tuple[str, Literal["string", "Int64", "Float64", "boolean"], str]) -> tuple[Column, ...]:
    return tuple(Column(name=name, dtype=dtype, meaning=meaning) for name, dtype, meaning in rows)


def _rate_columns(name: str, of: str) -> tuple[tuple[str, Literal["Float64", "Int64"], str], ...]:
    return (
        (name, "Float64", f"{of}, 0 to 1"),
        (f"{name}_low", "Float64", "lower end of its 95 % Wilson interval"),
        (f"{name}_high", "Float64", "upper end"),
        (f"{name}_n", "Int64", "the cases it is a share of"),
    )


COLUMNS: Final[Mapping[str, tuple[Column, ...]]] = MappingProxyType(
    {
        "segments": _columns(
            ("path", "string", "the segment's address in the request"),
            ("kind", "string", "tool, system, tool-call, or the kind of its message"),
            ("name", "string", "the tool, or the named part of the text; frame for what lies between parts"),
            ("role", "string", "system, user, assistant or tool"),
            ("tokens", "Int64", "of the meter; the rows add up to the request"),
            ("characters", "Int64", "Python code points"),
            ("share", "Float64", "of the request's tokens, 0 to 1"),
        ),
        "catalog_cost": _columns(
            ("kind", "string", "tool, catalog (the text around the entries) or skill"),
            ("name", "string", "the tool, frame, or the skill"),
            ("tokens", "Int64", "paid in every request"),
            ("loaded_tokens", "Int64", "what loading the skill adds; NA where it was not asked for"),
            ("share", "Float64", "of the total, 0 to 1"),
        ),
        "catalog": _columns(
            ("position", "Int64", "counted from 0, in the order in which the model reads"),
            ("name", "string", "the skill"),
            ("description", "string", "normalised and cut, not escaped"),
            ("characters", "Int64", "of the description, Python code points"),
        ),
        "harnesses": _columns(
            ("harness", "string", "its name"),
            ("title", "string", "the program's own name"),
            ("fidelity", "string", "of the list: executed, source, documented or reconstructed"),
            ("version", "string", "of the program"),
            ("date", "string", "the day on which the texts were taken, ISO 8601"),
            ("place", "string", "where the list sits: system, developer, user, tool-description, none"),
            ("on_change", "string", "what a change of the skills does while a session runs"),
            ("listed", "Int64", "skills of the folder in the list"),
            ("bundled", "Int64", "skills in the list that the program brings itself"),
            ("cut", "Int64", "entries whose description was shortened or left out"),
            ("dropped", "Int64", "skills that a limit, a gate or another skill keeps out of the list"),
            ("hidden", "Int64", "skills that their own files keep out of the list"),
            ("skipped", "Int64", "files that give no skill"),
            ("tools_tokens", "Int64", "the tools, without the list where it sits in one"),
            ("listing_tokens", "Int64", "the list, encoded as one text"),
            ("bundled_tokens", "Int64", "of the list: the program's own skills"),
            ("total_tokens", "Int64", "tools and list, paid in every request"),
            ("ratio", "Float64", "total over that of the cheapest harness; NA where nothing is listed"),
        ),
        "harness": _columns(
            ("state", "string", "listed, cut, dropped, hidden or skipped"),
            ("name", "string", "the skill; NA for a file that gives none"),
            ("path", "string", "its file below the skills root; NA for the program's own"),
            ("source", "string", "its file in the folder that was given; NA for the program's own"),
            ("tokens", "Int64", "of its entry; NA where it has none"),
            ("characters", "Int64", "of its entry, Python code points"),
            ("before_chars", "Int64", "the description as the harness counts; NA where it was not cut"),
            ("after_chars", "Int64", "what was left of it; NA where it was not cut"),
            ("bundled", "boolean", "the program brings the skill itself"),
            ("why", "string", "why it was cut, dropped, hidden or skipped; empty where it was not"),
        ),
        "prefix": _columns(
            ("position", "Int64", "counted from 0, in the order given"),
            ("meter", "string", "which meter counted"),
            ("before_tokens", "Int64", "the earlier request"),
            ("after_tokens", "Int64", "the later request"),
            ("shared_tokens", "Int64", "their longest common prefix"),
            ("new_tokens", "Int64", "what the later request computes afresh"),
            ("lost_tokens", "Int64", "what the earlier request had and the later does not share"),
            ("reused_share", "Float64", "shared_tokens over after_tokens, 0 to 1"),
            ("path", "string", "the first difference as an address; NA where there is none"),
            ("label", "string", "the same for a person"),
            ("sentence", "string", "what happened"),
        ),
        "edits": _columns(
            ("edit", "string", "add, edit, remove or reorder"),
            ("skill", "string", "which skill was changed"),
            ("moment", "string", "running session or next session"),
            ("before_tokens", "Int64", "the request before the change"),
            ("after_tokens", "Int64", "the request after it"),
            ("shared_tokens", "Int64", "their longest common prefix"),
            ("new_tokens", "Int64", "what the request after the change computes afresh"),
            ("lost_tokens", "Int64", "what would be shared without the change and is not"),
            ("added_tokens", "Int64", "how much longer the request is than without the change"),
            ("reused_share", "Float64", "shared_tokens over after_tokens, 0 to 1"),
            ("where", "string", "the first difference; empty if only appended"),
            ("sentence", "string", "what happened"),
        ),
        "edit_uses": _columns(
            ("dialect", "string", "the harness; NA for a recorded session"),
            ("scene", "string", "the harness's title, or the file's name"),
            ("when", "string", "session: it runs on; resume: a new process takes it up again"),
            ("how", "string", "what a change of the skills does there; NA for a recorded session"),
            ("edit", "string", "the edit's short name"),
            ("title", "string", "the edit in words"),
            ("setup", "string", "the cache and how it is asked for"),
            ("policy", "string", "whose rules"),
            ("status", "string", "how sure the rules are"),
            ("meter", "string", "what counted"),
            ("renderer", "string", "how the request was written out"),
            ("total_tokens", "Int64", "the next request; the four classes add up to it"),
            ("read_tokens", "Int64", "read from the cache"),
            ("write_tokens", "Int64", "written to it, where that is counted"),
            ("long_write_tokens", "Int64", "written for the long lifetime"),
            ("plain_tokens", "Int64", "ordinary input"),
            ("shared_tokens", "Int64", "the longest common prefix with what was sent before: an upper bound"),
            ("lost_tokens", "Int64", "what the request without the edit reads and this one does not"),
            ("reused_share", "Float64", "read of the request, 0 to 1"),
            ("shared_share", "Float64", "shared of the request, 0 to 1"),
            ("kept_share", "Float64", "read of what could be kept, 0 to 1"),
            ("cost_usd", "Float64", "what the request's input costs; NA without a price"),
            ("extra_cost_usd", "Float64", "what the edit adds to it; negative where it saves"),
            ("turns_worth", "Float64", "for how many appended turns it would pay"),
            ("break_even_turns", "Int64", "turns until the edit has paid for itself; NA for never"),
            ("price_model", "string", "by whose price; NA without one"),
            ("price_date", "string", "the price's date"),
            ("sentence", "string", "what happened, why and where"),
        ),
        "explanations": _columns(
            ("policy", "string", "whose rules"),
            ("status", "string", "how sure the rules are"),
            ("reason", "string", "the provider's word for the change"),
            ("path", "string", "its address; NA for a rule about the whole request"),
            ("label", "string", "the same for a person"),
            ("token", "Int64", "the first token that it concerns, from 0"),
            ("lost_tokens", "Int64", "what this alone keeps from being read"),
            ("fix", "string", "the cheapest way of doing the same"),
            ("sentence", "string", "the change in words"),
        ),
        "pool": _columns(
            ("policy", "string", "whose rules"),
            ("status", "string", "how sure the rules are"),
            ("capacity_blocks", "Int64", "how much room there was; NA for any amount"),
            ("block_tokens", "Int64", "tokens of a block"),
            ("requests", "Int64", "those that were served"),
            ("refused_requests", "Int64", "those that need more room than there is"),
            ("total_tokens", "Int64", "all tokens of those served"),
            ("read_tokens", "Int64", "read from the cache"),
            ("read_share", "Float64", "read of all tokens, 0 to 1"),
            ("evicted_blocks", "Int64", "how many blocks had to go"),
            ("held_blocks", "Int64", "how many were held in the end"),
        ),
        "append_only": _columns(
            ("renderer", "string", "the format"),
            ("situation", "string", "what was added to the conversation"),
            ("append_only", "boolean", "each request is how the next one begins"),
            ("kept_share", "Float64", "of the characters of the request before, in the worst step, 0 to 1"),
            ("section", "string", "where it breaks; empty where nothing changed"),
            ("path", "string", "whose text changes first; empty for the format's own"),
        ),
        "tool_tokens": _columns(
            ("renderer", "string", "the format, or the counting rule"),
            ("meter", "string", "what counted"),
            ("tokens", "Int64", "what the tools add to a request that has none"),
            ("overhead_tokens", "Int64", "how many of them the service adds and nobody sees"),
            ("estimated", "boolean", "the service would come to another number"),
        ),
        "trials": _columns(
            ("case", "string", "the case's id"),
            ("query", "string", "what the user asks"),
            ("group", "string", "what the case belongs to, or empty"),
            ("replicate", "Int64", "counted from 0"),
            ("expected", "string", "skills joined by a blank, sorted; empty: none fits; NA: not labelled"),
            ("loaded", "string", "skills that the answer loads, joined by a blank, in its order"),
            ("invalid", "string", "names that are not in the catalog, joined by a blank"),
            ("label", "string", "the answer's one label, such as ok or wrong_skill"),
            ("state", "string", "scored, model_error (scored as wrong) or service_error (not scored)"),
            ("right", "boolean", "exactly the expected skills were loaded; NA where it was not scored"),
            ("detail", "string", "what is wrong, or empty"),
            ("latency_s", "Float64", "seconds of the answer when it was asked; NA without one"),
        ),
        "skills": _columns(
            ("name", "string", "the skill"),
            ("support", "Int64", "scored cases that expect it"),
            ("predicted", "Int64", "scored cases that loaded it"),
            *_rate_columns("precision", "of the cases that loaded it, those that expect it"),
            *_rate_columns("recall", "of the cases that expect it, those that loaded it"),
            ("f1", "Float64", "0 to 1; NA where no case expects or loads it"),
        ),
        "confusion": _columns(
            ("expected", "string", "a skill, or (none) where none fits"),
            ("predicted", "string", "a skill, (none), or (invalid) for an answer of no use"),
            ("n", "Int64", "answers"),
        ),
        "changes": _columns(
            ("case", "string", "the case's id"),
            ("query", "string", "what the user asks"),
            ("expected", "string", "skills joined by a blank, sorted; empty: none fits"),
            ("change", "string", "gained or lost, by the second run against the first"),
            ("a_right", "Float64", "share of the first run's answers that were right, 0 to 1"),
            ("b_right", "Float64", "the same of the second run"),
            ("a_loaded", "string", "what the first run's first answer loaded, joined by a blank"),
            ("b_loaded", "string", "the same of the second run"),
            ("a_label", "string", "the label of the first run's first answer"),
            ("b_label", "string", "the same of the second run"),
        ),
        "lints": _columns(
            ("code", "string", "what is wrong, as a stable word"),
            ("level", "string", "error, warning or note"),
            ("message", "string", "what it is and what to do"),
            ("cases", "string", "the ids of the cases it is about, joined by a blank"),
            ("skills", "string", "the skills it is about, joined by a blank"),
        ),
        "files": _columns(
            ("path", "string", "the file, as it was found"),
            ("name", "string", "the skill's name; NA where none could be read"),
            ("dialect", "string", "which harness"),
            ("loads", "boolean", "that harness takes the skill from this file"),
            ("problems", "Int64", "how many things are wrong with it"),
            ("codes", "string", "their codes joined by a blank, in order"),
        ),
    }
)
"""Every table: its columns in order, each with its pandas type and meaning."""


def frame(result: Any, table: Table | None = None) -> pd.DataFrame:
    """Return a result as a DataFrame.

    Args:
        result: a `RequestCost`, `CatalogCost`, `Catalog`, `Comparison` (of harnesses), `HarnessView`,
            `RoutingReport`, `RunComparison` (the cases that changed), `LintReport`, or a sequence (or one) of
            `PrefixComparison`, `EditCost`, `EditUse`, `Explanation`, `PoolResult` (also a `HitCurve`),
            `AppendOnlyReport`, `ToolsCost`, `FileReport` or `Trial`.
        table: which of a `RoutingReport`'s tables (`trials`, the default, `skills` or `confusion`); for an
            empty sequence, which table it would have been.

    Returns:
        The columns of `COLUMNS[table]`, in that order and with those types, and one row for each thing.

    Raises:
        MissingExtra: pandas is not installed.
        TohlabError: there is no table for such a result; the message says what there is.
    """
    chosen, rows = _rows_of(result, table)
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtra("pandas", "notebook") from error
    columns = COLUMNS[chosen]
    made = list(rows)
    return pd.DataFrame(
        {column.name: pd.array([row[column.name] for row in made], dtype=column.dtype) for column in columns}
    )


def _rows_of(result: Any, table: Table | None) -> tuple[str, Iterable[Mapping[str, Any]]]:
    if table is not None and table not in COLUMNS:
        raise TohlabError(f"there is no table {table!r}; there are {', '.join(COLUMNS)}")
    if isinstance(result, RequestCost):
        return _only(table, "segments"), _segment_rows(result)
    if isinstance(result, CatalogCost):
        return _only(table, "catalog_cost"), _catalog_cost_rows(result)
    if isinstance(result, Catalog):
        return _only(table, "catalog"), _catalog_rows(result)
    if isinstance(result, Comparison):
        return _only(table, "harnesses"), result.rows()
    if isinstance(result, HarnessView):
        return _only(table, "harness"), result.rows()
    if isinstance(result, HitCurve):
        return _only(table, "pool"), _pool_rows(result.results)
    if isinstance(result, Sequence) and not isinstance(result, str):
        if not result:
            if table is None:
                raise TohlabError(
                    "an empty sequence does not say which table it is; name one with table=, such as "
                    'frame((), table="prefix")'
                )
            return table, ()
        kinds = {type(item) for item in result}
        for kind, (name, make) in _SEQUENCES.items():
            if kinds == {kind}:
                return _only(table, name), make(result)
    elif type(result) in _SEQUENCES:
        name, make = _SEQUENCES[type(result)]
        return _only(table, name), make((result,))
    elif isinstance(result, RoutingReport):
        return _routing(result, table)
    elif isinstance(result, RunComparison):
        return _only(table, "changes"), _change_rows(result)
    elif isinstance(result, LintReport):
        return _only(table, "lints"), _lint_rows(result)
    sequences = ", ".join(kind.__name__ for kind in _SEQUENCES)
    known = (
        "RequestCost, CatalogCost, Catalog, Comparison, HarnessView, HitCurve, RoutingReport, RunComparison, "
        f"LintReport, and sequences of {sequences}"
    )
    raise TohlabError(f"there is no table for {type(result).__name__}; there is one for {known}")


def _only(asked: Table | None, own: str) -> str:
    if asked is not None and asked != own:
        raise TohlabError(f"this result gives the table {own!r}, not {asked!r}")
    return own


def _segment_rows(cost: RequestCost) -> Iterable[Mapping[str, Any]]:
    for row in cost.rows():
        yield {**row, "share": row["tokens"] / cost.total_tokens if cost.total_tokens else 0.0}


def _catalog_cost_rows(cost: CatalogCost) -> Iterable[Mapping[str, Any]]:
    for row in cost.rows:
        yield {
            "kind": row.kind,
            "name": row.name,
            "tokens": row.tokens,
            "loaded_tokens": row.loaded_tokens,
            "share": row.tokens / cost.total_tokens if cost.total_tokens else 0.0,
        }


def _catalog_rows(catalog: Catalog) -> Iterable[Mapping[str, Any]]:
    for position, entry in enumerate(catalog.entries):
        yield {
            "position": position,
            "name": entry.name,
            "description": entry.description,
            "characters": len(entry.description),
        }


def _prefix_rows(comparisons: Sequence[PrefixComparison]) -> Iterable[Mapping[str, Any]]:
    for position, comparison in enumerate(comparisons):
        where = comparison.divergence
        yield {
            "position": position,
            "meter": comparison.meter,
            "before_tokens": comparison.before_tokens,
            "after_tokens": comparison.after_tokens,
            "shared_tokens": comparison.shared_tokens,
            "new_tokens": comparison.new_tokens,
            "lost_tokens": comparison.lost_tokens,
            "reused_share": comparison.reused_share,
            "path": where.path if where else None,
            "label": where.label if where else None,
            "sentence": comparison.sentence,
        }


def _file_rows(files: Sequence[FileReport]) -> Iterable[Mapping[str, Any]]:
    for file in files:
        for dialect, loads in sorted(file.loads.items()):
            yield {
                "path": str(file.path),
                "name": file.name,
                "dialect": dialect,
                "loads": loads,
                "problems": len(file.problems),
                "codes": " ".join(problem.code for problem in file.problems),
            }


def _edit_rows(edits: Sequence[EditCost]) -> Iterable[Mapping[str, Any]]:
    for cost in edits:
        yield {
            **cost.to_dict(),
            "new_tokens": cost.after_tokens - cost.shared_tokens,
            "reused_share": cost.shared_tokens / cost.after_tokens if cost.after_tokens else 1.0,
        }


def _edit_use_rows(uses: Sequence[EditUse]) -> Iterable[Mapping[str, Any]]:
    for use in uses:
        row = {**use.to_dict(), "cost_usd": use.cost_usd, "extra_cost_usd": use.extra_cost_usd}
        for name in ("cost_usd", "extra_cost_usd"):
            row[name] = None if row[name] is None else float(row[name])
        for name in ("dialect", "how", "price_model", "price_date"):
            row[name] = row[name] or None
        yield row


def _explanation_rows(explanations: Sequence[Explanation]) -> Iterable[Mapping[str, Any]]:
    for found in explanations:
        for change in found.changes:
            row = {**change.to_dict(), "policy": found.policy, "status": found.status}
            yield {**row, "path": change.path or None}


def _pool_rows(results: Sequence[PoolResult]) -> Iterable[Mapping[str, Any]]:
    for result in results:
        yield result.to_dict()


def _append_only_rows(reports: Sequence[AppendOnlyReport]) -> Iterable[Mapping[str, Any]]:
    for report in reports:
        for row in report.rows:
            yield {**row.to_dict(), "renderer": report.renderer}


def _tools_rows(costs: Sequence[ToolsCost]) -> Iterable[Mapping[str, Any]]:
    for cost in costs:
        yield cost.to_dict()


def _routing(report: RoutingReport, table: Table | None) -> tuple[str, Iterable[Mapping[str, Any]]]:
    chosen = table or "trials"
    if chosen == "trials":
        return chosen, _trial_rows(report.trials)
    if chosen == "skills":
        return chosen, _skill_rows(report)
    if chosen == "confusion":
        return chosen, (
            {"expected": c.expected, "predicted": c.predicted, "n": c.n} for c in report.confusion()
        )
    raise TohlabError(f"a routing report gives the tables 'trials', 'skills' and 'confusion', not {chosen!r}")


def _trial_rows(trials: Sequence[Trial]) -> Iterable[Mapping[str, Any]]:
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


def _change_rows(found: RunComparison) -> Iterable[Mapping[str, Any]]:
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


def _lint_rows(found: LintReport) -> Iterable[Mapping[str, Any]]:
    for lint in found.lints:
        yield {
            "code": lint.code,
            "level": lint.level,
            "message": lint.message,
            "cases": " ".join(lint.cases),
            "skills": " ".join(lint.skills),
        }


def _skill_rows(report: RoutingReport) -> Iterable[Mapping[str, Any]]:
    for score in report.per_skill:
        yield {
            "name": score.name,
            "support": score.support,
            "predicted": score.predicted,
            **_rate_row("precision", score.precision),
            **_rate_row("recall", score.recall),
            "f1": score.f1,
        }


def _rate_row(name: str, rate: Rate | None) -> dict[str, Any]:
    if rate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None, f"{name}_n": 0}
    return {name: rate.value, f"{name}_low": rate.low, f"{name}_high": rate.high, f"{name}_n": rate.n}


_SEQUENCES: Final[Mapping[type, tuple[str, Callable[[Any], Iterable[Mapping[str, Any]]]]]] = MappingProxyType(
    {
        PrefixComparison: ("prefix", _prefix_rows),
        EditCost: ("edits", _edit_rows),
        EditUse: ("edit_uses", _edit_use_rows),
        Explanation: ("explanations", _explanation_rows),
        PoolResult: ("pool", _pool_rows),
        AppendOnlyReport: ("append_only", _append_only_rows),
        ToolsCost: ("tool_tokens", _tools_rows),
        FileReport: ("files", _file_rows),
        Trial: ("trials", _trial_rows),
    }
)
"""What a sequence may hold, the table that it gives, and how."""
