"""The parts of an array that a window shows as it moves along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from anadrome.ir.types import Num
from anadrome.primitives.registry import primitive
from anadrome.primitives.result_types import number_type


def _with_axes(array: Any, more: int) -> Num:
    t = number_type(array)
    return Num(t.dtype, None if t.ndim is None else t.ndim + more)


def _along(axis: int, first: int, last: int) -> tuple[Any, ...]:
    return (*[slice(None)] * axis, slice(first, last))


def _windows(x: Any, axis: int, size: int, start: int, stop: int) -> Any:
    part = x[_along(axis, start, stop - 1 + size)]
    shown = sliding_window_view(part, size, axis)
    return np.moveaxis(shown, -1, axis + 1)


@primitive(
    _windows,
    fresh=False,
    linear=("x",),
    infer=lambda x, axis, size, start, stop: _with_axes(x, 1),
    samples=lambda rng: [
        (rng.normal(size=6), 0, 3, 0, 4),
        (rng.normal(size=(2, 5, 3)), 1, 2, 1, 3),
    ],
)
def windows(x, axis, size, start, stop):
    """`x` with two axes in the place of one: its parts `k : k + size` for the k from
    `start` to `stop`."""


@windows.vjp
def windows_vjp(z, x, axis, size, start, stop, *, dz):
    return windows_sum(dz, np.shape(x), axis, start)


@windows.jvp
def windows_jvp(z, x, axis, size, start, stop, *, dx):
    return windows(dx, axis, size, start, stop)


def _windows_sum(d: Any, shape: tuple[int, ...], axis: int, start: int) -> Any:
    out = np.zeros(shape, d.dtype)
    count, size = d.shape[axis : axis + 2]
    for k in range(size):
        part = d[(*[slice(None)] * (axis + 1), k)]
        out[_along(axis, start + k, start + k + count)] += part
    return out


@primitive(
    _windows_sum,
    linear=("d",),
    infer=lambda d, shape, axis, start: _with_axes(d, -1),
    samples=lambda rng: [
        (rng.normal(size=(4, 3)), (6,), 0, 0),
        (rng.normal(size=(2, 2, 2, 3)), (2, 5, 3), 1, 1),
    ],
)
def windows_sum(d, shape, axis, start):
    """What stands in each place of the windows of an array of a shape, added up."""


@windows_sum.vjp
def windows_sum_vjp(z, d, shape, axis, start, *, dz):
    count, size = np.shape(d)[axis], np.shape(d)[axis + 1]
    return windows(dz, axis, size, start, start + count)


@windows_sum.jvp
def windows_sum_jvp(z, d, shape, axis, start, *, dd):
    return windows_sum(dd, shape, axis, start)
