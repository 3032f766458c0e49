"""Two runs over the same cases, side by side: what was gained and lost, and whether it is more than chance.

The cases that both runs scored are compared one by one, so that what is hard for both does not blur the
difference. Each comparison says how small a difference it could have seen at all, and what it cost. The
cases that changed are listed: they are what an author of descriptions works on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tohlab.errors import RoutingError
from tohlab.routing.clusters import FEW, By, cluster_of, clustered_mean
from tohlab.routing.compare_parts import avoided_change, edited_texts, kind_changes, skill_changes
from tohlab.routing.comparison import Change, Decisive, RunComparison, Spent, Verdict, count_of
from tohlab.routing.dataset import RoutingCase
from tohlab.routing.paired import Resampled, mcnemar, newcombe, paired_bootstrap
from tohlab.routing.power import ALPHA, detectable, smallest_difference
from tohlab.routing.pricing import Price, cost_usd
from tohlab.routing.report import RoutingReport
from tohlab.routing.statistics import rate


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
    own_low: float | None
    own_high: float | None
    changed_share: float | None
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
        own_low, own_high = low, high
        p_value, test = mcnemar(len(gained), len(lost)), "McNemar's exact test"
        changed_share = len(changes) / n
        smallest = smallest_difference(n, changed_share)
    else:
        alone = paired_bootstrap(differences, [case.id for case in scored], seed=seed)
        p_value = 1.0 if alone.p_value is None else alone.p_value
        test = f"sign flips by case, {alone.resamples} draws"
        low, high = redrawn.low, redrawn.high
        own_low, own_high = alone.low, alone.high
        changed_share = None
        smallest = None if not clustered.se else detectable(clustered.se)
    difference = sum(differences) / n
    worst, best = _bounds(shared, shares_a, shares_b)
    unscored, only_a, only_b = len(shared) - n, len(first) - len(shared), len(second) - len(shared)
    exact_a, exact_b = rate(sum(left), n), rate(sum(right), n)
    assert exact_a is not None
    assert exact_b is not None
    decisive = _decisive(Decisive(test=test, p_value=p_value, low=own_low, high=own_high), redrawn, by)
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
        decisive=decisive,
        smallest=smallest,
        changed_share=changed_share,
        gained=gained,
        lost=lost,
        by_kind=(*kind_changes(scored, shares_a, shares_b), *avoided_change(a, b)),
        per_skill=skill_changes(a, b, scored, shares_a, shares_b),
        edited=edited_texts(a, b),
        a_spent=_spent(a, ids, price),
        b_spent=_spent(b, ids, price_b or price),
        verdict=_verdict(difference, decisive.p_value, worst, best, unscored),
        notes=(
            *_notes(a, b, ids),
            *_weak(p_value, redrawn.p_value, redrawn.n_clusters),
            *(
                [
                    count_of(
                        only_a + only_b,
                        "labelled case is in one run only and was left out",
                        "labelled cases are in one run only and were left out",
                    )
                ]
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
                a_usable=one.state == "scored",
                b_usable=other.state == "scored",
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


def _decisive(own: Decisive, redrawn: Resampled, by: By) -> Decisive:
    """The test with the larger p, with the interval that is its own."""
    if redrawn.p_value is not None and redrawn.p_value <= own.p_value:
        return own
    whole = {"skill": "skills", "group": "groups", "case": "cases"}[by]
    clusters = count_of(redrawn.n_clusters, "cluster", "clusters")
    return Decisive(
        test=f"signs flipped of whole {whole} ({clusters}, seed {redrawn.seed})",
        p_value=1.0 if redrawn.p_value is None else redrawn.p_value,
        low=redrawn.low,
        high=redrawn.high,
    )


def _verdict(difference: float, p_value: float, worst: float, best: float, unscored: int) -> Verdict:
    if p_value >= ALPHA:
        return "no evidence"
    if unscored and worst <= 0 <= best:
        return "undecided"
    return "better" if difference > 0 else "worse"


def _spent(run: RoutingReport, ids: Collection[str], price: Price | None) -> Spent:
    used = [t.usage for t in run.trials if t.case.id in ids and t.answered]
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
