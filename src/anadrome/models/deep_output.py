"""The deep output with maxout that both translation models end in.

Cho et al. (2014), section 4.1 of the paper and 4.4.1 of the thesis; Bahdanau et al.
(2015), appendix A.2.2. The last matrix is of low rank, R G, as the thesis has it, and G
is the embeddings of the target words (Press and Wolf, "Using the output embedding to
improve language models", 2017), which the papers have apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn import glorot, maxout
from anadrome.random import Key, split


@dataclass(frozen=True)
class DeepOutput:
    """The weights. L is the number of maxout units, each of which pools two inputs."""

    H: np.ndarray  # (H, 2L) from the state
    Y: np.ndarray  # (E, 2L) from the last word
    C: np.ndarray  # (M, 2L) from the context
    b: np.ndarray  # (2L,)
    R: np.ndarray  # (L, E)
    g: np.ndarray  # (V,) biases of the words


def word_features(
    p: DeepOutput, state: np.ndarray, word: np.ndarray, context: np.ndarray
) -> np.ndarray:
    """What is known of the next word (…, E), to be compared with embeddings."""
    return features_of_seen(p, state, word, context @ p.C)


def features_of_seen(
    p: DeepOutput, state: np.ndarray, word: np.ndarray, seen: np.ndarray
) -> np.ndarray:
    """`word_features` of what the context adds to the pools (…, 2L)."""
    pooled = maxout(state @ p.H + word @ p.Y + seen + p.b)  # (…, L)
    return pooled @ p.R


def make_deep_output(key: Key, H: int, E: int, M: int, L: int, V: int) -> DeepOutput:
    """A deep output with Glorot weights."""
    keys = split(key, 4)
    return DeepOutput(
        glorot(keys[0], (H, L), 2),
        glorot(keys[1], (E, L), 2),
        glorot(keys[2], (M, L), 2),
        np.zeros(2 * L, np.float32),
        glorot(keys[3], (L, E)),
        np.zeros(V, np.float32),
    )
