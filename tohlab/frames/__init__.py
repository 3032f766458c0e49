"""Any result as a pandas DataFrame: long form, one row for each thing, columns that stay.

`COLUMNS` lists every table with every column, its type and what it holds; a unit stands in the name
(`loaded_tokens`, `latency_s`) and a share is 0 to 1. A missing number is `NA`, never 0. A result with nothing
in it gives the columns and no rows. This is the only room that imports pandas, and only when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from tohlab.catalog import Catalog
from tohlab.compare import Comparison, HarnessView
from tohlab.edits import EditCost, EditUse
from tohlab.errors import MissingExtra, TohlabError
from tohlab.frames.cache_rows import (
    append_only_rows,
    edit_use_rows,
    explanation_rows,
    pool_rows,
    tools_rows,
)
from tohlab.frames.columns import COLUMNS, Column, Table
from tohlab.frames.routing_rows import change_rows, lint_rows, report_rows, trial_rows
from tohlab.frames.sweep_rows import sweep_rows
from tohlab.prefix import PrefixComparison
from tohlab.prefix.explanation import Explanation
from tohlab.prefix.pool import HitCurve, PoolResult
from tohlab.renderers import AppendOnlyReport
from tohlab.routing.comparison import RunComparison
from tohlab.routing.lints import LintReport
from tohlab.routing.report import RoutingReport
from tohlab.routing.scoring import Trial
from tohlab.routing.sweeps import Sweep
from tohlab.skills.checks import FileReport
from tohlab.survival import Survey
from tohlab.tokens import CatalogCost, RequestCost
from tohlab.tokens.rendered import ToolsCost

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "Column", "Table", "frame"]


def frame(result: Any, table: Table | None = None) -> pd.DataFrame:
    """Return a result as a DataFrame.

    Args:
        result: a `RequestCost`, `CatalogCost`, `Catalog`, `Comparison` (of harnesses), `HarnessView`,
            `RoutingReport`, `Sweep`, `RunComparison` (the cases that changed), `LintReport`, `Survey`, or a
            sequence (or one) of `PrefixComparison`, `EditCost`, `EditUse`, `Explanation`, `PoolResult` (also
            a `HitCurve`), `AppendOnlyReport`, `ToolsCost`, `FileReport` or `Trial`.
        table: which of a `RoutingReport`'s tables (`trials`, the default, `skills`, `confusion`, `margins` or
            `baselines`), of a `Sweep`'s (`sweep`, the default, a row a point, or `trials`, a row an answer
            with the point's settings: the columns of `sweep_trials`) or of a `Survey`'s (`survival`, the
            default, or `findings`); for an empty sequence, which table it would have been.

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
        return _only(table, "pool"), pool_rows(result.results)
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
        return report_rows(result, table)
    elif isinstance(result, Sweep):
        return sweep_rows(result, table)
    elif isinstance(result, RunComparison):
        return _only(table, "changes"), change_rows(result)
    elif isinstance(result, LintReport):
        return _only(table, "lints"), lint_rows(result)
    elif isinstance(result, Survey):
        return _survey(result, table)
    sequences = ", ".join(kind.__name__ for kind in _SEQUENCES)
    known = (
        "RequestCost, CatalogCost, Catalog, Comparison, HarnessView, HitCurve, RoutingReport, Sweep, "
        f"RunComparison, LintReport, Survey, and sequences of {sequences}"
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


def _survey(survey: Survey, table: Table | None) -> tuple[str, Iterable[Mapping[str, Any]]]:
    chosen = table or "survival"
    if chosen == "survival":
        return chosen, (
            {**row, "codes": " ".join(row["codes"]), "notes": "\n".join(row["notes"])}
            for row in survey.rows()
        )
    if chosen == "findings":
        return chosen, (
            {**finding.to_dict(), "harness": harness, "doors": " ".join(finding.doors[harness])}
            for finding in survey.findings
            for harness in finding.harnesses
        )
    raise TohlabError(f"a survey gives the tables 'survival' and 'findings', not {chosen!r}")


_SEQUENCES: Final[Mapping[type, tuple[str, Callable[[Any], Iterable[Mapping[str, Any]]]]]] = MappingProxyType(
    {
        PrefixComparison: ("prefix", _prefix_rows),
        EditCost: ("edits", _edit_rows),
        EditUse: ("edit_uses", edit_use_rows),
        Explanation: ("explanations", explanation_rows),
        PoolResult: ("pool", pool_rows),
        AppendOnlyReport: ("append_only", append_only_rows),
        ToolsCost: ("tool_tokens", tools_rows),
        FileReport: ("files", _file_rows),
        Trial: ("trials", trial_rows),
    }
)
"""What a sequence may hold, the table that it gives, and how."""
