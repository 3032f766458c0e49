"""Intervals hold at the ends, and what was never tried is None."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.errors import RoutingError
from tohlab.routing.statistics import (
    benjamini_hochberg,
    clopper_pearson,
    credible,
    holm,
    pass_at_k,
    pass_hat_k,
    rate,
    rule_of_three,
    wilson,
)


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


@pytest.mark.parametrize(
    ("right", "n", "low", "high"), [(20, 20, 0.8316, 1.0), (0, 20, 0.0, 0.1684), (5, 10, 0.1871, 0.8129)]
)
def test_clopper_and_pearson_are_as_the_tables_have_them(right: int, n: int, low: float, high: float) -> None:
    assert clopper_pearson(right, n) == pytest.approx((low, high), abs=5e-5)


def test_a_uniform_prior_gives_the_beta_quantiles() -> None:
    assert credible(0, 20) == pytest.approx((0.0012, 0.1611), abs=5e-5)
    assert credible(0, 0) == pytest.approx((0.025, 0.975))
    with pytest.raises(ValueError, match="cannot be"):
        credible(3, 2)


def test_a_failure_that_was_never_seen_may_be_three_in_n() -> None:
    assert rule_of_three(100) == pytest.approx(0.0295, abs=5e-5)
    assert rule_of_three(1000) == pytest.approx(3 / 1000, rel=0.005)


@given(n=st.integers(1, 200), data=st.data())
def test_the_exact_interval_is_the_wider_one_at_its_rate(n: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, n))
    low, high = clopper_pearson(right, n)
    assert 0 <= low <= right / n <= high <= 1
    assert low <= wilson(right, n)[1]


def tries_slowly(right: int, n: int, k: int) -> tuple[float, float]:
    """One of `k`, all of `k`: by every way of drawing `k` of the `n` answers."""
    answers = [i < right for i in range(n)]
    drawn = list(itertools.combinations(answers, k))
    return sum(map(any, drawn)) / len(drawn), sum(map(all, drawn)) / len(drawn)


@given(n=st.integers(1, 7), data=st.data())
def test_several_tries_are_every_way_of_drawing_them(n: int, data: st.DataObject) -> None:
    right, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    assert (pass_at_k(right, n, k), pass_hat_k(right, n, k)) == pytest.approx(tries_slowly(right, n, k))


def test_more_tries_than_answers_are_refused() -> None:
    for count in (pass_at_k, pass_hat_k):
        with pytest.raises(RoutingError, match="--replicates 5"):
            count(2, 4, 5)
        with pytest.raises(ValueError, match="possible"):
            count(5, 4, 2)


def test_many_tests_are_corrected_for_being_many() -> None:
    raw = (0.01, 0.04, 0.03, 0.005)
    assert holm(raw) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert benjamini_hochberg(raw) == pytest.approx((0.02, 0.04, 0.04, 0.02))
    assert holm(()) == benjamini_hochberg(()) == ()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_correcting_never_makes_a_p_value_smaller_nor_changes_their_order(raw: list[float]) -> None:
    adjusted = holm(raw)
    assert all(r <= a <= 1 for r, a in zip(raw, adjusted, strict=True))
    order = sorted(range(len(raw)), key=raw.__getitem__)
    assert [adjusted[i] for i in order] == sorted(adjusted)


def test_importing_the_room_loads_nothing_heavy() -> None:
    heavy = "{'scipy', 'numpy', 'openai', 'pandas', 'bm25s', 'tiktoken', 'tqdm'}"
    code = f"import sys, tohlab.routing, tohlab.cli.route; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
