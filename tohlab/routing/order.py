"""Does the order of the catalog decide? Rotated catalogs, and what changes from one to the next.

Models prefer what stands early (BiasBusters, arXiv 2510.00307). A harness has one order; asking with others
is an experiment, and its reports are compared here. Cyclic shifts put each skill at each place once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tohlab.errors import RoutingError
from tohlab.routing.report import RoutingReport
from tohlab.routing.scoring import Trial
from tohlab.routing.statistics import Rate, rate
from tohlab.skills.model import LoadedSkill, SkillSource, Snapshot


class Rotated:
    """The skills of a source, the first `by` of them put last; an order that the harness would not give.

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
        if not snapshot.skills:
            return snapshot
        by = self._by % len(snapshot.skills)
        return replace(snapshot, skills=(*snapshot.skills[by:], *snapshot.skills[:by]))

    def load(self, name: str) -> LoadedSkill | None:
        """Return the source's skill."""
        return self._source.load(name)


def rotations(source: SkillSource, k: int) -> tuple[Rotated, ...]:
    """Return the catalog in `k` orders, shifted by equal steps; the first is the source's own.

    Raises:
        RoutingError: `k` is not in 1..(number of skills).
    """
    n = len(source.snapshot().skills)
    if not 1 <= k <= n:
        raise RoutingError(f"{n} skills can be shifted into 1 to {n} orders, not {k}")
    return tuple(Rotated(source, i * n // k) for i in range(k))


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
    """How far the places of loaded skills are from an even spread over the quarters: total variation, 0
    (even) to 1; None if nothing was loaded."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {
            "n_orders": self.n_orders,
            "n_cases": self.n_cases,
            "flip": self.flip.to_dict(),
            "by_place": {place: found.to_dict() for place, found in self.by_place},
            "place_variation": self.place_variation,
        }


_PLACES = ("first quarter", "second quarter", "third quarter", "last quarter")


def order_effects(reports: Sequence[RoutingReport]) -> OrderEffects:
    """Return what the order of the catalog changed, from reports that differ in nothing else.

    Raises:
        RoutingError: fewer than two reports, catalogs of different skills, or no case that all scored.
    """
    if len(reports) < 2:
        raise RoutingError("there must be the reports of two orders or more")
    if len({tuple(sorted(report.skills)) for report in reports}) > 1:
        raise RoutingError("the reports are of catalogs with different skills, not of orders of the same")
    answers: defaultdict[str, list[frozenset[tuple[str, ...]]]] = defaultdict(list)
    right: defaultdict[str, list[float]] = defaultdict(list)
    loads: Counter[str] = Counter()
    for report in reports:
        place = {name: _PLACES[4 * i // len(report.skills)] for i, name in enumerate(report.skills)}
        shares = report.right_shares()
        answered: defaultdict[str, list[Trial]] = defaultdict(list)
        for trial in report.trials:
            if trial.state != "service_error":
                answered[trial.case.id].append(trial)
        for case in report.cases():
            if case.id not in shares:
                continue
            same = answered[case.id]
            answers[case.id].append(frozenset(tuple(sorted(t.loaded)) for t in same))
            loads.update(place[name] for t in same for name in t.loaded)
            if case.expected is not None and len(case.expected) == 1:
                right[place[case.expected[0]]].append(shares[case.id])
    whole = [sets for sets in answers.values() if len(sets) == len(reports)]
    flip = rate(sum(len(set(sets)) > 1 for sets in whole), len(whole))
    if flip is None:
        raise RoutingError("there is no case that all of the orders scored")
    total = loads.total()
    n = len(reports[0].skills)
    even = Counter(_PLACES[4 * i // n] for i in range(n))
    return OrderEffects(
        n_orders=len(reports),
        n_cases=len(whole),
        flip=flip,
        by_place=tuple(
            (place, found)
            for place in _PLACES
            if (found := rate(sum(right[place]), len(right[place]))) is not None
        ),
        place_variation=(
            sum(abs(loads[place] / total - even[place] / n) for place in _PLACES) / 2 if total else None
        ),
    )
