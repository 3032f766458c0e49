"""The result of a routing run: counts, rates with intervals, and every single trial.

Rates are over cases, not over answers: with replicates each case counts once, with the mean over its answers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tohlab.routing.scoring import Trial
from tohlab.routing.statistics import Rate, rate
from tohlab.skills.names import is_skill_name

NONE = "(none)"
INVALID = "(invalid)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillScore:
    """How well one skill is picked; over cases, model errors included."""

    name: str
    support: int
    """Scored cases that expect it."""
    predicted: int
    """Scored cases in which it was loaded in at least one replicate."""
    precision: Rate | None
    """Of the cases that loaded it, those that expect it; None if none loaded it."""
    recall: Rate | None
    """Of the cases that expect it, those that loaded it; None if none expects it."""
    f1: float | None
    """In 0..1; None if no case expects or loads it."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with `precision_low` and the like beside each rate."""
        return {
            "name": self.name,
            "support": self.support,
            "predicted": self.predicted,
            **_spread("precision", self.precision),
            **_spread("recall", self.recall),
            "f1": self.f1,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionCell:
    """How many answers to cases that expect `expected` loaded `predicted`."""

    expected: str
    """A skill, or `(none)` for cases in which none fits."""
    predicted: str
    """A skill, `(none)` for an answer without a call, `(invalid)` for a model error."""
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Sums over the answers that reported them."""

    prompt: int = 0
    cached: int | None = None
    """None if the service never reported it."""
    completion: int = 0
    reported: int = 0
    """How many answers reported usage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingReport:
    """What a routing run found; made by `make_report`."""

    model: str
    """The model's name, or `baseline:<name>`."""
    dataset: str
    sample_of: int | None
    sample_seed: int | None
    skills: tuple[str, ...]
    """The catalog's names in its order."""
    dialect: str
    choice: str | None
    """How it was asked: `tools` or `json`; None for a baseline."""
    placement: str | None
    """Where the catalog stood: `opening` or `same-step`; None for a baseline."""
    replicates: int
    n_cases: int
    """Labelled cases."""
    n_total: int
    """Answers wanted for labelled cases: cases times replicates."""
    n_scored: int
    n_model_error: int
    """Of the scored ones, those with no usable answer; they count as wrong."""
    n_service_error: int
    """Not scored; `n_scored + n_service_error == n_total`."""
    n_unlabelled: int
    """Cases that only say what must not be loaded; in none of the numbers above."""
    exact: Rate
    """Cases in which exactly the expected set was loaded."""
    exact_worst: float
    """The exact rate if every answer that failed for the service's sake were wrong."""
    exact_best: float
    """The same if they were right."""
    no_skill: Rate | None
    """The exact rate of the cases in which no skill fits."""
    one_skill: Rate | None
    several_skills: Rate | None
    avoided: Rate | None
    """Of the cases that say what must not be loaded, labelled or not, those that did not load it."""
    every: Rate | None
    """With replicates: cases that were right every time; otherwise None."""
    macro_f1: float | None
    """Mean F1 of the skills that a case expects."""
    labels: tuple[tuple[str, int], ...]
    """How many answers to labelled cases got each label, most frequent first."""
    per_skill: tuple[SkillScore, ...]
    by_group: tuple[tuple[str, Rate], ...]
    tokens: Tokens
    n_stored: int
    """Answers read from the store."""
    n_cut: int
    """Answers whose text was cut at the token limit."""
    notes: tuple[str, ...]
    """What a reader of the numbers has to know, as sentences."""
    trials: tuple[Trial, ...]

    def confusion(self) -> tuple[ConfusionCell, ...]:
        """Return the cells that are not zero, rows in catalog order, then `(none)`.

        An expected skill that was loaded counts on the diagonal; one that was not counts under what was loaded
        in its place, or `(none)`, or `(invalid)`. What is loaded besides the expected skills counts in their
        rows, so a row may sum to more than its cases.
        """
        counts: Counter[tuple[str, str]] = Counter()
        for trial in self.trials:
            if trial.case.expected is None or trial.state == "service_error":
                continue
            expected, loaded = set(trial.case.expected), set(trial.loaded)
            extra = loaded - expected
            instead = extra or {INVALID if trial.state == "model_error" else NONE}
            if not expected:
                counts.update((NONE, name) for name in instead)
            elif missed := expected - loaded:
                counts.update((name, name) for name in expected & loaded)
                counts.update((name, other) for name in missed for other in instead)
            else:
                counts.update((name, name) for name in expected)
                counts.update((name, other) for name in expected for other in extra)
        order = {name: i for i, name in enumerate((*self.skills, NONE, INVALID))}
        cells = sorted(counts.items(), key=lambda item: (order[item[0][0]], order[item[0][1]]))
        return tuple(ConfusionCell(expected=e, predicted=p, n=n) for (e, p), n in cells)

    def to_dict(self, *, trials: bool = False) -> dict[str, Any]:
        """Return plain data for JSON; rates in 0..1, None where there was nothing to rate."""
        data: dict[str, Any] = {
            "model": self.model,
            "dataset": self.dataset,
            "sample_of": self.sample_of,
            "sample_seed": self.sample_seed,
            "dialect": self.dialect,
            "choice": self.choice,
            "placement": self.placement,
            "n_skills": len(self.skills),
            "replicates": self.replicates,
            "n_cases": self.n_cases,
            "n_total": self.n_total,
            "n_scored": self.n_scored,
            "n_model_error": self.n_model_error,
            "n_service_error": self.n_service_error,
            "n_unlabelled": self.n_unlabelled,
            "n_stored": self.n_stored,
            "n_cut": self.n_cut,
            "notes": list(self.notes),
            **_spread("exact", self.exact),
            "exact_worst": self.exact_worst,
            "exact_best": self.exact_best,
            **_spread("no_skill", self.no_skill),
            **_spread("one_skill", self.one_skill),
            **_spread("several_skills", self.several_skills),
            **_spread("avoided", self.avoided),
            **_spread("every", self.every),
            "macro_f1": self.macro_f1,
            "labels": dict(self.labels),
            "tokens": {
                "prompt": self.tokens.prompt,
                "cached": self.tokens.cached,
                "completion": self.tokens.completion,
                "reported": self.tokens.reported,
            },
            "per_skill": [score.to_dict() for score in self.per_skill],
            "by_group": [{"group": group, **_spread("exact", found)} for group, found in self.by_group],
            "confusion": [
                {"expected": c.expected, "predicted": c.predicted, "n": c.n} for c in self.confusion()
            ],
        }
        if trials:
            data["trials"] = [_trial(t) for t in self.trials]
        return data


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
    right = sum(t.right for t in scored)
    sizes: dict[str, list[list[Trial]]] = {"none": [], "one": [], "several": []}
    groups: defaultdict[str, list[list[Trial]]] = defaultdict(list)
    for found in by_case.values():
        case = found[0].case
        sizes[("none", "one", "several")[min(len(case.expected or ()), 2)]].append(found)
        if case.group:
            groups[case.group].append(found)
    per_skill = _per_skill(skills, list(by_case.values()))
    f1s = [score.f1 for score in per_skill if score.support and score.f1 is not None]
    answered = [t for t in trials if t.state != "service_error"]
    return RoutingReport(
        model=model,
        dataset=dataset,
        sample_of=sample_of,
        sample_seed=sample_seed,
        skills=tuple(skills),
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
        exact_worst=right / len(labelled),
        exact_best=(right + failed) / len(labelled),
        no_skill=_mean_rate(sizes["none"]),
        one_skill=_mean_rate(sizes["one"]),
        several_skills=_mean_rate(sizes["several"]),
        avoided=_avoided(answered),
        every=rate(sum(all(t.right for t in found) for found in by_case.values()), len(by_case))
        if replicates > 1
        else None,
        macro_f1=sum(f1s) / len(f1s) if f1s else None,
        labels=tuple(
            sorted(Counter(t.label for t in labelled).items(), key=lambda item: (-item[1], item[0]))
        ),
        per_skill=per_skill,
        by_group=tuple(
            (group, share) for group in sorted(groups) if (share := _mean_rate(groups[group])) is not None
        ),
        tokens=_tokens(answered),
        n_stored=sum(t.stored for t in trials),
        n_cut=sum(t.cut for t in trials),
        notes=(*_notes(skills), *notes),
        trials=tuple(trials),
    )


def _notes(skills: Sequence[str]) -> tuple[str, ...]:
    refused = sum(not is_skill_name(name) for name in skills)
    if not refused:
        return ()
    return (
        f"{refused} of {len(skills)} names are none that a skill file may have (lower-case words joined by hyphens), "
        "so a harness would not list them; they are taken as the catalog file has them.",
    )


def _mean_rate(cases: Iterable[Sequence[Trial]]) -> Rate | None:
    means = [sum(t.right for t in found) / len(found) for found in cases]
    return rate(sum(means), len(means))


def _avoided(trials: Sequence[Trial]) -> Rate | None:
    by_case: defaultdict[str, list[bool]] = defaultdict(list)
    for trial in trials:
        if trial.case.not_expected:
            by_case[trial.case.id].append(not set(trial.loaded) & set(trial.case.not_expected))
    return rate(sum(sum(found) / len(found) for found in by_case.values()), len(by_case))


def _per_skill(skills: Sequence[str], cases: Sequence[Sequence[Trial]]) -> tuple[SkillScore, ...]:
    support: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    hits: defaultdict[str, float] = defaultdict(float)
    loads: defaultdict[str, float] = defaultdict(float)
    for found in cases:
        expected = found[0].case.expected or ()
        support.update(expected)
        shares = Counter(name for trial in found for name in trial.loaded)
        predicted.update(shares.keys())
        for name, count in shares.items():
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


def _spread(name: str, found: Rate | None) -> dict[str, Any]:
    return {
        name: found.value if found else None,
        f"{name}_low": found.low if found else None,
        f"{name}_high": found.high if found else None,
        f"{name}_n": found.n if found else 0,
    }


def _trial(trial: Trial) -> dict[str, Any]:
    expected = trial.case.expected
    return {
        "id": trial.case.id,
        "query": trial.case.query,
        "group": trial.case.group,
        "replicate": trial.replicate,
        "expected": list(expected) if expected is not None else None,
        "loaded": list(trial.loaded),
        "invalid": list(trial.invalid),
        "label": trial.label,
        "detail": trial.detail,
        "latency_s": trial.latency_s,
        "stored": trial.stored,
    }
