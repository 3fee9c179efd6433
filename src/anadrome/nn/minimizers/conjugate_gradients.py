"""The method of conjugate gradients, for matrices that are known by products."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def conjugate_gradients(
    product: Callable[[np.ndarray], np.ndarray],
    b: np.ndarray,
    *,
    tolerance: float = 1e-6,
    limit: int | None = None,
) -> np.ndarray:
    """The solution x of A x = b, begun at 0, where `product(v)` is A v.

    Hestenes and Stiefel (1952); Nocedal and Wright, "Numerical optimization" (2006),
    algorithm 7.1: it ends when the residual is smaller than b by the tolerance, after
    `limit` products, or where A is found not to be positive: with what was reached, or
    with b itself if that is nothing.
    """
    x, residual, direction = np.zeros_like(b), b, b
    square = residual @ residual
    enough = tolerance**2 * square
    for k in range(len(b) if limit is None else limit):
        if square <= enough:
            break
        turned = product(direction)
        curve = direction @ turned
        if curve <= 0:
            return b if k == 0 else x
        size = square / curve
        x = x + size * direction
        residual = residual - size * turned
        square, before = residual @ residual, square
        direction = residual + square / before * direction
    return x
