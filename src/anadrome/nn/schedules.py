"""Learning rates as functions of the number of the update: 1, 2, 3, …

A schedule is a record with one method: `rate_at(step)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol


class Schedule(Protocol):
    """What every schedule can do."""

    def rate_at(self, step: int) -> float:
        """The learning rate of an update."""


@dataclass(frozen=True)
class Constant:
    """Always the same rate."""

    rate: float

    def rate_at(self, step: int) -> float:
        """The rate."""
        return self.rate


@dataclass(frozen=True)
class LinearDecay:
    """A straight line to a share of the rate, reached after so many updates."""

    rate: float
    steps: int
    final: float = 0.0

    def rate_at(self, step: int) -> float:
        """The rate on the line, or at its end."""
        fall = 1 - min(1.0, step / max(1, self.steps))
        return self.rate * (self.final + (1 - self.final) * fall)


@dataclass(frozen=True)
class Cosine:
    """Half a wave to a share of the rate, reached after so many updates.

    Loshchilov and Hutter, "SGDR" (2017), equation 5, without restarts.
    """

    rate: float
    steps: int
    final: float = 0.0

    def rate_at(self, step: int) -> float:
        """The rate on the wave, or at its end."""
        passed = step / max(1, self.steps)
        fall = 0.5 * (1 + math.cos(math.pi * min(1.0, passed)))
        return self.rate * (self.final + (1 - self.final) * fall)


@dataclass(frozen=True)
class InverseRoot:
    """A rise in a straight line, then a fall with the inverse root of the step.

    The rate is the highest, that of the last update of the warm-up. Vaswani et al.
    (2017), equation 3, have 1 / √(features · warm-up) for it: see `noam`.
    """

    rate: float
    warmup: int

    def rate_at(self, step: int) -> float:
        """The rate before, at or after the top."""
        if step <= self.warmup:
            return self.rate * step / self.warmup
        return self.rate * math.sqrt(max(1, self.warmup) / step)


def noam(features: int, warmup: int, scale: float = 1.0) -> InverseRoot:
    """The schedule of Vaswani et al. (2017), equation 3, for so many features."""
    return InverseRoot(scale / math.sqrt(features * warmup), warmup)


@dataclass(frozen=True)
class Exponential:
    """A rate that is multiplied by a factor in the course of so many updates."""

    rate: float
    factor: float
    every: int = 1

    def rate_at(self, step: int) -> float:
        """The rate, a little smaller in every update."""
        return self.rate * self.factor ** (step / self.every)


@dataclass(frozen=True)
class StepDecay:
    """A rate that is multiplied by a factor every so many updates, after some."""

    rate: float
    factor: float
    every: int
    after: int = 0

    def rate_at(self, step: int) -> float:
        """The rate after the falls that lie before this update."""
        falls = max(0, step - 1 - self.after) // self.every
        return self.rate * self.factor**falls


@dataclass(frozen=True)
class Warmup:
    """A rise in a straight line to a rate, and then a schedule that begins anew."""

    rate: float
    steps: int
    then: Schedule

    def rate_at(self, step: int) -> float:
        """The rate on the line, or the schedule's, counted from the line's end."""
        if step <= self.steps:
            return self.rate * step / self.steps
        return self.then.rate_at(step - self.steps)


@dataclass(frozen=True)
class Plateau:
    """A share of the rate that falls by a factor when scores stop getting better.

    PyTorch's `ReduceLROnPlateau`. A score is better if it is higher. This is a state:
    `note(score)` is the next one.
    """

    factor: float = 0.5  # what the share is multiplied by
    patience: int = 0  # scores in a row that need not be better
    share: float = 1.0  # of the rate, now
    best: float = -math.inf
    stale: int = 0  # scores since the best one, or the last fall

    def note(self, score: float) -> Plateau:
        """The state after a score."""
        if score > self.best:
            return Plateau(self.factor, self.patience, self.share, score, 0)
        if self.stale < self.patience:
            stale = self.stale + 1
            return Plateau(self.factor, self.patience, self.share, self.best, stale)
        share = self.share * self.factor
        return Plateau(self.factor, self.patience, share, self.best, 0)
