"""What translation models do with the words of the target, whatever comes before."""

from __future__ import annotations

import numpy as np

from anadrome.nn import word_cross_entropy
from anadrome.text import PairBatch


def target_loss(
    features: np.ndarray,
    words: np.ndarray,
    bias: np.ndarray,
    batch: PairBatch,
    smoothing: float,
) -> np.ndarray:
    """The mean cross-entropy of the target words, in a time-major batch.

    Features (T, B, F) are compared with the rows of `words` (V, F).
    """
    return word_cross_entropy(
        features.reshape(-1, features.shape[2]),
        words,
        bias,
        batch.target_out.reshape(-1),
        batch.target_mask.reshape(-1),
        smoothing,
    )
