"""Putting arrays together and taking them apart.

Where a function takes a list of arrays, the reverse rule returns a list of their
cotangents; where that list was itself an array, an array.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.primitives.helpers import sum_to_shape
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.result_types import unstack_type
from anadrome.primitives.sampling import complex_normal


@nondifferentiable
def join_points(shapes: Sequence[tuple[int, ...]], axis: int) -> list[int]:
    """Where to split so as to undo joining along an axis."""
    return list(accumulate(s[axis] for s in shapes))[:-1]


def as_given(arrays: Any, cotangents: Any) -> Any:
    """The cotangents of a sequence of arrays, as one array if it was one."""
    return np.stack(cotangents) if isinstance(arrays, np.ndarray) else cotangents


def split_between(arrays: Any, dz: Any, points: Any, axis: int) -> Any:
    """The parts of `dz` that belong to each of the arrays joined along an axis."""
    parts = np.split(dz, points, axis)
    return as_given(arrays, [np.reshape(d, np.shape(x)) for d, x in zip(parts, arrays)])


# --- joining -----------------------------------------------------------------------


@primitive(
    np.concatenate,
    linear=("arrays",),
    sequences=("arrays",),
    samples=lambda rng: [
        ([rng.normal(size=3), rng.normal(size=2)],),
        ((rng.normal(size=(2, 3)), rng.normal(size=(2, 1))), 1),
        call([rng.normal(size=(2, 3)), rng.normal(size=(4, 3))], axis=-2),
        call([rng.normal(size=(2, 3)), rng.normal(size=4)], axis=None),
        (rng.normal(size=(2, 3, 4)),),
        ([complex_normal(rng, 3), rng.normal(size=2)],),
    ],
)
def concatenate(arrays, axis=0, *, dtype=None):
    """Arrays one after the other along an axis they all have."""


@concatenate.vjp
def concatenate_vjp(z, arrays, axis, dtype, *, dz):
    if axis is None:
        points = join_points([(np.size(x),) for x in arrays], 0)
        return split_between(arrays, dz, points, 0)
    points = join_points([np.shape(x) for x in arrays], axis)
    return as_given(arrays, np.split(dz, points, axis))


@concatenate.jvp
def concatenate_jvp(z, arrays, axis, dtype, *, darrays):
    return np.concatenate(darrays, axis, dtype=dtype)


@primitive(
    np.stack,
    linear=("arrays",),
    sequences=("arrays",),
    samples=lambda rng: [
        ([rng.normal(size=3), rng.normal(size=3)],),
        ((rng.normal(size=(2, 3)), rng.normal(size=(2, 3))), 1),
        call([1.5, 2.5, 3.5]),
        call([rng.normal(size=(2, 3))] * 3, axis=-1),
        (rng.normal(size=(2, 3)), 1),
    ],
)
def stack(arrays, axis=0, *, dtype=None):
    """Arrays beside each other along a new axis."""


@stack.vjp
def stack_vjp(z, arrays, axis, dtype, *, dz):
    return as_given(arrays, list(np.moveaxis(dz, axis, 0)))


@stack.jvp
def stack_jvp(z, arrays, axis, dtype, *, darrays):
    return np.stack(darrays, axis, dtype=dtype)


@primitive(
    np.vstack,
    linear=("tup",),
    sequences=("tup",),
    samples=lambda rng: [
        ([rng.normal(size=3), rng.normal(size=3)],),
        ([rng.normal(size=(2, 3)), rng.normal(size=3)],),
        ([1.5, 2.5],),
        (rng.normal(size=(2, 3)),),
    ],
)
def vstack(tup, *, dtype=None):
    """Arrays one below the other."""


@nondifferentiable
def row_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that `vstack` gives to an array."""
    return ((1,) * (2 - len(shape))) + tuple(shape)


@vstack.vjp
def vstack_vjp(z, tup, dtype, *, dz):
    points = join_points([row_shape(np.shape(x)) for x in tup], 0)
    return split_between(tup, dz, points, 0)


