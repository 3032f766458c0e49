"""What two runs differ in, part by part: kinds of cases, skills, and the texts that their lists show."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from tohlab.routing.comparison import AVOIDED, KindChange, SkillChange
from tohlab.routing.dataset import KINDS, RoutingCase, kind_of
from tohlab.routing.paired import mcnemar
from tohlab.routing.report import RoutingReport
from tohlab.routing.statistics import holm


def kind_changes(
    cases: Sequence[RoutingCase], shares_a: Mapping[str, float], shares_b: Mapping[str, float]
) -> tuple[KindChange, ...]:
    """Return what changed in the cases that expect one skill, several and none, where there are any."""
    rows = []
    for kind in KINDS:
        own = [case.id for case in cases if kind_of(case.expected or ()) == kind]
        if own:
            rows.append(_kind(kind, *([shares[i] for i in own] for shares in (shares_a, shares_b))))
    return tuple(rows)


def avoided_change(a: RoutingReport, b: RoutingReport) -> tuple[KindChange, ...]:
    """Return what changed in the cases of both runs that say what must not be loaded, labelled or not."""
    first, second = (_avoided(run) for run in (a, b))
    shared = [case for case in first if case in second]
    if not shared:
        return ()
    return (_kind(AVOIDED, *([found[case] for case in shared] for found in (first, second))),)


def _avoided(run: RoutingReport) -> dict[tuple[str, str, tuple[str, ...]], float]:
    """Share of each case's answers that kept from what must not be loaded, by what makes it the same case."""
    found: defaultdict[tuple[str, str, tuple[str, ...]], list[bool]] = defaultdict(list)
    for trial in run.trials:
        case = trial.case
        if case.not_expected and trial.state != "service_error":
            key = case.id, case.query, case.not_expected
            found[key].append(trial.avoided)
    return {key: sum(kept) / len(kept) for key, kept in found.items()}


def _kind(kind: str, left: Sequence[float], right: Sequence[float]) -> KindChange:
    return KindChange(
        kind=kind,
        n=len(left),
        a=sum(left) / len(left),
        b=sum(right) / len(right),
        gained=sum(y > x for x, y in zip(left, right, strict=True)),
        lost=sum(y < x for x, y in zip(left, right, strict=True)),
    )


def edited_texts(a: RoutingReport, b: RoutingReport) -> tuple[str, ...]:
    """Return the skills of both catalogs of which the two lists show different texts, sorted."""
    first, second = dict(a.digests), dict(b.digests)
    return tuple(sorted(name for name in first.keys() & second.keys() if first[name] != second[name]))


def _wrong(run: RoutingReport, ids: Collection[str]) -> Counter[str]:
    """How many answers loaded each skill without being asked for it."""
    return Counter(
        name
        for trial in run.trials
        if trial.case.id in ids and trial.state != "service_error"
        for name in trial.case.counted(trial.loaded)
        if name not in (trial.case.expected or ())
    )


def skill_changes(
    a: RoutingReport,
    b: RoutingReport,
    cases: Sequence[RoutingCase],
    shares_a: Mapping[str, float],
    shares_b: Mapping[str, float],
) -> tuple[SkillChange, ...]:
    """Return the skills with a case or a wrong load that changed, the surest first."""
    ids = {case.id for case in cases}
    wrong_a, wrong_b = _wrong(a, ids), _wrong(b, ids)
    named = [name for case in cases for name in case.expected or ()]
    rows = []
    for name in dict.fromkeys((*named, *sorted({*wrong_a, *wrong_b}))):
        own = [case.id for case in cases if name in (case.expected or ())]
        gained = sum(shares_b[i] > shares_a[i] for i in own)
        lost = sum(shares_b[i] < shares_a[i] for i in own)
        rows.append((name, len(own), gained, lost, mcnemar(gained, lost)))
    # Every expected skill was looked at, also those without a change, so all of them count for Holm.
    adjusted = (*holm([row[4] for row in rows if row[1]]), *[1.0 for row in rows if not row[1]])
    found = [
        SkillChange(
            name=name,
            n=n,
            gained=gained,
            lost=lost,
            p_value=p,
            p_adjusted=q,
            a_wrong=wrong_a[name],
            b_wrong=wrong_b[name],
        )
        for (name, n, gained, lost, p), q in zip(rows, adjusted, strict=True)
        if gained or lost or wrong_a[name] != wrong_b[name]
    ]
    found.sort(
        key=lambda one: (one.p_value, -one.gained - one.lost, -abs(one.b_wrong - one.a_wrong), one.name)
    )
    return tuple(found)
