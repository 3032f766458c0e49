"""Precision, recall and F1 over loads: each pair of a case and a skill is one thing that was right or wrong.

A skill that is optional for a case counts for neither side there. With replicates a case weighs 1: its loads
are means over its answers. Where nothing could be counted the number is None, never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tohlab.routing.scoring import Trial, state_of

if TYPE_CHECKING:
    from tohlab.routing.report import SkillScore


@dataclass(frozen=True, slots=True, kw_only=True)
class SetScores:
    """How well sets of skills are loaded, over all scored cases."""

    micro_precision: float | None
    """Of all loads, the share that was expected, 0..1; None if nothing was loaded."""
    micro_recall: float | None
    """Of all expected skills, the share that was loaded, 0..1; None if no case expects one."""
    micro_f1: float | None
    """Harmonic mean of the two as 2 hits / (expected + loads), 0..1; None if both are nothing."""
    macro_precision: float | None
    """Mean precision of the skills that are expected and were loaded, 0..1."""
    macro_precision_n: int
    """How many skills that is; an expected skill that was never loaded has no precision."""
    macro_recall: float | None
    """Mean recall of the skills that a case expects, 0..1."""
    macro_f1: float | None
    """Mean F1 of the same skills, 0..1."""
    macro_n: int
    """How many skills a scored case expects; the others have no recall and are in no mean."""
    jaccard: float | None
    """Mean over cases of the share that expected and loaded set have in common, 0..1; two empty sets have 1,
    an answer of no use has 0."""
    over_loads: int
    """Loads that were not expected, over all scored answers."""
    under_loads: int
    """Expected skills that were not loaded, over all scored answers."""
    double_loads: int
    """Loads of a skill that the same answer had loaded before; in none of the numbers above."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def set_scores(cases: Iterable[Sequence[Trial]], skills: Sequence[SkillScore]) -> SetScores:
    """Return the scores over the scored trials of each labelled case, and the skills' own scores."""
    hits = loads = expected = jaccard = 0.0
    over = under = double = n = 0
    for trials in cases:
        n += 1
        wanted = set(trials[0].case.expected or ())
        expected += len(wanted)
        for trial in trials:
            loaded = set(trial.counted)
            size, common = len(loaded), len(loaded & wanted)
            hits += common / len(trials)
            loads += size / len(trials)
            over += size - common
            under += len(wanted) - common
            double += trial.repeats
            if state_of(trial.label) != "model_error":
                union = size + len(wanted) - common
                jaccard += (common / union if union else 1.0) / len(trials)
    rated = [s for s in skills if s.support and s.recall is not None and s.f1 is not None]
    precise = [s.precision.value for s in rated if s.precision is not None]
    return SetScores(
        micro_precision=hits / loads if loads else None,
        micro_recall=hits / expected if expected else None,
        micro_f1=2 * hits / (expected + loads) if expected + loads else None,
        macro_precision=_mean(precise),
        macro_precision_n=len(precise),
        macro_recall=_mean([s.recall.value for s in rated if s.recall is not None]),
        macro_f1=_mean([s.f1 for s in rated if s.f1 is not None]),
        macro_n=len(rated),
        jaccard=jaccard / n if n else None,
        over_loads=over,
        under_loads=under,
        double_loads=double,
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
