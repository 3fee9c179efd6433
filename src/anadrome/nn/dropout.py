"""Dropout (Srivastava et al., 2014): of elements, of features, of words.

That of the updates of a state is in `recurrent_dropout`.
"""

from __future__ import annotations

import numpy as np

from anadrome.random import Key, bernoulli


def dropout(x: np.ndarray, rate: float, key: Key) -> np.ndarray:
    """The array with a random part of its elements set to 0, and the rest scaled up.

    An element is kept with probability 1 - rate and divided by it, so the expectation
    does not change, and nothing is to be done when the model is used.
    """
    kept = bernoulli(key, 1.0 - rate, x.shape)
    return x * (kept.astype(x.dtype) / (1.0 - rate))


def steady_dropout(x: np.ndarray, rate: float, key: Key) -> np.ndarray:
    """`dropout` of a sequence (T, B, E) that sets the same elements to 0 at all times.

    Gal and Ghahramani, "A theoretically grounded application of dropout in recurrent
    neural networks" (2016), section 4.
    """
    kept = bernoulli(key, 1.0 - rate, (1, x.shape[1], x.shape[2]))
    return x * (kept.astype(x.dtype) / (1.0 - rate))


def word_dropout(ids: np.ndarray, rate: float, key: Key, unknown: int) -> np.ndarray:
    """Words, each of which is unknown with a probability of the rate.

    Bowman et al., "Generating sentences from a continuous space" (2016), section 3.1.
    """
    kept = bernoulli(key, 1.0 - rate, ids.shape)
    return np.where(kept, ids, unknown)
