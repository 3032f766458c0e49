"""Intervals hold at the ends, and what was never tried is None."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.routing.statistics import rate, wilson


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        (20, 20, 0.8389, 1.0),
        (0, 20, 0.0, 0.1611),
        (19, 20, 0.7639, 0.9911),
        (1, 1, 0.2065, 1.0),
        (5, 10, 0.2366, 0.7634),
    ],
)
def test_wilson_is_as_the_tables_have_it(right: int, n: int, low: float, high: float) -> None:
    found = rate(right, n)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
    assert found.value == right / n


def test_nothing_of_nothing_is_none() -> None:
    assert rate(0, 0) is None


def test_a_mean_over_replicates_keeps_the_cases_as_n() -> None:
    found = rate(2.5, 5)
    assert found is not None
    assert (found.value, found.n) == (0.5, 5)
    assert (found.low, found.high) == (wilson(2, 5)[0], wilson(3, 5)[1])


@given(n=st.integers(1, 400), data=st.data())
def test_an_interval_holds_its_rate_and_stays_in_bounds(n: int, data: st.DataObject) -> None:
    found = rate(data.draw(st.integers(0, n)), n)
    assert found is not None
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    assert found.low < found.high


def test_importing_the_room_loads_nothing_heavy() -> None:
    heavy = "{'scipy', 'numpy', 'openai', 'pandas', 'bm25s', 'tiktoken', 'tqdm'}"
    code = f"import sys, tohlab.routing, tohlab.cli.route; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
