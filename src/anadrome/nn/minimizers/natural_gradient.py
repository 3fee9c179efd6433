"""The natural gradient, through the covariance of the gradients of examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anadrome.nn.minimizers.conjugate_gradients import conjugate_gradients
from anadrome.nn.minimizers.derivatives import (
    covariance,
    from_vector,
    mean_of,
    slope,
    to_vector,
)
from anadrome.nn.minimizers.minimizer import Loss


@dataclass(frozen=True)
class NaturalGradient:
    """θ' = θ - η (F + λ I)⁻¹ g, with F the mean of gᵢ gᵢᵀ over the examples.

    Amari, "Natural gradient works efficiently in learning" (1998). F is the empirical
    Fisher information: the gradients are those of the targets that were seen, and not
    of ones that the model draws. It is never made: the system is solved by conjugate
    gradients through products (thesis, 9.2.4), as Pascanu and Bengio do in "Revisiting
    natural gradient for deep networks" (2014).
    """

    rate: float = 1.0  # η
    damping: float = 1e-2  # λ
    limit: int | None = 50  # products with F in a step
    tolerance: float = 1e-4  # how much of the residual is left

    def start(self, params: Any) -> None:
        """Nothing is remembered."""

    def step(
        self, loss: Loss, params: Any, state: None, *args: Any
    ) -> tuple[Any, None, float]:
        """One step on the mean of a loss that is a vector: one number an example."""
        value, g = slope(mean_of(loss), params, *args)
        multiply = covariance(loss, params, *args)
        change = conjugate_gradients(
            lambda v: multiply(v) + self.damping * v,
            g,
            tolerance=self.tolerance,
            limit=self.limit,
        )
        moved = to_vector(params) - self.rate * change
        return from_vector(moved, params), None, value
