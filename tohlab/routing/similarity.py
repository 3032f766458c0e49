"""How alike texts are: TF-IDF cosine over words, exact and without a model.

Words are runs of letters and digits in lower case, and each word weighs log((1 + n) / (1 + texts that have
it)) + 1, so that a word that all texts have still counts a little. 1 is the same words in the same numbers.
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


def vectors(texts: Sequence[str]) -> list[dict[str, float]]:
    """Return each text as its words' weights, of length 1; empty for a text without words."""
    counts = [Counter(words(text)) for text in texts]
    having = Counter(word for count in counts for word in count)
    weights = {word: math.log((1 + len(texts)) / (1 + n)) + 1 for word, n in having.items()}
    made = []
    for count in counts:
        vector = {word: times * weights[word] for word, times in count.items()}
        norm = math.sqrt(math.fsum(value * value for value in vector.values()))
        made.append({word: value / norm for word, value in vector.items()})
    return made


def pairs(texts: Sequence[str], least: float) -> Iterator[tuple[int, int, float]]:
    """Yield the pairs of texts that are at least so alike, as positions (first before second) and cosine.

    Only texts that share a word are compared, and only up to those that stand before.
    """
    index: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for i, vector in enumerate(vectors(texts)):
        scores: defaultdict[int, float] = defaultdict(float)
        for word, value in vector.items():
            for j, other in index[word]:
                scores[j] += value * other
            index[word].append((i, value))
        yield from ((j, i, min(1.0, score)) for j, score in sorted(scores.items()) if score >= least - 1e-9)