@vstack.jvp
def vstack_jvp(z, tup, dtype, *, dtup):
    return np.vstack(dtup, dtype=dtype)


@primitive(
    np.hstack,
    linear=("tup",),
    sequences=("tup",),
    samples=lambda rng: [
        ([rng.normal(size=3), rng.normal(size=2)],),
        ([rng.normal(size=(2, 3)), rng.normal(size=(2, 1))],),
        ([1.5, rng.normal(size=2)],),
        (rng.normal(size=(2, 3, 2)),),
    ],
)
def hstack(tup, *, dtype=None):
    """Arrays side by side."""


@hstack.vjp
def hstack_vjp(z, tup, dtype, *, dz):
    axis = 0 if np.ndim(dz) == 1 else 1
    points = join_points([np.shape(x) or (1,) for x in tup], axis)
    return split_between(tup, dz, points, axis)


@hstack.jvp
def hstack_jvp(z, tup, dtype, *, dtup):
    return np.hstack(dtup, dtype=dtype)


@primitive(
    np.dstack,
    linear=("tup",),
    sequences=("tup",),
    samples=lambda rng: [
        ([rng.normal(size=3), rng.normal(size=3)],),
        ([rng.normal(size=(2, 3)), rng.normal(size=(2, 3, 2))],),
    ],
)
def dstack(tup):
    """Arrays one behind the other."""


@dstack.vjp
def dstack_vjp(z, tup, *, dz):
    depths = [np.shape(x)[2] if np.ndim(x) > 2 else 1 for x in tup]
    return split_between(tup, dz, join_points([(d,) for d in depths], 0), 2)


@dstack.jvp
def dstack_jvp(z, tup, *, dtup):
    return np.dstack(dtup)


@primitive(
    np.column_stack,
    linear=("tup",),
    sequences=("tup",),
    samples=lambda rng: [
        ([rng.normal(size=3), rng.normal(size=3)],),
        ([rng.normal(size=3), rng.normal(size=(3, 2))],),
    ],
)
def column_stack(tup):
    """Vectors as columns, matrices as they are, side by side."""


