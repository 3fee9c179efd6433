"""What a search is told, and what it gives back: limits and hypotheses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.text.vocabulary import BOS, EOS, PAD


class NoOutput(ValueError):
    """Nothing can be said that every rule allows."""


@dataclass(frozen=True)
class Hypothesis:
    """One output. `tokens` are without `<s>`, and end with `</s>` if it is finished.

    `score` is what hypotheses are ranked by, the log-probability after length
    normalisation. `attention` is (T, S), a row for each token, if the model attends.
    """

    tokens: tuple[int, ...]
    log_prob: float
    score: float
    finished: bool
    attention: np.ndarray | None = None


@dataclass(frozen=True)
class Limits:
    """How long outputs may be, counting `</s>`, and what they may not hold."""

    max_length: int = 100
    min_length: int = 1
    forbidden: tuple[int, ...] = (PAD, BOS)
    eos: int = EOS
    bos: int = BOS

    def __post_init__(self) -> None:
        if not 1 <= self.min_length <= self.max_length:
            raise ValueError(
                f"lengths from {self.min_length} to {self.max_length} are none at all"
            )

    def restrict(self, log_probs: np.ndarray, length: int) -> np.ndarray:
        """The log-probabilities (N, V) of the `length`-th token.

        What may not come is made impossible; the rest is not renormalised.
        """
        log_probs = self.forbid(log_probs, length)
        check_numbers(log_probs, length)
        return log_probs

    def forbid(self, log_probs: np.ndarray, length: int) -> np.ndarray:
        """`restrict` without a look at every number."""
        if log_probs.ndim != 2:
            raise ValueError(
                "the model gave log-probabilities of shape "
                f"{log_probs.shape}, not (N, V)"
            )
        barred = self.barred(length)
        log_probs[:, barred[barred < log_probs.shape[1]]] = -np.inf
        return log_probs

    def barred(self, length: int) -> np.ndarray:
        """What may not be the `length`-th token."""
        early = (self.eos,) if length < self.min_length else ()
        return np.array((*self.forbidden, *early), dtype=np.int64)


def check_numbers(log_probs: np.ndarray, length: int) -> None:
    """Fail if there is a NaN among the log-probabilities of the `length`-th token."""
    if np.isnan(log_probs.max(initial=-np.inf)):
        raise FloatingPointError(
            f"the model gave NaN for token {length}; was it trained with a loss "
            "that became NaN?"
        )
