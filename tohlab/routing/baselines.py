"""What can be had without a language model: the floor that a model's score is read against.

`bm25`      the best BM25 score of the request against a skill's name and its whole description (a search
            engine reads the file, so it is not cut as a catalog's entry is). The first in catalog order wins
            a tie; no skill where no word is shared. The variant is BM25+ (Lv and Zhai 2011, k1 1.5, b 0.75,
            delta 0.5): a word keeps some weight even if most skills have it, so small catalogs work too.
`names`     the share of a skill's name words that the request has; ties by more words, then catalog order.
`majority`  the expected set that is most frequent in the dataset itself; it looks at the labels, so it is
            what knowing nothing but the labels' frequencies gives.

The first two load at most one skill. All are deterministic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, get_args

from tohlab.dialects import Dialect, get_dialect
from tohlab.errors import DatasetError, MissingExtra, RoutingError
from tohlab.routing.aggregate import make_report
from tohlab.routing.answers import Answer
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.report import RoutingReport
from tohlab.routing.scoring import Trial, judge
from tohlab.routing.similarity import words
from tohlab.skills.model import SkillSource

Baseline = Literal["bm25", "names", "majority"]
Skills = Sequence[tuple[str, str]]
Router = Callable[[str], tuple[str, ...]]


def run_baseline(
    name: str, dataset: RoutingDataset, source: SkillSource, *, dialect: str | Dialect = "toh"
) -> RoutingReport:
    """Route every case without a language model and return the scored result.

    Args:
        name: `bm25`, `names` or `majority`.
        dataset: the labelled requests.
        source: the skills.
        dialect: whose catalog decides which skills there are.

    Raises:
        RoutingError: there is no such baseline.
        DatasetError: an expected skill is not in the catalog, or there is nothing to score.
        MissingExtra: bm25s or scipy is not installed.
    """
    if name not in get_args(Baseline):
        raise RoutingError(f"there is no baseline {name!r}; known: {', '.join(get_args(Baseline))}")
    found = get_dialect(dialect)
    snapshot = source.snapshot()
    names = found.catalog_of(snapshot).names
    if not names:
        raise DatasetError("the catalog is empty: no skill that a model may load was found")
    dataset.check_scorable(names)
    skills = tuple((s.name, s.description) for s in snapshot.skills if s.name in set(names))
    route = {"bm25": _bm25, "names": _names, "majority": _majority}[name](skills, dataset)
    trials = []
    for case in dataset.cases:
        answer = Answer(loaded=route(case.query))
        trials.append(Trial(case=case, label=judge(case, answer), loaded=answer.loaded))
    return make_report(
        trials,
        model=f"baseline:{name}",
        dataset=dataset.name,
        skills=names,
        dialect=found.name,
        sample_of=dataset.sample_of,
        sample_seed=dataset.sample_seed,
    )


def _bm25(skills: Skills, dataset: RoutingDataset) -> Router:
    try:
        import bm25s
    except ImportError as error:
        raise MissingExtra("bm25s", "eval") from error
    documents = [words(f"{name} {description}") for name, description in skills]
    vocabulary = {word for document in documents for word in document}
    index = bm25s.BM25(method="bm25+", k1=1.5, b=0.75, delta=0.5)
    if vocabulary:
        index.index(documents, show_progress=False)

    def route(query: str) -> tuple[str, ...]:
        known = [word for word in words(query) if word in vocabulary]
        if not known:
            return ()
        return (skills[int(index.get_scores(known).argmax())][0],)

    return route


def _names(skills: Skills, dataset: RoutingDataset) -> Router:
    named = [(name, frozenset(words(name))) for name, _ in skills]

    def route(query: str) -> tuple[str, ...]:
        asked = frozenset(words(query))
        best: tuple[float, int] = (0.0, 0)
        chosen: tuple[str, ...] = ()
        for name, own in named:
            shared = len(own & asked)
            if shared and (shared / len(own), shared) > best:
                best, chosen = (shared / len(own), shared), (name,)
        return chosen

    return route


def _majority(skills: Skills, dataset: RoutingDataset) -> Router:
    counts = Counter(case.expected for case in dataset.cases if case.expected is not None)
    most = max(sorted(counts), key=lambda expected: counts[expected])
    return lambda query: most
