"""Repeating entries and filling around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.primitives.helpers import axes_between
from anadrome.primitives.numpy.selecting import untake
from anadrome.primitives.registry import call, nondifferentiable, primitive


@primitive(
    np.repeat,
    methods=("repeat",),
    linear=("a",),
    samples=lambda rng: [
        (1.5, 3),
        (rng.normal(size=3), 2),
        (rng.normal(size=(2, 3)), 2),
        (rng.normal(size=(2, 3)), 2, 1),
        (rng.normal(size=(2, 3)), [1, 3], 0),
        call(rng.normal(size=(2, 3)), np.array([0, 2, 1]), axis=-1),
    ],
)
def repeat(a, repeats, axis=None):
    """Each entry several times along an axis."""


@nondifferentiable
def repeated_indices(n: int, repeats: Any) -> Any:
    """Which entry each place of the result of `repeat` comes from."""
    return np.repeat(np.arange(n), repeats)


@nondifferentiable
def grouped_shape(shape: tuple[int, ...], axis: int, count: int) -> tuple[int, ...]:
    """A shape with the repetitions along an axis on an axis of their own behind it."""
    after = axis % len(shape) + 1
    return (*shape[:after], count, *shape[after:])


@repeat.vjp
def repeat_vjp(z, a, repeats, axis, *, dz):
    if np.ndim(repeats) != 0:
        n = np.size(a) if axis is None else np.shape(a)[axis]
        return untake(dz, repeated_indices(n, repeats), axis, np.shape(a))
    if axis is None:
        groups = np.reshape(dz, (*np.shape(a), int(repeats)))
        return np.sum(groups, axis=-1)
    groups = np.reshape(dz, grouped_shape(np.shape(a), axis, int(repeats)))
    return np.sum(groups, axis=axis % np.ndim(a) + 1)


@repeat.jvp
def repeat_jvp(z, a, repeats, axis, *, da):
    return np.repeat(da, repeats, axis)


@primitive(
    np.tile,
    linear=("A",),
    samples=lambda rng: [
        (1.5, 3),
        (rng.normal(size=3), 2),
        (rng.normal(size=(2, 3)), 2),
        (rng.normal(size=3), (2, 2)),
        (rng.normal(size=(2, 3)), (3, 1, 2)),
    ],
)
def tile(A, reps):
    """The whole array several times along each axis."""


@nondifferentiable
def tiles_shape(shape: tuple[int, ...], reps: Any) -> tuple[int, ...]:
    """The shape with repetitions and lengths of each axis in turn."""
    counts = tuple(reps) if isinstance(reps, (Sequence, np.ndarray)) else (reps,)
    ndim = max(len(shape), len(counts))
    lengths = (1,) * (ndim - len(shape)) + tuple(shape)
    counts = (1,) * (ndim - len(counts)) + counts
    return tuple(n for pair in zip(counts, lengths) for n in pair)


@tile.vjp
def tile_vjp(z, A, reps, *, dz):
    tiles = np.reshape(dz, tiles_shape(np.shape(A), reps))
    total = np.sum(tiles, axis=axes_between(0, np.ndim(tiles), 2))
    return np.reshape(total, np.shape(A))


@tile.jvp
def tile_jvp(z, A, reps, *, dA):
    return np.tile(dA, reps)


@primitive(
    np.resize,
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=3), (2, 4)),
        (rng.normal(size=(2, 3)), 4),
    ],
)
def resize(a, new_shape):
    """The entries over and over until a shape is filled."""


@nondifferentiable
def cyclic_indices(n: int, shape: tuple[int, ...]) -> Any:
    """Which entry each place of the result of `resize` comes from."""
    return np.resize(np.arange(n), shape)


@resize.vjp
def resize_vjp(z, a, new_shape, *, dz):
    if np.size(a) == 0:
        return np.zeros(np.shape(a), np.result_type(dz))
    return untake(dz, cyclic_indices(np.size(a), np.shape(dz)), None, np.shape(a))


@resize.jvp
def resize_jvp(z, a, new_shape, *, da):
    return np.resize(da, new_shape)


@primitive(
    np.pad,
    linear=("array",),
    samples=lambda rng: [
        (rng.normal(size=3), 1),
        (rng.normal(size=(2, 3)), ((1, 2), (0, 1))),
        call(rng.normal(size=(2, 3)), (2, 0), constant_values=2.0),
        (rng.normal(size=4), (2, 1), "edge"),
        (rng.normal(size=(2, 3)), ((1, 2), (3, 1)), "reflect"),
        call(rng.normal(size=(2, 3)), 2, mode="symmetric"),
        call(rng.normal(size=3), 5, mode="wrap"),
    ],
)
def pad(array, pad_width, mode="constant", *, constant_values=0):
    """`array` with more entries around it: constants, or copies of its own."""


@nondifferentiable
def inner_part(shape: tuple[int, ...], pad_width: Any) -> tuple[slice, ...]:
    """The subscript that takes the padding away again."""
    widths = np.broadcast_to(pad_width, (len(shape), 2))
    return tuple(slice(int(w), int(w) + n) for (w, _), n in zip(widths, shape))


@nondifferentiable
def copying_mode(mode: Any) -> str:
    """The mode, if it fills with copies of entries."""
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise NotDifferentiable(
            f"np.pad has no derivative with mode={mode!r}: use 'constant', 'edge', "
            "'reflect', 'symmetric' or 'wrap', or np.concatenate"
        )
    return str(mode)


@nondifferentiable
def padded_indices(shape: tuple[int, ...], pad_width: Any, mode: str) -> Any:
    """Which entry each place of the padded array comes from."""
    places = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return np.pad(places, pad_width, mode)  # type: ignore[call-overload]


@pad.vjp
def pad_vjp(z, array, pad_width, mode, constant_values, *, dz):
    if mode == "constant":
        return dz[inner_part(np.shape(array), pad_width)]
    source = padded_indices(np.shape(array), pad_width, copying_mode(mode))
    return untake(dz, source, None, np.shape(array))


@pad.jvp
def pad_jvp(z, array, pad_width, mode, constant_values, *, darray):
    if mode == "constant":
        return np.pad(darray, pad_width)
    return np.pad(darray, pad_width, copying_mode(mode))
