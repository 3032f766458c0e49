"""Trials to a report: counts, means over cases, rates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from tohlab.dialects import dialect_names
from tohlab.routing.clusters import cluster_of, clustered_share
from tohlab.routing.dataset import KINDS, kind_of
from tohlab.routing.report import RoutingReport, SkillScore, Tokens
from tohlab.routing.scoring import Trial
from tohlab.routing.sets import set_scores
from tohlab.routing.statistics import Rate, rate
from tohlab.skills.names import is_skill_name


def make_report(
    trials: Sequence[Trial],
    *,
    model: str,
    dataset: str,
    skills: Sequence[str],
    dialect: str,
    choice: str | None = None,
    placement: str | None = None,
    replicates: int = 1,
    sample_of: int | None = None,
    sample_seed: int | None = None,
    notes: Sequence[str] = (),
    digests: Sequence[tuple[str, str]] = (),
) -> RoutingReport:
    """Return the report of a run.

    Raises:
        ValueError: no trial of a labelled case was scored, so there is no rate to report.
    """
    labelled = [t for t in trials if t.case.expected is not None]
    scored = [t for t in labelled if t.state != "service_error"]
    by_case: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in scored:
        by_case[trial.case.id].append(trial)
    exact = _mean_rate(by_case.values())
    if exact is None:
        raise ValueError("nothing was scored")
    failed = len(labelled) - len(scored)
    worst, best = _bounds(labelled)
    kinds: dict[str, list[list[Trial]]] = {kind: [] for kind in KINDS}
    groups: defaultdict[str, list[list[Trial]]] = defaultdict(list)
    for found in by_case.values():
        case = found[0].case
        kinds[kind_of(case.expected or ())].append(found)
        if case.group:
            groups[case.group].append(found)
    per_skill = _per_skill(skills, list(by_case.values()))
    # What names a program with rules of its own takes is its own affair.
    odd = _notes(skills) if dialect in ("", *dialect_names()) else ()
    sets = set_scores(by_case.values(), per_skill)
    answered = [t for t in trials if t.state != "service_error"]
    return RoutingReport(
        model=model,
        dataset=dataset,
        sample_of=sample_of,
        sample_seed=sample_seed,
        skills=tuple(skills),
        digests=tuple(digests),
        dialect=dialect,
        choice=choice,
        placement=placement,
        replicates=replicates,
        n_cases=len({t.case.id for t in labelled}),
        n_total=len(labelled),
        n_scored=len(scored),
        n_model_error=sum(t.state == "model_error" for t in labelled),
        n_service_error=failed,
        n_unlabelled=len({t.case.id for t in trials if t.case.expected is None}),
        exact=exact,
        exact_worst=worst,
        exact_best=best,
        no_skill=_mean_rate(kinds["no skill"]),
        one_skill=_mean_rate(kinds["one skill"]),
        several_skills=_mean_rate(kinds["several skills"]),
        avoided=_avoided(answered),
        every=rate(sum(all(t.right for t in found) for found in by_case.values()), len(by_case))
        if replicates > 1
        else None,
        clustered=clustered_share(
            [_share(found) for found in by_case.values()],
            [cluster_of(found[0].case) for found in by_case.values()],
        ),
        optional=_mean_rate(found for found in by_case.values() if found[0].case.optional),
        sets=sets,
        labels=tuple(
            sorted(Counter(t.label for t in labelled).items(), key=lambda item: (-item[1], item[0]))
        ),
        per_skill=per_skill,
        by_group=tuple(
            (group, share) for group in sorted(groups) if (share := _mean_rate(groups[group])) is not None
        ),
        tokens=_tokens([t for t in trials if t.answered]),
        n_stored=sum(t.stored for t in trials),
        n_cut=sum(t.cut for t in trials),
        notes=(*odd, *_shadows(list(by_case.values())), *notes),
        trials=tuple(trials),
    )


def _notes(skills: Sequence[str]) -> tuple[str, ...]:
    refused = sum(not is_skill_name(name) for name in skills)
    if not refused:
        return ()
    return (
        f"{refused} of {len(skills)} names are none that a skill file may have (lower-case words joined by "
        "hyphens), so a harness would not list them; they are taken as the catalog file has them.",
    )


def _shadows(cases: Sequence[Sequence[Trial]]) -> tuple[str, ...]:
    """A skill that answers load whatever is asked (a description that says "use at every start")."""
    expected: Counter[str] = Counter()
    elsewhere: Counter[str] = Counter()
    for found in cases:
        wanted = set(found[0].case.expected or ())
        expected.update(wanted)
        loads = Counter(name for trial in found for name in trial.counted)
        elsewhere.update(n for n, count in loads.items() if 2 * count > len(found) and n not in wanted)
    return tuple(
        f"{name} was loaded in {count} of the {others} cases that do not expect it: its description may "
        "claim every request, and so take answers from the others."
        for name, count in sorted(elsewhere.items())
        if (others := len(cases) - expected[name]) >= 5 and count > others / 2
    )


def _share(found: Sequence[Trial]) -> float:
    """How many of a case's answers are right, 0..1."""
    return sum([t.label == "ok" for t in found]) / len(found)


def _bounds(trials: Sequence[Trial]) -> tuple[float, float]:
    """The mean over cases if each answer that is missing had been wrong, and if it had been right."""
    by_case: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_case[trial.case.id].append(trial)
    worst = best = 0.0
    for found in by_case.values():
        right = sum(t.right for t in found)
        worst += right / len(found)
        best += (right + sum(t.state == "service_error" for t in found)) / len(found)
    return worst / len(by_case), best / len(by_case)


def _mean_rate(cases: Iterable[Sequence[Trial]]) -> Rate | None:
    means = [_share(found) for found in cases]
    return rate(sum(means), len(means))


def _avoided(trials: Sequence[Trial]) -> Rate | None:
    by_case: defaultdict[str, list[bool]] = defaultdict(list)
    for trial in trials:
        if trial.case.not_expected:
            by_case[trial.case.id].append(trial.avoided)
    return rate(sum(sum(found) / len(found) for found in by_case.values()), len(by_case))


def _per_skill(skills: Sequence[str], cases: Sequence[Sequence[Trial]]) -> tuple[SkillScore, ...]:
    support: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    hits: defaultdict[str, float] = defaultdict(float)
    loads: defaultdict[str, float] = defaultdict(float)
    for found in cases:
        expected = found[0].case.expected or ()
        support.update(expected)
        shares: dict[str, int] = {}
        for trial in found:
            for name in trial.counted:
                shares[name] = shares.get(name, 0) + 1
        for name, count in shares.items():
            predicted[name] += 1
            loads[name] += count / len(found)
            if name in expected:
                hits[name] += count / len(found)
    scores = []
    for name in skills:
        true, load = hits[name], loads[name]
        wanted = support[name]
        scores.append(
            SkillScore(
                name=name,
                support=wanted,
                predicted=predicted[name],
                # The cases are the n, so the share among weighted loads is carried over to them.
                precision=rate(true / load * predicted[name], predicted[name]) if load else None,
                recall=rate(true, wanted),
                f1=2 * true / (wanted + load) if wanted + load else None,
            )
        )
    return tuple(scores)


def _tokens(trials: Sequence[Trial]) -> Tokens:
    reported = [t.usage for t in trials if t.usage.prompt is not None]
    cached = [u.cached for u in reported if u.cached is not None]
    return Tokens(
        prompt=sum(u.prompt or 0 for u in reported),
        cached=sum(cached) if cached else None,
        completion=sum(u.completion or 0 for u in reported),
        reported=len(reported),
    )
