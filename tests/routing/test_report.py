"""A report counts cases, keeps failures beside the score, and says None where nothing was."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.routing.shapes import NAMES
from tohlab.routing import Price, RoutingCase, RoutingReport, Trial, Usage
from tohlab.routing.aggregate import make_report
from tohlab.routing.report import INVALID, NONE, ConfusionCell

A, B, C = NAMES


def trial(
    number: int, expected: tuple[str, ...] | None, loaded: tuple[str, ...], label: str, **more: object
) -> Trial:
    keys = {k: more.pop(k) for k in ("group", "not_expected", "optional", "aliases") if k in more}
    case = RoutingCase(id=f"c{number}", query="q", expected=expected, **keys)  # type: ignore[arg-type]  # fields of a case by their names
    return Trial(case=case, label=label, loaded=loaded, **more)  # type: ignore[arg-type]  # fields of a trial by their names


def report(*trials: Trial, replicates: int = 1) -> RoutingReport:
    return make_report(
        trials, model="m", dataset="d", skills=NAMES, dialect="toh", replicates=replicates, choice="tools"
    )


MIXED = (
    trial(0, (A,), (A,), "ok"),
    trial(1, (A,), (B,), "wrong_skill"),
    trial(2, (), (), "ok"),
    trial(3, (), (B,), "spurious"),
    trial(4, (B,), (), "infra:rate_limit"),
    trial(5, (A, B), (A,), "partial"),
    trial(6, (B,), (), "unknown_name"),
    trial(7, (A,), (A, B), "ok_extra"),
)


def test_failures_of_the_service_are_not_scored_and_bound_the_rate() -> None:
    found = report(*MIXED)
    assert (found.n_total, found.n_scored, found.n_model_error, found.n_service_error) == (8, 7, 1, 1)
    assert (found.exact.successes, found.exact.n) == (2, 7)
    assert (found.exact_worst, found.exact_best) == (2 / 8, 3 / 8)
    assert found.no_skill is not None
    assert (found.no_skill.successes, found.no_skill.n) == (1, 2)
    assert found.several_skills is not None
    assert (found.several_skills.successes, found.several_skills.n) == (0, 1)


def test_the_bounds_are_over_cases_as_the_rate_is() -> None:
    tries = (
        *[replace(trial(0, (A,), (B,), "wrong_skill"), replicate=i) for i in range(3)],
        trial(1, (A,), (A,), "ok"),  # a budget ended the run before its other tries
    )
    found = report(*tries, replicates=3)
    assert (found.exact.value, found.exact_worst, found.exact_best) == (0.5, 0.5, 0.5)
    failed = report(*tries, replace(trial(1, (A,), (), "infra:server"), replicate=1), replicates=3)
    assert (failed.exact.value, failed.exact_worst, failed.exact_best) == (0.5, 0.25, 0.5)


def test_an_answer_that_cannot_be_used_avoided_nothing_and_twins_count() -> None:
    found = report(
        trial(0, (A,), (A,), "ok"),
        trial(1, None, (), "malformed_args", not_expected=(B,)),
        trial(2, None, (C,), "not_avoided", not_expected=(B,), aliases=((C, B),)),
        trial(3, None, (), "avoided", not_expected=(B,)),
    )
    assert found.avoided is not None
    assert (found.avoided.successes, found.avoided.n) == (1, 3)


def test_what_a_content_filter_took_away_is_not_scored_and_is_paid_for() -> None:
    paid = Usage(prompt=900, completion=100)
    found = report(
        trial(0, (A,), (A,), "ok", usage=paid),
        trial(1, (A,), (), "infra:content_filter", usage=paid),
        trial(2, (A,), (), "infra:content_filter"),  # refused before it was read
    )
    assert (found.n_scored, found.tokens.prompt, found.tokens.completion) == (1, 1800, 200)
    cost = found.cost(Price.parse("1,1"))
    assert (cost.now_usd, cost.n_unknown) == (pytest.approx(0.002), 0)


def test_precision_and_recall_are_over_cases() -> None:
    a, b, c = report(*MIXED).per_skill
    assert (a.name, a.support, a.predicted) == (A, 4, 3)
    assert a.recall is not None
    assert a.precision is not None
    assert (a.recall.successes, a.recall.n) == (3, 4)
    assert (a.precision.successes, a.precision.n) == (3, 3)
    assert a.f1 == pytest.approx(6 / 7)
    assert (b.support, b.predicted) == (2, 3)
    assert b.recall is not None
    assert b.recall.successes == 0
    assert b.f1 == 0.0
    assert (c.support, c.predicted, c.precision, c.recall, c.f1) == (0, 0, None, None, None)


def test_the_confusion_has_columns_for_no_call_and_no_usable_answer() -> None:
    assert report(*MIXED).confusion() == (
        ConfusionCell(expected=A, predicted=A, n=3),
        ConfusionCell(expected=A, predicted=B, n=2),
        ConfusionCell(expected=B, predicted=NONE, n=1),
        ConfusionCell(expected=B, predicted=INVALID, n=1),
        ConfusionCell(expected=NONE, predicted=B, n=1),
        ConfusionCell(expected=NONE, predicted=NONE, n=1),
    )


def test_cases_that_only_say_what_is_wrong_are_reported_apart() -> None:
    found = report(
        trial(0, (A,), (A,), "ok", not_expected=(B,)),
        trial(1, None, (B,), "not_avoided", not_expected=(B,)),
        trial(2, None, (), "avoided", not_expected=(B,)),
    )
    assert (found.n_total, found.n_unlabelled, found.exact.n) == (1, 2, 1)
    assert found.avoided is not None
    assert (found.avoided.successes, found.avoided.n) == (2, 3)
    assert dict(found.labels) == {"ok": 1}


def test_replicates_are_no_further_cases() -> None:
    found = report(
        *(trial(0, (A,), (A,), "ok", replicate=i) for i in range(4)),
        trial(1, (A,), (A,), "ok", replicate=0),
        *(trial(1, (A,), (), "missed", replicate=i) for i in (1, 2, 3)),
        replicates=4,
    )
    assert (found.n_cases, found.n_total, found.n_scored) == (2, 8, 8)
    assert (found.exact.value, found.exact.n) == (1.25 / 2, 2)
    assert found.every is not None
    assert (found.every.successes, found.every.n) == (1, 2)
    assert found.per_skill[0].recall is not None
    assert (found.per_skill[0].recall.value, found.per_skill[0].recall.n) == (1.25 / 2, 2)


def test_calling_every_skill_is_never_exact_and_costs_precision() -> None:
    found = report(*(trial(i, (name,), NAMES, "ok_extra") for i, name in enumerate(NAMES)))
    assert found.exact.value == 0
    assert all(s.precision is not None and s.precision.value == 1 / 3 for s in found.per_skill)


def test_nothing_scored_gives_no_report() -> None:
    with pytest.raises(ValueError, match="nothing was scored"):
        report(trial(0, (A,), (), "infra:server"))


def test_a_report_is_plain_json_without_nan() -> None:
    data = report(*MIXED).to_dict(trials=True)
    again = json.loads(json.dumps(data, allow_nan=False))
    assert again == data
    assert set(data) >= {
        "n_total", "n_scored", "n_service_error", "exact", "exact_low", "exact_high", "no_skill", "per_skill",
        "labels", "model", "choice", "placement", "tokens",
    }  # fmt: skip
    rates = ("precision", "recall")
    nothing = {f"{rate}{end}": None for rate in rates for end in ("", "_low", "_high")}
    counts = {f"{rate}_n": 0 for rate in rates}
    assert data["per_skill"][2] == {"name": C, "support": 0, "predicted": 0, "f1": None} | nothing | counts
    assert len(data["trials"]) == 8


def test_groups_have_rates_of_their_own() -> None:
    found = report(
        trial(0, (A,), (A,), "ok", group="direct"),
        trial(1, (A,), (), "missed", group="indirect"),
        trial(2, (A,), (A,), "ok", group="indirect"),
    )
    assert [(group, share.value, share.n) for group, share in found.by_group] == [
        ("direct", 1, 1),
        ("indirect", 0.5, 2),
    ]


def test_micro_scores_are_over_loads_and_macro_scores_over_expected_skills() -> None:
    sets = report(*MIXED).sets
    # Loads: A 3 times (all expected), B 3 times (none expected). Expected: A 4 times, B twice.
    assert (sets.micro_precision, sets.micro_recall) == (pytest.approx(3 / 6), pytest.approx(3 / 6))
    assert sets.micro_f1 == pytest.approx(6 / 12)
    assert (sets.macro_recall, sets.macro_n) == (pytest.approx((3 / 4 + 0) / 2), 2)
    assert (sets.macro_precision, sets.macro_precision_n) == (pytest.approx((1 + 0) / 2), 2)
    assert sets.macro_f1 == pytest.approx((6 / 7 + 0) / 2)
    assert (sets.over_loads, sets.under_loads, sets.double_loads) == (3, 3, 0)
    assert sets.jaccard == pytest.approx((1 + 0 + 1 + 0 + 1 / 2 + 0 + 1 / 2) / 7)


def test_a_report_without_any_load_says_that_there_is_nothing_to_rate() -> None:
    sets = report(trial(0, (), (), "ok"), trial(1, (), (), "ok")).sets
    assert (sets.micro_precision, sets.micro_recall, sets.micro_f1) == (None, None, None)
    assert (sets.macro_precision, sets.macro_recall, sets.macro_f1, sets.macro_n) == (None, None, None, 0)
    assert sets.jaccard == 1.0


def test_loading_twice_is_counted_apart() -> None:
    found = report(trial(0, (A,), (A,), "double_load", repeats=2), trial(1, (A,), (A,), "ok"))
    assert (found.sets.double_loads, found.sets.over_loads, found.exact.successes) == (2, 0, 1)
    assert found.sets.micro_precision == 1.0


def test_cases_with_an_optional_skill_are_reported_separately_too() -> None:
    found = report(
        trial(0, (A,), (A, B), "ok", optional=(B,)),
        trial(1, (), (), "ok", optional=(B,)),
        trial(2, (), (C,), "spurious", optional=(B,)),
        trial(3, (A,), (A,), "ok"),
    )
    assert found.optional is not None
    assert (found.optional.successes, found.optional.n, found.exact.n) == (2, 3, 4)
    assert found.per_skill[1].predicted == 0
    assert ConfusionCell(expected=NONE, predicted=NONE, n=1) in found.confusion()


def test_a_skill_that_is_loaded_whatever_is_asked_is_named() -> None:
    always = [trial(i, (A,), (A, B), "ok_extra") for i in range(4)] + [trial(4, (), (B,), "spurious")]
    (note,) = report(*always, trial(5, (), (), "ok")).notes
    assert note.startswith(f"{B} was loaded in 5 of the 6 cases that do not expect it")
    assert report(*always[:2], *(trial(i, (), (), "ok") for i in range(5, 9))).notes == ()
