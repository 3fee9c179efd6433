"""Adding at an index, and reading at one, as functions of whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.primitives.registry import primitive


def _add_at(x: Any, index: Any, value: Any) -> Any:
    """A copy of `x` with `value` added at an index; repeated places add up."""
    out = np.array(x)
    np.add.at(out, index, value)
    return out


@primitive(
    _add_at,
    samples=lambda rng: [
        (rng.normal(size=5), np.array([0, 2, 2]), rng.normal(size=3)),
        (rng.normal(size=(4, 3)), np.array([1, 1]), rng.normal(size=(2, 3))),
        (rng.normal(size=5), slice(1, 3), 2.0),
    ],
)
def add_at(x, index, value):
    """A copy of `x` with `value` added at an index; repeated places add up."""


@add_at.vjp
def add_at_vjp(z, x, index, value, *, dz):
    return dz, unbroadcast(dz[index], np.shape(value))


@add_at.jvp
def add_at_jvp(z, x, index, value, *, dx, dvalue):
    return add_at(dx, index, np.broadcast_to(dvalue, np.shape(z[index])))


def _sum_to_shape(d: Any, shape: tuple[int, ...]) -> Any:
    if np.shape(d) == shape:
        return d
    extra = np.ndim(d) - len(shape)
    if extra < 0:
        # A store drops axes of length one: x[:, 0] = y[:1].
        return np.reshape(_sum_to_shape(d, shape[-extra:]), shape)
    if extra > 0:
        d = np.sum(d, axis=tuple(range(extra)))
    for axis, n in enumerate(shape):
        if n == 1 and d.shape[axis] != 1:
            d = np.sum(d, axis=axis, keepdims=True)
    # Of what was multiplied by one element all along an axis there is one.
    return d if np.shape(d) == tuple(shape) else np.broadcast_to(d, shape)


@primitive(
    _sum_to_shape,
    fresh=False,
    linear=("d",),
    samples=lambda rng: [
        (rng.normal(size=(3, 4)), (4,)),
        (rng.normal(size=(3, 4)), (3, 1)),
        (rng.normal(size=(3, 4)), ()),
        (rng.normal(size=(3, 4)), (3, 4)),
        (rng.normal(size=(3, 4)), (1, 1, 4)),
    ],
)
def unbroadcast(d, shape):
    """`d` summed over the axes along which an array of that shape was broadcast."""


@unbroadcast.vjp
def unbroadcast_vjp(z, d, shape, *, dz):
    if np.ndim(dz) > np.ndim(d):
        dz = np.reshape(dz, np.shape(dz)[np.ndim(dz) - np.ndim(d) :])
    return np.broadcast_to(dz, np.shape(d))


@unbroadcast.jvp
def unbroadcast_jvp(z, d, shape, *, dd):
    return unbroadcast(dd, shape)
