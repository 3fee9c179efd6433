"""Newton's method by products with the Hessian, for many parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from anadrome.nn.minimizers.conjugate_gradients import conjugate_gradients
from anadrome.nn.minimizers.derivatives import (
    curvature,
    from_vector,
    slope,
    to_vector,
)
from anadrome.nn.minimizers.line_search import backtrack
from anadrome.nn.minimizers.minimizer import Loss


@dataclass(frozen=True)
class NewtonCG:
    """Truncated Newton: Nocedal and Wright (2006), algorithm 7.1.

    H d = -g is solved by conjugate gradients, the more exactly the smaller the gradient
    is, and only until H curves downwards. Then the step is halved until the loss falls.
    """

    damping: float = 0.0  # added to the diagonal of the Hessian
    limit: int | None = None  # products in a step; None for as many as parameters

    def start(self, params: Any) -> None:
        """Nothing is remembered."""

    def step(
        self, loss: Loss, params: Any, state: None, *args: Any
    ) -> tuple[Any, None, float]:
        """One step in a direction of descent."""
        value, g = slope(loss, params, *args)
        multiply = curvature(loss, params, *args)
        direction = conjugate_gradients(
            lambda v: multiply(v) + self.damping * v,
            -g,
            tolerance=min(0.5, math.sqrt(math.sqrt(g @ g))),
            limit=self.limit,
        )
        first = to_vector(params)

        def value_at(size: float) -> float:
            return float(loss(from_vector(first + size * direction, params), *args))

        size = backtrack(value_at, value, float(g @ direction))
        return from_vector(first + size * direction, params), None, value
