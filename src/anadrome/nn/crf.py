"""Linear-chain conditional random fields over tags.

Lafferty, McCallum and Pereira (2001); as the last layer of a tagger Lample et al.,
"Neural architectures for named entity recognition" (2016), section 2.2. The score of a
sequence of tags is the sum of the emissions (T, B, K) of its K tags at each time, and
of transitions between neighbours; masks (T, B) are 1 on the sequences, which have one
place at least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.activations import log_sum_exp
from anadrome.nn.initializers import gaussian
from anadrome.random import Key, split


@dataclass(frozen=True)
class CRF:
    """The scores of transitions between K tags, of first tags and of last ones."""

    transitions: np.ndarray  # (K, K) from, to
    first: np.ndarray  # (K,)
    last: np.ndarray  # (K,)


def make_crf(key: Key, K: int) -> CRF:
    """A field that begins near zero."""
    keys = split(key, 3)
    return CRF(
        gaussian(keys[0], (K, K)), gaussian(keys[1], (K,)), gaussian(keys[2], (K,))
    )


def crf_log_partition(p: CRF, emissions: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """log Σ exp(score) over all sequences of tags, for each row: (B,).

    By the forward recursion, in logarithms.
    """
    rows = mask[:, :, None]
    into = p.transitions.T  # (K, K) to, from
    alpha = p.first + emissions[0]  # (B, K) of all sequences that end in a tag
    for t in range(1, emissions.shape[0]):
        longer = log_sum_exp(alpha[:, None, :] + into)[:, :, 0] + emissions[t]
        alpha = rows[t] * longer + (1 - rows[t]) * alpha
    return log_sum_exp(alpha + p.last)[:, 0]


def crf_score(
    p: CRF, emissions: np.ndarray, tags: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """The score of given tags (T, B), for each row: (B,)."""
    T, B = tags.shape
    at = emissions[np.arange(T)[:, None], np.arange(B), tags]  # (T, B)
    between = p.transitions[tags[:-1], tags[1:]]  # (T - 1, B)
    ends = np.sum(mask, axis=0).astype(np.int64) - 1
    last = p.last[tags[ends, np.arange(B)]]
    inner = np.sum(at * mask, axis=0) + np.sum(between * mask[1:], axis=0)
    return p.first[tags[0]] + inner + last


def crf_loss(
    p: CRF, emissions: np.ndarray, tags: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """The mean over rows of the negative log-probability of their tags, in nats."""
    losses = crf_log_partition(p, emissions, mask) - crf_score(p, emissions, tags, mask)
    return np.mean(losses)


def viterbi(
    p: CRF, emissions: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The best tags (T, B), 0 behind the ends, and their scores (B,).

    Viterbi (1967). Among equals the tag with the smaller number is taken.
    """
    T, B, K = emissions.shape
    into = p.transitions.T
    best = p.first + emissions[0]  # (B, K)
    came = np.zeros((T, B, K), np.int64)  # the tag before, on the best way to a tag
    for t in range(1, T):
        ways = best[:, None, :] + into  # (B, K) to, from
        row = mask[t][:, None]
        came[t] = np.where(row > 0, np.argmax(ways, axis=2), np.arange(K))
        longer = np.max(ways, axis=2) + emissions[t]
        best = np.where(row > 0, longer, best)
    best = best + p.last
    tag = np.argmax(best, axis=1)
    rows = np.arange(B)
    tags = np.zeros((T, B), np.int64)
    for t in range(T - 1, -1, -1):
        tags[t] = np.where(mask[t] > 0, tag, 0)
        tag = came[t][rows, tag]
    return tags, np.max(best, axis=1)
