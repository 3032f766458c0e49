"""What can be had without a language model: the floor that a model's score is read against.

`majority`   the expected set that is most frequent in the dataset itself; it looks at the labels, so it is
             what knowing nothing but the labels' frequencies gives.
`random`     one skill of the catalog or none, each equally likely. Not one draw: every possible answer counts
             once for each case, so the rates are the expected ones (see `chance`).
`names`      the share of a skill's name words that the request has; ties by more words, then catalog order.
`bm25`       the best BM25 score of the request against a skill's name and its whole description (a search
             engine reads the file, so it is not cut as a catalog's entry is). The variant is BM25+ (Lv and
             Zhai 2011, k1 1.5, b 0.75, delta 0.5): a word keeps some weight even if most skills have it, so
             small catalogs work too.
`tfidf`      the best TF-IDF cosine of the same texts (see `similarity`).
`embedding`  the best cosine of the texts' mean word vectors (see `embedding`); needs the extra `embed`.

The last three rank all skills. The first in catalog order wins a tie. Where no word is shared `bm25` and
`tfidf` load none; `embedding` always finds something near, so it always loads a skill. No threshold of these
is tuned. With `+abstain` (`bm25+abstain`) a threshold for "no skill" is chosen, for each fifth of the cases
on the other four fifths only, so that no case has a say in its own (see `abstain`).

All are deterministic. `run_baselines` runs them all, `with_baselines` sets them beside a model's report, and
`retrieval_recall` says how many skills a search would have to offer to a model.
"""

from tohlab.routing.baselines.beside import with_baselines
from tohlab.routing.baselines.retrieval import retrieval_recall
from tohlab.routing.baselines.run import (
    BASELINES,
    Baseline,
    available_baselines,
    missing_baselines,
    run_baseline,
    run_baselines,
)

__all__ = [
    "BASELINES",
    "Baseline",
    "available_baselines",
    "missing_baselines",
    "retrieval_recall",
    "run_baseline",
    "run_baselines",
    "with_baselines",
]
