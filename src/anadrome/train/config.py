"""How a model is trained."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Schedule:
    """A learning rate that rises in a straight line, then falls along a cosine.

    Loshchilov and Hutter, "SGDR" (2017), equation 5, without restarts.
    """

    peak: float = 2e-3
    warmup: int = 100
    final: float = 0.05  # of the peak

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of step 1, 2, …, steps."""
        if step <= self.warmup:
            return self.peak * step / self.warmup
        passed = (step - self.warmup) / max(1, steps - self.warmup)
        fall = 0.5 * (1 + math.cos(math.pi * min(1.0, passed)))
        return self.peak * (self.final + (1 - self.final) * fall)


@dataclass(frozen=True)
class TrainingConfig:
    """How long, how fast, and when to look.

    Training stops after `steps` updates, or when the validation score has not become
    better `patience` times in a row.
    """

    steps: int = 2000
    schedule: Schedule = field(default_factory=Schedule)
    clip: float = 1.0
    seed: int = 0
    validate_every: int = 500
    checkpoint_every: int = 100
    patience: int = 5
    keep: int = 2
    native: bool = True  # compiled steps; else the Python backend runs them
