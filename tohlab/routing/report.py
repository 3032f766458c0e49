"""The result of a routing run: counts, rates with intervals, and every single trial.

Rates are over cases, not over answers: with replicates each case counts once, with the mean over its answers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tohlab.errors import RoutingError
from tohlab.routing.baseline_score import BaselineScore, RecallAtK, beaten
from tohlab.routing.calibration import (
    BINS,
    AbstentionCurve,
    Calibration,
    Sureness,
    abstention,
    calibration,
)
from tohlab.routing.clusters import ClusteredMean
from tohlab.routing.dataset import RoutingCase
from tohlab.routing.passes import Passes, passes
from tohlab.routing.pricing import Cost, Price, total_cost
from tohlab.routing.scoring import Trial
from tohlab.routing.sets import SetScores
from tohlab.routing.statistics import Rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Known = TypeVar("Known", Calibration, AbstentionCurve)
NONE = "(none)"
INVALID = "(invalid)"


LEAST_SCORED: Final = 0.5
"""With a smaller share of its answers scored a run gives no verdict: what is missing may then outweigh what
is there, whatever the rate."""


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
    """What a routing run found; made by `aggregate.make_report`."""

    model: str
    """The model's name, or `baseline:<name>`."""
    dataset: str
    sample_of: int | None
    sample_seed: int | None
    skills: tuple[str, ...]
    """The catalog's names in its order."""
    digests: tuple[tuple[str, str], ...]
    """Each with 12 hexadecimal digits for what the list shows of it; empty where that is not known."""
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
    clustered: ClusteredMean
    """`exact` again, with the error for the cases of one skill sharing their fate (see `clusters`)."""
    optional: Rate | None
    """The exact rate of the cases in which a skill is optional; they count in `exact` too."""
    sets: SetScores
    """Precision, recall and F1 over loads, and how many were too many, too few or twice."""
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
    trials: tuple[Trial, ...] = field(repr=False)
    baselines: tuple[BaselineScore, ...] = ()
    """What needs no model, on the same cases (see `baselines`); empty for a baseline's own report."""
    retrieval: tuple[RecallAtK, ...] = ()
    """How often a search that narrows the catalog first would still offer the expected skills."""

    @property
    def is_baseline(self) -> bool:
        """Whether no model was asked."""
        return self.model.startswith("baseline:")

    @property
    def against_baselines(self) -> str:
        """What may be said of the model and the baselines, as one sentence; empty without any beside it."""
        if self.baselines and self.too_few:
            return f"No verdict, fewer than half of the answers could be scored: {self.too_few}."
        return beaten(self.baselines)

    @property
    def too_few(self) -> str:
        """How few answers were scored, where they are too few for a verdict (`LEAST_SCORED`); else empty."""
        if self.n_scored >= LEAST_SCORED * self.n_total:
            return ""
        failed = [(label, n) for label, n in self.labels if label.startswith("infra:")]
        told = ", ".join(f"{label.removeprefix('infra:')} {n}" for label, n in failed)
        return f"{self.n_scored} of {self.n_total} (service errors: {told})"

    @property
    def cases_said(self) -> str:
        """How many cases, and of how many: `40 cases, a sample of 194 (seed 0)`."""
        if not self.sample_of:
            return f"{self.n_cases} cases"
        if self.sample_seed is None:  # nothing was drawn: a split was asked for
            return f"{self.n_cases} cases of {self.sample_of} (one split)"
        return f"{self.n_cases} cases, a sample of {self.sample_of} (seed {self.sample_seed})"

    @property
    def macro_f1(self) -> float | None:
        """Mean F1 of the skills that a case expects, 0..1."""
        return self.sets.macro_f1

    @property
    def calls_right(self) -> float:
        """The share of scored answers that were right, 0..1: over answers, not over cases."""
        results = [right for found in self._results().values() for right in found]
        return sum(results) / len(results)

    def cases(self) -> tuple[RoutingCase, ...]:
        """Return the labelled cases, each once, in their order."""
        return tuple({t.case.id: t.case for t in self.trials if t.case.labelled}.values())

    def right_shares(self) -> dict[str, float]:
        """Return for each scored case, by its id, the share of its answers that were right, 0..1."""
        return {case_id: sum(right) / len(right) for case_id, right in self._results().items()}

    def passes(self, k: int) -> Passes:
        """Return how often one of `k` answers, and all of `k` answers, are right; over cases.

        Raises:
            RoutingError: no case has `k` scored answers.
        """
        return passes(self._results().values(), k, self.n_cases)

    def _results(self) -> dict[str, list[bool]]:
        found: defaultdict[str, list[bool]] = defaultdict(list)
        for trial in self.trials:
            if trial.case.labelled and trial.state != "service_error":
                found[trial.case.id].append(trial.right)
        return dict(found)

    def calibration(self, *, bins: int = BINS, seed: int = 0) -> Calibration | None:
        """Return how far the model's sureness is from its being right; None without log-probabilities."""
        return calibration(self.trials, bins=bins, seed=seed)

    def abstention(self, *, by: Sureness = "margin") -> AbstentionCurve | None:
        """Return coverage against accuracy over all thresholds; None without log-probabilities."""
        return abstention(self.trials, by=by)

    def plot_calibration(self, ax: Axes | None = None) -> Axes:
        """Draw the calibration and return the axes.

        Raises:
            RoutingError: no answer has log-probabilities of its name.
            MissingExtra: matplotlib is not installed.
        """
        return _known(self.calibration()).plot(ax)

    def plot_abstention(self, ax: Axes | None = None, *, by: Sureness = "margin") -> Axes:
        """Draw coverage against accuracy and return the axes.

        Raises:
            RoutingError: no answer has log-probabilities of its name.
            MissingExtra: matplotlib is not installed.
        """
        return _known(self.abstention(by=by)).plot(ax)

    def cost(self, price: Price) -> Cost:
        """Return what the answers cost: those asked now, and those recorded before, when they were asked."""
        return total_cost([(t.usage, t.stored) for t in self.trials if t.answered], price)

    def confusion(self) -> tuple[ConfusionCell, ...]:
        """Return the cells that are not zero, rows in catalog order, then `(none)`.

        An expected skill that was loaded counts on the diagonal; one that was not counts under what was
        loaded in its place, or `(none)`, or `(invalid)`. What is loaded besides the expected skills counts in
        their rows, so a row may sum to more than its cases.
        """
        counts: Counter[tuple[str, str]] = Counter()
        for trial in self.trials:
            if trial.case.expected is None or trial.state == "service_error":
                continue
            expected, loaded = set(trial.case.expected), set(trial.counted)
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

    def _repr_html_(self) -> str:
        """Return the rates of the model and of the baselines as one HTML table."""
        from tohlab.routing.report_html import report_html

        return report_html(self)

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
            **_spread("optional", self.optional),
            "calls_right": self.calls_right,
            "clustered": self.clustered.to_dict(),
            "macro_f1": self.macro_f1,
            "sets": self.sets.to_dict(),
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
        if sureness := self.calibration():
            curve = self.abstention()
            data["calibration"] = sureness.to_dict()
            data["abstention"] = curve.to_dict() if curve else None
        if self.baselines:
            data["baselines"] = [row.to_dict() for row in self.baselines]
            data["against_baselines"] = self.against_baselines
            data["retrieval"] = [row.to_dict() for row in self.retrieval]
        if self.replicates > 1 and not self.is_baseline:
            most = max(map(len, self._results().values()))
            data["passes"] = [asdict(self.passes(k)) for k in range(1, most + 1)]
        if trials:
            data["skills"] = list(self.skills)
            data["digests"] = dict(self.digests)
            data["trials"] = [_trial(t) for t in self.trials]
        return data


def _known(found: Known | None) -> Known:
    if found is None:
        raise RoutingError(
            "no answer has log-probabilities of its name: ask with --logprobs 5 (logprobs=5), and where the "
            "service gives none for calls, with --choice json"
        )
    return found


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
        "split": trial.case.split,
        "expected": list(expected) if expected is not None else None,
        "not_expected": list(trial.case.not_expected),
        "optional": list(trial.case.optional),
        "aliases": dict(trial.case.aliases),
        "loaded": list(trial.loaded),
        "invalid": list(trial.invalid),
        "label": trial.label,
        "near": [asdict(near) for near in trial.near],
        "repeats": trial.repeats,
        "cut": trial.cut,
        "detail": trial.detail,
        "usage": asdict(trial.usage),
        "attempts": list(trial.attempts),
        "latency_s": trial.latency_s,
        "stored": trial.stored,
        **({"margin": trial.margin.to_dict()} if trial.margin is not None else {}),
    }
