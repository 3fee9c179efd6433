"""The Gauss–Newton method, for losses that are convex in a model's outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.nn.minimizers.conjugate_gradients import conjugate_gradients
from anadrome.nn.minimizers.derivatives import (
    compose,
    from_vector,
    gauss_newton,
    slope,
    to_vector,
)
from anadrome.nn.minimizers.line_search import backtrack
from anadrome.nn.minimizers.minimizer import Loss


def half_square(y: np.ndarray) -> np.ndarray:
    """Half the sum of squares."""
    return 0.5 * np.sum(y * y)


@dataclass(frozen=True)
class GaussNewton:
    """Steps d with (Jᵀ H J + λ I) d = -g, halved until the loss falls.

    Schraudolph, "Fast curvature matrix-vector products for second-order gradient
    descent" (2002); Martens, "Deep learning via Hessian-free optimization" (2010).

    J is the Jacobian of the outputs and H the Hessian of their loss, so the matrix
    never curves downwards. With the negative log-likelihood of an exponential family it
    is the Fisher information. The system is solved by conjugate gradients.
    """

    loss: Callable[..., Any] = half_square  # of the outputs
    damping: float = 1e-6  # λ
    limit: int | None = None  # products in a step; None for as many as parameters
    tolerance: float = 1e-8  # how much of the residual is left

    def start(self, params: Any) -> None:
        """Nothing is remembered."""

    def step(
        self, loss: Loss, params: Any, state: None, *args: Any
    ) -> tuple[Any, None, float]:
        """One step, where what is given in the place of the loss are the outputs."""
        whole = compose(self.loss, loss)
        value, g = slope(whole, params, *args)
        multiply = gauss_newton(loss, self.loss, params, *args)
        direction = conjugate_gradients(
            lambda v: multiply(v) + self.damping * v,
            -g,
            tolerance=self.tolerance,
            limit=self.limit,
        )
        first = to_vector(params)

        def value_at(size: float) -> float:
            return float(whole(from_vector(first + size * direction, params), *args))

        size = backtrack(value_at, value, float(g @ direction))
        return from_vector(first + size * direction, params), None, value
