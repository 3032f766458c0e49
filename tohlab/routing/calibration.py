"""Does a model know when it is right? Its own probability of a name, held against how often it was right.

Only answers whose margin is known count, and of several answers to a case each one. An answer counts as
right here if its first name is one of the expected skills (or "no skill" where none is expected), since that
is what the probability is about; the abstention curve goes by the exact set, since that is what one would act
on.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from tohlab.errors import MissingExtra, RoutingError
from tohlab.routing.answers import NO_SKILL
from tohlab.routing.margins import Margin
from tohlab.routing.scoring import Trial
from tohlab.routing.statistics import CONFIDENCE, Rate, rate

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from matplotlib.axes import Axes

BINS: Final = 10
FEWEST_IN_BIN: Final = 10
"""A bin with fewer answers says nothing; where there are not enough answers, there are fewer bins."""
RESAMPLES: Final = 1_999
Sureness = Literal["share", "margin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """Answers of much the same sureness."""

    low: float
    """The smallest share in it, 0..1."""
    high: float
    """The largest."""
    confidence: float
    """The mean share: how often the model, taken at its word, would be right."""
    right: Rate
    """How often its first name was right; the interval takes answers as independent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How far a model's sureness is from how often it is right; made by `calibration`."""

    n: int
    """Answers whose first name has a known share."""
    n_cases: int
    """The cases that they are to."""
    n_without: int
    """Scored answers without one; in none of the numbers."""
    bins: tuple[CalibrationBin, ...]
    """Bins of equal mass, the least sure first: each has as many answers as the others, or one more."""
    ece: float
    """Expected calibration error: the mean distance of confidence and rate over the bins by their n, 0..1."""
    low: float
    """Lower end of its 95 % percentile interval, by drawing whole cases."""
    high: float
    ece_if_calibrated: float
    """What the same would be on average if the model were perfectly calibrated: with few answers it is never
    0, since the rates in the bins vary by chance."""
    ece_if_calibrated_high: float
    """What it would stay below in 95 of 100 such runs; an `ece` that is not above it shows nothing."""
    seed: int
    """Of the draws."""
    resamples: int

    @property
    def sentence(self) -> str:
        """What may be said, as one sentence."""
        shown = self.ece > self.ece_if_calibrated_high
        return (
            f"Expected calibration error {self.ece:.3f} [{self.low:.3f}, {self.high:.3f}] in "
            f"{len(self.bins)} bins of equal mass, n = {self.n}; a perfectly calibrated model would have "
            f"{self.ece_if_calibrated:.3f} here and stay below {self.ece_if_calibrated_high:.3f}: "
            + ("it is not calibrated." if shown else "no evidence that it is not calibrated.")
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bins' rates over their confidence, with intervals, and return the axes.

        Args:
            ax: where; new axes unless given.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        from tohlab.routing.margin_figures import draw_calibration

        return draw_calibration(self, ax)


@dataclass(frozen=True, slots=True, kw_only=True)
class AbstentionPoint:
    """What is left if answers below a threshold are not acted on."""

    threshold: float
    """The least sureness that is kept."""
    coverage: float
    """The share of answers that are kept, 0..1."""
    exact: Rate
    """Of those, how many had exactly the expected set; the interval takes answers as independent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AbstentionCurve:
    """Coverage against accuracy, over all thresholds; made by `abstention`."""

    by: Sureness
    points: tuple[AbstentionPoint, ...]
    """From the highest threshold to the lowest, so from the least coverage to all answers."""
    n: int
    n_without: int

    def at(self, coverage: float) -> AbstentionPoint:
        """Return the first point that keeps at least so large a share of the answers."""
        return next(point for point in self.points if point.coverage >= coverage - 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw accuracy over coverage, with its interval, and return the axes.

        A threshold that was read off this curve has to be tried on other cases before its accuracy is told.

        Args:
            ax: where; new axes unless given.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        from tohlab.routing.margin_figures import draw_abstention

        return draw_abstention(self, ax)


def calibration(
    trials: Sequence[Trial], *, bins: int = BINS, seed: int = 0, resamples: int = RESAMPLES
) -> Calibration | None:
    """Return how far the model's sureness is from its being right, or None if no answer has a margin.

    Args:
        trials: the answers of one run.
        bins: how many bins at most; fewer where one would have fewer than 10 answers.
        seed: of the draws.
        resamples: how many draws for the interval and for what a calibrated model would have.

    Raises:
        RoutingError: fewer than one bin.
        MissingExtra: numpy or scipy is not installed.
    """
    if bins < 1:
        raise RoutingError("there must be at least one bin")
    known, n_without = _known(trials)
    if not known:
        return None
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtra("numpy", "eval") from error
    count = max(1, min(bins, len(known) // FEWEST_IN_BIN))
    shares = np.array([margin.share for _, margin in known])
    right = np.array([first_right(trial) for trial, _ in known], dtype=float)
    order = np.argsort(shares, kind="stable")
    shares, right = shares[order], right[order]
    edges = _edges(len(known), count)
    rng = np.random.default_rng(seed)
    ids: dict[str, int] = {}
    owner = np.array([ids.setdefault(known[i][0].case.id, len(ids)) for i in order])
    places = [np.flatnonzero(owner == case) for case in range(len(ids))]
    drawn = np.empty(resamples)
    for i in range(resamples):
        taken = np.sort(np.concatenate([places[case] for case in rng.integers(0, len(ids), len(ids))]))
        drawn[i] = _ece(shares[taken], right[taken], _edges(len(taken), count))
    ideal = np.array([_ece(shares, rng.random(len(shares)) < shares, edges) for _ in range(resamples)])
    tail = (1 - CONFIDENCE) / 2
    rows = []
    for start, stop in itertools.pairwise(edges.tolist()):
        found = rate(float(right[start:stop].sum()), stop - start)
        assert found is not None
        part = shares[start:stop]
        rows.append(
            CalibrationBin(
                low=float(part[0]), high=float(part[-1]), confidence=float(part.mean()), right=found
            )
        )
    return Calibration(
        n=len(known),
        n_cases=len(ids),
        n_without=n_without,
        bins=tuple(rows),
        ece=_ece(shares, right, edges),
        low=float(np.quantile(drawn, tail)),
        high=float(np.quantile(drawn, 1 - tail)),
        ece_if_calibrated=float(ideal.mean()),
        ece_if_calibrated_high=float(np.quantile(ideal, CONFIDENCE)),
        seed=seed,
        resamples=resamples,
    )


def abstention(trials: Sequence[Trial], *, by: Sureness = "margin") -> AbstentionCurve | None:
    """Return coverage against accuracy over all thresholds, or None if no answer has a margin.

    Args:
        trials: the answers of one run.
        by: what a threshold is of: `margin` (to the next name) or `share`.

    Raises:
        RoutingError: `by` is none of these.
        MissingExtra: scipy is not installed.
    """
    if by not in get_args(Sureness):
        raise RoutingError(f"there is no threshold of {by!r}; known: {', '.join(get_args(Sureness))}")
    known, n_without = _known(trials)
    if not known:
        return None
    ordered = sorted(((getattr(margin, by), trial.right) for trial, margin in known), key=lambda x: -x[0])
    points, kept = [], 0
    for i, (value, right) in enumerate(ordered, start=1):
        kept += right
        if i < len(ordered) and ordered[i][0] == value:
            continue  # equal ones are kept or left together
        found = rate(kept, i)
        assert found is not None
        points.append(AbstentionPoint(threshold=value, coverage=i / len(ordered), exact=found))
    return AbstentionCurve(by=by, points=tuple(points), n=len(ordered), n_without=n_without)


def first_right(trial: Trial) -> bool:
    """Return whether the first name of an answer is one that was expected (or that none was)."""
    assert trial.margin is not None
    expected = trial.case.expected or ()
    if trial.margin.name == NO_SKILL:
        return not expected
    name = dict(trial.case.aliases).get(trial.margin.name, trial.margin.name)
    return name in expected or (not expected and name in trial.case.optional)


def _known(trials: Sequence[Trial]) -> tuple[list[tuple[Trial, Margin]], int]:
    scored = [t for t in trials if t.case.labelled and t.state != "service_error"]
    known = [(t, t.margin) for t in scored if t.margin is not None]
    return known, len(scored) - len(known)


def _edges(n: int, bins: int) -> npt.NDArray[np.int64]:
    """Where bins of equal mass begin and end: their sizes differ by one at most."""
    import numpy as np

    return np.arange(bins + 1) * n // bins


def _ece(shares: Any, right: Any, edges: Any) -> float:
    import numpy as np

    gaps = np.add.reduceat(right - shares, edges[:-1])
    return float(np.abs(gaps).sum() / len(shares))
