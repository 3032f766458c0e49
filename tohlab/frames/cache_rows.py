"""The rows of what has to do with caches and renderers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tohlab.edits import EditUse
from tohlab.prefix.explanation import Explanation
from tohlab.prefix.pool import PoolResult
from tohlab.renderers import AppendOnlyReport
from tohlab.tokens.rendered import ToolsCost


def edit_use_rows(uses: Sequence[EditUse]) -> Iterable[Mapping[str, Any]]:
    """Yield one row for what one edit leaves of a cache."""
    for use in uses:
        row = {**use.to_dict(), "cost_usd": use.cost_usd, "extra_cost_usd": use.extra_cost_usd}
        for name in ("cost_usd", "extra_cost_usd"):
            row[name] = None if row[name] is None else float(row[name])
        for name in ("dialect", "how", "price_model", "price_date", "price_until", "price_note"):
            row[name] = row[name] or None
        yield row


def explanation_rows(explanations: Sequence[Explanation]) -> Iterable[Mapping[str, Any]]:
    """Yield one row for one change that broke a cache."""
    for found in explanations:
        for change in found.changes:
            row = {**change.to_dict(), "policy": found.policy, "status": found.status}
            yield {**row, "path": change.path or None}


def pool_rows(results: Sequence[PoolResult]) -> Iterable[Mapping[str, Any]]:
    """Yield one row for one simulated pool."""
    for result in results:
        yield result.to_dict()


def append_only_rows(reports: Sequence[AppendOnlyReport]) -> Iterable[Mapping[str, Any]]:
    """Yield one row for one situation of a format."""
    for report in reports:
        for row in report.rows:
            yield {**row.to_dict(), "renderer": report.renderer}


def tools_rows(costs: Sequence[ToolsCost]) -> Iterable[Mapping[str, Any]]:
    """Yield one row for the tools under one renderer."""
    for cost in costs:
        yield cost.to_dict()
