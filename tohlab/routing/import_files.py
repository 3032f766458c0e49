"""Reading another tool's file: text, JSON, YAML, rows; every fault with its path and, if known, its line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tohlab.errors import DatasetError
from tohlab.routing.dataset import RoutingCase, RoutingDataset


def dataset_of(cases: Iterable[RoutingCase], path: Path) -> RoutingDataset:
    """Return the cases as a dataset; there must be some, and their ids must differ."""
    found = tuple(cases)
    if not found:
        raise DatasetError("there are no requests in this file", path)
    seen: set[str] = set()
    for case in found:
        if case.id in seen:
            raise DatasetError(f"the id {case.id!r} stands there twice; ids must differ", path, case.line)
        seen.add(case.id)
    return RoutingDataset(cases=found, name=path.stem, path=path)


def rows_of(value: Any, what: str, path: Path, line: int | None) -> list[Mapping[str, Any]]:
    """Return a value that must be a list of objects; `what` names it in the message."""
    if not isinstance(value, list) or not all(isinstance(row, Mapping) for row in value):
        raise DatasetError(f"{what}: must be a list of objects", path, line)
    return value


def json_of(path: Path) -> Any:
    """Return a file's JSON."""
    try:
        return json.loads(text_of(path))
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"not JSON: {error}", path) from None


def yaml_of(path: Path) -> Mapping[str, Any]:
    """Return a file's YAML, which must be a mapping."""
    import yaml

    try:
        data = yaml.safe_load(text_of(path))
    except (yaml.YAMLError, RecursionError) as error:
        raise DatasetError(f"not YAML: {' '.join(str(error).split())}", path) from None
    if not isinstance(data, Mapping):
        raise DatasetError("the file must be a YAML mapping", path)
    return data


def json_lines(path: Path) -> Iterable[tuple[int, Mapping[str, Any]]]:
    """Yield the number and the object of each line that is not empty."""
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"not JSON: {error}", path, number) from None
        if not isinstance(row, Mapping):
            raise DatasetError("a line must be a JSON object", path, number)
        yield number, row


def text_of(path: Path) -> str:
    """Return a file's text."""
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise DatasetError("there is no such file", path) from None
    except OSError as error:
        raise DatasetError(f"cannot be read: {error.strerror}", path) from error
    except UnicodeDecodeError:
        raise DatasetError("not UTF-8; save the file as UTF-8", path) from None
