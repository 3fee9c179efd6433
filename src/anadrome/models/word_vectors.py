"""First embeddings of words: random ones, or vectors that were learnt elsewhere."""

from __future__ import annotations

import numpy as np

from anadrome.nn import gaussian
from anadrome.options import OptionError
from anadrome.random import Key
from anadrome.text import TokenSizes


def make_words(
    key: Key, sizes: TokenSizes, features: int, deviation: float = 0.1
) -> np.ndarray:
    """First embeddings (V, E); the rows of words that have a vector are that vector."""
    words = gaussian(key, (sizes.words, features), deviation)
    if sizes.vectors is None:
        return words
    if sizes.vectors.shape[1] != features:
        raise OptionError(
            f"the vectors have {sizes.vectors.shape[1]} features, but words have "
            f"{features} here\nhelp: --embedding {sizes.vectors.shape[1]}, or what the "
            "model calls the features of a word"
        )
    given = np.where(np.isnan(sizes.vectors), words, sizes.vectors)
    return given.astype(np.float32)
