"""Each harness vector is one test: what tohlab gives for its files is what the real program sent.

A module `harness_<name>.py` beside this file gives `check(row)` for its harness: it asserts, and it uses
nothing but the row. `core` rows are all checked here; `context` rows describe a program as a whole and have
tests of their own.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.test_vectors import read_vectors

Row = dict[str, Any]

OWN = Path(__file__).parent / "harness"

SET_ASIDE: dict[str, str] = {
    "skills-ref/missing/validate/absent": (
        "no files are given for an absent folder and none for an empty one, and the answers differ; "
        "tests/dialects/test_agent_skills.py has both"
    ),
}
"""Single vectors with the reason of each; at most 3 % of all."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give one test for each core row of the vectors at hand."""
    if "harness_row" not in metafunc.fixturenames:
        return
    given = metafunc.config.getoption("--vectors")
    paths = [Path(given)] if given else sorted(OWN.glob("*.jsonl"))
    found = [row for path in paths for row in read_vectors(path)]
    rows = [row for row in found if "harness" in row and row["level"] == "core"]
    metafunc.parametrize("harness_row", rows, ids=[row["id"] for row in rows])


def test_the_harness_says_what_the_real_program_says(harness_row: Row) -> None:
    if harness_row["id"] in SET_ASIDE:
        pytest.skip(SET_ASIDE[harness_row["id"]])
    name = harness_row["harness"].replace("-", "_")
    pytest.register_assert_rewrite(f"tests.conformance.harness_{name}")
    importlib.import_module(f"tests.conformance.harness_{name}").check(harness_row)


def test_little_is_set_aside() -> None:
    rows = sum(len(read_vectors(path)) for path in OWN.glob("*.jsonl"))
    assert len(SET_ASIDE) <= 0.03 * rows
