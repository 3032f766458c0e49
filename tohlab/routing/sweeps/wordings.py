"""The axis of paraphrases: the same need in other words, paired by what is needed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from tohlab.errors import RoutingError
from tohlab.routing.dataset import RoutingCase
from tohlab.routing.sweeps.plan import Axis, Plan, Value


def paraphrases(seeds: Mapping[str, str] | None = None) -> Axis:
    """Return the axis of wordings: the first of each need, the second of each, and so on.

    A need that has fewer wordings is missing from the later points; one that has a single wording is in
    none. Points are compared need by need.

    Args:
        seeds: for the id of each case which need it says (the id of its seed, or any word); by default the
            cases' own `paraphrase_of`. A case that is the seed of others is their first wording.

    Raises:
        RoutingError: when the sweep is made: no need has two wordings, a case does not exist, or two
            wordings of one need are labelled differently.
    """

    def make(plan: Plan) -> tuple[Value, ...]:
        needs = _needs(plan, seeds)
        return tuple(_wording(i, needs) for i in range(max(map(len, needs))))

    return Axis(name="paraphrase", make=make, stage=3, asks=False)


def _wording(i: int, needs: list[list[RoutingCase]]) -> Value:
    def change(plan: Plan) -> Plan:
        cases = tuple(need[i] for need in needs if i < len(need))
        return replace(
            plan,
            dataset=replace(plan.dataset, cases=cases, sample_of=len(plan.dataset.cases)),
            stands_for=MappingProxyType({need[i].id: need[0] for need in needs if i < len(need)}),
        )

    return Value(label=str(i + 1), number=i + 1, change=change)


def _needs(plan: Plan, seeds: Mapping[str, str] | None) -> list[list[RoutingCase]]:
    known = {case.id for case in plan.dataset.cases}
    if seeds is not None and (missing := sorted(set(seeds) - known)):
        raise RoutingError(f"there is no case {missing[0]!r}, so it says nothing in other words")
    groups: defaultdict[str, list[RoutingCase]] = defaultdict(list)
    for case in plan.dataset.cases:
        if case.labelled:
            seed = case.paraphrase_of if seeds is None else seeds.get(case.id, "")
            groups[seed or case.id].append(case)
    needs = []
    for seed, cases in groups.items():
        if len(cases) < 2:
            continue
        cases.sort(key=lambda case: case.id != seed)
        if odd := next((c for c in cases if _labels(c) != _labels(cases[0])), None):
            raise RoutingError(
                f"the cases {cases[0].id!r} and {odd.id!r} are wordings of one need and labelled differently"
            )
        needs.append(cases)
    if not needs:
        raise RoutingError(
            'no need is said in two ways: give cases "paraphrase_of", or paraphrases({case id: seed id})'
        )
    return needs


def _labels(case: RoutingCase) -> tuple[object, ...]:
    return case.expected, case.not_expected, case.optional, case.aliases
