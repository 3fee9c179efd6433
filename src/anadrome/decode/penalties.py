"""Length normalisation: how outputs of different lengths are compared.

A sum of log-probabilities falls with every token, so plain search prefers short
outputs. Every penalty gives a score from the log-probability and the length, monotone
in the length, which is what lets a search know when it cannot be beaten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


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


def best_possible(
    penalty: LengthPenalty, log_prob: float, shortest: int, longest: int
) -> float:
    """The best score that an unfinished output can still reach.

    More tokens never raise the log-probability, and penalties are monotone in the
    length, so one of the two ends is the best.
    """
    return max(penalty.score(log_prob, shortest), penalty.score(log_prob, longest))
