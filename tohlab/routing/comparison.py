"""What a comparison of two runs found, as values; `compare` makes them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from tohlab.routing.paired import p_text
from tohlab.routing.statistics import Rate

Verdict = Literal["better", "worse", "no evidence", "undecided"]

AVOIDED: Final = "avoided what must not be loaded"
"""The kind of the cases that say so; they may be of one of the `KINDS` too."""


def count_of(n: int, one: str, several: str) -> str:
    """Return a count with its word: `1 case`, `2 cases`."""
    return f"{n} {one if n == 1 else several}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One case that came out differently."""

    case: str
    query: str
    expected: tuple[str, ...]
    a_right: float
    """Share of the first run's answers that were right, 0..1."""
    b_right: float
    a_loaded: tuple[str, ...]
    """What the first run's first answer loaded."""
    b_loaded: tuple[str, ...]
    a_label: str
    """The label of the first run's first answer."""
    b_label: str
    a_invalid: tuple[str, ...] = ()
    """What it called besides that is in no catalog."""
    b_invalid: tuple[str, ...] = ()
    a_usable: bool = True
    """False for a model error: an answer that loads nothing because it is unusable."""
    b_usable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KindChange:
    """What changed in the cases of one kind."""

    kind: str
    """`one skill`, `several skills` or `no skill`: what the case expects; or `AVOIDED`."""
    n: int
    a: float
    """Share of the first run's answers that were right, 0..1."""
    b: float
    gained: int
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillChange:
    """What changed in the cases that expect one skill."""

    name: str
    n: int
    """Compared cases that expect it."""
    gained: int
    lost: int
    p_value: float
    """McNemar's exact test over cases that went up and down, for this skill alone."""
    p_adjusted: float
    """The same after Holm, for having looked at all the skills that are listed."""
    a_wrong: int
    """Answers of the first run to compared cases that loaded it and should not have."""
    b_wrong: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one run used, over the answers to compared cases that reported it."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int | None
    """Of the prompt tokens; None where no answer reported them."""
    answers: int
    """How many answers reported their tokens."""
    cost_usd: float | None
    """When asked; None without a price, or where an answer did not report its tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisive:
    """The test that the verdict goes by: the less sure of the one over cases and the one over clusters."""

    test: str
    """Which test it is, as a phrase."""
    p_value: float
    """The larger of the two; 1 where a single cluster leaves nothing to test."""
    low: float | None
    """Lower end of the 95 % interval of the same test; None for fewer than 6 clusters."""
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """How run B differs from run A; made by `compare`."""

    a: str
    """The first run in short: model, dialect, choice."""
    b: str
    differs: tuple[tuple[str, str, str], ...]
    """The settings that differ: name, the first run's, the second's."""
    n: int
    """Cases that both runs scored; every number below is over them."""
    n_only_a: int
    """Labelled cases of the first run that the second does not have."""
    n_only_b: int
    n_unscored: int
    """Cases in both runs that at least one did not score, for the service's sake."""
    a_exact: Rate
    b_exact: Rate
    difference: float
    """Second rate less first, -1..1."""
    low: float | None
    """Lower end of its 95 % interval: Newcombe's for one answer a case, else `clustered_low`."""
    high: float | None
    worst: float
    """The difference if every case that was not scored had gone against the second run."""
    best: float
    """The same for it."""
    test: str
    """Which test gave `p_value`."""
    p_value: float
    clustered_p: float | None
    """The same question with whole clusters of cases; None where there is a single cluster."""
    clustered_low: float | None
    """Lower end of the 95 % interval from flipped signs of whole clusters; None for fewer than 6."""
    clustered_high: float | None
    clustered_se: float | None
    """Standard error of the difference with the same clusters (CR1)."""
    n_clusters: int
    seed: int
    """Of the flipped signs."""
    decisive: Decisive
    smallest: float | None
    """The smallest difference that so many cases show with 80 % power; None if none can be shown."""
    changed_share: float | None
    """Share of the cases that came out differently, 0..1, by which `smallest` goes; None with several answers
    a case, where it goes by their spread."""
    gained: tuple[Change, ...]
    """Cases that are right more often in the second run."""
    lost: tuple[Change, ...]
    by_kind: tuple[KindChange, ...]
    per_skill: tuple[SkillChange, ...]
    """Skills with a case or a wrong load that changed, the surest first; for a first look."""
    edited: tuple[str, ...]
    """Skills of both catalogs of which the two lists show different texts; empty where that is not known."""
    a_spent: Spent
    b_spent: Spent
    verdict: Verdict
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The result as one sentence."""
        points = f"{100 * self.difference:+.1f} points"
        p = p_text(self.decisive.p_value)
        seen = "nothing" if self.smallest is None else f"{100 * self.smallest:.0f} points"
        seen += "" if self.smallest is None else " or more"
        could = f"{count_of(self.n, 'case', 'cases')} could show {seen}"
        if self.verdict == "undecided":
            them = "it" if self.n_unscored == 1 else "them"
            return (
                f"Undecided: {points}, but {count_of(self.n_unscored, 'case was', 'cases were')} not scored, "
                f"and with {them} it is anything from {100 * self.worst:+.1f} to {100 * self.best:+.1f}."
            )
        if self.verdict == "no evidence":
            return f"No evidence of a difference: {points} ({p}); {could}."
        return f"The second run is {self.verdict}: {points} ({p}); {could}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; rates and differences as shares of 1."""
        data = asdict(self)
        data["differs"] = [{"name": n, "a": a, "b": b} for n, a, b in self.differs]
        return {**data, "sentence": self.sentence}
