"""Rearranging entries without computing: shapes, axes, order.

All of these are linear; a forward rule applies the function to the tangent, and a
reverse rule undoes the rearrangement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.primitives.helpers import (
    inverse_permutation,
    sum_to_shape,
)
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.result_types import squeeze_type
from anadrome.primitives.sampling import complex_normal


@nondifferentiable
def definite_order(order: str) -> str:
    """The order of entries, if it does not depend on how memory is laid out."""
    if order not in ("C", "F"):
        raise NotDifferentiable(
            f"order={order!r} depends on the layout in memory, which derivatives do "
            "not share: write order='C' or order='F'"
        )
    return order


# --- reshape -----------------------------------------------------------------------


@primitive(
    np.reshape,
    view=True,
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), (3, 2)),
        (rng.normal(size=(2, 3)), -1),
        (rng.normal(size=6), (2, -1)),
        call(rng.normal(size=(2, 3)), (3, 2), order="F"),
        (1.5, (1, 1)),
        (rng.normal(size=(0, 3)), (3, 0)),
        (complex_normal(rng, 2, 3), 6),
    ],
)
def reshape(a, shape, order="C", *, copy=None):
    """The same entries in another shape."""


@reshape.vjp
def reshape_vjp(z, a, shape, order, copy, *, dz):
    return np.reshape(dz, np.shape(a), order=definite_order(order))


@reshape.jvp
def reshape_jvp(z, a, shape, order, copy, *, da):
    return np.reshape(da, shape, order=definite_order(order))


@primitive(
    np.ndarray.reshape,
    methods=("reshape",),
    view=True,
    linear=("x",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), 3, 2),
        (rng.normal(size=(2, 3)), (3, 2)),
        (rng.normal(size=(2, 3)), -1),
        call(rng.normal(size=(2, 3)), 3, -1, order="F"),
    ],
)
def reshape_method(x, *shape, order="C", copy=None):
    """`x.reshape(2, 3)` or `x.reshape((2, 3))`."""


@reshape_method.vjp
def reshape_method_vjp(z, x, shape, order, copy, *, dz):
    return np.reshape(dz, np.shape(x), order=definite_order(order))


@reshape_method.jvp
def reshape_method_jvp(z, x, shape, order, copy, *, dx):
    return np.reshape(dx, np.shape(z), order=definite_order(order))


@primitive(
    np.ravel,
    methods=("ravel",),
    view=True,
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)),),
        (rng.normal(size=()),),
        call(rng.normal(size=(2, 3)), order="F"),
    ],
)
def ravel(a, order="C"):
    """All entries in one row."""


@ravel.vjp
def ravel_vjp(z, a, order, *, dz):
    return np.reshape(dz, np.shape(a), order=definite_order(order))


@ravel.jvp
def ravel_jvp(z, a, order, *, da):
    return np.ravel(da, order=definite_order(order))


@primitive(
    np.ndarray.flatten,
    methods=("flatten",),
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)),),
        call(rng.normal(size=(2, 3)), order="F"),
    ],
)
def flatten(a, order="C"):
    """A copy of all entries in one row."""


@flatten.vjp
def flatten_vjp(z, a, order, *, dz):
    return np.reshape(dz, np.shape(a), order=definite_order(order))


@flatten.jvp
def flatten_jvp(z, a, order, *, da):
    return np.ravel(da, order=definite_order(order))


@primitive(
    np.squeeze,
    infer=squeeze_type,
    methods=("squeeze",),
    view=True,
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=(2, 1, 3, 1)),),
        (rng.normal(size=(2, 1, 3, 1)), 1),
        call(rng.normal(size=(2, 1, 3, 1)), axis=(-1, 1)),
    ],
)
def squeeze(a, axis=None):
    """`a` without axes of length 1."""


@squeeze.vjp
def squeeze_vjp(z, a, axis, *, dz):
    return np.reshape(dz, np.shape(a))


@squeeze.jvp
def squeeze_jvp(z, a, axis, *, da):
    return np.squeeze(da, axis)


@primitive(
    np.expand_dims,
    view=True,
    linear=("a",),
    samples=lambda rng: [
        (1.5, 0),
        (rng.normal(size=3), 0),
        (rng.normal(size=(2, 3)), -1),
        (rng.normal(size=(2, 3)), (0, -1)),
    ],
)
def expand_dims(a, axis):
    """`a` with new axes of length 1."""


@expand_dims.vjp
def expand_dims_vjp(z, a, axis, *, dz):
    return np.reshape(dz, np.shape(a))


@expand_dims.jvp
def expand_dims_jvp(z, a, axis, *, da):
    return np.expand_dims(da, axis)


@primitive(
    np.broadcast_to,
    view=True,
    linear=("array",),
    samples=lambda rng: [
        (1.5, (2, 3)),
        (rng.normal(size=3), (2, 3)),
        (rng.normal(size=(2, 1)), (4, 2, 3)),
        (rng.normal(size=3), 3),
    ],
)
def broadcast_to(array, shape):
    """`array` repeated to a shape."""


@broadcast_to.vjp
def broadcast_to_vjp(z, array, shape, *, dz):
    return sum_to_shape(dz, np.shape(array))


@broadcast_to.jvp
def broadcast_to_jvp(z, array, shape, *, darray):
    return np.broadcast_to(darray, shape)


def atleast_samples(rng: np.random.Generator) -> list[Any]:
    """One or several arrays of various ranks."""
    return [
        (1.5,),
        (rng.normal(size=3),),
        (rng.normal(size=(2, 3)),),
        (rng.normal(size=(2, 3, 1, 2)),),
        (rng.normal(size=3), 2.5),
    ]


def undo_atleast(arrays: Any, dz: Any) -> Any:
    """The cotangents of arrays that were given more axes."""
    if len(arrays) == 1:
        return (np.reshape(dz, np.shape(arrays[0])),)
    return tuple(np.reshape(d, np.shape(x)) for d, x in zip(dz, arrays))


@primitive(np.atleast_1d, view=True, linear=("arys",), samples=atleast_samples)
def atleast_1d(*arys):
    """Arrays with one axis or more."""


@atleast_1d.vjp
def atleast_1d_vjp(z, arys, *, dz):
    return undo_atleast(arys, dz)


@atleast_1d.jvp
def atleast_1d_jvp(z, arys, *, darys):
    return np.atleast_1d(*darys)


@primitive(np.atleast_2d, view=True, linear=("arys",), samples=atleast_samples)
def atleast_2d(*arys):
    """Arrays with two axes or more."""


@atleast_2d.vjp
def atleast_2d_vjp(z, arys, *, dz):
    return undo_atleast(arys, dz)


@atleast_2d.jvp
def atleast_2d_jvp(z, arys, *, darys):
    return np.atleast_2d(*darys)


@primitive(np.atleast_3d, view=True, linear=("arys",), samples=atleast_samples)
def atleast_3d(*arys):
    """Arrays with three axes or more."""


@atleast_3d.vjp
def atleast_3d_vjp(z, arys, *, dz):
    return undo_atleast(arys, dz)


@atleast_3d.jvp
def atleast_3d_jvp(z, arys, *, darys):
    return np.atleast_3d(*darys)


# --- order of axes -----------------------------------------------------------------


@primitive(
    np.transpose,
    view=True,
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)),),
        (rng.normal(size=3),),
        (rng.normal(size=(2, 3, 4)),),
        (rng.normal(size=(2, 3, 4)), (1, 2, 0)),
        call(rng.normal(size=(2, 3, 4)), axes=(-1, 0, 1)),
        (complex_normal(rng, 2, 3),),
    ],
)
def transpose(a, axes=None):
    """`a` with its axes in reverse or in a given order."""


@transpose.vjp
def transpose_vjp(z, a, axes, *, dz):
    return np.transpose(dz) if axes is None else unpermute(dz, axes)


@transpose.jvp
def transpose_jvp(z, a, axes, *, da):
    return np.transpose(da, axes)


def unpermute(dz: Any, axes: Any) -> Any:
    """Undo a transposition by `axes`."""
    return np.transpose(dz, inverse_permutation(axes))


@primitive(
    np.ndarray.transpose,
    methods=("transpose",),
    view=True,
    linear=("x",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 4)),),
        (rng.normal(size=(2, 3, 4)), 1, 2, 0),
        (rng.normal(size=(2, 3, 4)), (2, 0, 1)),
        (rng.normal(size=(2, 3, 4)), None),
    ],
)
def transpose_method(x, *axes):
    """`x.transpose(1, 0)` or `x.transpose((1, 0))`."""


@nondifferentiable
def method_axes(axes: tuple[Any, ...], ndim: int) -> tuple[int, ...]:
    """The axes that the arguments of `x.transpose` mean."""
    if not axes or axes[0] is None:
        return tuple(reversed(range(ndim)))
    return tuple(axes[0]) if isinstance(axes[0], (tuple, list)) else axes


@transpose_method.vjp
def transpose_method_vjp(z, x, axes, *, dz):
    return unpermute(dz, method_axes(axes, np.ndim(x)))


@transpose_method.jvp
def transpose_method_jvp(z, x, axes, *, dx):
    return np.transpose(dx, method_axes(axes, np.ndim(x)))


@primitive(
    properties=("T",),
    view=True,
    raises=False,
    linear=("x",),
    samples=lambda rng: [(rng.normal(size=(2, 3)),), (rng.normal(size=(2, 3, 4)),)],
)
def transpose_all(x):
    """`x.T`."""
    return x.T


@transpose_all.vjp
def transpose_all_vjp(z, x, *, dz):
    return np.transpose(dz)


@transpose_all.jvp
def transpose_all_jvp(z, x, *, dx):
    return np.transpose(dx)


@primitive(
    np.matrix_transpose,
    np.linalg.matrix_transpose,
    properties=("mT",),
    view=True,
    linear=("x",),
    samples=lambda rng: [(rng.normal(size=(2, 3)),), (rng.normal(size=(2, 3, 4)),)],
)
def matrix_transpose(x):
    """`x` with its last two axes exchanged."""


@matrix_transpose.vjp
def matrix_transpose_vjp(z, x, *, dz):
    return np.swapaxes(dz, -1, -2)


@matrix_transpose.jvp
def matrix_transpose_jvp(z, x, *, dx):
    return np.swapaxes(dx, -1, -2)


@primitive(
    np.swapaxes,
    methods=("swapaxes",),
    view=True,
    linear=("a",),
    samples=lambda rng: [(rng.normal(size=(2, 3, 4)), 0, -1)],
)
def swapaxes(a, axis1, axis2):
    """`a` with two axes exchanged."""


@swapaxes.vjp
def swapaxes_vjp(z, a, axis1, axis2, *, dz):
    return np.swapaxes(dz, axis1, axis2)


@swapaxes.jvp
def swapaxes_jvp(z, a, axis1, axis2, *, da):
    return np.swapaxes(da, axis1, axis2)


@primitive(
    np.moveaxis,
    view=True,
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 4)), 0, -1),
        (rng.normal(size=(2, 3, 4)), (0, 1), (-1, 0)),
    ],
)
def moveaxis(a, source, destination):
    """`a` with axes moved elsewhere."""


@moveaxis.vjp
def moveaxis_vjp(z, a, source, destination, *, dz):
    return np.moveaxis(dz, destination, source)


@moveaxis.jvp
def moveaxis_jvp(z, a, source, destination, *, da):
    return np.moveaxis(da, source, destination)


@primitive(
    np.rollaxis,
    view=True,
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 4)), 2),
        (rng.normal(size=(2, 3, 4)), 0, 3),
        (rng.normal(size=(2, 3, 4)), -1, 1),
    ],
)
def rollaxis(a, axis, start=0):
    """`a` with an axis moved to before another."""


@nondifferentiable
def rolled_axis(ndim: int, axis: int, start: int) -> tuple[int, int]:
    """Where `rollaxis` takes an axis from and where it puts it."""
    source, before = axis % ndim, start + ndim if start < 0 else start
    return source, before - 1 if source < before else before


@rollaxis.vjp
def rollaxis_vjp(z, a, axis, start, *, dz):
    source, destination = rolled_axis(np.ndim(a), axis, start)
    return np.moveaxis(dz, destination, source)


@rollaxis.jvp
def rollaxis_jvp(z, a, axis, start, *, da):
    return np.rollaxis(da, axis, start)


# --- order of entries --------------------------------------------------------------


@primitive(
    np.flip,
    view=True,
    linear=("m",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)),),
        (rng.normal(size=(2, 3)), 0),
        call(rng.normal(size=(2, 3, 4)), axis=(0, -1)),
    ],
)
def flip(m, axis=None):
    """`m` in reverse order along axes."""


@flip.vjp
def flip_vjp(z, m, axis, *, dz):
    return np.flip(dz, axis)


@flip.jvp
def flip_jvp(z, m, axis, *, dm):
    return np.flip(dm, axis)


@primitive(
    np.fliplr,
    view=True,
    linear=("m",),
    samples=lambda rng: [(rng.normal(size=(2, 3)),)],
)
def fliplr(m):
    """`m` in reverse order along its second axis."""


@fliplr.vjp
def fliplr_vjp(z, m, *, dz):
    return np.fliplr(dz)


@fliplr.jvp
def fliplr_jvp(z, m, *, dm):
    return np.fliplr(dm)


@primitive(
    np.flipud,
    view=True,
    linear=("m",),
    samples=lambda rng: [(rng.normal(size=(2, 3)),)],
)
def flipud(m):
    """`m` in reverse order along its first axis."""


@flipud.vjp
def flipud_vjp(z, m, *, dz):
    return np.flipud(dz)


@flipud.jvp
def flipud_jvp(z, m, *, dm):
    return np.flipud(dm)


@primitive(
    np.rot90,
    view=True,
    linear=("m",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)),),
        (rng.normal(size=(2, 3)), 2),
        call(rng.normal(size=(2, 3, 4)), k=-1, axes=(1, 2)),
    ],
)
def rot90(m, k=1, axes=(0, 1)):
    """`m` rotated by quarter turns in the plane of two axes."""


@rot90.vjp
def rot90_vjp(z, m, k, axes, *, dz):
    return np.rot90(dz, -k, axes)


@rot90.jvp
def rot90_jvp(z, m, k, axes, *, dm):
    return np.rot90(dm, k, axes)


@primitive(
    np.roll,
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), 1),
        (rng.normal(size=(2, 3)), -2, 1),
        call(rng.normal(size=(2, 3)), (1, 2), axis=(0, 1)),
    ],
)
def roll(a, shift, axis=None):
    """`a` shifted cyclically along axes."""


@nondifferentiable
def opposite(shift: Any) -> Any:
    """The shift that undoes a shift."""
    return tuple(-s for s in shift) if isinstance(shift, (tuple, list)) else -shift


@roll.vjp
def roll_vjp(z, a, shift, axis, *, dz):
    return np.roll(dz, opposite(shift), axis)


@roll.jvp
def roll_jvp(z, a, shift, axis, *, da):
    return np.roll(da, shift, axis)
