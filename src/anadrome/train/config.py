"""How a model is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from anadrome.nn import (
    Averaging,
    Constant,
    Cosine,
    Exponential,
    ExponentialMean,
    InverseRoot,
    LinearDecay,
    Plateau,
    RunningMean,
    Schedule,
    StepDecay,
    Warmup,
)
from anadrome.options import Count, Magnitude, NonNegative, OptionError, Positive, Share


@dataclass(frozen=True)
class TrainingConfig:
    """How long, how fast, and when to look.

    Training stops after `steps` updates, or when the validation score has not become
    better `patience` times in a row. The learning rate rises in a straight line, then
    falls: along a cosine or a straight line to the last update, with the inverse root
    of the step (Vaswani et al., 2017, equation 3), by a factor every so many updates,
    steadily or at once, or by a factor when the validation score gets no better.
    """

    steps: Count = 4000  # how many updates
    batch_tokens: Count = 1500  # how large a batch is, in tokens with padding
    rate: Positive = 2e-3  # the highest learning rate
    warmup: NonNegative = 200  # updates until the learning rate is reached
    # how the rate falls
    decay: Literal[
        "cosine", "linear", "root", "exponential", "step", "plateau", "none"
    ] = "cosine"
    # the learning rate at the end of a cosine or a line, as a share of the highest
    final: Share = 0.05
    # what the rate is multiplied by: exponentially, in steps, or on a plateau
    decay_factor: Share = 0.5
    decay_every: Count = 1000  # updates in which the rate falls by the factor
    decay_after: NonNegative = 0  # updates before those that count for falls in steps
    # validations without a better score that the rate outlasts on a plateau
    decay_patience: NonNegative = 0
    clip: Magnitude = 1.0  # the largest norm that a gradient may have; 0 for any
    clip_value: Magnitude = 0.0  # the largest number in a gradient; 0 for any
    accumulate: Count = 1  # batches whose gradients make one update
    average: Share = 0.0  # keep a running mean of the weights with this decay; 0: none
    # keep the plain mean of the weights from this update on; 0: none
    average_from: NonNegative = 0
    average_every: Count = 1  # updates between the weights that go into the plain mean
    validate_every: Count = 500  # updates between validations
    checkpoint_every: Count = 100  # updates between checkpoints
    patience: NonNegative = 8  # stop after so many validations without a better score
    keep: Count = 2  # how many of the last checkpoints stay, besides the best
    tensorboard: bool = False  # also write the log for TensorBoard
    seed: int = 0  # decides the first weights, the order of the data, and dropout
    # what runs the updates: native code, or the Python that it is compiled from
    backend: Literal["native", "python"] = "native"

    @property
    def native(self) -> bool:
        """Whether updates are compiled."""
        return self.backend == "native"

    @property
    def schedule(self) -> Schedule:
        """The learning rates; on a plateau the highest, of which `plateau` has a share.

        Falls are counted from the end of the warm-up.
        """
        rate, left = self.rate, self.steps - self.warmup
        if self.decay == "root":
            return InverseRoot(rate, self.warmup)
        then: Schedule = Constant(rate)
        if self.decay == "cosine":
            then = Cosine(rate, left, self.final)
        elif self.decay == "linear":
            then = LinearDecay(rate, left, self.final)
        elif self.decay == "exponential":
            then = Exponential(rate, self.decay_factor, self.decay_every)
        elif self.decay == "step":
            then = StepDecay(
                rate, self.decay_factor, self.decay_every, self.decay_after
            )
        return Warmup(rate, self.warmup, then)

    @property
    def plateau(self) -> Plateau | None:
        """The share of the learning rate before the first validation, if it changes."""
        if self.decay != "plateau":
            return None
        return Plateau(self.decay_factor, self.decay_patience)

    @property
    def averaging(self) -> Averaging | None:
        """The mean of the weights that is kept, or None if there is none."""
        if self.average > 0 and self.average_from > 0:
            raise OptionError(
                "average and average_from are two different means of the weights\n"
                "help: choose one of them"
            )
        if self.average_from > 0:
            return RunningMean(self.average_from, self.average_every)
        return ExponentialMean(self.average) if self.average > 0 else None

    def rate_at(self, step: int) -> float:
        """The learning rate of step 1, 2, …, steps."""
        return self.schedule.rate_at(step)
