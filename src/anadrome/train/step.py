"""One step of training: loss, gradient, clipping, update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anadrome as ad
from anadrome.nn import Optimizer, clip_by_global_norm

Step = Callable[[Any, Any, Any, Any, float], tuple[Any, Any, Any, Any]]


def make_step(
    loss: Callable[..., Any],
    config: Any,
    optimizer: Optimizer,
    clip: float,
    native: bool = True,
) -> Step:
    """The function (params, state, batch, key, rate) of one update.

    It returns the new parameters and state, the loss, and the norm that the gradient
    had. `loss(params, batch, config, key)` is one number. The whole of it is native
    code, compiled when it is first called, or else Python.
    """
    gradient = ad.value_and_grad(loss)

    def step(params: Any, state: Any, batch: Any, key: Any, rate: float) -> Any:
        value, grads = gradient(params, batch, config, key)
        grads, norm = clip_by_global_norm(grads, clip)
        params, state = optimizer.update(params, grads, state, rate)
        return params, state, value, norm

    return ad.jit(step) if native else step
