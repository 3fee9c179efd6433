"""Small functions that several rules share.

Those marked `nondifferentiable` work on shapes and axes and are called as they stand;
the others are inlined and differentiated like the rules themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anadrome.primitives.indexing import unbroadcast
from anadrome.primitives.registry import nondifferentiable

Axes = int | Sequence[int] | None


def nonzero(x: Any) -> Any:
    """`x` with 1 in place of 0: a divisor for quotients that are 0 where x is 0."""
    return np.where(x == 0, 1.0, x)


def is_literal(x: Any) -> bool:
    """Whether a number is known when a rule is read.

    A test of a number that is not splits the derivative into cases, and what the
    number itself contributes to a second derivative would be missing from some.
    """
    return False


def quotient(x: Any, y: Any, z: Any) -> Any:
    """`x / y` by the rules of what it is the derivative of, whose value is `z`.

    Of two numbers of Python's the operator fails where NumPy has gone on.
    """
    return float(np.divide(x, y)) if _is_left_to_numpy(x, y, z) else x / y


def _is_left_to_numpy(x: Any, y: Any, z: Any) -> bool:
    """Whether `x` and `y` are Python's, and `z` is NumPy's; known as a rule is read."""
    return False


def restore_axes(dz: Any, axis: Any, keepdims: bool) -> Any:
    """`dz` broadcastable to what was reduced: the lost axes come back with length 1."""
    if axis is None or keepdims:
        return dz
    return np.expand_dims(dz, axis)


def spread_over(d: Any, a: Any) -> Any:
    """`d` for every element of `a`; for a number that is a number, not an array."""
    return d if np.ndim(a) == 0 else np.broadcast_to(d, np.shape(a))


def sum_to_shape(x: Any, shape: tuple[int, ...]) -> Any:
    """`x` summed over the axes along which `shape` was broadcast to it."""
    return unbroadcast(x, shape)


@nondifferentiable
def axes_of(axis: Axes, ndim: int) -> tuple[int, ...]:
    """The axes that a reduction's `axis` argument means, none of them negative."""
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, Sequence):
        return tuple(a % ndim for a in axis)
    return (axis % ndim,) if ndim else ()


@nondifferentiable
def axes_between(start: int, stop: int, step: int = 1) -> tuple[int, ...]:
    """The axes from one up to, but not including, another."""
    return tuple(range(start, stop, step))


@nondifferentiable
def reduced_size(shape: tuple[int, ...], axis: Axes) -> int:
    """How many elements a reduction over `axis` combines into one, at least 1.

    What of no elements is divided by it has no place to go to.
    """
    size = 1
    for a in axes_of(axis, len(shape)):
        size *= shape[a]
    return max(size, 1)


@nondifferentiable
def averaged_size(shape: tuple[int, ...], axis: Axes) -> int:
    """How many elements share a mean: of none, nobody asks."""
    return max(reduced_size(shape, axis), 1)


@nondifferentiable
def inverse_permutation(axes: Sequence[int]) -> tuple[int, ...]:
    """The axes that undo a transposition by `axes`."""
    ndim = len(axes)
    places = {a % ndim: i for i, a in enumerate(axes)}
    return tuple(places[i] for i in range(ndim))


@nondifferentiable
def along(axis: int, ndim: int, index: Any) -> tuple[Any, ...]:
    """The subscript that applies `index` to one axis and keeps the others whole."""
    subscript: list[Any] = [slice(None)] * ndim
    subscript[axis] = index
    return tuple(subscript)
