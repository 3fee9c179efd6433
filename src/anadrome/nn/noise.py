"""Noise on weights and on gradients."""

from __future__ import annotations

from typing import TypeVar

from anadrome.nn.records import map_arrays, number_arrays
from anadrome.random import Key, fold_in, normal

Record = TypeVar("Record")


def add_weight_noise(params: Record, deviation: float, key: Key) -> Record:
    """Parameters with white Gaussian noise, to compute one loss with.

    Graves, "Practical variational inference for neural networks" (2011); thesis, 1.5.1.
    The gradient of the loss is that of the parameters without the noise.
    """
    return map_arrays(
        lambda a, n: a + deviation * normal(fold_in(key, n), a.shape, a.dtype),
        params,
        number_arrays(params),
    )


def add_gradient_noise(
    grads: Record, step: int, key: Key, eta: float = 0.01, gamma: float = 0.55
) -> Record:
    """Gradients with Gaussian noise of variance η / (1 + step)^γ.

    Neelakantan et al., "Adding gradient noise improves learning for very deep networks"
    (2015), equation 1, with η 0.01, 0.3 or 1. The step is folded into the key.
    """
    return add_weight_noise(
        grads, (eta / (1 + step) ** gamma) ** 0.5, fold_in(key, step)
    )
