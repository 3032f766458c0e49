"""What every baseline is given: the cases, the skills of the catalog, and how near each is to each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from tohlab.dialects import Dialect
from tohlab.dialects.harness import Harness
from tohlab.errors import DatasetError, MissingExtra
from tohlab.routing.baselines.embedding import embed
from tohlab.routing.dataset import RoutingCase, RoutingDataset
from tohlab.routing.similarity import TfIdf, words
from tohlab.routing.unloaded import unloaded
from tohlab.routing.wires import find_dialect, find_wire
from tohlab.skills.model import SkillSource

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Scores = npt.NDArray[np.float64]


class Task:
    """Cases and the skills they are routed to; each ranking is computed once.

    Args:
        dataset: the labelled requests.
        source: the skills.
        dialect: whose catalog decides which skills there are.

    Raises:
        DatasetError: the catalog is empty, an expected skill is not in it, or there is nothing to score.
    """

    def __init__(
        self, dataset: RoutingDataset, source: SkillSource, dialect: str | Dialect | Harness = "toh"
    ) -> None:
        self.dataset = dataset
        wire = find_wire(find_dialect(dialect), source)
        self.dialect = wire.dialect
        self.names = wire.book.catalog
        if not self.names:
            raise DatasetError("the catalog is empty: no skill that a model may load was found")
        self.unloaded = unloaded(source)
        dataset.check_scorable(self.names, self.unloaded)
        self.shown = wire.shown
        whole = dict(wire.shown) | {skill.name: skill.description for skill in source.snapshot().skills}
        self.texts = tuple(f"{name} {whole[name]}" for name in self.names)
        """Name and whole description of each skill, in catalog order."""
        self._ranked: dict[str, Scores] = {}

    @property
    def cases(self) -> tuple[RoutingCase, ...]:
        """The cases, in their order."""
        return self.dataset.cases

    def scores(self, ranker: str) -> Scores:
        """Return how near each skill is to each request: one row for each case, one column for each skill.

        Raises:
            MissingExtra: what the ranker needs is not installed.
        """
        if ranker not in self._ranked:
            self._ranked[ranker] = RANKERS[ranker](self.texts, [case.query for case in self.cases])
        return self._ranked[ranker]


def _array(rows: Sequence[Any]) -> Scores:
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtra("numpy", "eval") from error
    return np.array(rows, dtype=np.float64)


def _bm25(texts: Sequence[str], queries: Sequence[str]) -> Scores:
    bm25s = _bm25s()
    documents = [words(text) for text in texts]
    vocabulary = {word for document in documents for word in document}
    index = bm25s.BM25(method="bm25+", k1=1.5, b=0.75, delta=0.5)
    if vocabulary:
        index.index(documents, show_progress=False)
    rows = []
    for query in queries:
        known = [word for word in words(query) if word in vocabulary]
        rows.append(index.get_scores(known) if known else [0.0] * len(texts))
    return _array(rows)


@lru_cache(maxsize=1)
def _bm25s() -> Any:
    # it asks for a progress bar that we never show, and in a notebook without ipywidgets that warns
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import bm25s
        except ImportError as error:
            raise MissingExtra("bm25s", "eval") from error
    return bm25s


def _tfidf(texts: Sequence[str], queries: Sequence[str]) -> Scores:
    found = TfIdf(texts)
    return _array([found.scores(query) for query in queries])


def _embedding(texts: Sequence[str], queries: Sequence[str]) -> Scores:
    return _array((embed(queries) @ embed(texts).T).tolist())


RANKERS: Final[Mapping[str, Callable[[Sequence[str], Sequence[str]], Scores]]] = MappingProxyType(
    {"bm25": _bm25, "tfidf": _tfidf, "embedding": _embedding}
)
"""What ranks all skills for a request."""
FLOORS: Final[Mapping[str, float]] = MappingProxyType({"bm25": 0.0, "tfidf": 0.0})
"""A best score that is not above this is no find: no word is shared. An embedding has no such point."""
