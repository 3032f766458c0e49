"""A sweep: a full grid of normal runs, asked once, compared with the first point, inside one budget."""

from __future__ import annotations

import _thread
import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.routing.service import completion
from tests.routing.sweeps.scripted import Scripted, few, listed, no_call, right
from tohlab import library
from tohlab.errors import BudgetExceeded, EndpointError, ReplayMiss, RoutingError, RunInterrupted
from tohlab.routing import (
    Budget,
    Price,
    Progress,
    ReplyStore,
    Sweep,
    choices,
    description_limits,
    dialects,
    estimate_sweep,
    load_cases,
    load_catalog,
    models,
    orders,
    placements,
    run_baseline,
    sizes,
    sweep,
)
from tohlab.routing.compare import compare
from tohlab.routing.statistics import holm
from tohlab.routing.sweeps import baselines

PRICE = Price(input_usd=1.0, output_usd=2.0)


def test_two_axes_give_every_combination_the_last_one_fastest() -> None:
    found = sweep(few(), listed(), "bm25", over=[sizes(3, 6), description_limits(None, 10)])
    assert [point.label for point in found] == ["3, none", "3, 10", "6, none", "6, 10"]
    assert found.point("6", "10").n_skills == 6
    with pytest.raises(RoutingError, match="the values are size: 3, 6; description-limit: none, 10"):
        found.point("6")


def test_axes_apply_in_their_own_order_however_they_are_given() -> None:
    one = sweep(few(), listed(), "bm25", over=[sizes(3), orders(3)])
    other = sweep(few(), listed(), "bm25", over=[orders(3), sizes(3)])
    shifted = [[p.report.skills for p in found if p.report] for found in (one, other)]
    assert shifted[0] == shifted[1]
    assert len(set(shifted[0])) == 3


def test_the_first_point_is_the_run_itself_and_the_others_are_compared_with_it() -> None:
    dataset, source = load_cases(library.library_cases()), load_catalog(library.library_skills())
    found = sweep(dataset, source, "bm25", over=baselines("bm25", "names", "majority"))
    alone = [run_baseline(name, dataset, source) for name in ("bm25", "names", "majority")]
    assert [point.report for point in found] == alone
    pairs = [compare(alone[0], other) for other in alone[1:]]
    assert [point.comparison for point in found] == [None, *pairs]
    surest = [max(pair.p_value, pair.clustered_p or 1.0) for pair in pairs]
    assert [point.p_adjusted for point in found] == [None, *holm(surest)]
    assert found.looks == 2
    for point, pair in zip(found.points[1:], pairs, strict=True):
        assert point.p_adjusted is not None
        assert point.verdict == ("no evidence" if point.p_adjusted >= 0.05 else pair.verdict)


def test_equal_points_are_never_told_apart() -> None:
    dataset, source = load_cases(library.library_cases()), load_catalog(library.library_skills())
    found = sweep(dataset, source, "bm25", over=orders(5))
    assert {point.verdict for point in found} == {None, "no evidence"}
    assert found.agreement == 1.0


def test_a_second_sweep_asks_nothing_and_finds_the_same(tmp_path: Path) -> None:
    client = Scripted(right(few()))
    axes = [placements("opening", "system"), description_limits(500, 10)]
    with ReplyStore(tmp_path / "s.sqlite") as store:
        first = sweep(few(), listed(), client, over=axes, model="m", store=store, price=PRICE)
        assert len(client.bodies) == 16
        again = sweep(few(), listed(), client, over=axes, model="m", store=store, price=PRICE)
        offline = sweep(few(), listed(), None, over=axes, model="m", store=store, price=PRICE)
        assert len(client.bodies) == 16
        cost = estimate_sweep(few(), listed(), client, over=axes, model="m", store=store)
        assert (cost.requests, cost.stored) == (0, 16)
        with pytest.raises(ReplayMiss, match="in the point placement user"):
            sweep(few(), listed(), None, over=placements("opening", "user"), model="m", store=store)
    for one in (again, offline):
        assert [p.exact for p in one] == [p.exact for p in first]
        assert [p.cost_usd for p in one] == [p.cost_usd for p in first]
        assert [p.report.n_stored for p in one if p.report] == [4] * 4


