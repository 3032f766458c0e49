"""Orders and sizes: each skill at each place once, every case answerable, labels as they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.routing.service import completion
from tests.routing.sweeps.scripted import SKILLS, Scripted, cases, few, listed
from tohlab import library
from tohlab.errors import RoutingError
from tohlab.routing import ListedSkills, RoutingDataset, load_cases, load_catalog, orders, sizes, sweep
from tohlab.routing.order import order_effects
from tohlab.routing.sweeps.catalogs import named_skills
from tohlab.routing.sweeps.grid import plan_grid
from tohlab.routing.sweeps.plan import Plan

NAMES = st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=12, unique=True)


def names_of(plan: Plan) -> list[str]:
    return [s.name for s in plan.source.snapshot().skills if s.invocation.model_invocable]


def planned(dataset: RoutingDataset, source: object, axis: object) -> list[Plan]:
    plan = Plan(dataset=dataset, source=source, asked="bm25", model="")  # type: ignore[arg-type]  # any source
    return [made for _, made in plan_grid(plan, axis).plans]  # type: ignore[arg-type]  # any axis


@given(names=NAMES, seed=st.none() | st.integers(0, 99))
def test_as_many_shifts_as_skills_put_each_skill_at_each_place_once(
    names: list[str], seed: int | None
) -> None:
    source = ListedSkills((name, "Does it.") for name in names)
    dataset = cases(("do it", ()))
    found = [names_of(plan) for plan in planned(dataset, source, orders(len(names), seed))]
    for place in range(len(names)):
        assert sorted(order[place] for order in found) == sorted(names)
    if seed is None:
        assert found[0] == names_of(planned(dataset, source, orders(1))[0])


def test_a_skill_that_no_list_shows_takes_no_place_in_an_order() -> None:
    source = load_catalog(library.library_skills())
    shown = [s.name for s in source.snapshot().skills if s.invocation.model_invocable]
    assert len(shown) < len(source.snapshot().skills)
    dataset = load_cases(library.library_cases())
    found = [names_of(plan) for plan in planned(dataset, source, orders(len(shown)))]
    assert all(len({order[place] for order in found}) == len(shown) for place in range(len(shown)))


@given(
    named=st.sets(st.sampled_from(sorted(SKILLS)), min_size=1, max_size=4),
    extra=st.integers(0, 2),
    how=st.sampled_from(["nearest", "random"]),
    seed=st.integers(0, 9),
)
def test_every_case_stays_answerable_at_every_size(named: set[str], extra: int, how: str, seed: int) -> None:
    dataset = cases(*((f"do {name}", (name,)) for name in sorted(named)))
    n = len(named)
    small, large = planned(
        dataset,
        listed(),
        sizes(n, n + extra + (extra == 0), distractors=how, seed=seed),  # type: ignore[arg-type]  # one of the two
    )
    assert set(names_of(small)) == named
    assert set(names_of(small)) < set(names_of(large))
    for plan in (small, large):
        assert named_skills(dataset) <= set(names_of(plan))
        assert plan.dataset is dataset
        assert names_of(plan) == sorted(names_of(plan))


def test_the_nearest_distractor_is_taken_first() -> None:
    dataset = cases(("fill in", ("pdf-forms",)))
    first, second = planned(dataset, listed(), sizes(2, 3))
    assert set(names_of(first)) == {"pdf-forms", "pdf-extract"}
    assert set(names_of(first)) < set(names_of(second))


def test_drawn_distractors_depend_on_the_seed_alone() -> None:
    dataset = cases(("fill in", ("pdf-forms",)))
    drawn = {
        seed: names_of(planned(dataset, listed(), sizes(3, distractors="random", seed=seed))[0])
        for seed in range(8)
    }
    assert drawn[0] == names_of(planned(dataset, listed(), sizes(3, distractors="random", seed=0))[0])
    assert len({tuple(names) for names in drawn.values()}) > 1


def test_a_size_that_cannot_be_made_says_which_can() -> None:
    with pytest.raises(RoutingError, match=r"the cases name 3 skills and there are 3 others.*from 3 to 6"):
        sweep(few(), listed(), "bm25", over=sizes(2))
    pool = ListedSkills([("invoice-check", "Check an invoice."), ("pdf-forms", "Another of that name.")])
    found = sweep(few(), listed(), "bm25", over=sizes(3, 7, pool=pool))
    assert [point.n_skills for point in found] == [3, 7]
    plan = planned(few(), listed(), sizes(7, pool=pool))[0]
    described = {s.name: s.description for s in plan.source.snapshot().skills}
    assert described["pdf-forms"] == SKILLS["pdf-forms"]  # the skills' own source wins


def test_sizes_are_compared_over_the_same_cases() -> None:
    found = sweep(few(), listed(), "bm25", over=sizes(3, 6))
    compared = found.points[1].comparison
    assert compared is not None
    assert (compared.n, compared.n_only_a, compared.n_only_b) == (4, 0, 0)


def test_a_model_that_takes_the_first_entry_is_shown_by_an_order_sweep() -> None:
    def first(body: dict[str, object]) -> dict[str, object]:
        catalog = body["messages"][0]["content"]  # type: ignore[index]  # a chat request
        return completion(min(SKILLS, key=catalog.index))

    everything = cases(*((f"do {name}", (name,)) for name in SKILLS))
    found = sweep(everything, listed(), Scripted(first), over=orders(6), model="m")
    assert found.flip is not None
    assert (found.flip.value, found.flip.n) == (1.0, 6)
    assert found.order is not None
    assert {place: rate.value for place, rate in found.order.by_place} == {
        "first third": 0.5,
        "second third": 0.0,
        "last third": 0.0,
    }
    assert found.order.place_variation == pytest.approx(2 / 3)
    assert [point.exact.value for point in found if point.exact] == [pytest.approx(1 / 6)] * 6


def test_places_can_be_told_one_by_one_and_twins_apart() -> None:
    def first(body: dict[str, object]) -> dict[str, object]:
        catalog = body["messages"][0]["content"]  # type: ignore[index]  # a chat request
        return completion(min(("pdf-extract", "pdf-forms"), key=catalog.index))

    everything = cases(("the pdf", ("pdf-forms",)), ("this pdf", ("pdf-forms",)))
    found = sweep(everything, listed(), Scripted(first), over=orders(6), model="m")
    reports = [point.report for point in found if point.report is not None]
    effects = order_effects(reports, parts=None, twins=[("pdf-forms", "pdf-extract")])
    assert [place for place, _ in effects.by_place] == ["1", "2", "3", "4", "5", "6"]
    (twin,) = effects.twins
    assert twin.names == ("pdf-extract", "pdf-forms")
    # Neighbours in a cycle of six: the one that follows stands first in one order of the six only.
    assert (twin.loads, twin.by_rank) == ((10, 2), (12, 0))
    assert twin.rank_variation == pytest.approx(0.5)
    assert twin.name_variation == pytest.approx(1 / 3)


def test_an_order_that_a_harness_does_not_let_be_chosen_is_refused() -> None:
    with pytest.raises(RoutingError, match="orders its list by itself"):
        sweep(few(), listed(), "bm25", over=orders(3), dialect="codex")
    found = sweep(few(), listed(), "bm25", over=orders(3), dialect="pikuri")
    assert found.flip is not None


def test_more_orders_than_skills_are_refused() -> None:
    with pytest.raises(RoutingError, match="1 to 6 orders, not 7"):
        sweep(few(), listed(), "bm25", over=orders(7))
