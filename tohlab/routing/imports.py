"""Labelled requests of other tools, read into ours.

    skill-creator  a JSON list of `{"query", "should_trigger"}`; the skill is named beside it
                   (anthropics/skills, skills/skill-creator/SKILL.md)
    waza           YAML with `skill`, `should_trigger_prompts` and `should_not_trigger_prompts`, each a list
                   of `{prompt, reason?, confidence?}` (microsoft/waza, trigger_tests.yaml)
    vally          YAML with `name` (the skill) and `stimuli` of `{name, prompt, expect_activation?}`, or the
                   older `scenarios` without a name (the eval.yaml of dotnet/skills)
    buildkite      YAML with `trigger_evals` of `{id, query, expected_skill, expected_not_skills?, tags?}`;
                   null: no skill fits (buildkite/skills, evals/trigger_dataset.yaml and evals/lib/graders.py)
    csv            a header `id,query,expected` and, if wanted, `not_expected,optional,group,split`; several
                   names in a cell are joined by blanks, commas, semicolons or `|`

Facts read 2026-12-01. The first three know one skill: a request that must not start it says nothing of other
skills, so it becomes a case with `not_expected` and no `expected`, and counts for that skill only. `bfcl` and
`metatool` bring a catalog too (see `import_benchmarks`).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from tohlab.errors import DatasetError
from tohlab.routing.dataset import RoutingCase, RoutingDataset, case_of
from tohlab.routing.import_benchmarks import import_bfcl, import_metatool
from tohlab.routing.import_files import dataset_of, json_of, rows_of, text_of, yaml_of

FORMATS: Final = ("skill-creator", "waza", "vally", "buildkite", "bfcl", "metatool", "csv")
ONE_SKILL: Final = ("skill-creator", "waza", "vally")
"""The formats whose files are about one skill; in the others each request names its own."""


def import_cases(path: str | Path, format: str, *, skill: str | None = None) -> RoutingDataset:  # noqa: A002  # `format` is what a reader calls it
    """Return the labelled requests of another tool's file.

    Args:
        path: the file.
        format: one of `FORMATS`.
        skill: which skill a `skill-creator` file is about; for `waza` and `vally` in place of the file's own.

    Raises:
        DatasetError: the file cannot be read, or is not of that format; with path and, if known, line. Or
            there is a `skill` for a format whose requests name their own.
    """
    path = Path(path)
    if format not in FORMATS:
        raise DatasetError(f"there is no format {format!r}; known: {', '.join(FORMATS)}", path)
    if skill is not None and format not in ONE_SKILL:
        raise DatasetError(
            f"the requests of a {format} file name their own skills, so leave out --skill; it is for "
            f"{', '.join(ONE_SKILL)}",
            path,
        )
    if format == "bfcl":
        return import_bfcl(path)[0]
    if format == "csv":
        cases = _csv(path)
    elif format == "metatool":
        cases = import_metatool(path)
    elif format == "buildkite":
        cases = _buildkite(path)
    elif format == "skill-creator":
        cases = _skill_creator(path, skill)
    else:
        cases = _yaml_cases(path, {"waza": _waza, "vally": _vally}[format], skill)
    return dataset_of(cases, path)


def cases_to_lines(dataset: RoutingDataset) -> str:
    """Return cases as JSON lines, as `load_cases` reads them; what is empty is left out."""
    lines = []
    for case in dataset.cases:
        row: dict[str, Any] = {"id": case.id, "query": case.query}
        row["expected"] = None if case.expected is None else list(case.expected)
        for key in ("not_expected", "optional"):
            if names := getattr(case, key):
                row[key] = list(names)
        if case.aliases:
            row["aliases"] = dict(case.aliases)
        for key in ("group", "split"):
            if word := getattr(case, key):
                row[key] = word
        lines.append(json.dumps(row, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def _one_skill(case_id: str, query: Any, fits: bool, skill: str, path: Path, where: str) -> RoutingCase:
    if not isinstance(query, str) or not query.strip():
        raise DatasetError(f"{where} has no request", path)
    return RoutingCase(
        id=case_id,
        query=query,
        expected=(skill,) if fits else None,
        not_expected=() if fits else (skill,),
        group=skill,
    )


def _skill_creator(path: Path, skill: str | None) -> list[RoutingCase]:
    if not skill:
        raise DatasetError("a skill-creator file does not name its skill; name it (--skill NAME)", path)
    cases = []
    for i, row in enumerate(rows_of(json_of(path), "a list of queries", path, None), start=1):
        fits = row.get("should_trigger")
        if not isinstance(fits, bool):
            raise DatasetError(f'entry {i}: "should_trigger" must be true or false', path)
        cases.append(_one_skill(f"{skill}-{i}", row.get("query"), fits, skill, path, f"entry {i}"))
    return cases


def _yaml_cases(
    path: Path, read: Callable[[Mapping[str, Any], str, Path], list[RoutingCase]], skill: str | None
) -> list[RoutingCase]:
    data = yaml_of(path)
    name = skill or data.get("skill") or data.get("name")
    if not isinstance(name, str):
        raise DatasetError("the file does not name its skill; name it (--skill NAME)", path)
    return read(data, name, path)


def _buildkite(path: Path) -> list[RoutingCase]:
    cases = []
    for i, row in enumerate(
        rows_of(yaml_of(path).get("trigger_evals"), "trigger_evals", path, None), start=1
    ):
        where = f"entry {i}"
        case_id, query = row.get("id"), row.get("query")
        if not isinstance(case_id, str) or not case_id or not isinstance(query, str) or not query.strip():
            raise DatasetError(f"{where} needs an id and a query", path)
        if "expected_skill" not in row:
            raise DatasetError(f"{where} ({case_id}) lacks expected_skill; write null where none fits", path)
        skill = row["expected_skill"]
        if skill is not None and (not isinstance(skill, str) or not skill):
            raise DatasetError(f"{where} ({case_id}): expected_skill must be a name, or null", path)
        wrong, tags = row.get("expected_not_skills") or [], row.get("tags") or []
        for key, value in (("expected_not_skills", wrong), ("tags", tags)):
            if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
                raise DatasetError(f"{where} ({case_id}): {key} must be a list of names", path)
        if skill in wrong:
            raise DatasetError(f"{where} ({case_id}): {skill!r} is both expected and not expected", path)
        cases.append(
            RoutingCase(
                id=case_id,
                query=query,
                expected=() if skill is None else (skill,),
                not_expected=tuple(sorted(set(wrong))),
                group=tags[0] if tags else "",
            )
        )
    return cases


def _waza(data: Mapping[str, Any], skill: str, path: Path) -> list[RoutingCase]:
    cases: list[RoutingCase] = []
    for key, fits in (("should_trigger_prompts", True), ("should_not_trigger_prompts", False)):
        for i, row in enumerate(rows_of(data.get(key) or [], key, path, None), start=1):
            number = len(cases) + 1
            cases.append(
                _one_skill(f"{skill}-{number}", row.get("prompt"), fits, skill, path, f"{key}, entry {i}")
            )
    return cases


def _vally(data: Mapping[str, Any], skill: str, path: Path) -> list[RoutingCase]:
    cases = []
    for i, row in enumerate(
        rows_of(data.get("stimuli", data.get("scenarios")), "stimuli", path, None), start=1
    ):
        fits = row.get("expect_activation", True)
        if not isinstance(fits, bool):
            raise DatasetError(f"stimulus {i}: expect_activation must be true or false", path)
        name = row.get("name")
        case_id = name if isinstance(name, str) and name else f"{skill}-{i}"
        cases.append(_one_skill(case_id, row.get("prompt"), fits, skill, path, f"stimulus {i}"))
    return cases


def _csv(path: Path) -> list[RoutingCase]:
    reader = csv.DictReader(io.StringIO(text_of(path)), strict=True)
    fields = reader.fieldnames or ()
    if missing := {"id", "query", "expected"} - set(fields):
        raise DatasetError(f"the header lacks {', '.join(sorted(missing))}", path, 1)
    if twice := sorted(name for name, count in Counter(fields).items() if count > 1):
        raise DatasetError(f"the header has {', '.join(twice)} twice", path, 1)
    cases = []
    try:
        for row in reader:
            line = reader.line_num
            if None in row:
                much = 'there are more cells than the header has; put a query with commas into quotes (")'
                raise DatasetError(much, path, line)
            names = {key: _cell(row.get(key)) for key in ("expected", "not_expected", "optional")}
            words = {key: row.get(key) or None for key in ("group", "split")}
            cases.append(case_of({"id": row["id"], "query": row["query"], **names, **words}, path, line))
    except csv.Error as error:
        raise DatasetError(f"not CSV: {error}", path, reader.line_num) from None
    return cases


def _cell(text: str | None) -> list[str]:
    return sorted({name for name in re.split(r"[\s,;|]+", text or "") if name})