def test_a_sweep_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    answer = right(few())
    client = Scripted(answer)

    def stops(body: dict[str, Any]) -> dict[str, Any]:
        if len(client.bodies) == 6:
            _thread.interrupt_main()
        return answer(body)

    client.answer = stops
    slow = client.complete

    async def complete(request: Any) -> Any:
        await asyncio.sleep(0.05)
        return await slow(request)

    client.complete = complete  # type: ignore[method-assign]  # slow enough to be stopped
    axis = description_limits(500, 20, 10)
    with ReplyStore(tmp_path / "s.sqlite") as store:
        with pytest.raises(RunInterrupted, match=r"in the point description-limit 20 \(2 of 3\)") as stopped:
            sweep(few(), listed(), client, over=axis, model="m", store=store)
        assert isinstance(stopped.value.report, Sweep)
        assert stopped.value.total == 12
        asked = len(client.bodies)
        assert 4 < asked < 12
        client.answer = answer
        found = sweep(few(), listed(), client, over=axis, model="m", store=store)
    assert len(client.bodies) <= 13  # the one that was under way is asked again
    assert len(found) == 3


def test_all_points_are_checked_before_the_first_is_asked() -> None:
    client = Scripted(right(few()))
    with pytest.raises(RoutingError, match="a catalog of 9 skills cannot be made"):
        sweep(few(), listed(), client, over=sizes(3, 9), model="m")
    with pytest.raises(RoutingError, match="has no model"):
        sweep(few(), listed(), client, over=sizes(3))
    assert client.bodies == []


def test_a_point_that_the_service_refuses_leaves_the_others_their_scores() -> None:
    answer = right(few())
    client = Scripted(lambda body: "bad_request" if body.get("tool_choice") == "required" else answer(body))
    found = sweep(few(), listed(), client, over=choices("tools", "required", "named"), model="m")
    refused = found.point("required")
    assert refused.report is None
    assert refused.missing.startswith("no score: ")
    assert "bad_request" in refused.missing
    assert [point.exact is not None for point in found] == [True, False, True]
    assert "1 of 3 points have no score" in found.notes
    everything = Scripted(lambda body: "bad_request")
    with pytest.raises(EndpointError, match="none of 4 requests was answered"):
        sweep(few(), listed(), everything, over=choices("tools", "required"), model="m")


def test_a_key_that_is_refused_stops_the_whole_sweep() -> None:
    client = Scripted(lambda body: "auth")
    with pytest.raises(EndpointError, match="in the point choice tools"):
        sweep(few(), listed(), client, over=choices("tools", "required"), model="m")
    assert len(client.bodies) == 1


def test_one_budget_holds_for_all_points(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 400, "completion_tokens": 5}

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        return completion("pdf-forms", usage=usage)

    axis = description_limits(500, 20, 10)
    client = Scripted(answer)
    with pytest.raises(BudgetExceeded, match="the prompts of 12 requests alone"):
        sweep(few(), listed(), client, over=axis, model="m", budget=Budget(tokens=500))
    assert client.bodies == []
    cost = estimate_sweep(few(), listed(), client, over=axis, model="m", max_tokens=10)
    limit = cost.total.prompt_tokens
    assert limit > 6 * 405
    usage["prompt_tokens"] = limit // 6
    with ReplyStore(tmp_path / "s.sqlite") as store:
        options: dict[str, Any] = {"over": axis, "model": "m", "store": store, "max_tokens": 10}
        found = sweep(few(), listed(), client, budget=Budget(tokens=limit), **options)
        assert sum(len(p.report.trials) for p in found if p.report) == len(client.bodies) < 12
        assert any("stopped at the budget" in note for point in found for note in point.notes)
        assert found.points[-1].report is None
        assert "was used up" in found.points[-1].missing
        asked = len(client.bodies)
        whole = sweep(few(), listed(), client, **options)
    assert len(client.bodies) == 12
    assert asked + sum(p.report.n_scored - p.report.n_stored for p in whole if p.report) == 12


def test_the_progress_is_that_of_the_whole_sweep() -> None:
    told: list[Progress] = []
    client = Scripted(right(few()))
    sweep(few(), listed(), client, over=orders(3), model="m", progress=told.append, replicates=2)
    assert {p.total for p in told} == {24}
    done = [p.done for p in told]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 24)


