"""How alike texts are: TF-IDF cosine over words, exact and without a model.

Words are runs of letters and digits in lower case, and each word weighs log((1 + n) / (1 + texts that have
it)) + 1, so that a word that all texts have still counts a little. 1 is the same words in the same numbers.
These are the weights that scikit-learn's TfidfVectorizer has by default, for the token pattern `[^\\W_]+`;
the tests hold them against its numbers. It is no dependency: it is 60 MB, and these lines need nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case: runs of letters and digits, so `pdf-form` is two."""
    return _WORD.findall(text.lower())


class TfIdf:
    """The words' weights in some texts, and those texts as vectors.

    Args:
        texts: what the weights are counted in, such as the descriptions of a catalog.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(words(text)) for text in texts]
        having = Counter(word for count in counts for word in count)
        self._weights = {word: math.log((1 + len(texts)) / (1 + n)) + 1 for word, n in having.items()}
        self.vectors = [self._vector(count) for count in counts]
        """Each text as its words' weights, of length 1; empty for a text without words."""
        self._index: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for i, vector in enumerate(self.vectors):
            for word, value in vector.items():
                self._index[word].append((i, value))

    def scores(self, query: str) -> list[float]:
        """Return the cosine of a text with each of these, 0..1; words that none of them has are skipped."""
        found = [0.0] * len(self.vectors)
        for word, value in self._vector(Counter(words(query))).items():
            for i, other in self._index[word]:
                found[i] += value * other
        return found

    def _vector(self, count: Counter[str]) -> dict[str, float]:
        vector = {word: n * self._weights[word] for word, n in count.items() if word in self._weights}
        norm = math.sqrt(math.fsum(value * value for value in vector.values()))
        return {word: value / norm for word, value in vector.items()}


def pairs(texts: Sequence[str], least: float) -> Iterator[tuple[int, int, float]]:
    """Yield the pairs of texts that are at least so alike, as positions (first before second) and cosine.

    Only texts that share a word are compared, and only up to those that stand before.
    """
    index: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for i, vector in enumerate(TfIdf(texts).vectors):
        scores: defaultdict[int, float] = defaultdict(float)
        for word, value in vector.items():
            for j, other in index[word]:
                scores[j] += value * other
            index[word].append((i, value))
        yield from ((j, i, min(1.0, score)) for j, score in sorted(scores.items()) if score >= least - 1e-9)
