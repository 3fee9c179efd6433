"""Adam, and AdamW, whose weight decay is apart from the gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.nn.records import map_arrays


@dataclass(frozen=True)
class AdamState:
    """The number of updates, and the running means of gradients and their squares."""

    steps: int
    mean: Any
    square: Any


@dataclass(frozen=True)
class Adam:
    """Kingma and Ba, "Adam: a method for stochastic optimization" (2015), algorithm 1.

    Dense: every row of an embedding moves, also those that a batch does not use.
    """

    beta1: float = 0.9  # how much of the mean gradient stays
    beta2: float = 0.999  # how much of the mean square stays
    epsilon: float = 1e-8  # added to the roots, so that nothing is divided by 0

    def start(self, params: Any) -> AdamState:
        """No steps yet, means of zero."""
        zero = map_arrays(np.zeros_like, params)
        return AdamState(0, zero, zero)

    def update(
        self, params: Any, grads: Any, state: AdamState, rate: float = 1e-3
    ) -> tuple[Any, AdamState]:
        """One step along the mean, over the root of the mean square."""
        beta1, beta2, epsilon = self.beta1, self.beta2, self.epsilon
        steps = state.steps + 1
        # Both means begin at zero; dividing by these corrects the bias.
        scale = rate / (1 - beta1**steps)
        root = (1 - beta2**steps) ** 0.5
        mean = map_arrays(lambda m, g: beta1 * m + (1 - beta1) * g, state.mean, grads)
        square = map_arrays(
            lambda v, g: beta2 * v + (1 - beta2) * (g * g), state.square, grads
        )
        new = map_arrays(
            lambda p, m, v: p - scale * m / (np.sqrt(v) / root + epsilon),
            params,
            mean,
            square,
        )
        return new, AdamState(steps, mean, square)


@dataclass(frozen=True)
class AdamW:
    """`Adam` with weights that shrink by themselves, by the share η λ in an update.

    Loshchilov and Hutter, "Decoupled weight decay regularization" (2019), algorithm 2.
    """

    beta1: float = 0.9  # how much of the mean gradient stays
    beta2: float = 0.999  # how much of the mean square stays
    epsilon: float = 1e-8  # added to the roots, so that nothing is divided by 0
    weight_decay: float = 0.01  # λ, which the learning rate multiplies

    def start(self, params: Any) -> AdamState:
        """No steps yet, means of zero."""
        return Adam().start(params)

    def update(
        self, params: Any, grads: Any, state: AdamState, rate: float = 1e-3
    ) -> tuple[Any, AdamState]:
        """One step of Adam from weights that have shrunk."""
        kept = 1 - rate * self.weight_decay
        shrunk = map_arrays(lambda p: p * kept, params)
        step = Adam(self.beta1, self.beta2, self.epsilon)
        return step.update(shrunk, grads, state, rate)