@nondifferentiable
def column_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that `column_stack` gives to an array."""
    return (*shape, *(1,) * (2 - len(shape)))


@column_stack.vjp
def column_stack_vjp(z, tup, *, dz):
    points = join_points([column_shape(np.shape(x)) for x in tup], 1)
    return split_between(tup, dz, points, 1)


@column_stack.jvp
def column_stack_jvp(z, tup, *, dtup):
    return np.column_stack(dtup)


@primitive(
    np.append,
    linear=("arr", "values"),
    samples=lambda rng: [
        (rng.normal(size=3), 2.5),
        (rng.normal(size=(2, 3)), rng.normal(size=2)),
        (rng.normal(size=(2, 3)), rng.normal(size=(1, 3)), 0),
        call(rng.normal(size=(2, 3)), rng.normal(size=(2, 2)), axis=-1),
    ],
)
def append(arr, values, axis=None):
    """`arr` followed by values."""


@append.vjp
def append_vjp(z, arr, values, axis, *, dz):
    if axis is None:
        first, second = np.split(dz, [np.size(arr)])
        return np.reshape(first, np.shape(arr)), np.reshape(second, np.shape(values))
    first, second = np.split(dz, [np.shape(arr)[axis]], axis)
    return first, second


@append.jvp
def append_jvp(z, arr, values, axis, *, darr, dvalues):
    return np.append(darr, dvalues, axis)


@primitive(
    np.block,
    linear=("arrays",),
    sequences=("arrays",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)),),
        ([rng.normal(size=2), rng.normal(size=3)],),
        ([[rng.normal(size=(2, 2)), rng.normal(size=(2, 1))], [rng.normal(size=3)]],),
        ([[1.5, 2.5], [3.5, 4.5]],),
    ],
)
def block(arrays):
    """Nested lists of arrays put together, the innermost along the last axis."""


@nondifferentiable
def block_columns(shapes: Sequence[tuple[int, ...]]) -> list[int]:
    """Where to split a row of blocks."""
    return list(accumulate(s[-1] if s else 1 for s in shapes))[:-1]


@nondifferentiable
def block_rows(rows: Sequence[Sequence[tuple[int, ...]]]) -> list[int]:
    """Where to split rows of blocks."""
    heights = (max(s[-2] if len(s) > 1 else 1 for s in row) for row in rows)
    return list(accumulate(heights))[:-1]


@nondifferentiable
def block_depth(arrays: Any) -> int:
    """How deep the lists are nested; at most two levels have a derivative."""
    depth = 0
    while isinstance(arrays, list):
        depth, arrays = depth + 1, arrays[0]
    if depth > 2:
        raise NotDifferentiable(
            "np.block has a derivative for lists of rows: use np.stack"
        )
    return depth


def split_row(row: Any, dz: Any) -> Any:
    """The parts of `dz` that belong to the blocks of a row."""
    parts = np.split(dz, block_columns([np.shape(x) for x in row]), -1)
    return [np.reshape(d, np.shape(x)) for d, x in zip(parts, row)]


@block.vjp
def block_vjp(z, arrays, *, dz):
    if block_depth(arrays) == 0:
        return dz
    if block_depth(arrays) == 1:
        return split_row(arrays, dz)
    rows = np.split(dz, block_rows([[np.shape(x) for x in row] for row in arrays]), -2)
    return [split_row(row, d) for d, row in zip(rows, arrays)]


@block.jvp
def block_jvp(z, arrays, *, darrays):
    return np.block(darrays)


# --- taking apart ------------------------------------------------------------------


def rejoined(parts: Any, shape: Any, points: Any, axis: int) -> Any:
    """Parts joined again; those between points out of order overlap, and do not fit."""
    joined = np.concatenate(parts, axis)
    if isinstance(points, int):
        return joined
    return np.reshape(joined, shape)


@primitive(
    np.split,
    view=True,
    linear=("ary",),
    samples=lambda rng: [
        (rng.normal(size=6), 3),
        (rng.normal(size=(2, 6)), [1, 4], 1),
        call(rng.normal(size=(4, 2)), 2, axis=0),
    ],
)
def split(ary, indices_or_sections, axis=0):
    """Parts of an array along an axis."""


@split.vjp
def split_vjp(z, ary, indices_or_sections, axis, *, dz):
    return rejoined(dz, np.shape(ary), indices_or_sections, axis)


@split.jvp
def split_jvp(z, ary, indices_or_sections, axis, *, dary):
    return np.split(dary, indices_or_sections, axis)


@primitive(
    np.array_split,
    view=True,
    linear=("ary",),
    samples=lambda rng: [
        (rng.normal(size=7), 3),
        (rng.normal(size=(2, 5)), 2, 1),
    ],
)
def array_split(ary, indices_or_sections, axis=0):
    """Parts of an array along an axis, of lengths that may differ."""


@array_split.vjp
def array_split_vjp(z, ary, indices_or_sections, axis, *, dz):
    return rejoined(dz, np.shape(ary), indices_or_sections, axis)


@array_split.jvp
def array_split_jvp(z, ary, indices_or_sections, axis, *, dary):
    return np.array_split(dary, indices_or_sections, axis)


@primitive(
    np.vsplit,
    view=True,
    linear=("ary",),
    samples=lambda rng: [(rng.normal(size=(4, 2)), 2), (rng.normal(size=(4, 2)), [1])],
)
def vsplit(ary, indices_or_sections):
    """Parts of an array along its first axis."""


@vsplit.vjp
def vsplit_vjp(z, ary, indices_or_sections, *, dz):
    return rejoined(dz, np.shape(ary), indices_or_sections, 0)


@vsplit.jvp
def vsplit_jvp(z, ary, indices_or_sections, *, dary):
    return np.vsplit(dary, indices_or_sections)


@primitive(
    np.hsplit,
    view=True,
    linear=("ary",),
    samples=lambda rng: [(rng.normal(size=(2, 4)), 2), (rng.normal(size=4), [1])],
)
def hsplit(ary, indices_or_sections):
    """Parts of an array along its second axis, or the first of a vector."""


@hsplit.vjp
def hsplit_vjp(z, ary, indices_or_sections, *, dz):
    axis = 0 if np.ndim(ary) == 1 else 1
    return rejoined(dz, np.shape(ary), indices_or_sections, axis)


@hsplit.jvp
def hsplit_jvp(z, ary, indices_or_sections, *, dary):
    return np.hsplit(dary, indices_or_sections)


@primitive(
    np.dsplit,
    view=True,
    linear=("ary",),
    samples=lambda rng: [(rng.normal(size=(2, 3, 4)), 2)],
)
def dsplit(ary, indices_or_sections):
    """Parts of an array along its third axis."""


@dsplit.vjp
def dsplit_vjp(z, ary, indices_or_sections, *, dz):
    return rejoined(dz, np.shape(ary), indices_or_sections, 2)


@dsplit.jvp
def dsplit_jvp(z, ary, indices_or_sections, *, dary):
    return np.dsplit(dary, indices_or_sections)


@primitive(
    np.unstack,
    infer=unstack_type,
    view=True,
    linear=("x",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)),),
        call(rng.normal(size=(2, 3)), axis=-1),
    ],
)
def unstack(x, *, axis=0):
    """The entries of an array along an axis."""


@unstack.vjp
def unstack_vjp(z, x, axis, *, dz):
    return np.stack(dz, axis)


@unstack.jvp
def unstack_jvp(z, x, axis, *, dx):
    return np.unstack(dx, axis=axis)


# --- several arrays at once --------------------------------------------------------


@primitive(
    np.broadcast_arrays,
    view=True,
    linear=("args",),
    samples=lambda rng: [
        (rng.normal(size=(3, 1)), rng.normal(size=4), 2.5),
        (rng.normal(size=3),),
    ],
)
def broadcast_arrays(*args):
    """Arrays repeated to the shape they have in common."""


@broadcast_arrays.vjp
def broadcast_arrays_vjp(z, args, *, dz):
    return tuple(sum_to_shape(d, np.shape(x)) for d, x in zip(dz, args))


@broadcast_arrays.jvp
def broadcast_arrays_jvp(z, args, *, dargs):
    return np.broadcast_arrays(*dargs)


@primitive(
    np.meshgrid,
    fresh=False,
    linear=("xi",),
    samples=lambda rng: [
        (rng.normal(size=3), rng.normal(size=4)),
        (rng.normal(size=3),),
        (rng.normal(size=3), rng.normal(size=2), rng.normal(size=4)),
        call(rng.normal(size=3), rng.normal(size=4), indexing="ij"),
        call(rng.normal(size=3), rng.normal(size=4), sparse=True),
        call(rng.normal(size=3), 1.5),
    ],
)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """The coordinates of a grid."""


@nondifferentiable
def other_axes(i: int, ndim: int, indexing: str) -> tuple[int, ...]:
    """The axes of a grid along which its coordinate i does not change."""
    own = 1 - i if indexing == "xy" and ndim > 1 and i < 2 else i
    return tuple(k for k in range(ndim) if k != own)


@meshgrid.vjp
def meshgrid_vjp(z, xi, copy, sparse, indexing, *, dz):
    return tuple(
        [
            np.reshape(np.sum(d, axis=other_axes(i, np.ndim(d), indexing)), np.shape(x))
            for i, (d, x) in enumerate(zip(dz, xi))
        ]
    )


@meshgrid.jvp
def meshgrid_jvp(z, xi, copy, sparse, indexing, *, dxi):
    return np.meshgrid(*dxi, sparse=sparse, indexing=indexing)
