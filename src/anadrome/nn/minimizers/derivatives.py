"""Derivatives of a loss by its parameters, as vectors and matrices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.nn.records import arrays_of, map_arrays


@functools.lru_cache(maxsize=32)
def _made(derivative: Callable[..., Any], function: Callable[..., Any]) -> Any:
    # A derivative that is made anew is also read anew.
    return derivative(function)


def to_vector(record: Any) -> np.ndarray:
    """The numbers of a record's arrays, in order, as one vector of float64."""
    parts = [np.ravel(array).astype(np.float64) for array in arrays_of(record)]
    return np.concatenate(parts) if parts else np.zeros(0)


def from_vector(vector: np.ndarray, like: Any) -> Any:
    """A record built like the given one, with the numbers of a vector."""
    begin = 0

    def take(array: np.ndarray) -> np.ndarray:
        nonlocal begin
        begin, first = begin + np.size(array), begin
        part = vector[first:begin].reshape(np.shape(array))
        return part.astype(np.asarray(array).dtype)

    return map_arrays(take, like)


def slope(loss: Any, params: Any, *args: Any) -> tuple[float, np.ndarray]:
    """The loss and its gradient."""
    value, gradient = _made(ad.value_and_grad, loss)(params, *args)
    return float(value), to_vector(gradient)


def curvature(loss: Any, params: Any, *args: Any) -> Callable[..., np.ndarray]:
    """The function that multiplies vectors by the Hessian, without the Hessian."""
    return _multiplier(_made(ad.hvp, loss), params, args)


def covariance(losses: Any, params: Any, *args: Any) -> Callable[..., np.ndarray]:
    """The function that multiplies vectors by the covariance of gradients.

    It is that of the gradients of the losses, one for each example, around 0.
    """
    product = _made(ad.gradient_covariance_product, losses)
    return _multiplier(product, params, args)


@functools.lru_cache(maxsize=32)
def mean_of(losses: Callable[..., Any]) -> Callable[..., Any]:
    """The function whose value is the mean of what another one returns."""

    def mean(*args: Any) -> Any:
        return np.mean(losses(*args))

    return mean


@functools.lru_cache(maxsize=32)
def compose(loss: Callable[..., Any], outputs: Callable[..., Any]) -> Any:
    """The loss of outputs as a function of what the outputs are a function of."""

    def composed(*args: Any) -> Any:
        return loss(outputs(*args))

    return composed


def gauss_newton(
    outputs: Any, loss: Any, params: Any, *args: Any
) -> Callable[..., np.ndarray]:
    """The function that multiplies vectors by Jᵀ H J.

    J is the Jacobian of the outputs, H the Hessian of their loss.
    """
    return _multiplier(_product(outputs, loss), params, args)


@functools.lru_cache(maxsize=32)
def _product(outputs: Any, loss: Any) -> Any:
    return ad.gauss_newton_product(outputs, loss)


def _multiplier(
    product: Callable[..., Any], params: Any, args: tuple[Any, ...]
) -> Callable[..., np.ndarray]:
    def multiply(v: np.ndarray) -> np.ndarray:
        return to_vector(product(params, *args, from_vector(v, params)))

    return multiply


def hessian(loss: Any, params: Any, *args: Any) -> np.ndarray:
    """The matrix of second derivatives, for parameters that are not many."""
    sizes = [np.size(array) for array in arrays_of(params)]
    # The arrays of a record of records: rows of blocks, one after the other.
    blocks = iter(arrays_of(_made(ad.hessian, loss)(params, *args)))
    rows = [[next(blocks).reshape(m, n) for n in sizes] for m in sizes]
    return np.block(rows).astype(np.float64)
