"""RMSProp: gradients over the root of their running mean square."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.nn.records import map_arrays


@dataclass(frozen=True)
class RMSPropState:
    """The running means of squared gradients and of gradients, and the velocity."""

    square: Any
    mean: Any
    velocity: Any


@dataclass(frozen=True)
class RMSProp:
    """Tieleman and Hinton, "Neural networks for machine learning" (2012), lecture 6.5.

    s' = ρ s + (1 - ρ) g²;  θ' = θ - η g / (√s' + ε). Centred, the variance takes the
    place of the mean square (Graves, "Generating sequences with recurrent neural
    networks", 2013, equations 38 to 40, whose ε is under the root); momentum is that of
    `SGD`.
    """

    rho: float = 0.99  # how much of the means stays
    momentum: float = 0.0  # how much of the velocity stays
    centred: bool = False  # divide by the deviation instead of the root mean square
    epsilon: float = 1e-8  # added to the roots, so that nothing is divided by 0

    def start(self, params: Any) -> RMSPropState:
        """Means and velocities of zero."""
        zero = map_arrays(np.zeros_like, params)
        return RMSPropState(zero, zero, zero)

    def update(
        self, params: Any, grads: Any, state: RMSPropState, rate: float = 1e-3
    ) -> tuple[Any, RMSPropState]:
        """One step, over the roots of the mean squares."""
        rho, mu, epsilon = self.rho, self.momentum, self.epsilon
        square = map_arrays(
            lambda s, g: rho * s + (1 - rho) * (g * g), state.square, grads
        )
        mean, spread = state.mean, square
        if self.centred:
            mean = map_arrays(lambda m, g: rho * m + (1 - rho) * g, mean, grads)
            # a variance, which rounding could make negative
            spread = map_arrays(lambda s, m: np.maximum(s - m * m, 0), square, mean)
        velocity = map_arrays(
            lambda v, g, s: mu * v + g / (np.sqrt(s) + epsilon),
            state.velocity,
            grads,
            spread,
        )
        new = map_arrays(lambda p, v: p - rate * v, params, velocity)
        return new, RMSPropState(square, mean, velocity)
