"""One step of training: loss, gradient, clipping, update."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anadrome as ad
from anadrome.nn import (
    Optimizer,
    clip_by_global_norm,
    clip_by_value,
    global_norm,
    map_arrays,
)
from anadrome.random import fold_in

Step = Callable[[Any, Any, Any, Any, float], tuple[Any, Any, Any, Any]]


@dataclass(frozen=True)
class Carrying:
    """The state of an optimiser, and what a model carries from batch to batch."""

    optimizer: Any
    carried: Any


def make_step(
    loss: Callable[..., Any],
    config: Any,
    optimizer: Optimizer,
    clip: float,
    native: bool = True,
    accumulate: int = 1,
    clip_value: float = 0.0,
    carries: bool = False,
) -> Step:
    """The function (params, state, batch, key, rate) of one update.

    It returns the new parameters and state, the loss, and the norm that the gradient
    had. `loss(params, batch, config, key)` is one number. The whole of it is native
    code, compiled when it is first called, or else Python. To accumulate, it takes a
    list of batches, whose losses and gradients are weighted by their sizes. Gradients
    are clipped by value, then by norm, where a limit is not 0.

    A model that `carries` something from a batch to the next is given it and returns
    it, `loss(params, batch, config, key, carried)` and `(loss, carried)`; the state is
    then a `Carrying`.
    """
    limit = _limiting(clip, clip_value)
    if carries:
        return _carrying_step(loss, config, optimizer, limit, native, accumulate)
    gradient = ad.value_and_grad(loss)

    def step(params: Any, state: Any, batch: Any, key: Any, rate: float) -> Any:
        value, grads = gradient(params, batch, config, key)
        grads, norm = limit(grads)
        params, state = optimizer.update(params, grads, state, rate)
        return params, state, value, norm

    if accumulate == 1:
        return ad.jit(step) if native else step

    def weigh(params: Any, batch: Any, key: Any, share: float) -> Any:
        value, grads = gradient(params, batch, config, key)
        return share * value, map_arrays(lambda g: share * g, grads)

    def add(one: Any, two: Any) -> Any:
        return map_arrays(lambda a, b: a + b, one, two)

    def update(params: Any, state: Any, grads: Any, rate: float) -> Any:
        grads, norm = limit(grads)
        params, state = optimizer.update(params, grads, state, rate)
        return params, state, norm

    if native:
        weigh, add, update = ad.jit(weigh), ad.jit(add), ad.jit(update)

    def step_all(params: Any, state: Any, batches: Any, key: Any, rate: float) -> Any:
        total = sum(batch.size for batch in batches)
        value, grads = 0.0, None
        for k, batch in enumerate(batches):
            part, more = weigh(params, batch, fold_in(key, k), batch.size / total)
            value = value + float(part)
            grads = more if grads is None else add(grads, more)
        params, state, norm = update(params, state, grads, rate)
        return params, state, value, norm

    return step_all


def _limiting(clip: float, clip_value: float) -> Callable[[Any], Any]:
    """What makes gradients smaller, and gives the norm that they had."""

    def limit(grads: Any) -> Any:
        if clip_value > 0:
            norm = global_norm(grads)
            grads = clip_by_value(grads, clip_value)
            if clip > 0:
                grads, _ = clip_by_global_norm(grads, clip)
            return grads, norm
        if clip > 0:
            return clip_by_global_norm(grads, clip)
        return grads, global_norm(grads)

    return limit


def _carrying_step(
    loss: Callable[..., Any],
    config: Any,
    optimizer: Optimizer,
    limit: Callable[[Any], Any],
    native: bool,
    accumulate: int,
) -> Step:
    gradient = ad.value_and_grad(loss, has_aux=True)

    def step(params: Any, state: Any, batch: Any, key: Any, rate: float) -> Any:
        (value, carried), grads = gradient(params, batch, config, key, state.carried)
        grads, norm = limit(grads)
        params, inner = optimizer.update(params, grads, state.optimizer, rate)
        return params, Carrying(inner, carried), value, norm

    if accumulate == 1:
        return ad.jit(step) if native else step

    def weigh(params: Any, batch: Any, key: Any, share: float, carried: Any) -> Any:
        (value, carried), grads = gradient(params, batch, config, key, carried)
        return share * value, map_arrays(lambda g: share * g, grads), carried

    def add(one: Any, two: Any) -> Any:
        return map_arrays(lambda a, b: a + b, one, two)

    def update(params: Any, state: Any, grads: Any, rate: float) -> Any:
        grads, norm = limit(grads)
        params, state = optimizer.update(params, grads, state, rate)
        return params, state, norm

    if native:
        weigh, add, update = ad.jit(weigh), ad.jit(add), ad.jit(update)

    def step_all(params: Any, state: Any, batches: Any, key: Any, rate: float) -> Any:
        total = sum(batch.size for batch in batches)
        value, grads, carried = 0.0, None, state.carried
        for k, batch in enumerate(batches):
            share = batch.size / total
            part, more, carried = weigh(params, batch, fold_in(key, k), share, carried)
            value = value + float(part)
            grads = more if grads is None else add(grads, more)
        params, inner, norm = update(params, state.optimizer, grads, rate)
        return params, Carrying(inner, carried), value, norm

    return step_all
