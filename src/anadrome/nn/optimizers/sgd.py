"""Stochastic gradient descent: plain, with momentum, with Nesterov's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.nn.records import map_arrays


@dataclass(frozen=True)
class MomentumState:
    """The velocity of every parameter."""

    velocity: Any


@dataclass(frozen=True)
class SGD:
    """Stochastic gradient descent with momentum (Polyak, 1964).

    v' = μ v + g;  θ' = θ - η v'. With Nesterov's momentum the step is η (g + μ v'),
    which looks ahead by what the velocity will do (Sutskever et al., "On the importance
    of initialization and momentum in deep learning", 2013; the form is PyTorch's).
    """

    momentum: float = 0.0  # how much of the velocity stays
    nesterov: bool = False  # look ahead along the velocity

    def start(self, params: Any) -> MomentumState:
        """Velocities of zero."""
        return MomentumState(map_arrays(np.zeros_like, params))

    def update(
        self, params: Any, grads: Any, state: MomentumState, rate: float
    ) -> tuple[Any, MomentumState]:
        """One step against the velocity."""
        mu = self.momentum
        velocity = map_arrays(lambda v, g: mu * v + g, state.velocity, grads)
        if self.nesterov:
            new = map_arrays(
                lambda p, v, g: p - rate * (g + mu * v), params, velocity, grads
            )
        else:
            new = map_arrays(lambda p, v: p - rate * v, params, velocity)
        return new, MomentumState(velocity)
