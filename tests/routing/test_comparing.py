"""Two runs over the same cases: paired tests, clusters, power, and what may be said."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.routing.shapes import NAMES
from tohlab.cli._console import make_console
from tohlab.cli.route_diff import print_comparison
from tohlab.errors import DatasetError, RoutingError
from tohlab.frames import frame
from tohlab.notebook.views import view
from tohlab.routing import RoutingCase, RoutingDataset, RoutingReport, Trial, Usage
from tohlab.routing.aggregate import make_report
from tohlab.routing.clusters import cluster_of, clustered_mean, clustered_share
from tohlab.routing.compare import compare
from tohlab.routing.paired import mcnemar, newcombe, p_number, p_text, paired_bootstrap
from tohlab.routing.power import (
    cases_for,
    cases_needed,
    detectable,
    mcnemar_power,
    smallest_difference,
)
from tohlab.routing.pricing import Price
from tohlab.routing.saved import load_report
from tohlab.routing.selection import SHARES, best_of, only_split, split_cases
from tohlab.routing.statistics import wilson

A, B, C = NAMES


def case(i: int, *expected: str) -> RoutingCase:
    return RoutingCase(id=f"c{i}", query=f"query {i}", expected=expected)


def run(
    results: Sequence[bool | Sequence[bool] | None],
    *,
    expected: Sequence[tuple[str, ...]] | None = None,
    model: str = "m",
    skills: Sequence[str] = NAMES,
    usage: Usage | None = None,
) -> RoutingReport:
    """A report of one trial a case (None: a service error), or of several for a list of results."""
    trials = []
    for i, result in enumerate(results):
        wanted = expected[i] if expected else (NAMES[i % 3],)
        several = [result] if result is None or isinstance(result, bool) else result
        for replicate, right in enumerate(several):
            label = "infra:server" if right is None else "ok" if right else "missed"
            trials.append(
                Trial(
                    case=case(i, *wanted),
                    label=label if wanted or right is not False else "spurious",
                    loaded=wanted if right else (() if wanted else (A,)),
                    replicate=replicate,
                    usage=usage or Usage(),
                )
            )
    replicates = max(t.replicate for t in trials) + 1
    return make_report(
        trials, model=model, dataset="d", skills=skills, dialect="toh", choice="tools", replicates=replicates
    )


def lonely(n: int) -> list[tuple[str, ...]]:
    """No skill fits, so each case is a cluster of its own."""
    return [()] * n


# Tests and intervals.


def test_mcnemar_looks_only_at_what_changed() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(0, 5) == pytest.approx(2 / 32)
    assert mcnemar(0, 6) == pytest.approx(2 / 64)
    assert mcnemar(8, 2) == mcnemar(2, 8) == pytest.approx(0.109375)


@pytest.mark.parametrize(
    ("p_value", "cell", "sentence"),
    [
        (1.0, "1.000", "p = 1.000"),
        (0.2454, "0.245", "p = 0.245"),
        (0.0012, "0.001", "p = 0.001"),
        (0.0004, "< 0.001", "p < 0.001"),
        (2e-18, "< 0.001", "p < 0.001"),
    ],
)
def test_a_small_p_value_is_not_called_zero(p_value: float, cell: str, sentence: str) -> None:
    assert p_number(p_value) == cell
    assert p_text(p_value) == sentence


def test_a_plain_difference_is_told_without_a_p_of_zero(capsys: pytest.CaptureFixture[str]) -> None:
    a, b = (
        run([False] * 60, expected=[(A,)] * 30 + [()] * 30),
        run([True] * 60, expected=[(A,)] * 30 + [()] * 30),
    )
    found = compare(a, b)
    assert "+100.0 points (p < 0.001)" in found.sentence
    print_comparison(found, make_console(width=100))
    text = capsys.readouterr().out
    assert "the less sure of two; McNemar's exact test: p < 0.001." in " ".join(text.split())
    assert re.search(rf"{A} +30 +30 +0 +30 +0 +< 0\.001 +< 0\.001", text)
    assert "0.000" not in text
    assert "(p < 0.001, n = 60)" in best_of([a, b, a]).sentence


def test_newcombe_s_own_example() -> None:
    # Newcombe 1998, Statistics in Medicine 17, 2635: table of 36, 12, 2, 0, method 10.
    assert newcombe(36, 12, 2, 0) == pytest.approx((0.0569, 0.3404), abs=5e-5)
    assert newcombe(20, 0, 0, 0)[0] < 0 < newcombe(20, 0, 0, 0)[1]


@given(st.tuples(*[st.integers(0, 30)] * 4).filter(any))
def test_a_paired_interval_holds_its_difference_and_turns_with_it(table: tuple[int, int, int, int]) -> None:
    both, gained, lost, neither = table
    low, high = newcombe(both, gained, lost, neither)
    assert -1 <= low <= (gained - lost) / sum(table) + 1e-9
    assert (gained - lost) / sum(table) - 1e-9 <= high <= 1
    assert newcombe(both, lost, gained, neither) == pytest.approx((-high, -low))


def test_flipping_signs_gives_the_exact_test_where_all_flips_can_be_made() -> None:
    differences = [1.0, 1.0, 1.0, 0.0, -1.0, 1.0, 1.0]
    observed = abs(sum(differences))
    flips = list(itertools.product((1, -1), repeat=len(differences)))
    exact = sum(abs(sum(s * d for s, d in zip(f, differences, strict=True))) >= observed for f in flips)
    found = paired_bootstrap(differences, [str(i) for i in range(7)], seed=1, resamples=20_000)
    assert found.p_value == pytest.approx(exact / len(flips), abs=0.01)


def test_the_same_seed_gives_the_same_interval_and_another_gives_another() -> None:
    rng = random.Random(5)
    differences = [rng.choice((-1.0, 0.0, 0.0, 1.0)) for _ in range(80)]
    clusters = [str(i // 4) for i in range(80)]
    one, again, other = (paired_bootstrap(differences, clusters, seed=s) for s in (3, 3, 4))
    assert one == again
    assert one.p_value != other.p_value


def test_cases_of_which_none_changed_do_not_show_that_none_ever_will() -> None:
    few, many = (paired_bootstrap([0.0] * n, [str(i) for i in range(n)]) for n in (20, 400))
    assert few.low is not None
    assert few.high is not None
    assert few.low == -few.high < -0.05
    assert many.high is not None
    assert 0 < many.high < 0.004
    assert few.p_value == many.p_value == 1.0


def test_signs_of_fewer_than_six_clusters_rule_nothing_out() -> None:
    five, six = (paired_bootstrap([1.0] * 20, [str(i % g) for i in range(20)]) for g in (5, 6))
    assert (five.low, five.high) == (None, None)
    assert six.low is not None
    assert 0 < six.low < six.high == 1.0  # type: ignore[operator]  # an interval has both ends or none
    with pytest.raises(ValueError, match="too few"):
        paired_bootstrap([1.0] * 20, [str(i) for i in range(20)], resamples=19)


@given(st.lists(st.sampled_from((-1.0, -0.5, 0.0, 0.5, 1.0)), min_size=6, max_size=30))
def test_a_redrawn_interval_holds_its_difference_and_turns_with_it(differences: list[float]) -> None:
    clusters = [str(i // 2 if len(differences) > 12 else i) for i in range(len(differences))]
    one = paired_bootstrap(differences, clusters, resamples=199)
    other = paired_bootstrap([-d for d in differences], clusters, resamples=199)
    assert one.low is not None
    assert one.high is not None
    # Half a case is added to each side, which draws the middle a little towards 0.
    middle = sum(differences) / (len(differences) + 1)
    assert -1 <= one.low <= middle + 1e-9
    assert middle - 1e-9 <= one.high <= 1
    assert one.p_value == other.p_value


def test_intervals_of_ten_unequal_clusters_hold_as_often_as_they_say() -> None:
    # Chapter 9 does this over many shapes; percentiles of redrawn clusters hold in 88 of 100 here.
    rng = random.Random(11)
    sizes = (2, 3, 4, 6, 8, 9, 12, 14, 18, 24)
    clusters = [str(g) for g, size in enumerate(sizes) for _ in range(size)]
    held = 0
    for seed in range(400):
        shifts = [rng.gauss(0.1, 0.3) for _ in sizes]
        drawn = [
            float(rng.random() < 0.5 + shift) - float(rng.random() < 0.5)
            for shift, size in zip(shifts, sizes, strict=True)
            for _ in range(size)
        ]
        found = paired_bootstrap(drawn, clusters, seed=seed, resamples=199)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.1 <= found.high
    assert 0.93 <= held / 400 <= 0.98


def test_one_cluster_gives_no_error_and_no_interval() -> None:
    found = clustered_share([1.0, 0.0, 1.0], ["a"] * 3)
    assert (found.se, found.low, found.high) == (None, None, None)
    assert "one cluster" in found.warning
    redrawn = paired_bootstrap([1.0, 1.0], ["a", "a"])
    assert (redrawn.p_value, redrawn.low, redrawn.high) == (None, None, None)


def test_clusters_widen_the_error_and_few_of_them_warn() -> None:
    values = [1.0] * 50 + [0.0] * 50
    alike = clustered_share(values, [str(i // 10) for i in range(100)])
    alone = clustered_share(values, [str(i) for i in range(100)])
    assert alike.naive_se == alone.naive_se == pytest.approx(alone.se)
    assert alike.se is not None
    assert alone.se is not None
    # Ten clusters of equal answers are ten cases: sqrt(10 / 9 * 10 * 25) / 100.
    assert alike.se == pytest.approx(math.sqrt(10 / 9 * 10 * 25) / 100)
    assert alike.warning == ""
    assert alike.low is not None
    assert alone.low is not None
    assert alike.low < alone.low
    assert "only 5 clusters" in clustered_share(values, [str(i // 20) for i in range(100)]).warning


@given(n=st.integers(2, 60), data=st.data())
def test_cases_that_are_each_a_cluster_give_wilson_s_interval(n: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, n))
    found = clustered_share([1.0] * right + [0.0] * (n - right), [str(i) for i in range(n)])
    assert (found.low, found.high) == pytest.approx(wilson(right, n))


def test_unequal_clusters_give_a_wider_interval_than_as_many_equal_ones() -> None:
    equal = [str(i // 10) for i in range(100)]
    unequal = ["0"] * 55 + [str(i // 5 + 1) for i in range(45)]
    values = [float(i % 5 != 0) for i in range(100)]
    one, other = clustered_mean(values, equal), clustered_mean([values[0]] * 55 + values[55:], unequal)
    assert one.n_clusters == other.n_clusters == 10
    assert one.low is not None
    # Ten equal clusters: the jackknife is CR1, with t of 9 degrees of freedom.
    assert one.se is not None
    assert one.value - one.low == pytest.approx(2.262157 * one.se, rel=1e-5)
    assert other.low is not None
    assert other.se is not None
    assert (other.value - other.low) / other.se > 4


def test_cases_that_all_came_out_alike_count_once_for_each_cluster() -> None:
    found = clustered_share([1.0] * 100, [str(i // 5) for i in range(100)])
    assert found.se == 0
    assert found.low is not None
    assert found.low < 0.85  # as 20 of 20, not as 100 of 100 (0.963)
    assert found.high == 1.0


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=1, max_size=40))
def test_a_clustered_share_stays_within_its_bounds(pairs: list[tuple[float, int]]) -> None:
    found = clustered_share([v for v, _ in pairs], [str(c) for _, c in pairs])
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value + 1e-9
        assert found.value - 1e-9 <= found.high <= 1
    assert clustered_mean([v for v, _ in pairs], [str(c) for _, c in pairs]).se == found.se


def test_a_cluster_is_a_skill_a_group_or_the_case() -> None:
    one = RoutingCase(id="x", query="q", expected=(A,), group="g")
    assert [cluster_of(one, by) for by in ("skill", "group", "case")] == [f"skill {A}", "group g", "case x"]
    assert cluster_of(replace(one, expected=())) == "case x"
    with pytest.raises(RoutingError, match="known: skill, group, case"):
        cluster_of(one, "day")  # type: ignore[arg-type]  # a word that is none of them


# Power.


@pytest.mark.parametrize(
    ("n", "difference", "changed", "power"),
    [(20, 0.10, 0.15, 0.02), (50, 0.10, 0.15, 0.31), (100, 0.10, 0.15, 0.70), (200, 0.10, 0.15, 0.95),
     (100, 0.05, 0.10, 0.25), (200, 0.05, 0.10, 0.53), (400, 0.05, 0.10, 0.89)],
)  # fmt: skip
def test_power_is_what_simulations_gave(n: int, difference: float, changed: float, power: float) -> None:
    assert mcnemar_power(n, difference, changed) == pytest.approx(power, abs=0.02)


def test_the_smallest_difference_has_the_power_and_the_next_smaller_has_not() -> None:
    found = smallest_difference(194, 0.15)
    assert found is not None
    assert mcnemar_power(194, found, 0.15) >= 0.8 > mcnemar_power(194, found - 0.001, 0.15)
    assert smallest_difference(5, 0.1) is None  # five changed cases never reach p < 0.05
    assert smallest_difference(6, 0.0) is not None


def test_the_cases_a_difference_needs() -> None:
    needed = cases_needed(0.10, 0.15)
    assert needed is not None
    assert 100 < needed < 140
    assert mcnemar_power(needed, 0.10, 0.15) >= 0.8
    assert cases_needed(0.001, 0.5) is None
    with pytest.raises(ValueError, match="as many cases that change"):
        mcnemar_power(10, 0.2, 0.1)


def test_replicates_buy_only_the_part_within_a_case() -> None:
    once = cases_for(0.05, between=0.1, within_a=0.2, within_b=0.2)
    often = cases_for(0.05, between=0.1, within_a=0.2, within_b=0.2, replicates_a=100, replicates_b=100)
    assert once == math.ceil(7.8489 * 0.5 / 0.0025)
    assert often > math.ceil(7.848 * 0.1 / 0.0025)
    assert detectable(0.02) == pytest.approx(2.8016 * 0.02, abs=1e-4)


# Comparing.


def test_a_comparison_lists_what_was_gained_and_lost() -> None:
    a = run([True] * 6 + [False] * 14, expected=lonely(20))
    b = run([True] * 5 + [False] + [True] * 10 + [False] * 4, expected=lonely(20), model="n")
    found = compare(a, b)
    assert ([c.case for c in found.lost], len(found.gained)) == (["c5"], 10)
    assert found.lost[0].b_label == "spurious"
    assert (found.p_value, found.n) == (pytest.approx(mcnemar(10, 1)), 20)
    assert (found.low, found.high) == newcombe(5, 10, 1, 4)
    assert found.smallest == smallest_difference(20, 11 / 20)
    assert found.differs == (("model", "m", "n"),)
    assert found.verdict == "better"
    assert found.sentence.startswith("The second run is better: +45.0 points (p = 0.0")
    assert compare(b, a).verdict == "worse"
    json.dumps(found.to_dict(), allow_nan=False)


def test_twenty_cases_show_no_small_difference_and_the_comparison_says_so() -> None:
    a = run([True] * 10 + [False] * 10, expected=lonely(20))
    b = run([True] * 12 + [False] * 8, expected=lonely(20))
    found = compare(a, b)
    assert found.verdict == "no evidence"
    assert found.smallest is not None
    assert found.smallest > 0.2
    assert f"20 cases could show {100 * found.smallest:.0f} points or more" in found.sentence


def test_cases_of_one_skill_that_changed_together_are_one_change() -> None:
    expected = [(A,)] * 15 + [(B,)] * 15 + [(C,)] * 15
    found = compare(run([False] * 45, expected=expected), run([True] * 15 + [False] * 30, expected=expected))
    assert found.p_value < 0.001
    assert (found.n_clusters, found.verdict) == (3, "no evidence")
    assert any("the cases of one skill changed together" in note for note in found.notes)
    assert any("never show a difference" in note for note in found.notes)
    assert found.per_skill[0].name == A
    assert found.per_skill[0].p_adjusted == pytest.approx(3 * found.per_skill[0].p_value)


def test_what_the_service_did_not_answer_can_undo_a_verdict() -> None:
    a = run([False] * 10 + [True] * 20, expected=lonely(30))
    b = run([True] * 10 + [None] * 12 + [True] * 8, expected=lonely(30))
    found = compare(a, b)
    assert (found.n, found.n_unscored, found.verdict) == (18, 12, "undecided")
    assert (found.worst, found.best) == (pytest.approx(-2 / 30), pytest.approx(10 / 30))
    assert found.p_value < 0.05
    assert found.sentence.startswith("Undecided: +55.6 points, but 12 cases were not scored")
    sure = compare(a, run([True] * 10 + [None] * 2 + [True] * 18, expected=lonely(30)))
    assert sure.verdict == "better"


def test_runs_that_answer_alike_are_called_insensitive() -> None:
    found = compare(run([True, False] * 10), run([True, False] * 10))
    assert found.notes[0].startswith("both runs answered every case alike")
    assert (found.difference, found.p_value, found.gained, found.lost) == (0, 1.0, (), ())


def test_replicates_are_compared_as_means_over_cases() -> None:
    a = run([[True, False]] * 20, expected=lonely(20))
    b = run([[True, True]] * 20, expected=lonely(20))
    found = compare(a, b)
    assert (found.n, found.difference, found.test[:10]) == (20, 0.5, "sign flips")
    assert found.verdict == "better"
    assert all((c.a_right, c.b_right) == (0.5, 1.0) for c in found.gained)


def test_only_the_same_cases_are_compared() -> None:
    a, b = run([True] * 10), run([True] * 12)
    assert (compare(a, b).n, compare(a, b).n_only_b) == (10, 2)
    with pytest.raises(RoutingError, match="'c0' is not the same"):
        compare(a, run([True] * 10, expected=[(C,)] * 10))
    with pytest.raises(RoutingError, match="no case that both runs scored"):
        compare(run([True, None]), run([None, True]))


def test_a_comparison_says_what_it_cost_only_with_a_price() -> None:
    usage = Usage(prompt=1000, cached=900, completion=10)
    a, b = run([True] * 4, usage=usage), run([True] * 4)
    assert compare(a, b).a_spent.cost_usd is None
    found = compare(a, b, price=Price(input_usd=1, output_usd=2, cached_usd=0.1))
    assert found.a_spent.prompt_tokens == 4000
    assert found.a_spent.cost_usd == pytest.approx(4 * (100 * 1 + 900 * 0.1 + 10 * 2) / 1e6)
    assert (found.b_spent.answers, found.b_spent.cost_usd) == (0, None)


def test_another_catalog_is_among_what_differs() -> None:
    a, b = run([True] * 3), run([True] * 3, skills=(*NAMES, "new"))
    assert compare(a, b).differs == (("skills", "only here: none", "only here: new"),)
    turned = run([True] * 3, skills=tuple(reversed(NAMES)))
    assert compare(a, turned).differs[0][0] == "order of skills"


def test_what_changed_is_a_table_and_a_view() -> None:
    found = compare(run([True, False, True]), run([False, True, True], model="<b>n</b>"))
    rows = frame(found)
    assert list(zip(rows["case"], rows["change"], strict=True)) == [("c1", "gained"), ("c0", "lost")]
    assert list(rows["a_label"]) == ["missed", "ok"]
    shown = view(found)
    html = shown._repr_html_()
    assert "No evidence of a difference" in html
    assert "&lt;b&gt;n&lt;/b&gt;" in html
    assert "<b>n</b>" not in html
    assert "gained: c1 (missed to ok)" in repr(shown)
    assert len(frame(compare(run([True]), run([True])))) == 0


# A report from a file.


def test_a_report_is_the_same_after_it_was_written_and_read(tmp_path: Path) -> None:
    before = run([True, False, None, [True, False]], usage=Usage(prompt=5, completion=1))
    path = tmp_path / "a.json"
    path.write_text(json.dumps(before.to_dict(trials=True)))
    assert load_report(path) == before


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"trials": [], "skills": []}', '{"trials": [1], "skills": []}']
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(DatasetError, match="--json --trials"):
        load_report(tmp_path / "a.json")
    with pytest.raises(DatasetError, match="no such file"):
        load_report(tmp_path / "none.json")


# Choosing.


def test_five_identical_descriptions_hardly_ever_give_a_winner() -> None:
    rng = random.Random(11)
    shown = 0
    for _ in range(100):
        runs = [run([rng.random() < 0.6 for _ in range(20)], expected=lonely(20)) for _ in range(5)]
        shown += best_of(runs, resamples=399).evidence
    assert shown <= 9  # 5 are expected; 10 or more would come up in 3 of 100 such tests


def test_a_description_that_is_better_is_found() -> None:
    rng = random.Random(2)
    runs = [run([rng.random() < 0.4 for _ in range(60)], expected=lonely(60)) for _ in range(4)]
    best = run([rng.random() < 0.9 for _ in range(60)], expected=lonely(60))
    found = best_of([*runs, best])
    assert (found.best, found.evidence, found.looks, found.n) == (4, True, 5, 60)
    assert "measure how good it is on cases that were not used" in found.sentence


def test_descriptions_that_make_no_difference_are_said_to_make_none() -> None:
    same = run([True, False] * 10)
    found = best_of([same, same, same, same])
    assert (found.insensitive, found.evidence) == (True, False)
    assert found.sentence == "No evidence: all 4 runs are right and wrong in the same 20 cases."
    with pytest.raises(RoutingError, match="two runs or more"):
        best_of([same])


def dataset(n: int) -> RoutingDataset:
    words = ("invoice", "table", "schema", "video", "poster", "query", "letter", "index", "budget", "song")
    rng = random.Random(4)
    cases = [
        RoutingCase(id=f"c{i}", query=" ".join(rng.sample(words, 4)) + f" {i}", expected=(NAMES[i % 3],))
        for i in range(n)
    ]
    copies = [replace(c, id=f"{c.id}-copy", query=c.query + "!") for c in cases[:10]]
    return RoutingDataset(cases=(*cases, *copies), name="d")


def test_splits_keep_copies_together_and_give_each_skill_to_each() -> None:
    found = split_cases(dataset(60), seed=3, alike=0.95)
    by_id = {c.id: c.split for c in found.cases}
    assert all(by_id[f"c{i}"] == by_id[f"c{i}-copy"] for i in range(10))
    for name in SHARES:
        part = only_split(found, name)
        assert {c.expected for c in part.cases} == {(A,), (B,), (C,)}
        assert len(part) == pytest.approx(SHARES[name] * 70, abs=4)
    assert found == split_cases(dataset(60), seed=3, alike=0.95)
    assert found != split_cases(dataset(60), seed=4, alike=0.95)


def test_splits_that_cannot_be_are_refused() -> None:
    with pytest.raises(RoutingError, match="add up to 1"):
        split_cases(dataset(3), {"a": 0.5, "b": 0.6})
    with pytest.raises(RoutingError, match="splits: none"):
        only_split(dataset(3), "train")


def test_a_rounding_error_does_not_move_the_interval_of_few_clusters() -> None:
    rng = random.Random(1)
    for _ in range(5):
        exact = [rng.randrange(65) / 64 for _ in range(18)]  # sums of these have no rounding error
        rounded = [d + rng.uniform(-1e-12, 1e-12) for d in exact]
        one, other = (paired_bootstrap(ds, [str(i // 3) for i in range(18)]) for ds in (exact, rounded))
        assert (one.low, one.high) == (
            pytest.approx(other.low, abs=1e-9),
            pytest.approx(other.high, abs=1e-9),
        )
