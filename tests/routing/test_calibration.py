"""Whether a model that says how sure it is is right as often, and what leaving the unsure out would do."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from tests.routing import shapes
from tohlab.errors import RoutingError
from tohlab.routing import (
    RoutingCase,
    Trial,
)
from tohlab.routing.aggregate import make_report
from tohlab.routing.calibration import abstention, calibration, first_right
from tohlab.routing.margins import Margin

DOCX, PDF, SQL = shapes.NAMES


def made(pairs: Sequence[tuple[float, bool]], replicates: int = 1) -> list[Trial]:
    """Answers with such a share, right or not, each to a case of its own."""
    trials = []
    for i, (share, right) in enumerate(pairs):
        case = RoutingCase(id=f"c{i // replicates}", query=f"q {i // replicates}", expected=(PDF,))
        margin = Margin(
            name=PDF if right else SQL, share=share, probability=share, runner_up=DOCX,
            runner_up_share=1 - share, ambiguous=0.0, unseen=0.0, n_tokens=1,
        )  # fmt: skip
        trials.append(
            Trial(
                case=case,
                label="ok" if right else "wrong_skill",
                loaded=(margin.name,),
                margin=margin,
                replicate=i % replicates,
            )
        )
    return trials


def test_the_error_is_the_mean_distance_of_share_and_rate_over_bins_of_equal_mass() -> None:
    sure = [(0.9, i < 8) for i in range(10)]  # 0.9 said, 0.8 right
    unsure = [(0.5, i < 2) for i in range(11)]  # 0.5 said, 2 of 11 right
    found = calibration(made([*sure, *unsure]), bins=2, resamples=99)
    assert found is not None
    assert [row.right.n for row in found.bins] == [10, 11]
    # The 21 answers are cut in the middle of equal shares: ten of 0.5, then one of 0.5 and ten of 0.9.
    assert found.bins[0].confidence == pytest.approx(0.5)
    assert found.bins[1].confidence == pytest.approx((0.5 + 9.0) / 11)
    first = abs(sum(ok for _, ok in unsure[:10]) - 5.0) / 21
    second = abs(8 + unsure[10][1] - 9.5) / 21
    assert found.ece == pytest.approx(first + second)
    assert found.low <= found.high
    assert (found.n, found.n_cases, found.n_without) == (21, 21, 0)


def test_a_bin_has_ten_answers_or_there_are_fewer_bins() -> None:
    few = calibration(made([(0.7, True)] * 19), resamples=19)
    many = calibration(made([(0.7, True)] * 205), resamples=19)
    assert few is not None
    assert many is not None
    assert (len(few.bins), len(many.bins)) == (1, 10)
    assert {row.right.n for row in many.bins} == {20, 21}
    assert calibration(made([])) is None
    with pytest.raises(RoutingError, match="at least one bin"):
        calibration(made([(0.7, True)]), bins=0)


def test_a_calibrated_model_is_not_said_to_be_uncalibrated_and_an_overconfident_one_is() -> None:
    rng = random.Random(3)
    shares = [0.3 + 0.7 * rng.random() for _ in range(300)]
    honest = calibration(made([(p, rng.random() < p) for p in shares]), resamples=299)
    proud = calibration(made([(p, rng.random() < p - 0.25) for p in shares]), resamples=299)
    assert honest is not None
    assert proud is not None
    assert "no evidence" in honest.sentence
    assert "it is not calibrated" in proud.sentence
    assert proud.ece == pytest.approx(0.25, abs=0.08)
    assert 0 < honest.ece_if_calibrated < honest.ece_if_calibrated_high < proud.low


def test_calibrated_models_are_called_uncalibrated_in_about_five_of_a_hundred() -> None:
    rng = random.Random(8)
    wrong = 0
    for _ in range(100):
        pairs = [(p, rng.random() < p) for p in (rng.random() for _ in range(60))]
        found = calibration(made(pairs), resamples=99)
        assert found is not None
        wrong += found.ece > found.ece_if_calibrated_high
    assert wrong <= 13  # above 13 would happen to an honest 5 % in fewer than 1 of 1,000 tries


def test_answers_to_one_case_are_drawn_together() -> None:
    rng = random.Random(5)
    by_case = [(0.6 + 0.3 * (i % 2), rng.random() < 0.6) for i in range(30)]
    alone = calibration(made(by_case), bins=1, resamples=499)
    repeated = calibration(made([p for p in by_case for _ in range(5)], replicates=5), bins=1, resamples=499)
    assert alone is not None
    assert repeated is not None
    assert repeated.n_cases == alone.n_cases == 30
    # Five times the same answer is no new knowledge: the interval is as wide as before.
    assert repeated.high - repeated.low == pytest.approx(alone.high - alone.low, rel=0.2)
    assert calibration(made(by_case), bins=1, resamples=99) == calibration(
        made(by_case), bins=1, resamples=99
    )


def test_the_curve_keeps_the_surest_first_and_equal_ones_together() -> None:
    curve = abstention(made([(0.9, True), (0.9, False), (0.8, True), (0.6, False)]))
    assert curve is not None
    assert [round(p.coverage, 2) for p in curve.points] == [0.5, 0.75, 1.0]
    assert [p.exact.value for p in curve.points] == [0.5, pytest.approx(2 / 3), 0.5]
    assert [round(p.threshold, 6) for p in curve.points] == [0.8, 0.6, 0.2]
    assert curve.at(0.6).coverage == 0.75
    by_share = abstention(made([(0.9, True)]), by="share")
    assert by_share is not None
    assert by_share.points[0].threshold == 0.9
    with pytest.raises(RoutingError, match="known: share, margin"):
        abstention(made([(0.9, True)]), by="size")  # type: ignore[arg-type]  # a wrong word is refused


def test_the_first_name_is_right_if_it_is_expected_or_a_twin_or_none_is_expected() -> None:
    def trial(name: str, *expected: str, **more: Any) -> Trial:
        margin = Margin(
            name=name, share=1.0, probability=1.0, runner_up=None, runner_up_share=0.0, ambiguous=0.0,
            unseen=0.0, n_tokens=1,
        )  # fmt: skip
        return Trial(case=shapes.case(0, *expected, **more), label="ok", margin=margin)

    assert first_right(trial(PDF, PDF, SQL))
    assert not first_right(trial(DOCX, PDF))
    assert first_right(trial("(none)"))
    assert not first_right(trial("(none)", PDF))
    assert first_right(trial(DOCX, PDF, aliases=((DOCX, PDF),)))
    assert first_right(trial(PDF, optional=(PDF,)))
    assert not first_right(trial(SQL, optional=(PDF,)))


def test_the_figures_show_what_was_computed() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    rng = random.Random(1)
    trials = made([(p, rng.random() < p) for p in (rng.random() for _ in range(100))])
    report = make_report(trials, model="m", dataset="d", skills=shapes.NAMES, dialect="toh", choice="json")
    found = report.calibration()
    assert found is not None
    ax = report.plot_calibration()
    drawn = next(line for line in ax.get_lines() if line.get_marker() == "o")
    assert list(drawn.get_ydata()) == [row.right.value for row in found.bins]
    assert f"ECE {found.ece:.3f}" in ax.get_title()
    _, given = pyplot.subplots()
    assert report.plot_abstention(given) is given
    assert given.get_ylabel() == "exact set among those kept"
    pyplot.close("all")
