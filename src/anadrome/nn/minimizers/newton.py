"""Newton's method, and that which leaves saddle points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.nn.minimizers.derivatives import from_vector, hessian, slope, to_vector
from anadrome.nn.minimizers.minimizer import Loss


@dataclass(frozen=True)
class Newton:
    """θ' = θ - η (H + λ I)⁻¹ g, where H is the whole Hessian: thesis, section 1.5.

    It goes wherever the gradient is 0, to saddle points and maxima as well.
    """

    rate: float = 1.0  # η
    damping: float = 0.0  # λ

    def start(self, params: Any) -> None:
        """Nothing is remembered."""

    def step(
        self, loss: Loss, params: Any, state: None, *args: Any
    ) -> tuple[Any, None, float]:
        """One step to where the gradient would be 0 if the loss were a parabola."""
        value, g = slope(loss, params, *args)
        H = hessian(loss, params, *args)
        try:
            change = np.linalg.solve(H + self.damping * np.eye(len(g)), g)
        except np.linalg.LinAlgError:
            raise ValueError(
                "the Hessian is singular: no one step leads to where the gradient is 0"
                "\nhelp: give a damping"
            ) from None
        moved = to_vector(params) - self.rate * change
        return from_vector(moved, params), None, value


@dataclass(frozen=True)
class SaddleFreeNewton:
    """θ' = θ - η (|H| + λ I)⁻¹ g, where |H| has the magnitudes of H's eigenvalues.

    Dauphin et al., "Identifying and attacking the saddle point problem in
    high-dimensional non-convex optimization" (2014), section 6: where the loss curves
    downwards, the step goes down and not back.
    """

    rate: float = 1.0  # η
    damping: float = 1e-3  # λ

    def start(self, params: Any) -> None:
        """Nothing is remembered."""

    def step(
        self, loss: Loss, params: Any, state: None, *args: Any
    ) -> tuple[Any, None, float]:
        """One step down, scaled by the curvature in every direction."""
        value, g = slope(loss, params, *args)
        H = hessian(loss, params, *args)
        # the Hessian is symmetric but for rounding
        values, vectors = np.linalg.eigh((H + H.T) / 2)
        change = vectors @ ((vectors.T @ g) / (np.abs(values) + self.damping))
        moved = to_vector(params) - self.rate * change
        return from_vector(moved, params), None, value
