"""Adadelta: steps in the units of the parameters, without a learning rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.nn.records import map_arrays


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

    rho: float = 0.95  # how much of the means stays
    epsilon: float = 1e-6  # added to the means under the roots

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
