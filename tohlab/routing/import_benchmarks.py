"""Benchmarks of tools as requests and a catalog: BFCL and MetaTool.

    bfcl      JSON lines of `{id, question, function}`, and of `{id, ground_truth}` in `possible_answer/`
              (ShishirPatil/gorilla, berkeley-function-call-leaderboard)
    metatool  a CSV of `Query,Tool`, or a JSON list of `{"query", "tool": [names]}`; the descriptions are a
              JSON object beside it (HowieHwong/MetaTool, dataset/data/ and dataset/*_des.json); it has no
              ids, so they are counted

Facts read 2026-12-01.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tohlab.errors import DatasetError
from tohlab.routing.dataset import ListedSkills, RoutingCase, RoutingDataset
from tohlab.routing.import_files import dataset_of, json_lines, json_of, rows_of, text_of


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
        for line, row in json_lines(beside):
            calls = row.get("ground_truth")
            if not isinstance(calls, list) or not all(isinstance(c, Mapping) and len(c) == 1 for c in calls):
                raise DatasetError('"ground_truth" must be a list of one-function objects', beside, line)
            truth[str(row.get("id"))] = tuple(sorted({str(next(iter(call))) for call in calls}))
    cases: list[RoutingCase] = []
    functions: dict[str, str] = {}
    for line, row in json_lines(path):
        case_id = str(row.get("id"))
        for function in rows_of(row.get("function"), "function", path, line):
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
    return dataset_of(cases, path), ListedSkills(
        (name, said or f"The function {name}.") for name, said in functions.items()
    )


def import_metatool(path: Path) -> list[RoutingCase]:
    """Return the requests of a MetaTool file.

    Raises:
        DatasetError: the file cannot be read, or is not of that form; with path and, if known, line.
    """
    text = text_of(path)
    rows: list[tuple[Any, Any, int | None]]
    if text.lstrip().startswith("["):
        found = rows_of(json_of(path), "a list of queries", path, None)
        rows = [(row.get("query"), row.get("tool"), None) for row in found]
    else:
        reader = csv.DictReader(io.StringIO(text), strict=True)
        if {"Query", "Tool"} - set(reader.fieldnames or ()):
            raise DatasetError("the header must be Query,Tool", path, 1)
        try:
            rows = [(row["Query"], [row["Tool"]], reader.line_num) for row in reader]
        except csv.Error as error:
            raise DatasetError(f"not CSV: {error}", path, reader.line_num) from None
    cases = []
    for i, (query, tools, line) in enumerate(rows, start=1):
        names = [tools] if isinstance(tools, str) else tools
        if not isinstance(query, str) or not query.strip():
            raise DatasetError(f"entry {i} has no query", path, line)
        if not isinstance(names, list) or not names or not all(isinstance(n, str) and n for n in names):
            raise DatasetError(f"entry {i} names no tool", path, line)
        cases.append(
            RoutingCase(id=f"q{i}", query=query.strip(), expected=tuple(sorted(set(names))), line=line)
        )
    return cases


def import_metatool_catalog(path: str | Path) -> ListedSkills:
    """Return the tools of a MetaTool file of descriptions (such as `plugin_des.json`) as a catalog.

    Raises:
        DatasetError: the file cannot be read, or is no JSON object of names and descriptions.
    """
    path = Path(path)
    data = json_of(path)
    if not isinstance(data, Mapping) or not data:
        raise DatasetError("the descriptions must be a JSON object of names and texts", path)
    for name, said in data.items():
        if not name or not isinstance(said, str) or not said.strip():
            raise DatasetError(f"the tool {name!r} has no description", path)
    return ListedSkills((name, " ".join(said.split())) for name, said in data.items())


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
