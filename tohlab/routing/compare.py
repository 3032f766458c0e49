"""Two runs over the same cases, side by side: what was gained and lost, and whether it is more than chance.

The cases that both runs scored are compared one by one, so that what is hard for both does not blur the
difference. Each comparison says how small a difference it could have seen at all, and what it cost. The
cases that changed are listed: they are what an author of descriptions works on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from tohlab.errors import RoutingError
from tohlab.routing.clusters import FEW, By, cluster_of, clustered_mean
from tohlab.routing.comparison import Change, KindChange, RunComparison, SkillChange, Spent, Verdict
from tohlab.routing.dataset import RoutingCase
from tohlab.routing.paired import mcnemar, newcombe, paired_bootstrap
from tohlab.routing.power import ALPHA, detectable, smallest_difference
from tohlab.routing.pricing import Price, cost_usd
from tohlab.routing.report import RoutingReport
from tohlab.routing.statistics import holm, rate


def compare(
    a: RoutingReport,
    b: RoutingReport,
    *,
    by: By = "skill",
    seed: int = 0,
    price: Price | None = None,
    price_b: Price | None = None,
) -> RunComparison:
    """Return how the second run differs from the first, over the cases that both scored.

    Args:
        a: the first run.
        b: the second run, over the same cases.
        by: what makes cases a cluster (see `clusters`).
        seed: of the flipped signs.
        price: what tokens cost, for both runs; without one there is no money.
        price_b: what they cost in the second run, where that is another model.

    Raises:
        RoutingError: there is no case that both scored, or a case is labelled differently in the two.
        MissingExtra: scipy or numpy is not installed.
    """
    first, second = ({case.id: case for case in run.cases()} for run in (a, b))
    for case_id, one in first.items():
        other = second.get(case_id, one)
        if _labels(one) != _labels(other):
            raise RoutingError(
                f"the case {case_id!r} is not the same in the two runs (query or labels differ); compare "
                "runs over the same cases"
            )
    shared = [case for case in a.cases() if case.id in second]
    shares_a, shares_b = a.right_shares(), b.right_shares()
    scored = [case for case in shared if case.id in shares_a and case.id in shares_b]
    if not scored:
        raise RoutingError("there is no case that both runs scored, so there is nothing to compare")
    n = len(scored)
    low: float | None
    high: float | None
    left, right = ([shares[case.id] for case in scored] for shares in (shares_a, shares_b))
    differences = [y - x for x, y in zip(left, right, strict=True)]
    clusters = [cluster_of(case, by) for case in scored]
    changes = _changes(a, b, [case for case in scored if shares_a[case.id] != shares_b[case.id]])
    gained = tuple(c for c in changes if c.b_right > c.a_right)
    lost = tuple(c for c in changes if c.b_right < c.a_right)
    redrawn = paired_bootstrap(differences, clusters, seed=seed)
    clustered = clustered_mean(differences, clusters)
    if a.replicates == b.replicates == 1:
        both = sum(x == y == 1 for x, y in zip(left, right, strict=True))
        low, high = newcombe(both, len(gained), len(lost), n - both - len(changes))
        p_value, test = mcnemar(len(gained), len(lost)), "McNemar's exact test"
        smallest = smallest_difference(n, len(changes) / n)
    else:
        alone = paired_bootstrap(differences, [case.id for case in scored], seed=seed)
        p_value = 1.0 if alone.p_value is None else alone.p_value
        test = f"sign flips by case, {alone.resamples} draws"
        low, high = redrawn.low, redrawn.high
        smallest = None if not clustered.se else detectable(clustered.se)
    difference = sum(differences) / n
    worst, best = _bounds(shared, shares_a, shares_b)
    unscored, only_a, only_b = len(shared) - n, len(first) - len(shared), len(second) - len(shared)
    exact_a, exact_b = rate(sum(left), n), rate(sum(right), n)
    assert exact_a is not None
    assert exact_b is not None
    surest = max(p_value, 1.0 if redrawn.p_value is None else redrawn.p_value)
    ids = {case.id for case in scored}
    return RunComparison(
        a=_short(a),
        b=_short(b),
        differs=_differs(a, b),
        n=n,
        n_unscored=unscored,
        n_only_a=only_a,
        n_only_b=only_b,
        a_exact=exact_a,
        b_exact=exact_b,
        difference=difference,
        low=low,
        high=high,
        worst=worst,
        best=best,
        test=test,
        p_value=p_value,
        clustered_p=redrawn.p_value,
        clustered_low=redrawn.low,
        clustered_high=redrawn.high,
        clustered_se=clustered.se,
        n_clusters=redrawn.n_clusters,
        seed=seed,
        smallest=smallest,
        gained=gained,
        lost=lost,
        by_kind=_by_kind(scored, shares_a, shares_b),
        per_skill=_per_skill(a, b, scored, shares_a, shares_b),
        edited=_edited(a, b),
        a_spent=_spent(a, ids, price),
        b_spent=_spent(b, ids, price_b or price),
        verdict=_verdict(difference, surest, worst, best, unscored),
        notes=(
            *_notes(a, b, ids),
            *_weak(p_value, redrawn.p_value, redrawn.n_clusters),
            *(
                [f"{only_a + only_b} labelled cases are in one run only and were left out"]
                * (only_a + only_b > 0)
            ),
        ),
    )


def _labels(case: RoutingCase) -> tuple[object, ...]:
    return case.query, case.expected, case.optional, case.aliases


def _changes(a: RoutingReport, b: RoutingReport, cases: Sequence[RoutingCase]) -> list[Change]:
    shares_a, shares_b = a.right_shares(), b.right_shares()
    firsts = [{t.case.id: t for t in reversed(run.trials) if t.state != "service_error"} for run in (a, b)]
    changes = []
    for case in cases:
        one, other = firsts[0][case.id], firsts[1][case.id]
        changes.append(
            Change(
                case=case.id,
                query=case.query,
                expected=case.expected or (),
                a_right=shares_a[case.id],
                b_right=shares_b[case.id],
                a_loaded=one.loaded,
                b_loaded=other.loaded,
                a_label=one.label,
                b_label=other.label,
                a_invalid=one.invalid,
                b_invalid=other.invalid,
            )
        )
    return changes


def _bounds(
    shared: Sequence[RoutingCase], shares_a: Mapping[str, float], shares_b: Mapping[str, float]
) -> tuple[float, float]:
    worst = best = 0.0
    for case in shared:
        low_a, high_a = shares_a.get(case.id, 0.0), shares_a.get(case.id, 1.0)
        low_b, high_b = shares_b.get(case.id, 0.0), shares_b.get(case.id, 1.0)
        worst += low_b - high_a
        best += high_b - low_a
    return worst / len(shared), best / len(shared)


def _verdict(difference: float, p_value: float, worst: float, best: float, unscored: int) -> Verdict:
    if p_value >= ALPHA:
        return "no evidence"
    if unscored and worst <= 0 <= best:
        return "undecided"
    return "better" if difference > 0 else "worse"


def _by_kind(
    cases: Sequence[RoutingCase], shares_a: Mapping[str, float], shares_b: Mapping[str, float]
) -> tuple[KindChange, ...]:
    rows = []
    for size, kind in ((1, "one skill"), (2, "several skills"), (0, "no skill")):
        own = [case.id for case in cases if min(len(case.expected or ()), 2) == size]
        if own:
            left, right = ([shares[i] for i in own] for shares in (shares_a, shares_b))
            rows.append(
                KindChange(
                    kind=kind,
                    n=len(own),
                    a=sum(left) / len(own),
                    b=sum(right) / len(own),
                    gained=sum(y > x for x, y in zip(left, right, strict=True)),
                    lost=sum(y < x for x, y in zip(left, right, strict=True)),
                )
            )
    return tuple(rows)


def _edited(a: RoutingReport, b: RoutingReport) -> tuple[str, ...]:
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


def _per_skill(
    a: RoutingReport,
    b: RoutingReport,
    cases: Sequence[RoutingCase],
    shares_a: Mapping[str, float],
    shares_b: Mapping[str, float],
) -> tuple[SkillChange, ...]:
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


def _spent(run: RoutingReport, ids: Collection[str], price: Price | None) -> Spent:
    used = [t.usage for t in run.trials if t.case.id in ids and t.state != "service_error"]
    known = [u for u in used if u.prompt is not None]
    costs = [cost_usd(u, price) for u in used] if price is not None else [None]
    return Spent(
        prompt_tokens=sum(u.prompt or 0 for u in known),
        completion_tokens=sum(u.completion or 0 for u in known),
        cached_tokens=None if all(u.cached is None for u in known) else sum(u.cached or 0 for u in known),
        answers=len(known),
        cost_usd=None if any(c is None for c in costs) else sum(c for c in costs if c is not None),
    )


def _short(run: RoutingReport) -> str:
    asked = f", choice {run.choice}" if run.choice else ""
    return f"{run.model}, dialect {run.dialect}{asked}"


def _differs(a: RoutingReport, b: RoutingReport) -> tuple[tuple[str, str, str], ...]:
    names = ("model", "dataset", "dialect", "choice", "placement", "replicates")
    values = [(n, getattr(a, n), getattr(b, n)) for n in names]
    found = [(n, _value(x), _value(y)) for n, x, y in values if x != y]
    if a.skills != b.skills:
        only_a, only_b = (sorted(set(x) - set(y)) for x, y in ((a.skills, b.skills), (b.skills, a.skills)))
        if only_a or only_b:
            found.append(("skills", f"only here: {_some(only_a)}", f"only here: {_some(only_b)}"))
        else:
            found.append(("order of skills", _some(a.skills), _some(b.skills)))
    return tuple(found)


def _value(value: object) -> str:
    return "not asked" if value is None else str(value)  # a baseline; `none` would be one of the choices


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return (", ".join(names[:5]) or "none") + more


def _notes(a: RoutingReport, b: RoutingReport, ids: Collection[str]) -> tuple[str, ...]:
    answers = [
        {(t.case.id, t.replicate): (t.label, t.loaded) for t in run.trials if t.case.id in ids}
        for run in (a, b)
    ]
    if answers[0] != answers[1]:
        return ()
    return (
        "both runs answered every case alike: these cases do not tell them apart, or what was changed does "
        "not reach the model",
    )


def _weak(p_value: float, clustered_p: float | None, n_clusters: int) -> tuple[str, ...]:
    notes = []
    if clustered_p is None:
        notes.append("all cases are one cluster (the same expected skills), so nothing can be shown by them")
    elif n_clusters < FEW:
        notes.append(
            f"only {n_clusters} clusters of cases, so the clustered figures are uncertain"
            + ("; with fewer than 6 they can never show a difference" if n_clusters < 6 else "")
        )
    if p_value < ALPHA and clustered_p is not None and clustered_p >= ALPHA:
        notes.append(
            "taken one by one the cases show a difference, but the cases of one skill changed together; the "
            "verdict goes by whole skills"
        )
    return tuple(notes)
