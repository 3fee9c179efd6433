"""Length normalisation: how outputs of different lengths are compared.

A sum of log-probabilities falls with every token, so plain search prefers short
outputs. Every penalty gives a score from the log-probability and the length, monotone
in the length, which is what lets a search know when it cannot be beaten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np


class LengthPenalty(Protocol):
    """How a log-probability becomes a score."""

    def score(self, log_prob: float, length: int) -> float:
        """The score of an output with this log-probability and length."""


@dataclass(frozen=True)
class NoPenalty:
    """The log-probability itself."""

    def score(self, log_prob: float, length: int) -> float:
        """The log-probability."""
        return log_prob


@dataclass(frozen=True)
class PowerPenalty:
    """log p / length^alpha; alpha 1 is the mean per token (Cho et al. 2014)."""

    alpha: float = 1.0

    def score(self, log_prob: float, length: int) -> float:
        """The log-probability over a power of the length."""
        return log_prob / float(length**self.alpha)


@dataclass(frozen=True)
class OffsetPenalty:
    """log p / ((5 + length) / 6)^alpha (Wu et al. 2016, equation 14)."""

    alpha: float = 0.6

    def score(self, log_prob: float, length: int) -> float:
        """The log-probability over a power of the offset length."""
        return log_prob / float(((5 + length) / 6) ** self.alpha)


@dataclass(frozen=True)
class WordReward:
    """log p + reward x length, as the word bonus of phrase-based translation."""

    reward: float = 0.1

    def score(self, log_prob: float, length: int) -> float:
        """The log-probability with a reward for each token."""
        return log_prob + self.reward * length


@dataclass(frozen=True)
class CoveragePenalty:
    """beta x Σᵢ log min(Σⱼ pᵢⱼ, 1): what source words lack of all the attention due.

    Wu et al. (2016), equation 14, p being the weight of source position i in step j;
    it is added to the score that the length gives. `lengths` are the numbers of source
    positions of the sentences, which are all that there are without it. A position
    that got less than `floor` counts as if it had got that much, so that one that
    nobody looked at does not outweigh everything.
    """

    beta: float = 0.2
    lengths: Sequence[int] | None = None
    floor: float = 1e-6

    def __post_init__(self) -> None:
        if self.beta < 0 or not 0 < self.floor <= 1:
            raise ValueError("beta must not be negative, and floor between 0 and 1")

    def score(self, sentence: int, attention: np.ndarray | None) -> float:
        """What is added to the score of an output with these weights (T, S)."""
        if attention is None:
            raise ValueError("a penalty for coverage needs a scorer that attends")
        if self.lengths is not None:
            attention = attention[:, : self.lengths[sentence]]
        got = np.clip(attention.sum(axis=0, dtype=np.float64), self.floor, 1.0)
        return self.beta * float(np.log(got).sum())


def best_possible(
    penalty: LengthPenalty, log_prob: float, shortest: int, longest: int
) -> float:
    """The best score that an unfinished output can still reach.

    More tokens never raise the log-probability, and penalties are monotone in the
    length, so one of the two ends is the best. A penalty for coverage is never above
    zero, so it can be left out here.
    """
    return max(penalty.score(log_prob, shortest), penalty.score(log_prob, longest))
