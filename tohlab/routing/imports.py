"""Labelled requests of other tools, read into ours.

    skill-creator  a JSON list of `{"query", "should_trigger"}`; the skill is named beside it
                   (anthropics/skills, skills/skill-creator/SKILL.md)
    waza           YAML with `skill`, `should_trigger_prompts` and `should_not_trigger_prompts`, each a list
                   of `{prompt, reason?, confidence?}` (microsoft/waza, trigger_tests.yaml)
    vally          YAML with `name` (the skill) and `stimuli` of `{name, prompt, expect_activation?}`
                   (the eval.yaml of dotnet/skills)
    bfcl           JSON lines of `{id, question, function}`, and of `{id, ground_truth}` in `possible_answer/`
                   (ShishirPatil/gorilla, berkeley-function-call-leaderboard)
    csv            a header `id,query,expected` and, if wanted, `not_expected,optional,group,split`; several
                   names in a cell are joined by blanks or `|`

Facts read 2026-12-01. The first three know one skill: a request that must not start it says nothing of other
skills, so it becomes a case with `not_expected` and no `expected`, and counts for that skill only.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tohlab.errors import DatasetError
from tohlab.routing.dataset import ListedSkills, RoutingCase, RoutingDataset

FORMATS: Final = ("skill-creator", "waza", "vally", "bfcl", "csv")


def import_cases(path: str | Path, format: str, *, skill: str | None = None) -> RoutingDataset:  # noqa: A002  # `format` is what a reader calls it
    """Return the labelled requests of another tool's file.

    Args:
        path: the file.
        format: one of `FORMATS`.
        skill: which skill a `skill-creator` file is about; for `waza` and `vally` in place of the file's own.

    Raises:
        DatasetError: the file cannot be read, or is not of that format; with path and, if known, line.
    """
    path = Path(path)
    if format not in FORMATS:
        raise DatasetError(f"there is no format {format!r}; known: {', '.join(FORMATS)}", path)
    if format == "bfcl":
        return import_bfcl(path)[0]
    if format == "csv":
        cases = _csv(path)
    elif format == "skill-creator":
        cases = _skill_creator(path, skill)
    else:
        cases = _yaml_cases(path, {"waza": _waza, "vally": _vally}[format], skill)
    return _dataset(cases, path)


def import_bfcl(path: str | Path, answers: str | Path | None = None) -> tuple[RoutingDataset, ListedSkills]:
    """Return the requests of a BFCL file, and all of its functions as one catalog.

    There each request has a list of functions of its own. Here all of them are offered together, which is
    harder, and a function of another request may fit as well: read such misses before you believe them.

    Args:
        path: the file of questions.
        answers: the file of answers; by default the one of the same name in `possible_answer/` beside it.
            A file with `irrelevance` in its name needs none: no function fits there.

    Raises:
        DatasetError: a file cannot be read or is not of that form, has no answers, or two functions of one
            name differ.
    """
    path = Path(path)
    irrelevant = "irrelevance" in path.name
    truth: dict[str, tuple[str, ...]] = {}
    if not irrelevant:
        beside = Path(answers) if answers is not None else path.parent / "possible_answer" / path.name
        if not beside.is_file():
            raise DatasetError(
                f"there are no answers at {beside}, so it is not known which function fits; name the file of "
                "answers",
                path,
            )
        for line, row in _lines(beside):
            calls = row.get("ground_truth")
            if not isinstance(calls, list) or not all(isinstance(c, Mapping) and len(c) == 1 for c in calls):
                raise DatasetError('"ground_truth" must be a list of one-function objects', beside, line)
            truth[str(row.get("id"))] = tuple(sorted({str(next(iter(call))) for call in calls}))
    cases: list[RoutingCase] = []
    functions: dict[str, str] = {}
    for line, row in _lines(path):
        case_id = str(row.get("id"))
        for function in _list(row.get("function"), "function", path, line):
            name, said = function.get("name"), function.get("description") or ""
            if not isinstance(name, str) or not isinstance(said, str):
                raise DatasetError("a function needs a name and a description", path, line)
            if functions.setdefault(name, said) != said:
                raise DatasetError(
                    f"the function {name!r} has two descriptions, so all functions cannot stand in one "
                    "catalog; rename one",
                    path,
                    line,
                )
        if not irrelevant and case_id not in truth:
            raise DatasetError(f"there is no answer for {case_id!r}", path, line)
        cases.append(
            RoutingCase(
                id=case_id,
                query=_question(row.get("question"), path, line),
                expected=() if irrelevant else truth[case_id],
                line=line,
            )
        )
    return _dataset(cases, path), ListedSkills(
        (name, said or f"The function {name}.") for name, said in functions.items()
    )


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
    try:
        rows = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"not JSON: {error}", path) from None
    cases = []
    for i, row in enumerate(_list(rows, "a list of queries", path, None), start=1):
        fits = row.get("should_trigger")
        if not isinstance(fits, bool):
            raise DatasetError(f'entry {i}: "should_trigger" must be true or false', path)
        cases.append(_one_skill(f"{skill}-{i}", row.get("query"), fits, skill, path, f"entry {i}"))
    return cases


def _yaml_cases(
    path: Path, read: Callable[[Mapping[str, Any], str, Path], list[RoutingCase]], skill: str | None
) -> list[RoutingCase]:
    import yaml

    try:
        data = yaml.safe_load(_text(path))
    except yaml.YAMLError as error:
        raise DatasetError(f"not YAML: {' '.join(str(error).split())}", path) from None
    if not isinstance(data, Mapping):
        raise DatasetError("the file must be a YAML mapping", path)
    name = skill or data.get("skill") or data.get("name")
    if not isinstance(name, str):
        raise DatasetError("the file does not name its skill; name it (--skill NAME)", path)
    return read(data, name, path)


def _waza(data: Mapping[str, Any], skill: str, path: Path) -> list[RoutingCase]:
    cases: list[RoutingCase] = []
    for key, fits in (("should_trigger_prompts", True), ("should_not_trigger_prompts", False)):
        for i, row in enumerate(_list(data.get(key) or [], key, path, None), start=1):
            number = len(cases) + 1
            cases.append(
                _one_skill(f"{skill}-{number}", row.get("prompt"), fits, skill, path, f"{key}, entry {i}")
            )
    return cases


def _vally(data: Mapping[str, Any], skill: str, path: Path) -> list[RoutingCase]:
    cases = []
    for i, row in enumerate(_list(data.get("stimuli"), "stimuli", path, None), start=1):
        fits = row.get("expect_activation", True)
        if not isinstance(fits, bool):
            raise DatasetError(f"stimulus {i}: expect_activation must be true or false", path)
        name = row.get("name")
        case_id = name if isinstance(name, str) and name else f"{skill}-{i}"
        cases.append(_one_skill(case_id, row.get("prompt"), fits, skill, path, f"stimulus {i}"))
    return cases


def _csv(path: Path) -> list[RoutingCase]:
    reader = csv.DictReader(io.StringIO(_text(path)), strict=True)
    missing = {"id", "query", "expected"} - set(reader.fieldnames or ())
    if missing:
        raise DatasetError(f"the header lacks {', '.join(sorted(missing))}", path, 1)
    cases = []
    try:
        for row in reader:
            line = reader.line_num
            if not row["id"] or not (row["query"] or "").strip():
                raise DatasetError("a row needs an id and a query", path, line)
            cases.append(
                RoutingCase(
                    id=row["id"],
                    query=row["query"],
                    expected=_cell(row["expected"]),
                    not_expected=_cell(row.get("not_expected")),
                    optional=_cell(row.get("optional")),
                    group=row.get("group") or "",
                    split=row.get("split") or "",
                    line=line,
                )
            )
    except csv.Error as error:
        raise DatasetError(f"not CSV: {error}", path, reader.line_num) from None
    return cases


def _cell(text: str | None) -> tuple[str, ...]:
    return tuple(sorted(set((text or "").replace("|", " ").split())))


def _question(question: Any, path: Path, line: int) -> str:
    turns = question
    if isinstance(turns, list) and turns and isinstance(turns[0], list):
        turns = turns[0]
    if isinstance(turns, list):
        said = [m.get("content") for m in turns if isinstance(m, Mapping) and m.get("role") == "user"]
        texts = [text for text in said if isinstance(text, str)]
        if texts and len(texts) == len(said):
            return "\n\n".join(texts)
    raise DatasetError('"question" must hold a list of messages with one from the user', path, line)


def _dataset(cases: Iterable[RoutingCase], path: Path) -> RoutingDataset:
    found = tuple(cases)
    if not found:
        raise DatasetError("there are no requests in this file", path)
    seen: set[str] = set()
    for case in found:
        if case.id in seen:
            raise DatasetError(f"the id {case.id!r} stands there twice; ids must differ", path, case.line)
        seen.add(case.id)
    return RoutingDataset(cases=found, name=path.stem, path=path)


def _list(value: Any, what: str, path: Path, line: int | None) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(row, Mapping) for row in value):
        raise DatasetError(f"{what}: must be a list of objects", path, line)
    return value


def _lines(path: Path) -> Iterable[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"not JSON: {error}", path, number) from None
        if not isinstance(row, Mapping):
            raise DatasetError("a line must be a JSON object", path, number)
        yield number, row


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise DatasetError("there is no such file", path) from None
    except OSError as error:
        raise DatasetError(f"cannot be read: {error.strerror}", path) from error
    except UnicodeDecodeError:
        raise DatasetError("not UTF-8; save the file as UTF-8", path) from None
