"""Each vector is one test: what tohlab gives for its input is what the real program gave."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tests.conformance

Row = dict[str, Any]
Adapter = Callable[[Row], None]

SET_ASIDE: dict[str, str] = {}
"""Single vectors with the reason of each; at most five."""


def read_vectors(path: str | Path) -> list[Row]:
    """Return the rows of a vector file, in order; lone surrogates are kept, lines end at `\\n` only."""
    text = Path(path).read_bytes().decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def find_adapters() -> dict[str, Adapter]:
    """Return the adapter of every group, from each `adapters_*.py` beside this file."""
    adapters: dict[str, Adapter] = {}
    found = sorted(m.name for m in pkgutil.iter_modules(tests.conformance.__path__))
    for name in (f"tests.conformance.{module}" for module in found if module.startswith("adapters_")):
        if name not in sys.modules:
            pytest.register_assert_rewrite(name)  # so that a failing vector shows the difference
        for group, adapter in importlib.import_module(name).ADAPTERS.items():
            assert group not in adapters, f"two adapters for the group {group!r}"
            adapters[group] = adapter
    return adapters


def set_aside(row: Row) -> str | None:
    """Return why a row is not tested, or None if it is."""
    return SET_ASIDE.get(row["id"])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "row" not in metafunc.fixturenames:
        return
    given = metafunc.config.getoption("--vectors")
    found = read_vectors(given or Path(__file__).parent / "toh.jsonl")
    assert found, f"no vectors in {given}"
    rows = []
    for row in found:
        if "harness" in row:
            continue  # what another program sent: test_harness_vectors.py
        reason = set_aside(row)
        marks = [pytest.mark.skip(reason=f"set aside: {reason}")] if reason else []
        rows.append(pytest.param(row, id=row["id"], marks=marks))
    metafunc.parametrize("row", rows)


def test_vector(row: Row) -> None:
    adapters = find_adapters()
    assert row["group"] in adapters, f"no adapter for the group {row['group']!r}; write one in adapters_*.py"
    adapters[row["group"]](row)


@pytest.mark.parametrize("group", find_adapters())
def test_an_adapter_fails_where_the_recorded_output_is_another_one(group: str) -> None:
    rows = read_vectors(Path(__file__).parent / "toh.jsonl")
    row = next(row for row in rows if row["group"] == group and set_aside(row) is None)
    with pytest.raises((AssertionError, KeyError)):
        find_adapters()[group]({**row, "output": {"something": "else"}})


def test_at_most_five_single_vectors_are_set_aside() -> None:
    assert len(SET_ASIDE) <= 5


def test_the_own_copy_is_whole() -> None:
    rows = read_vectors(Path(__file__).parent / "toh.jsonl")
    assert len(rows) == 441
    assert len({row["id"] for row in rows}) == 441
