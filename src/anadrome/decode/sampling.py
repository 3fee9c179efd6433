"""Sampling: tokens drawn from the model's own distribution, or a sharper one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.decode.chooser import decode_rows
from anadrome.decode.constraints import Constraint
from anadrome.decode.interface import Hypothesis, Limits, NoOutput
from anadrome.decode.scorer import Scorer

DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Sharpening:
    """How the distribution is changed before a token is drawn.

    Log-probabilities are divided by the temperature; then only the `top_k` likeliest
    tokens are kept, and of these the fewest that together have the probability
    `top_p`. Without any of it, sampling is from the model itself.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if self.temperature <= 0:
            raise ValueError(
                "the temperature must be positive; use greedy search for 0"
            )
        if self.top_k is not None and self.top_k < 1:
            raise ValueError("at least one token must be kept")
        if not 0 < self.top_p <= 1:
            raise ValueError("top_p must lie between 0 and 1")

    def probabilities(self, log_probs: np.ndarray) -> np.ndarray:
        """The distribution (N, V) to draw from."""
        scaled = log_probs / self.temperature
        top = scaled.max(axis=1, keepdims=True)
        if not np.isfinite(top).all():
            raise NoOutput("no token is possible: the model rules all of them out")
        weights = np.exp(scaled - top)
        if self.top_k is None and self.top_p == 1:
            whole: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
            return whole
        # Likeliest first; the lowest number first among equals.
        order = np.argsort(-weights, axis=1, kind="stable")
        ranked = np.take_along_axis(weights, order, axis=1)
        if self.top_k is not None:
            ranked[:, self.top_k :] = 0
        ranked /= ranked.sum(axis=1, keepdims=True)
        before = np.cumsum(ranked, axis=1) - ranked
        ranked[before >= self.top_p] = 0
        ranked /= ranked.sum(axis=1, keepdims=True)
        probabilities = np.zeros_like(ranked)
        np.put_along_axis(probabilities, order, ranked, axis=1)
        return probabilities


DEFAULT_SHARPENING = Sharpening()


def draw_tokens(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One token (N,) from each distribution (N, V)."""
    cumulative = np.cumsum(probabilities, axis=1)
    points = rng.random((len(probabilities), 1)) * cumulative[:, -1:]
    # Strictly greater, so that a token of probability zero is never drawn.
    drawn: np.ndarray = np.argmax(cumulative > points, axis=1)
    return drawn


def sample(
    scorer: Scorer,
    source: Any,
    size: int,
    rng: np.random.Generator,
    *,
    samples: int = 1,
    sharpening: Sharpening = DEFAULT_SHARPENING,
    limits: Limits = DEFAULT_LIMITS,
    constraints: Sequence[Constraint] = (),
) -> list[list[Hypothesis]]:
    """So many random outputs for each of `size` sentences.

    Log-probabilities are the scorer's, whatever the sharpening.
    """
    start = np.repeat(np.arange(size), samples)

    def choose(log_probs: np.ndarray) -> np.ndarray:
        return draw_tokens(sharpening.probabilities(log_probs), rng)

    drawn = decode_rows(scorer, source, start, choose, limits, constraints)
    return [drawn[i * samples : (i + 1) * samples] for i in range(size)]
