"""The same rates by kind of request: a setting can be better in all only because it is better in one kind.

A list that says nothing makes a picker pick nothing, which is right wherever no skill is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tohlab.routing.dataset import KINDS

if TYPE_CHECKING:
    from tohlab.routing.statistics import Rate
    from tohlab.routing.sweeps.results import Sweep, SweepPoint

_LOWER: Final = 0.05
"""What a point may lose in a kind before it is said in words, as a share."""


def kinds(sweep: Sweep) -> tuple[str, ...]:
    """Return the kinds of request that occur; empty where there is only one."""
    found = tuple(kind for kind in KINDS if any(kind_rate(point, kind) is not None for point in sweep.points))
    return found if len(found) > 1 else ()


def kind_rate(point: SweepPoint, kind: str) -> Rate | None:
    """Return the exact rate of a point's requests of one kind; None where it has none."""
    report = point.report
    if report is None:
        return None
    return dict(zip(KINDS, (report.one_skill, report.several_skills, report.no_skill), strict=True))[kind]


def kind_heads(sweep: Sweep) -> tuple[str, ...]:
    """Return the heads of the table by kind; empty where there is no such table."""
    found = kinds(sweep)
    return (*(axis.name for axis in sweep.axes), *found) if found else ()


def kind_cells(sweep: Sweep, point: SweepPoint) -> tuple[str, ...]:
    """Return the cells of a point's row in the table by kind."""
    rates = (kind_rate(point, kind) for kind in kinds(sweep))
    return (
        *(value for _, value in point.settings),
        *("" if found is None else f"{found.value:.1%} of {found.n}" for found in rates),
    )


def kind_sentences(sweep: Sweep) -> tuple[str, ...]:
    """Return one sentence for each point that looks better than it is.

    Such a point has a higher exact rate than the first, or no point is as good for fewer tokens, and yet it
    is lower than the first by more than 5 points in a kind. Points that are not compared are passed over.
    """
    first, kept = sweep.points[0], sweep.frontier()
    if first.exact is None:
        return ()
    said = []
    for point in sweep.points[1:]:
        if point.comparison is None or point.exact is None:
            continue
        higher = point.exact.value > first.exact.value
        if not higher and point not in kept:
            continue
        moved = [
            (kind, before, now)
            for kind in kinds(sweep)
            if (before := kind_rate(first, kind)) is not None and (now := kind_rate(point, kind)) is not None
        ]
        lower = [one for one in moved if one[1].value - one[2].value > _LOWER]
        if not lower:
            continue
        falls = " and ".join(_from_to(*one) for one in lower)
        rises = " and ".join(_from_to(*one) for one in moved if one[2].value > one[1].value)
        why = (
            f"exact is higher than at {first.label}"
            if higher
            else "no point with as few tokens is right more often"
        )
        only = f"; what rises is {rises}" if rises else ""
        said.append(f"{point.label}: {why}, but what falls from {first.label} is {falls}{only}.")
    return tuple(said)


def _from_to(kind: str, before: Rate, now: Rate) -> str:
    return f"{kind} from {before.value:.1%} to {now.value:.1%}"
