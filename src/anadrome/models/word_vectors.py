"""First embeddings of words: random ones, or vectors that were learnt elsewhere."""

from __future__ import annotations

import numpy as np

from anadrome.nn import gaussian
from anadrome.options import OptionError
from anadrome.random import Key
from anadrome.text import TokenSizes


def make_words(
    key: Key, sizes: TokenSizes, features: int, option: str = "embedding"
) -> np.ndarray:
    """First embeddings (V, E); the rows of words that have a vector are that vector.

    `option` is what the user sets the number of features by.
    """
    words = gaussian(key, (sizes.words, features), 0.1)
    if sizes.vectors is None:
        return words
    given = sizes.vectors.shape[1]
    if given != features:
        raise OptionError(
            f"the vectors have {given} features, and embeddings {features}\n"
            f"help: --{option} {given}"
        )
    chosen = np.where(np.isnan(sizes.vectors), words, sizes.vectors)
    return chosen.astype(np.float32)
