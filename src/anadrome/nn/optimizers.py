"""Optimisers: pure functions (params, grads, state) -> (params, state).

An optimiser is a record of its constants, with two methods: `start(params)` is the
state before the first update, `update(params, grads, state, rate)` the new parameters
and state. Parameters, gradients and moments are records that are built alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from anadrome.nn.records import map_arrays


class Optimizer(Protocol):
    """What every optimiser can do."""

    def start(self, params: Any) -> Any:
        """The state before the first update."""

    def update(
        self, params: Any, grads: Any, state: Any, rate: float
    ) -> tuple[Any, Any]:
        """The parameters and the state after an update with a learning rate."""


@dataclass(frozen=True)
class MomentumState:
    """The velocity of every parameter."""

    velocity: Any


@dataclass(frozen=True)
class SGD:
    """Stochastic gradient descent with momentum (Polyak, 1964).

    v' = μ v + g;  θ' = θ - η v'.
    """

    momentum: float = 0.0

    def start(self, params: Any) -> MomentumState:
        """Velocities of zero."""
        return MomentumState(map_arrays(np.zeros_like, params))

    def update(
        self, params: Any, grads: Any, state: MomentumState, rate: float
    ) -> tuple[Any, MomentumState]:
        """One step against the velocity."""
        mu = self.momentum
        velocity = map_arrays(lambda v, g: mu * v + g, state.velocity, grads)
        new = map_arrays(lambda p, v: p - rate * v, params, velocity)
        return new, MomentumState(velocity)


@dataclass(frozen=True)
class AdadeltaState:
    """The running means of squared gradients and of squared updates."""

    gradients: Any
    updates: Any


@dataclass(frozen=True)
class Adadelta:
    """Zeiler, "Adadelta: an adaptive learning rate method" (2012), algorithm 1.

    The defaults are those of section 4.4.1 of the thesis; the learning rate, which the
    paper does without, is 1.
    """

    rho: float = 0.95
    epsilon: float = 1e-6

    def start(self, params: Any) -> AdadeltaState:
        """Means of zero."""
        zero = map_arrays(np.zeros_like, params)
        return AdadeltaState(zero, zero)

    def update(
        self, params: Any, grads: Any, state: AdadeltaState, rate: float = 1.0
    ) -> tuple[Any, AdadeltaState]:
        """One step, of the size of the ratio of the two means."""
        rho, epsilon = self.rho, self.epsilon
        gradients = map_arrays(
            lambda s, g: rho * s + (1 - rho) * g * g, state.gradients, grads
        )
        deltas = map_arrays(
            lambda g, s, u: g * np.sqrt((u + epsilon) / (s + epsilon)),
            grads,
            gradients,
            state.updates,
        )
        updates = map_arrays(
            lambda u, d: rho * u + (1 - rho) * d * d, state.updates, deltas
        )
        new = map_arrays(lambda p, d: p - rate * d, params, deltas)
        return new, AdadeltaState(gradients, updates)


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

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

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
