"""Softmaxes for large vocabularies: of a sample of the words, and of classes of words.

Both count on words that are numbered from the most frequent on. Axis letters: N places,
V words, E features, S samples, C classes of M words each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import log_softmax, log_sum_exp
from anadrome.nn.initializers import uniform_weights
from anadrome.random import Key, split, uniform

_NEVER = -1e30
"""The logit of a word that is not there."""


def sampled_log_probabilities(
    x: np.ndarray,
    words: np.ndarray,
    bias: np.ndarray,
    targets: np.ndarray,
    samples: int,
    key: Key,
) -> np.ndarray:
    """The log-probabilities (N,) of targets, the sum over words estimated by a sample.

    For training alone: Bengio and Senécal, "Adaptive importance sampling to accelerate
    training of a neural probabilistic language model" (2008); Jean et al., "On using
    very large target vocabulary for neural machine translation" (2015), section 3.
    Words are drawn as often as Zipf's law has them, with probability log((r + 2) /
    (r + 1)) / log(V + 1) for the word of rank r, the same for all targets. Their logits
    are lowered by the logarithm of how often they are expected, so that the gradient
    tends to that of the whole softmax as samples become many. `x` is (N, E), `words`
    (V, E).
    """
    V = words.shape[0]
    drawn = np.exp(uniform(key, (samples,)) * np.log(V + 1.0))
    ids = np.minimum(drawn.astype(np.int64) - 1, V - 1)
    wanted = (np.sum(x * words[targets], axis=1) + bias[targets])[:, None]
    share = np.log((ids + 2.0) / (ids + 1.0)) / np.log(V + 1.0)
    expected = np.log(samples * share).astype(x.dtype)
    others = x @ words[ids].T + (bias[ids] - expected)
    # the target is there already
    others = np.where(ids == targets[:, None], _NEVER, others)
    total = log_sum_exp(np.concatenate((wanted, others), axis=1))
    return (wanted - total)[:, 0]


@dataclass(frozen=True)
class ClassedSoftmax:
    """Rows for classes and for words; words k M, …, (k + 1) M - 1 are of class k.

    Goodman, "Classes for fast maximum entropy training" (2001); Mikolov et al.,
    "Extensions of recurrent neural network language model" (2011), section 4.
    """

    classes: np.ndarray  # (C, E)
    class_bias: np.ndarray  # (C,)
    words: np.ndarray  # (C, M, E)
    bias: np.ndarray  # (C, M)


def make_classed_softmax(
    key: Key, V: int, E: int, scale: float = 0.1
) -> ClassedSoftmax:
    """First weights of √V classes; places behind the last word are never words."""
    M = int(np.ceil(np.sqrt(V)))
    C = -(-V // M)
    keys = split(key, 2)
    return ClassedSoftmax(
        uniform_weights(keys[0], (C, E), scale),
        np.zeros(C, np.float32),
        uniform_weights(keys[1], (C, M, E), scale),
        np.zeros((C, M), np.float32),
    )


def classed_log_probabilities(
    p: ClassedSoftmax, x: np.ndarray, targets: np.ndarray, V: int
) -> np.ndarray:
    """The log-probabilities (N,) of targets after features (N, E): C + M products."""
    M = p.words.shape[1]
    N = targets.shape[0]
    which, member = targets // M, targets % M
    each = np.arange(N)
    of_class = log_softmax(x @ p.classes.T + p.class_bias)[each, which]
    logits = (p.words[which] @ x[:, :, None])[:, :, 0] + p.bias[which]  # (N, M)
    behind = which[:, None] * M + np.arange(M) >= V
    logits = np.where(behind, _NEVER, logits)
    return of_class + log_softmax(logits)[each, member]


def classed_distributions(p: ClassedSoftmax, x: np.ndarray, V: int) -> np.ndarray:
    """The log-probabilities (N, V) of all words after features (N, E)."""
    C, M, E = p.words.shape
    classes = log_softmax(x @ p.classes.T + p.class_bias)  # (N, C)
    logits = x @ p.words.reshape(C * M, E).T + p.bias.reshape(C * M)
    logits = np.where(np.arange(C * M) >= V, _NEVER, logits)
    members = log_softmax(logits.reshape(x.shape[0], C, M))
    found = (classes[:, :, None] + members).reshape(x.shape[0], C * M)
    return found[:, :V]
