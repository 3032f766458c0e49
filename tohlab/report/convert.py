"""From the rooms' results to what a report says: the one place that knows both.

The page and the notebook's views read only the values of `tohlab.report.model`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tohlab.edits import Edit, EditCost
from tohlab.prefix import PrefixComparison
from tohlab.report.markup import share
from tohlab.report.model import (
    ChangeRow,
    Confusion,
    RateRow,
    RoutingRun,
    SkillScoreRow,
    Strip,
    TextPiece,
    TrialRow,
)
from tohlab.request import TextBlock
from tohlab.routing.baseline_score import BaselineScore
from tohlab.routing.report import RoutingReport
from tohlab.routing.scoring import Trial
from tohlab.routing.statistics import Rate

_BASELINE = "baseline:"
_BASELINE_NAMES = {
    "majority": "the commonest answer",
    "random": "by chance",
    "names": "names in the request",
    "bm25": "BM25",
    "tfidf": "TF-IDF",
    "embedding": "embedding",
    "bm25+abstain": "BM25, with a threshold",
    "tfidf+abstain": "TF-IDF, with a threshold",
    "embedding+abstain": "embedding, with a threshold",
}

_WHAT: dict[Edit, str] = {
    "add": "{} is new in the catalog",
    "edit": "a word is put before the description of {}",
    "remove": "{} is no longer in the catalog",
    "reorder": "{} moves to the other end of the catalog",
}


def pieces_of(
    block: TextBlock, tokens: Sequence[int | None], frame_tokens: int | None = None
) -> tuple[TextPiece, ...]:
    """Return a catalog's text in pieces: one for each entry with its line's end, and the text around them.

    Args:
        block: the text; its spans are the entries, labelled `entry "<name>"`.
        tokens: one count for each span.
        frame_tokens: the count of everything around the entries; it is given to the first such piece.
    """
    return tuple(_pieces(block, tokens, frame_tokens))


def _pieces(block: TextBlock, tokens: Sequence[int | None], frame_tokens: int | None) -> Iterator[TextPiece]:
    text, at = block.text, 0
    left: int | None = frame_tokens
    for span, count in zip(block.spans, tokens, strict=True):
        if span.start > at:
            yield TextPiece(text=text[at : span.start], tokens=left)
            left = None
        stop = span.stop + text.startswith("\n", span.stop)
        yield TextPiece(text=text[span.start : stop], name=entry_name(span.label), tokens=count)
        at = stop
    if at < len(text):
        yield TextPiece(text=text[at:], tokens=left)


def entry_name(label: str) -> str:
    """Return the skill's name in a span label such as `entry "pdf"`."""
    return label.removeprefix('entry "').removesuffix('"')


def strip_of(comparison: PrefixComparison) -> Strip:
    """Return a comparison as a strip: its numbers, the place of the first difference and the sentence."""
    where = comparison.divergence
    return Strip(
        shared_tokens=comparison.shared_tokens,
        before_tokens=comparison.before_tokens,
        after_tokens=comparison.after_tokens,
        where=where.label if where else "",
        sentence=comparison.sentence,
    )


def change_of(cost: EditCost) -> ChangeRow:
    """Return what one change costs as a report says it."""
    return ChangeRow(
        change=cost.edit,
        situation=cost.moment,
        what=_WHAT[cost.edit].format(cost.skill),
        strip=Strip(
            shared_tokens=cost.shared_tokens,
            before_tokens=cost.before_tokens,
            after_tokens=cost.after_tokens,
            where=cost.where,
            sentence=cost.sentence,
        ),
        lost_tokens=cost.lost_tokens,
    )


def run_of(report: RoutingReport) -> RoutingRun:
    """Return a routing run as a report says it; service errors are beside the score, never in it."""
    baseline = report.model.startswith(_BASELINE)
    label = report.model.removeprefix(_BASELINE)
    return RoutingRun(
        label=_BASELINE_NAMES.get(label, label) if baseline else label,
        kind="baseline" if baseline else "model",
        # `random` has every answer for each case; what it is scored on are the cases
        n_total=report.exact.n if baseline else report.n_total,
        n_scored=report.exact.n if baseline else report.n_scored,
        n_model_error=report.n_model_error,
        n_service_error=report.n_service_error,
        exact=_rate_row(report.exact),
        no_skill=_rate_row(report.no_skill) if report.no_skill else None,
        per_skill=tuple(
            SkillScoreRow(
                name=score.name,
                n_expected=score.support,
                n_picked=score.predicted,
                precision=_rate_row(score.precision) if score.precision else None,
                recall=_rate_row(score.recall) if score.recall else None,
            )
            for score in report.per_skill
        ),
        confusion=confusion_of(report),
        misses=tuple(_misses(report.trials)),
        notes=tuple(_notes(report)),
    )


def run_of_baseline(row: BaselineScore) -> RoutingRun:
    """Return a baseline that stands beside a model as a report says it."""
    return RoutingRun(
        label=_BASELINE_NAMES.get(row.name, row.name),
        kind="baseline",
        n_total=row.exact.n,
        n_scored=row.exact.n,
        n_model_error=0,
        n_service_error=0,
        exact=_rate_row(row.exact),
        no_skill=_rate_row(row.no_skill) if row.no_skill else None,
        notes=row.notes,
    )


def confusion_of(report: RoutingReport) -> Confusion:
    """Return the confusion of a run, in catalog order, then `(none)` and `(invalid)`."""
    cells = report.confusion()
    rows, columns = {cell.expected for cell in cells}, {cell.predicted for cell in cells}
    order = {name: i for i, name in enumerate(report.skills)}
    last = len(order)

    def place(name: str) -> tuple[int, str]:
        return order.get(name, last + (name == "(invalid)")), name

    skills = rows | {name for name in columns if name in order}
    return Confusion(
        expected=tuple(sorted(rows, key=place)),
        picked=tuple(sorted(skills | columns, key=place)),
        counts={(cell.expected, cell.predicted): cell.n for cell in cells},
    )


def _notes(report: RoutingReport) -> Iterator[str]:
    yield from report.notes
    if report.n_service_error:
        yield (
            f"{report.n_service_error:,} of {report.n_total:,} requests got no answer; had they got one, the "
            f"exact share would lie between {share(report.exact_worst)} and {share(report.exact_best)}."
        )


def _rate_row(rate: Rate) -> RateRow:
    return RateRow(successes=rate.successes, n=rate.n, value=rate.value, low=rate.low, high=rate.high)


def _misses(trials: Iterable[Trial]) -> Iterator[TrialRow]:
    for trial in trials:
        if trial.case.expected is None or trial.right:
            continue
        yield TrialRow(
            case_id=trial.case.id,
            query=trial.case.query,
            expected=trial.case.expected,
            picked=(*trial.loaded, *trial.invalid),
            label=trial.label,
        )
