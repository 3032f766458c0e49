"""Does the order of the catalog decide? Rotated catalogs, and what changes from one to the next.

Models prefer what stands early (BiasBusters, arXiv 2510.00307). A harness has one order; asking with others
is an experiment, and its reports are compared here. Cyclic shifts put each skill at each place once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from tohlab.errors import RoutingError
from tohlab.routing.report import RoutingReport
from tohlab.routing.statistics import Rate, rate
from tohlab.skills.model import LoadedSkill, SkillSource, SkillSummary, Snapshot


class Rotated:
    """The skills of a source, the first `by` of them put last; an order that the harness would not give.

    Skills that no list shows to a model stand behind the others and have no part in it.

    Args:
        source: the skills.
        by: how many places; more than there are skills starts again.
    """

    def __init__(self, source: SkillSource, by: int) -> None:
        self._source = source
        self._by = by

    def snapshot(self) -> Snapshot:
        """Return the source's snapshot in the rotated order."""
        snapshot = self._source.snapshot()
        shown = _shown(snapshot)
        if not shown:
            return snapshot
        by = self._by % len(shown)
        hidden = [skill for skill in snapshot.skills if not skill.invocation.model_invocable]
        return replace(snapshot, skills=(*shown[by:], *shown[:by], *hidden))

    def load(self, name: str) -> LoadedSkill | None:
        """Return the source's skill."""
        return self._source.load(name)


def _shown(snapshot: Snapshot) -> list[SkillSummary]:
    return [skill for skill in snapshot.skills if skill.invocation.model_invocable]


