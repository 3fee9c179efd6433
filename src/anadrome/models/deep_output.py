"""The deep output with maxout that the models of Cho and Bahdanau end in.

Cho et al. (2014), section 4.1 of the paper and 4.4.1 of the thesis; Bahdanau et al.
(2015), appendix A.2.2. The last matrix is one of three kinds:

- "tied": of low rank, R G, where G is the embeddings of the target words (Press and
  Wolf, "Using the output embedding to improve language models", 2017);
- "low-rank": R G with a G of its own, as Cho et al. have it;
- "full": a matrix from the maxout units to the words, as Bahdanau et al. have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anadrome.nn import Initializer, gaussian, glorot, maxout, white
from anadrome.random import Key, fold_in, split


@dataclass(frozen=True, kw_only=True)
class OutputConfig:
    """How near a model is to its paper: the last matrix, and first weights."""

    # the last matrix: tied to the target embeddings, of low rank with words of its own
    # (Cho et al., 2014), or full (Bahdanau et al., 2015)
    output: Literal["tied", "low-rank", "full"] = "tied"
    # first weights, but for those of states, which are orthogonal: Glorot's, or small
    # Gaussian ones, as in both papers
    initial: Literal["glorot", "gaussian"] = "glorot"

    @property
    def weights(self) -> Initializer:
        """What draws matrices."""
        return glorot if self.initial == "glorot" else white

    @property
    def deviation(self) -> float:
        """The deviation of embeddings."""
        return 0.1 if self.initial == "glorot" else 0.01


@dataclass(frozen=True)
class DeepOutput:
    """The weights. L is the number of maxout units, each of which pools two inputs.

    F is E, or L if the last matrix is full.
    """

    H: np.ndarray  # (H, 2L) from the state
    Y: np.ndarray  # (E, 2L) from the last word
    C: np.ndarray  # (M, 2L) from the context
    b: np.ndarray  # (2L,)
    R: np.ndarray | None  # (L, E), unless the last matrix is full
    g: np.ndarray  # (V,) biases of the words
    words: np.ndarray | None = None  # (V, F), unless these are the embeddings


@dataclass(frozen=True)
class EarlyOutput(DeepOutput):
    """The same weights, of which H takes the state before the step.

    So is t̃ = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i in Bahdanau et al., A.2.2.
    """


def word_features(
    p: DeepOutput, state: np.ndarray, word: np.ndarray, context: np.ndarray
) -> np.ndarray:
    """What is known of the next word (…, F), to be compared with words."""
    return features_of_seen(p, state, word, context @ p.C)


def features_of_seen(
    p: DeepOutput, state: np.ndarray, word: np.ndarray, seen: np.ndarray
) -> np.ndarray:
    """`word_features` of what the context adds to the pools (…, 2L)."""
    pooled = maxout(state @ p.H + word @ p.Y + seen + p.b)  # (…, L)
    return pooled if p.R is None else pooled @ p.R


def output_words(p: DeepOutput, target: np.ndarray) -> np.ndarray:
    """The words (V, F) that features are compared with; `target` are embeddings."""
    return target if p.words is None else p.words


def make_deep_output(
    key: Key,
    config: OutputConfig,
    sizes: tuple[int, int, int, int, int],
    early: bool = False,
) -> DeepOutput:
    """A deep output of the sizes H, E, M, L and V."""
    H, E, M, L, V = sizes
    keys, weights, kind = split(key, 4), config.weights, config.output
    words = None
    if kind != "tied":
        F = L if kind == "full" else E
        words = gaussian(fold_in(key, 4), (V, F), config.deviation)
    make = EarlyOutput if early else DeepOutput
    return make(
        weights(keys[0], (H, L), 2),
        weights(keys[1], (E, L), 2),
        weights(keys[2], (M, L), 2),
        np.zeros(2 * L, np.float32),
        None if kind == "full" else weights(keys[3], (L, E)),
        np.zeros(V, np.float32),
        words,
    )
