"""How a model is trained."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from anadrome.options import Count, NonNegative, Positive, Share


@dataclass(frozen=True)
class TrainingConfig:
    """How long, how fast, and when to look.

    Training stops after `steps` updates, or when the validation score has not become
    better `patience` times in a row. The learning rate rises in a straight line, then
    falls: along a cosine (Loshchilov and Hutter, "SGDR", 2017, equation 5, without
    restarts), a straight line, or with the inverse root of the step (Vaswani et al.,
    2017, equation 3).
    """

    steps: Count = 4000  # how many updates
    batch_tokens: Count = 1500  # how large a batch is, in tokens with padding
    rate: Positive = 2e-3  # the highest learning rate
    warmup: NonNegative = 200  # updates until the learning rate is reached
    decay: Literal["cosine", "linear", "root", "none"] = "cosine"  # how the rate falls
    final: Share = 0.05  # the learning rate at the end, as a share of the highest
    clip: Positive = 1.0  # the largest norm that a gradient may have
    accumulate: Count = 1  # batches whose gradients make one update
    average: Share = 0.0  # keep a running mean of the weights with this decay; 0: none
    validate_every: Count = 500  # updates between validations
    checkpoint_every: Count = 100  # updates between checkpoints
    patience: NonNegative = 8  # stop after so many validations without a better score
    keep: Count = 2  # how many of the last checkpoints stay, besides the best
    seed: int = 0  # decides the first weights, the order of the data, and dropout
    # what runs the updates: native code, or the Python that it is compiled from
    backend: Literal["native", "python"] = "native"

    @property
    def native(self) -> bool:
        """Whether updates are compiled."""
        return self.backend == "native"

    def rate_at(self, step: int) -> float:
        """The learning rate of step 1, 2, …, steps."""
        if step <= self.warmup:
            return self.rate * step / self.warmup
        passed = (step - self.warmup) / max(1, self.steps - self.warmup)
        if self.decay == "none":
            return self.rate
        if self.decay == "root":
            return self.rate * math.sqrt(max(1, self.warmup) / step)
        fall = 1 - min(1.0, passed)
        if self.decay == "cosine":
            fall = 0.5 * (1 + math.cos(math.pi * min(1.0, passed)))
        return self.rate * (self.final + (1 - self.final) * fall)
