"""Texts as vectors, by word vectors that a package carries: nothing is ever downloaded.

The weights are those of wordllama (MIT): 32,000 pieces of words with 256 numbers each, made from the
embeddings of a language model by training on pairs of texts. A text is the mean of its pieces, scaled to
length 1. Only the package's two files are read. Its own loader looks for the tokenizer where the package does
not put it and would then download it, and importing it switches the root logger on.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tohlab.errors import MissingExtra, RoutingError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

WEIGHTS: Final = "l2_supercat_256"
_FILES: Final = ("weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json")


def has_embedding() -> bool:
    """Return whether the package with the weights is installed; it is not imported for that."""
    return importlib.util.find_spec("wordllama") is not None


@lru_cache(maxsize=1)
def weights_name() -> str:
    """Return which weights are used, with the version of the package that carries them."""
    return f"{WEIGHTS} of wordllama {importlib.metadata.version('wordllama')}"


def embed(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return one row of length 1 for each text; zeros for a text without words.

    Args:
        texts: any texts, of any length.

    Raises:
        MissingExtra: wordllama, or what it needs, is not installed.
        RoutingError: the installed version does not carry the weights.
    """
    vectors, tokenizer = _load()
    import numpy as np

    made = np.zeros((len(texts), vectors.shape[1]), dtype=np.float32)
    for row, text in zip(made, texts, strict=True):
        # one by one: a batch starts threads, and then warns in every process that is forked later
        ids = tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids
        if ids:
            row[:] = vectors[ids].mean(axis=0)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    np.divide(made, lengths, out=made, where=lengths > 0)
    return made


@lru_cache(maxsize=1)
def _load() -> tuple[Any, Any]:
    found = importlib.util.find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("wordllama", "embed")
    try:
        import numpy as np
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtra(error.name or "wordllama", "embed") from error
    folder = Path(found.submodule_search_locations[0])
    weights, tokenizer = (folder / file for file in _FILES)
    if not (weights.is_file() and tokenizer.is_file()):
        raise RoutingError(
            f"the installed wordllama ({folder}) does not carry its weights {WEIGHTS}; "
            "install the version that does: pip install wordllama==0.4.0.post1"
        )
    vectors = load_file(weights)["embedding.weight"].astype(np.float32)
    return vectors, Tokenizer.from_file(str(tokenizer))
