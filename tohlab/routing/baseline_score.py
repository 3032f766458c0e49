"""A baseline's row beside a model's result: the same cases, and how far apart the two are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from tohlab.routing.statistics import Rate

ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineScore:
    """What one baseline does on the cases that a model was scored on; made by `with_baselines`."""

    name: str
    """One of `BASELINES`."""
    exact: Rate
    """Cases in which exactly the expected set was loaded."""
    one_skill: Rate | None
    several_skills: Rate | None
    no_skill: Rate | None
    gained: int
    """Cases in which the model did better than this."""
    lost: int
    """Cases in which it did worse."""
    difference: float
    """The model's exact rate less this one's, -1..1."""
    low: float | None
    """Lower end of its 95 % interval, by drawing whole clusters (cases that expect the same skills); None
    for a single cluster."""
    high: float | None
    p_value: float | None
    """Two-sided, by flipping the signs of whole clusters; None for a single cluster."""
    p_adjusted: float | None
    """The same after Holm, for as many baselines as were compared."""
    seed: int
    """Of the draws."""
    resamples: int
    notes: tuple[str, ...] = ()
    """What a reader of this row has to know, such as how a threshold was chosen."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; rates as `{successes, n, value, low, high}` or None."""
        data = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name in _RATES:
            data[name] = None if data[name] is None else data[name].to_dict()
        return {**data, "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return what `to_dict` wrote."""
        rates = {name: None if data[name] is None else Rate(**data[name]) for name in _RATES}
        return cls(**{**data, **rates, "notes": tuple(data["notes"])})


_RATES = ("exact", "one_skill", "several_skills", "no_skill")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallAtK:
    """How often a search that offers k skills offers those that are expected."""

    ranker: str
    """`bm25`, `tfidf` or `embedding`."""
    k: int
    """How many skills are offered."""
    recall: Rate
    """Of the cases that expect a skill, those whose expected skills are all among the k. No model that is
    offered only these k can be right in more of them."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"ranker": self.ranker, "k": self.k, "recall": self.recall.to_dict()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return what `to_dict` wrote."""
        return cls(ranker=data["ranker"], k=data["k"], recall=Rate(**data["recall"]))


def beaten(rows: Sequence[BaselineScore]) -> str:
    """Return what may be said of a model and the baselines beside it, as one sentence; empty without any.

    Above a baseline means: better, by a test that takes cases of the same skills as one, and that allows for
    how many baselines were compared.
    """
    if not rows:
        return ""
    best = max(rows, key=lambda row: row.exact.value)
    above = [r for r in rows if r.difference > 0 and r.p_adjusted is not None and r.p_adjusted < ALPHA]
    if len(above) == len(rows):
        return f"Above each of the {len(rows)} baselines; the best of them, {best.name}, has {best.exact}."
    rest = [row.name for row in rows if row not in above]
    below = [r for r in rows if r.difference < 0 and r.p_adjusted is not None and r.p_adjusted < ALPHA]
    worse = f" It is below {', '.join(row.name for row in below)}." if below else ""
    return (
        f"Not shown to be above {', '.join(rest)} (of {len(rows)} baselines); the best of them, {best.name}, "
        f"has {best.exact}.{worse}"
    )
