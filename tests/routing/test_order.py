"""The order of the catalog is an axis of its own: rotated catalogs, flips, and where loaded skills stood."""

from __future__ import annotations

import pytest

from tests.routing import shapes
from tests.routing.service import completion, ok, serving
from tohlab.errors import RoutingError
from tohlab.routing import ListedSkills, OpenAIClient, run_routing
from tohlab.routing.order import order_effects, rotations

FOUR = ListedSkills([(name, f"Does {name}.") for name in ("alpha", "beta", "gamma", "delta")])


def names(source: object) -> list[str]:
    return [s.name for s in source.snapshot().skills]  # type: ignore[attr-defined]  # any SkillSource


def test_rotations_put_each_skill_at_each_place_once() -> None:
    orders = [names(source) for source in rotations(FOUR, 4)]
    assert orders[0] == names(FOUR)
    assert all({order[i] for order in orders} == set(names(FOUR)) for i in range(4))
    with pytest.raises(RoutingError, match="1 to 4 orders"):
        rotations(FOUR, 5)


def test_a_model_that_takes_the_first_entry_flips_in_every_case() -> None:
    dataset = shapes.RoutingDataset(
        cases=tuple(shapes.case(i, names(FOUR)[i]) for i in range(4)), name="four"
    )
    reports = []
    for source in rotations(FOUR, 4):
        first = names(source)[0]
        with serving(lambda b, n, first=first: ok(completion(first))) as service:
            reports.append(run_routing(dataset, source, OpenAIClient(service.base_url), model="m"))
            catalog = service.bodies[0]["messages"][0]["content"]
        assert sorted(names(source), key=catalog.index) == names(source)
    found = order_effects(reports)
    assert (found.flip.value, found.n_orders, found.n_cases) == (1.0, 4, 4)
    assert found.place_variation == pytest.approx(0.75)
    assert {place: rate.value for place, rate in found.by_place} == {
        "first quarter": 1.0,
        "second quarter": 0.0,
        "third quarter": 0.0,
        "last quarter": 0.0,
    }


def test_a_model_that_reads_does_not_flip() -> None:
    dataset = shapes.ten()
    reports = []
    for source in rotations(shapes.source(), 3):
        with serving(shapes.perfect(dataset)) as service:
            reports.append(run_routing(dataset, source, OpenAIClient(service.base_url), model="m"))
    found = order_effects(reports)
    assert found.flip.value == 0
    assert all(rate.value == 1 for _, rate in found.by_place)
    assert found.place_variation == pytest.approx(0, abs=0.05)


def test_orders_of_different_skills_are_refused() -> None:
    from tohlab.routing import run_baseline

    one = run_baseline("bm25", shapes.ten(), shapes.source())
    other = run_baseline("bm25", shapes.ten(), ListedSkills([*shapes.CATALOG, ("more", "More.")]))
    with pytest.raises(RoutingError, match="different skills"):
        order_effects([one, other])
    with pytest.raises(RoutingError, match="two orders or more"):
        order_effects([one])