def test_an_estimate_counts_what_two_points_share_once() -> None:
    axis = dialects("toh", "pikuri")
    alone = estimate_sweep(few(), listed(), over=axis, model="m", price=PRICE)
    assert (alone.requests, len(alone.points)) == (8, 2)
    assert alone.total.low_usd == pytest.approx(alone.total.prompt_tokens / 1e6)
    # Neither description is longer than these limits, so both points send the same.
    same = estimate_sweep(few(), listed(), over=description_limits(400, 500), model="m")
    assert (same.requests, [p.estimate.requests for p in same.points]) == (4, [4, 4])
    assert estimate_sweep(few(), listed(), "bm25", over=axis).requests == 0
    assert estimate_sweep(few(), listed(), over=axis, model="m", replicates=3).requests == 24


def test_an_estimate_takes_each_model_at_its_own_price() -> None:
    client = Scripted(lambda body: no_call())
    ten = Price(input_usd=10.0, output_usd=20.0)
    found = estimate_sweep(few(), listed(), over=models(("a", client, PRICE), ("b", client, ten)))
    lows = [point.estimate.low_usd for point in found.points]
    assert lows[1] == pytest.approx(10 * (lows[0] or 0))
    assert found.total.low_usd == pytest.approx(sum(low or 0 for low in lows))
    some = estimate_sweep(few(), listed(), over=models(("a", client, PRICE), ("b", client)))
    assert some.total.low_usd is None


def test_what_a_model_would_pay_stands_beside_a_baseline_too() -> None:
    asked = sweep(few(), listed(), Scripted(right(few())), over=dialects("toh", "pikuri"), model="m")
    alone = sweep(few(), listed(), "bm25", over=dialects("toh", "pikuri"))
    numbers = [[(p.n_skills, p.catalog_tokens, p.tool_tokens, p.nearest) for p in f] for f in (asked, alone)]
    assert numbers[0] == numbers[1]
    assert all(0 < (p.nearest or 0) < 1 for p in alone)


def test_the_price_of_a_point_is_that_of_its_answers() -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 500}
    client = Scripted(lambda body: completion("pdf-forms", usage=usage))
    found = sweep(few(), listed(), client, over=orders(2), model="m", price=PRICE)
    assert [p.cost_usd for p in found] == [pytest.approx(4 * (1000 * 1 + 500 * 2) / 1e6)] * 2
    silent = Scripted(lambda body: completion("pdf-forms", usage={"prompt_tokens": None}))
    found = sweep(few(), listed(), silent, over=orders(2), model="m", price=PRICE)
    assert [p.cost_usd for p in found] == [None, None]


def test_the_frontier_holds_what_no_other_point_beats() -> None:
    dataset, source = load_cases(library.library_cases()), load_catalog(library.library_skills())
    found = sweep(dataset, source, "bm25", over=description_limits(500, 120, 60, 3))
    best = found.frontier()

    def beats(a: Any, b: Any) -> bool:
        least = a.skills_tokens <= b.skills_tokens and a.exact.value >= b.exact.value
        return bool(least and (a.skills_tokens, a.exact.value) != (b.skills_tokens, b.exact.value))

    assert set(map(id, best)) == {id(b) for b in found if not any(beats(a, b) for a in found if a is not b)}
    assert [p.skills_tokens for p in best] == sorted(p.skills_tokens for p in best)
    assert found.frontier("usd") == ()
    with pytest.raises(RoutingError, match="known: tokens, usd"):
        found.frontier("euro")  # type: ignore[arg-type]  # that is what is tested


def test_a_baseline_takes_nothing_that_belongs_to_asking(tmp_path: Path) -> None:
    with (
        ReplyStore(tmp_path / "s.sqlite") as store,
        pytest.raises(RoutingError, match="leave out replicates, store"),
    ):
        sweep(few(), listed(), "bm25", over=orders(2), store=store, replicates=2)


def test_a_sweep_runs_where_a_loop_is_running() -> None:
    async def cell() -> Sweep:
        return sweep(few(), listed(), Scripted(right(few())), over=models("a", "b"))

    found = asyncio.run(cell())
    assert [point.label for point in found] == ["a", "b"]


def test_replicates_count_as_one_case() -> None:
    found = sweep(few(), listed(), Scripted(lambda body: no_call()), over=orders(2), model="m", replicates=3)
    assert [p.exact.n for p in found if p.exact] == [4, 4]
    assert found.points[1].comparison is not None
