"""AdaGrad: smaller steps where gradients have been large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.nn.records import map_arrays


@dataclass(frozen=True)
class AdaGradState:
    """The sums of squared gradients."""

    squares: Any


@dataclass(frozen=True)
class AdaGrad:
    """Duchi, Hazan and Singer, "Adaptive subgradient methods" (2011), figure 1.

    s' = s + g²;  θ' = θ - η g / (√s' + ε).
    """

    initial: float = 0.0  # the sums before the first update
    epsilon: float = 1e-10  # added to the roots, so that nothing is divided by 0

    def start(self, params: Any) -> AdaGradState:
        """The initial sums."""
        return AdaGradState(map_arrays(lambda p: np.full_like(p, self.initial), params))

    def update(
        self, params: Any, grads: Any, state: AdaGradState, rate: float = 1e-2
    ) -> tuple[Any, AdaGradState]:
        """One step, over the roots of the sums."""
        epsilon = self.epsilon
        squares = map_arrays(lambda s, g: s + g * g, state.squares, grads)
        new = map_arrays(
            lambda p, g, s: p - rate * g / (np.sqrt(s) + epsilon),
            params,
            grads,
            squares,
        )
        return new, AdaGradState(squares)
