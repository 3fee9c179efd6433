"""Picking entries by index or condition, and putting them back.

Every function here copies entries; the reverse rules add each cotangent to the place
its entry came from, with `untake` and `untake_along_axis`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.primitives.helpers import sum_to_shape
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.result_types import type_of_shape
from anadrome.primitives.sampling import complex_normal

# --- take and its transpose --------------------------------------------------------


@primitive(
    np.take,
    methods=("take",),
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=5), np.array([1, 1, -1])),
        (rng.normal(size=5), 2),
        (rng.normal(size=(3, 4)), np.array([[0, 5], [11, 5]])),
        (rng.normal(size=(3, 4)), np.array([2, 0, 2]), 0),
        (rng.normal(size=(3, 4)), [[1, 1], [3, -1]], 1),
        call(rng.normal(size=(2, 3, 4)), np.array([1, 1]), axis=-2),
        call(rng.normal(size=(2, 3, 4)), 1, axis=1),
        call(rng.normal(size=4), np.array([5, -6]), mode="wrap"),
        call(rng.normal(size=4), np.array([5, -6]), mode="clip"),
        (complex_normal(rng, 3, 4), np.array([2, 0, 2]), 0),
    ],
)
def take(a, indices, axis=None, *, mode="raise"):
    """The entries at some indices along an axis, or of all entries in a row."""


@nondifferentiable
def settled(indices: Any, n: int, mode: str) -> Any:
    """Indices between 0 and n that mean the same as `indices` under a mode."""
    # NumPy cuts indices that are floats.
    indices = np.asarray(indices).astype(np.intp)
    if mode == "clip":
        return np.clip(indices, 0, n - 1)
    return np.mod(indices, n) if n else indices


@take.vjp
def take_vjp(z, a, indices, axis, mode, *, dz):
    n = np.size(a) if axis is None else np.shape(a)[axis]
    return untake(dz, settled(indices, n, mode), axis, np.shape(a))


@take.jvp
def take_jvp(z, a, indices, axis, mode, *, da):
    return np.take(da, indices, axis, mode=mode)


@primitive(
    infer=lambda values, indices, axis, shape: type_of_shape(values, shape),
    linear=("values",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), np.array([[4, 0, 4], [1, 1, 1]]), None, (2, 3)),
        (rng.normal(size=(3, 2)), np.array([1, 1, 0]), 0, (4, 2)),
        (rng.normal(size=(2, 3, 4)), np.array([2, 0, 2]), 1, (2, 5, 4)),
        (rng.normal(size=(2, 3, 4)), np.array([[2, 0, 2], [1, 0, 1]]), 0, (3, 4)),
        (rng.normal(size=(2, 4)), np.array(2), -2, (2, 3, 4)),
    ],
)
def untake(values, indices, axis, shape):
    """Zeros of a shape with values added at indices along an axis: `take` undone.

    The indices are not negative. Values that share an index add up.
    """
    out = np.zeros(shape, np.result_type(values))
    indices = np.asarray(indices)
    if axis is None:
        rows, values = out.reshape(-1), np.reshape(values, -1)
    else:
        axis %= len(shape)
        rows = np.moveaxis(out, axis, 0)
        own = range(axis, axis + indices.ndim)
        values = np.moveaxis(values, own, range(indices.ndim))
        values = np.reshape(values, (indices.size, *rows.shape[1:]))
    indices = indices.reshape(-1)
    if indices.size:
        order = np.argsort(indices, kind="stable")
        ordered = indices[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        rows[ordered[starts]] = np.add.reduceat(values[order], starts, axis=0)
    return out


@untake.vjp
def untake_vjp(z, values, indices, axis, shape, *, dz):
    return np.take(dz, indices, axis)


@untake.jvp
def untake_jvp(z, values, indices, axis, shape, *, dvalues):
    return untake(dvalues, indices, axis, shape)


@primitive(
    np.take_along_axis,
    linear=("arr",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), rng.integers(0, 3, (2, 5)), 1),
        (rng.normal(size=(2, 3)), rng.integers(-2, 2, (4, 3)), 0),
        (rng.normal(size=(2, 3)), rng.integers(0, 3, (1, 2)), -1),
        call(rng.normal(size=(2, 3)), rng.integers(0, 6, 4), axis=None),
    ],
)
def take_along_axis(arr, indices, axis=-1):
    """The entries at indices given for each row along an axis."""


@take_along_axis.vjp
def take_along_axis_vjp(z, arr, indices, axis, *, dz):
    if axis is None:
        return untake(dz, settled(indices, np.size(arr), "raise"), None, np.shape(arr))
    return untake_along_axis(dz, indices, axis, np.shape(arr))


@take_along_axis.jvp
def take_along_axis_jvp(z, arr, indices, axis, *, darr):
    return np.take_along_axis(darr, indices, axis)


@primitive(
    infer=lambda values, indices, axis, shape: type_of_shape(values, shape),
    linear=("values",),
    samples=lambda rng: [
        (rng.normal(size=(2, 5)), rng.integers(0, 3, (2, 5)), 1, (2, 3)),
        (rng.normal(size=(4, 3)), rng.integers(-2, 2, (4, 3)), 0, (2, 3)),
    ],
)
def untake_along_axis(values, indices, axis, shape):
    """Zeros of a shape with values added where `take_along_axis` would take them."""
    out = np.zeros(shape, np.result_type(values))
    places = list(np.ogrid[tuple(slice(n) for n in shape)])
    places[axis] = indices
    np.add.at(out, tuple(places), values)
    return out


@untake_along_axis.vjp
def untake_along_axis_vjp(z, values, indices, axis, shape, *, dz):
    return np.take_along_axis(dz, indices, axis)


@untake_along_axis.jvp
def untake_along_axis_jvp(z, values, indices, axis, shape, *, dvalues):
    return untake_along_axis(dvalues, indices, axis, shape)


@primitive(
    np.bincount,
    linear=("weights",),
    samples=lambda rng: [
        (np.array([0, 2, 2]), rng.normal(size=3)),
        call(np.array([0, 2, 2]), weights=rng.normal(size=3), minlength=5),
        (np.array([0, 2, 2]),),
    ],
)
def bincount(x, weights=None, minlength=0):
    """How often each index occurs, or the sum of its weights."""


@bincount.vjp
def bincount_vjp(z, x, weights, minlength, *, dz):
    return np.take(dz, x)


@bincount.jvp
def bincount_jvp(z, x, weights, minlength, *, dweights):
    return np.bincount(x, dweights, minlength)


# --- by condition ------------------------------------------------------------------


@primitive(
    np.compress,
    linear=("a",),
    samples=lambda rng: [
        ([True, False, True], rng.normal(size=4)),
        ([False, True], rng.normal(size=(2, 3)), 0),
        call([True, False, True], rng.normal(size=(2, 3)), axis=-1),
    ],
)
def compress(condition, a, axis=None):
    """The entries along an axis for which a condition holds."""


@compress.vjp
def compress_vjp(z, condition, a, axis, *, dz):
    return untake(dz, np.flatnonzero(condition), axis, np.shape(a))


@compress.jvp
def compress_jvp(z, condition, a, axis, *, da):
    return np.compress(condition, da, axis)


@primitive(
    np.ndarray.compress,
    methods=("compress",),
    linear=("a",),
    samples=lambda rng: [
        (rng.normal(size=4), [True, False, True]),
        (rng.normal(size=(2, 3)), [False, True], 0),
    ],
)
def compress_method(a, condition, axis=None):
    """`a.compress(condition)`."""


@compress_method.vjp
def compress_method_vjp(z, a, condition, axis, *, dz):
    return untake(dz, np.flatnonzero(condition), axis, np.shape(a))


@compress_method.jvp
def compress_method_jvp(z, a, condition, axis, *, da):
    return np.compress(condition, da, axis)


@primitive(
    np.extract,
    linear=("arr",),
    samples=lambda rng: [
        (np.array([[True, False], [True, True]]), rng.normal(size=(2, 2))),
    ],
)
def extract(condition, arr):
    """The entries for which a condition holds, in a row."""


@extract.vjp
def extract_vjp(z, condition, arr, *, dz):
    return untake(dz, np.flatnonzero(condition), None, np.shape(arr))


@extract.jvp
def extract_jvp(z, condition, arr, *, darr):
    return np.extract(condition, darr)


# --- one of several arrays ---------------------------------------------------------


@nondifferentiable
def chosen_places(a: Any, n: int, mode: str) -> Any:
    """For each entry of the result of `choose` the number of its array."""
    return settled(a, n, "clip" if mode == "clip" else "wrap")


@primitive(
    np.choose,
    masks=True,
    linear=("choices",),
    sequences=("choices",),
    samples=lambda rng: [
        (np.array([0, 1, 0]), [rng.normal(size=3), rng.normal(size=3)]),
        (np.array([[0], [1]]), [rng.normal(size=3), 1.5]),
        call(np.array([0, 3, -1]), [rng.normal(size=3)] * 2, mode="wrap"),
        call(np.array([0, 3, -1]), [rng.normal(size=3)] * 2, mode="clip"),
    ],
)
def choose(a, choices, *, mode="raise"):
    """Each entry from the array whose number stands in its place."""


@choose.vjp
def choose_vjp(z, a, choices, mode, *, dz):
    places = chosen_places(a, len(choices), mode)
    cotangents = [
        sum_to_shape(np.where(places == k, dz, 0.0), np.shape(choice))
        for k, choice in enumerate(choices)
    ]
    return np.stack(cotangents) if isinstance(choices, np.ndarray) else cotangents


@choose.jvp
def choose_jvp(z, a, choices, mode, *, dchoices):
    return np.choose(a, dchoices, mode=mode)


@nondifferentiable
def first_true(conditions: Any) -> Any:
    """For each place the number of the first condition that holds; -1 for none."""
    stacked = np.stack(np.broadcast_arrays(*conditions))
    return np.where(stacked.any(0), stacked.argmax(0), -1)


@primitive(
    np.select,
    masks=True,
    linear=("choicelist", "default"),
    sequences=("choicelist",),
    samples=lambda rng: [
        (
            [np.array([True, False, False]), np.array([True, True, False])],
            [rng.normal(size=3), rng.normal(size=3)],
            2.5,
        ),
        (
            [np.array([[True], [False]])],
            [rng.normal(size=3)],
            rng.normal(size=(2, 1)),
        ),
    ],
)
def select(condlist, choicelist, default=0):
    """Each entry from the array of the first condition that holds."""


@select.vjp
def select_vjp(z, condlist, choicelist, default, *, dz):
    places = first_true(condlist)
    cotangents = [
        sum_to_shape(np.where(places == k, dz, 0.0), np.shape(choice))
        for k, choice in enumerate(choicelist)
    ]
    return cotangents, sum_to_shape(np.where(places == -1, dz, 0.0), np.shape(default))


@select.jvp
def select_jvp(z, condlist, choicelist, default, *, dchoicelist, ddefault):
    return np.select(condlist, dchoicelist, ddefault)


# --- with some entries more or less ------------------------------------------------


@primitive(
    np.delete,
    linear=("arr",),
    samples=lambda rng: [
        (rng.normal(size=5), 2),
        (rng.normal(size=(2, 3)), [0, 4]),
        (rng.normal(size=(2, 3)), -1, 1),
        call(rng.normal(size=(4, 3)), slice(1, 3), axis=0),
    ],
)
def delete(arr, obj, axis=None):
    """`arr` without some entries along an axis."""


@nondifferentiable
def kept_indices(n: int, obj: Any) -> Any:
    """The indices that `delete` leaves."""
    return np.delete(np.arange(n), obj)


@delete.vjp
def delete_vjp(z, arr, obj, axis, *, dz):
    n = np.size(arr) if axis is None else np.shape(arr)[axis]
    return untake(dz, kept_indices(n, obj), axis, np.shape(arr))


@delete.jvp
def delete_jvp(z, arr, obj, axis, *, darr):
    return np.delete(darr, obj, axis)


@primitive(
    np.insert,
    linear=("arr", "values"),
    samples=lambda rng: [
        (rng.normal(size=3), 1, 2.5),
        (rng.normal(size=3), 1, rng.normal(size=2)),
        (rng.normal(size=(2, 2)), [0, 3], rng.normal(size=2)),
        (rng.normal(size=3), [1, 1], rng.normal(size=2)),
        (rng.normal(size=(2, 3)), 1, rng.normal(size=2), 1),
        (rng.normal(size=(2, 3)), -1, rng.normal(size=3), 0),
        (rng.normal(size=(2, 3)), 1, 1.5, 1),
        call(rng.normal(size=(2, 3)), [0, 2], rng.normal(size=(2, 2)), axis=1),
        call(rng.normal(size=(2, 3)), [0, 2], rng.normal(size=(2, 1)), axis=1),
        call(rng.normal(size=(2, 3)), 1, rng.normal(size=(4, 2)), axis=1),
        call(rng.normal(size=(2, 3)), slice(0, 2), rng.normal(size=(2, 2)), axis=1),
    ],
)
def insert(arr, obj, values, axis=None):
    """`arr` with values put in before some indices along an axis."""


@nondifferentiable
def insertion(n: int, obj: Any, added: int) -> tuple[Any, Any]:
    """Where the old and where the new entries are after an insertion."""
    new = np.arange(n, n + added)
    source = np.insert(np.arange(n), obj, new)
    places = np.argsort(source, kind="stable")
    return places[:n], places[n:]


@nondifferentiable
def inserted_shape(values: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """The shape of inserted values with as many axes as the array has."""
    return (1,) * (ndim - len(values)) + tuple(values)


@nondifferentiable
def is_one_index(obj: Any) -> bool:
    """Whether values are inserted before one index given as a number."""
    return not isinstance(obj, slice) and np.ndim(obj) == 0


@insert.vjp
def insert_vjp(z, arr, obj, values, axis, *, dz):
    if axis is None:
        old, new = insertion(np.size(arr), obj, np.size(dz) - np.size(arr))
        darr = np.reshape(np.take(dz, old), np.shape(arr))
        dflat = sum_to_shape(np.take(dz, new), (np.size(values),))
        return darr, np.reshape(dflat, np.shape(values))
    n = np.shape(arr)[axis]
    old, new = insertion(n, obj, np.shape(dz)[axis] - n)
    darr, dnew = np.take(dz, old, axis), np.take(dz, new, axis)
    if is_one_index(obj):
        # One index: NumPy lays the values out with their first axis along `axis`.
        dnew = np.moveaxis(dnew, axis, 0)
    shape = inserted_shape(np.shape(values), np.ndim(arr))
    return darr, np.reshape(sum_to_shape(dnew, shape), np.shape(values))


@insert.jvp
def insert_jvp(z, arr, obj, values, axis, *, darr, dvalues):
    return np.insert(darr, obj, dvalues, axis)