def rotations(source: SkillSource, k: int) -> tuple[Rotated, ...]:
    """Return the catalog in `k` orders, shifted by equal steps; the first is the source's own.

    Raises:
        RoutingError: `k` is not in 1..(number of skills that a model may load).
    """
    n = len(_shown(source.snapshot()))
    if not 1 <= k <= n:
        raise RoutingError(f"{n} skills can be shifted into 1 to {n} orders, not {k}")
    return tuple(Rotated(source, i * n // k) for i in range(k))


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinEffect:
    """Which of several skills that do the same was loaded, over the orders."""

    names: tuple[str, ...]
    """Skills of which any would do, sorted."""
    loads: tuple[int, ...]
    """How often each was loaded."""
    by_rank: tuple[int, ...]
    """How often the one was loaded that stood first of them in its order, second, and so on."""
    name_variation: float | None
    """How far `loads` is from each being loaded as often: total variation, 0 (even) to 1; None for none."""
    rank_variation: float | None
    """The same for `by_rank`: above 0 where the place decides between equals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderEffects:
    """What changed when only the order of the catalog did."""

    n_orders: int
    n_cases: int
    """Cases that all orders scored."""
    flip: Rate
    """Cases in which not all orders loaded the same skills."""
    by_place: tuple[tuple[str, Rate], ...]
    """The exact rate of the cases with one expected skill, by the part of the catalog in which it stood:
    first, second, third and last quarter. The n are cases in orders, so not independent of each other."""
    place_variation: float | None
    """How far the places of loaded skills are from an even spread over the parts: total variation, 0
    (even) to 1; None if nothing was loaded."""
    twins: tuple[TwinEffect, ...] = ()
    """For each set of skills that do the same, which was loaded."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {
            "n_orders": self.n_orders,
            "n_cases": self.n_cases,
            "flip": self.flip.to_dict(),
            "by_place": {place: found.to_dict() for place, found in self.by_place},
            "place_variation": self.place_variation,
            "twins": [asdict(twin) for twin in self.twins],
        }


_PARTS: Final = {
    3: ("first third", "second third", "last third"),
    4: ("first quarter", "second quarter", "third quarter", "last quarter"),
}


def order_effects(
    reports: Sequence[RoutingReport],
    *,
    parts: int | None = 4,
    twins: Iterable[Iterable[str]] | None = None,
) -> OrderEffects:
    """Return what the order of the catalog changed, from reports that differ in nothing else.

    Args:
        reports: one for each order.
        parts: in how many parts of the catalog a skill's place is told, 3 or 4; None: each place for itself,
            counted from 1.
        twins: sets of skills that do the same; by default those that the cases call aliases.

    Raises:
        RoutingError: fewer than two reports, catalogs of different skills, or no case that all scored.
    """
    if len(reports) < 2:
        raise RoutingError("there must be the reports of two orders or more")
    if len({tuple(sorted(report.skills)) for report in reports}) > 1:
        raise RoutingError("the reports are of catalogs with different skills, not of orders of the same")
    if parts is not None and parts not in _PARTS:
        raise RoutingError(f"places are told in 3 or 4 parts, or one by one (None), not in {parts}")
    n = len(reports[0].skills)
    named = _PARTS[parts] if parts is not None else tuple(str(i + 1) for i in range(n))
    right: defaultdict[str, list[float]] = defaultdict(list)
    loads: Counter[str] = Counter()
    for report in reports:
        place = {name: named[len(named) * i // n] for i, name in enumerate(report.skills)}
        shares = report.right_shares()
        for trial in report.trials:
            if trial.state != "service_error" and trial.case.labelled:
                loads.update(place[name] for name in trial.loaded)
        for case in report.cases():
            if case.id in shares and case.expected is not None and len(case.expected) == 1:
                right[place[case.expected[0]]].append(shares[case.id])
    flip = flips([loads_of(report) for report in reports])
    if flip is None:
        raise RoutingError("there is no case that all of the orders scored")
    even = Counter(named[len(named) * i // n] for i in range(n))
    return OrderEffects(
        n_orders=len(reports),
        n_cases=flip.n,
        flip=flip,
        by_place=tuple(
            (place, found)
            for place in named
            if (found := rate(sum(right[place]), len(right[place]))) is not None
        ),
        place_variation=variation([loads[p] for p in named], [even[p] for p in named]),
        twins=tuple(_twin(names, reports) for names in _sets(reports, twins)),
    )


def loads_of(report: RoutingReport) -> dict[str, frozenset[tuple[str, ...]]]:
    """Return for each scored case, by its id, the sets of skills that its answers loaded."""
    found: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for trial in report.trials:
        if trial.state != "service_error" and trial.case.labelled:
            found[trial.case.id].append(tuple(sorted(trial.loaded)))
    return {case_id: frozenset(sets) for case_id, sets in found.items()}


def flips(runs: Sequence[Mapping[str, frozenset[tuple[str, ...]]]]) -> Rate | None:
    """Return in how many of the cases that all runs scored not all of them loaded the same; None for none."""
    common = [case_id for case_id in runs[0] if all(case_id in run for run in runs)]
    return rate(sum(len({run[case_id] for run in runs}) > 1 for case_id in common), len(common))


def variation(counts: Sequence[int], weights: Sequence[int]) -> float | None:
    """Return the total variation of counts from what weights expect, 0..1; None if nothing was counted."""
    total, whole = sum(counts), sum(weights)
    if not total:
        return None
    return sum(abs(count / total - weight / whole) for count, weight in zip(counts, weights, strict=True)) / 2


def _sets(
    reports: Sequence[RoutingReport], twins: Iterable[Iterable[str]] | None
) -> Iterable[tuple[str, ...]]:
    if twins is None:
        together: defaultdict[str, set[str]] = defaultdict(set)
        for case in reports[0].cases():
            for twin, name in case.aliases:
                together[name] |= {twin, name}
        twins = together.values()
    known = set(reports[0].skills)
    for names in sorted(tuple(sorted(set(names))) for names in twins):
        if missing := [name for name in names if name not in known]:
            raise RoutingError(f"the skill {missing[0]!r} is not in the catalog, so it is nobody's twin")
        if len(names) < 2:
            raise RoutingError(f"twins are two skills or more, not only {', '.join(names)}")
        yield names


def _twin(names: tuple[str, ...], reports: Sequence[RoutingReport]) -> TwinEffect:
    loads: Counter[str] = Counter()
    ranks: Counter[int] = Counter()
    for report in reports:
        rank = {name: i for i, name in enumerate(name for name in report.skills if name in names)}
        for trial in report.trials:
            if trial.state != "service_error":
                mine = [name for name in trial.loaded if name in rank]
                loads.update(mine)
                ranks.update(rank[name] for name in mine)
    by_name = tuple(loads[name] for name in names)
    by_rank = tuple(ranks[i] for i in range(len(names)))
    even = [1] * len(names)
    return TwinEffect(
        names=names,
        loads=by_name,
        by_rank=by_rank,
        name_variation=variation(by_name, even),
        rank_variation=variation(by_rank, even),
    )
