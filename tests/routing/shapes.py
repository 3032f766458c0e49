"""Small catalogs and cases that the tests of this room share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.routing.service import Script, asked_text, completion, ok
from tohlab.routing import ListedSkills, RoutingCase, RoutingDataset

CATALOG = (
    ("docx-report", "Write a Word report with headings and a table of contents."),
    ("pdf-forms", "Fill in the fields of a PDF form and flatten it."),
    ("sql-review", "Review a database migration for locks and missing indexes."),
)
NAMES = tuple(name for name, _ in CATALOG)


def source() -> ListedSkills:
    return ListedSkills(CATALOG)


def case(number: int, *expected: str, **more: Any) -> RoutingCase:
    return RoutingCase(
        id=f"c{number}", query=f"request number {number}", expected=tuple(sorted(expected)), **more
    )


def ten() -> RoutingDataset:
    """Eight cases of one skill, one of two, one of none."""
    cases = [case(i, NAMES[i % 3]) for i in range(8)]
    return RoutingDataset(cases=(*cases, case(8, "pdf-forms", "sql-review"), case(9)), name="ten")


def perfect(dataset: RoutingDataset) -> Script:
    """A script that answers every case rightly."""
    right = {c.query: c.expected or () for c in dataset.cases}

    def script(body: dict[str, Any], number: int) -> Any:
        names = right[asked_text(body)]
        return ok(completion(*names, content=None if names else "I can do that without a skill."))

    return script


def write_lines(path: Path, rows: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def write_inputs(folder: Path, dataset: RoutingDataset) -> list[str]:
    """Write catalog and cases; return the command line's options for them."""
    skills = write_lines(folder / "catalog.jsonl", [{"name": n, "description": d} for n, d in CATALOG])
    rows = [
        {"id": c.id, "query": c.query, "expected": list(c.expected or ()), "group": c.group}
        for c in dataset.cases
    ]
    cases = write_lines(folder / "cases.jsonl", rows)
    return ["--skills", str(skills), "--cases", str(cases)]
