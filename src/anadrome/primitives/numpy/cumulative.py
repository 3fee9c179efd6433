"""Running sums and products, differences, and integrals along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.primitives.helpers import along, sum_to_shape
from anadrome.primitives.numpy.reductions import with_gaps
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.sampling import complex_normal


def running_samples(rng: np.random.Generator) -> list[Any]:
    """Samples along all entries in a row and along axes."""
    return [
        (rng.normal(size=4),),
        (rng.normal(size=(2, 3)),),
        (rng.normal(size=(2, 3)), 0),
        call(rng.normal(size=(2, 3, 2)), axis=-2),
        (np.array([1.5, 0.0, 2.0, 0.0, 3.0]),),
        (1.5, 0),
        (complex_normal(rng, 2, 3), 1),
    ]


# --- sums --------------------------------------------------------------------------


def suffix_sums(x: Any, axis: int) -> Any:
    """For each place the sum of what stands there and behind."""
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis)


@primitive(np.cumsum, methods=("cumsum",), linear=("a",), samples=running_samples)
def cumsum(a, axis=None, dtype=None):
    """Running sums along an axis, or of all entries in a row."""


@cumsum.vjp
def cumsum_vjp(z, a, axis, dtype, *, dz):
    if axis is None or np.ndim(a) == 0:
        return np.reshape(suffix_sums(dz, 0), np.shape(a))
    return suffix_sums(dz, axis)


@cumsum.jvp
def cumsum_jvp(z, a, axis, dtype, *, da):
    return np.cumsum(da, axis, dtype)


@primitive(
    np.nancumsum,
    linear=("a",),
    samples=lambda rng: [*running_samples(rng), (with_gaps(rng), 1)],
)
def nancumsum(a, axis=None, dtype=None):
    """Running sums with 0 in place of NaN."""


@nancumsum.vjp
def nancumsum_vjp(z, a, axis, dtype, *, dz):
    if axis is None or np.ndim(a) == 0:
        sums = np.reshape(suffix_sums(dz, 0), np.shape(a))
        return np.where(np.isnan(a), 0.0, sums)
    return np.where(np.isnan(a), 0.0, suffix_sums(dz, axis))


@nancumsum.jvp
def nancumsum_jvp(z, a, axis, dtype, *, da):
    return np.cumsum(np.where(np.isnan(a), 0.0, da), axis, dtype)


@primitive(
    np.cumulative_sum,
    linear=("x",),
    samples=lambda rng: [
        (rng.normal(size=4),),
        call(rng.normal(size=(2, 3)), axis=1),
        call(rng.normal(size=(2, 3)), axis=-2, include_initial=True),
        call(rng.normal(size=3), include_initial=True),
        call(1.5, include_initial=True),
    ],
)
def cumulative_sum(x, *, axis=None, dtype=None, include_initial=False):
    """Running sums along an axis, with or without the empty one."""


@nondifferentiable
def only_axis(axis: int | None) -> int:
    """The axis, or that of a vector."""
    return 0 if axis is None else axis


def without_first(dz: Any, axis: Any, include_initial: bool) -> Any:
    """`dz` without the entry of the empty sum or product."""
    if include_initial:
        return dz[along(only_axis(axis), np.ndim(dz), slice(1, None))]
    return dz


@cumulative_sum.vjp
def cumulative_sum_vjp(z, x, axis, dtype, include_initial, *, dz):
    behind = without_first(dz, axis, include_initial)
    return np.reshape(suffix_sums(behind, only_axis(axis)), np.shape(x))


@cumulative_sum.jvp
def cumulative_sum_jvp(z, x, axis, dtype, include_initial, *, dx):
    return np.cumulative_sum(
        dx, axis=axis, dtype=dtype, include_initial=include_initial
    )


# --- products ----------------------------------------------------------------------


@primitive(
    samples=lambda rng: [
        (rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), 0),
        (rng.normal(size=(2, 4)), rng.normal(size=(2, 4)), -1),
        (np.array([1.5, 0.0, 2.0]), rng.normal(size=3), 0),
        (complex_normal(rng, 3), complex_normal(rng, 3), 0),
    ],
)
def linear_recurrence(a, b, axis):
    """y with y[i] = a[i] y[i-1] + b[i] along an axis, starting from 0."""
    factors, terms = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    out = np.zeros(np.shape(b), np.result_type(a, b))
    rows = np.moveaxis(out, axis, 0)
    for i in range(len(rows)):
        rows[i] = factors[i] * rows[i - 1] + terms[i] if i else terms[i]
    return out


def shifted_back(x: Any, axis: int) -> Any:
    """Each entry's predecessor along an axis, 0 for the first."""
    first = x[along(axis, np.ndim(x), slice(0, 1))]
    kept = x[along(axis, np.ndim(x), slice(0, -1))]
    return np.concatenate((np.zeros_like(first), kept), axis)


def shifted_ahead(x: Any, axis: int) -> Any:
    """Each entry's successor along an axis, 0 for the last."""
    return np.flip(shifted_back(np.flip(x, axis), axis), axis)


@linear_recurrence.vjp
def linear_recurrence_vjp(z, a, b, axis, *, dz):
    ahead = np.flip(shifted_ahead(a, axis), axis)
    db = np.flip(linear_recurrence(ahead, np.flip(dz, axis), axis), axis)
    return db * shifted_back(z, axis), db


@linear_recurrence.jvp
def linear_recurrence_jvp(z, a, b, axis, *, da, db):
    return linear_recurrence(a, da * shifted_back(z, axis) + db, axis)


def products_before(z: Any, axis: int) -> Any:
    """For each place of a running product the one before it, 1 at the start."""
    first = z[along(axis, np.ndim(z), slice(0, 1))]
    kept = z[along(axis, np.ndim(z), slice(0, -1))]
    return np.concatenate((np.ones_like(first), kept), axis)


def running_product_cotangent(z: Any, a: Any, axis: int, dz: Any) -> Any:
    """The cotangent of `a` for its running products z, right also for zeros.

    The products satisfy z[i] = z[i-1] a[i]: their cotangents accumulate from behind.
    """
    ahead = np.flip(shifted_ahead(a, axis), axis)
    gathered = np.flip(linear_recurrence(ahead, np.flip(dz, axis), axis), axis)
    return gathered * products_before(z, axis)


def running_product_tangent(z: Any, a: Any, axis: int, da: Any) -> Any:
    """The tangent of the running products z for a tangent of `a`."""
    return linear_recurrence(a, da * products_before(z, axis), axis)


@primitive(np.cumprod, methods=("cumprod",), samples=running_samples)
def cumprod(a, axis=None, dtype=None):
    """Running products along an axis, or of all entries in a row."""


@cumprod.vjp
def cumprod_vjp(z, a, axis, dtype, *, dz):
    if axis is None or np.ndim(a) == 0:
        flat = running_product_cotangent(z, np.ravel(a), 0, dz)
        return np.reshape(flat, np.shape(a))
    return running_product_cotangent(z, a, axis, dz)


@cumprod.jvp
def cumprod_jvp(z, a, axis, dtype, *, da):
    if axis is None or np.ndim(a) == 0:
        return running_product_tangent(z, np.ravel(a), 0, np.ravel(da))
    return running_product_tangent(z, a, axis, da)


@primitive(
    np.nancumprod,
    samples=lambda rng: [*running_samples(rng), (with_gaps(rng), 1)],
)
def nancumprod(a, axis=None, dtype=None):
    """Running products with 1 in place of NaN."""


@nancumprod.vjp
def nancumprod_vjp(z, a, axis, dtype, *, dz):
    present = np.where(np.isnan(a), 1.0, a)
    if axis is None or np.ndim(a) == 0:
        flat = running_product_cotangent(z, np.ravel(present), 0, dz)
        return np.where(np.isnan(a), 0.0, np.reshape(flat, np.shape(a)))
    products = running_product_cotangent(z, present, axis, dz)
    return np.where(np.isnan(a), 0.0, products)


@nancumprod.jvp
def nancumprod_jvp(z, a, axis, dtype, *, da):
    present = np.where(np.isnan(a), 1.0, a)
    dpresent = np.where(np.isnan(a), 0.0, da)
    if axis is None or np.ndim(a) == 0:
        return running_product_tangent(z, np.ravel(present), 0, np.ravel(dpresent))
    return running_product_tangent(z, present, axis, dpresent)


@primitive(
    np.cumulative_prod,
    samples=lambda rng: [
        (rng.normal(size=4),),
        call(rng.normal(size=(2, 3)), axis=1),
        call(rng.normal(size=(2, 3)), axis=-2, include_initial=True),
        (1.5,),
    ],
)
def cumulative_prod(x, *, axis=None, dtype=None, include_initial=False):
    """Running products along an axis, with or without the empty one."""


@cumulative_prod.vjp
def cumulative_prod_vjp(z, x, axis, dtype, include_initial, *, dz):
    products = without_first(z, axis, include_initial)
    behind = without_first(dz, axis, include_initial)
    rows = np.atleast_1d(x)
    found = running_product_cotangent(products, rows, only_axis(axis), behind)
    return np.reshape(found, np.shape(x))


@cumulative_prod.jvp
def cumulative_prod_jvp(z, x, axis, dtype, include_initial, *, dx):
    products = without_first(z, axis, include_initial)
    rows, drows = np.atleast_1d(x), np.atleast_1d(dx)
    tangent = running_product_tangent(products, rows, only_axis(axis), drows)
    if include_initial:
        first = z[along(only_axis(axis), np.ndim(z), slice(0, 1))]
        return np.concatenate((np.zeros_like(first), tangent), only_axis(axis))
    return tangent


# --- differences -------------------------------------------------------------------


@primitive(
    np.diff,
    fresh=False,
    linear=("a", "prepend", "append"),
    samples=lambda rng: [
        (rng.normal(size=5),),
        (rng.normal(size=5), 2),
        (rng.normal(size=(3, 4)), 1, 0),
        (rng.normal(size=(3, 4)), 0),
        call(rng.normal(size=(2, 5)), n=3, axis=-1),
        call(rng.normal(size=4), prepend=0.5, append=rng.normal(size=2)),
        call(rng.normal(size=(2, 3)), axis=0, prepend=rng.normal(size=(1, 3))),
        call(rng.normal(size=(2, 3)), axis=1, append=1.5),
    ],
)
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Differences of neighbours along an axis, n times over."""


def undo_diff(dz: Any, n: int, axis: int) -> Any:
    """The transpose of n-fold differences: the negative differences of padded `dz`."""
    if n == 0:
        return dz
    edge = np.zeros(edge_shape(np.shape(dz), axis), np.result_type(dz))
    padded = np.concatenate((edge, dz, edge), axis)
    return undo_diff(-np.diff(padded, 1, axis), n - 1, axis)


@nondifferentiable
def edge_shape(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    """A shape with one entry along an axis, of which there may be none."""
    edge = list(shape)
    edge[axis] = 1
    return tuple(edge)


@nondifferentiable
def length_along(value: Any, axis: int) -> int:
    """How many entries along an axis a prepended or appended value takes."""
    return 0 if value is None else 1 if np.ndim(value) == 0 else np.shape(value)[axis]


@diff.vjp
def diff_vjp(z, a, n, axis, prepend, append, *, dz):
    if n == 1 and axis in (-1, np.ndim(a) - 1) and prepend is None and append is None:
        edge = np.zeros_like(a[..., :1])
        padded = np.concatenate((edge, dz, edge), -1)
        return padded[..., :-1] - padded[..., 1:], 0.0, 0.0
    if n == 0:
        # NumPy returns `a` as it is.
        return dz, 0.0, 0.0
    start = length_along(prepend, axis)
    stop = start + np.shape(a)[axis]
    if stop + length_along(append, axis) <= n:
        # There are no differences.
        return np.zeros_like(a), 0.0, 0.0
    whole = undo_diff(dz, n, axis)
    if prepend is None and append is None:
        return whole, 0.0, 0.0
    before, inside, after = np.split(whole, [start, stop], axis)
    return (
        inside,
        0.0 if prepend is None else sum_to_shape(before, np.shape(prepend)),
        0.0 if append is None else sum_to_shape(after, np.shape(append)),
    )


@diff.jvp
def diff_jvp(z, a, n, axis, prepend, append, *, da, dprepend, dappend):
    if prepend is None and append is None:
        return np.diff(da, n, axis)
    if append is None:
        return np.diff(da, n, axis, prepend=dprepend)
    if prepend is None:
        return np.diff(da, n, axis, append=dappend)
    return np.diff(da, n, axis, prepend=dprepend, append=dappend)


@primitive(
    np.ediff1d,
    linear=("ary",),
    samples=lambda rng: [
        (rng.normal(size=5),),
        (rng.normal(size=(2, 3)),),
        (np.zeros((0, 2)),),
    ],
)
def ediff1d(ary):
    """Differences of neighbours among all entries in a row."""


@ediff1d.vjp
def ediff1d_vjp(z, ary, *, dz):
    return np.reshape(undo_steps(dz, np.ravel(ary), 0), np.shape(ary))


@ediff1d.jvp
def ediff1d_jvp(z, ary, *, dary):
    return np.ediff1d(dary)


# --- integrals ---------------------------------------------------------------------


@primitive(
    np.trapezoid,
    samples=lambda rng: [
        (rng.normal(size=5),),
        call(rng.normal(size=5), dx=0.3),
        (rng.normal(size=5), np.sort(rng.normal(size=5))),
        (rng.normal(size=(2, 4)), np.sort(rng.normal(size=4))),
        call(rng.normal(size=(4, 2)), np.sort(rng.normal(size=4)), axis=0),
        call(rng.normal(size=(2, 4)), rng.normal(size=(2, 4)), axis=-1),
        call(rng.normal(size=(4, 2)), dx=0.3, axis=0),
        (np.zeros(0),),
        (np.zeros(0), np.zeros(0)),
    ],
)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral of y over x by the trapezoidal rule."""


@nondifferentiable
def steps_shape(x: tuple[int, ...], ndim: int, axis: int) -> tuple[int, ...]:
    """The shape in which the steps of x broadcast against y."""
    if len(x) != 1:
        return tuple(x)
    shape = [1] * ndim
    shape[axis] = x[0]
    return tuple(shape)


def neighbour_sums(y: Any, axis: int) -> Any:
    """The sum of each entry and the next along an axis."""
    return (
        y[along(axis, np.ndim(y), slice(1, None))]
        + y[along(axis, np.ndim(y), slice(None, -1))]
    )


def undo_neighbour_sums(d: Any, y: Any, axis: int) -> Any:
    """The transpose of `neighbour_sums` of `y`, which may have one entry or none."""
    edge = np.zeros_like(y[along(axis, np.ndim(y), slice(None, 1))])
    return np.concatenate((edge, d), axis) + np.concatenate((d, edge), axis)


def undo_steps(d: Any, y: Any, axis: int) -> Any:
    """The transpose of differences between neighbours, as many as `y` has entries."""
    edge = np.zeros_like(y[along(axis, np.ndim(y), slice(None, 1))])
    padded = np.concatenate((edge, d, edge), axis)
    return (
        padded[along(axis, np.ndim(y), slice(None, -1))]
        - padded[along(axis, np.ndim(y), slice(1, None))]
    )


@trapezoid.vjp
def trapezoid_vjp(z, y, x, spacing, axis, *, dz):
    half = np.expand_dims(0.5 * dz, axis)
    sums = neighbour_sums(y, axis)
    if x is None:
        dy = undo_neighbour_sums(half * spacing * np.ones_like(sums), y, axis)
        return dy, 0.0, np.sum(half * sums)
    points = np.reshape(x, steps_shape(np.shape(x), np.ndim(y), axis))
    steps = np.diff(points, 1, axis) * np.ones_like(sums)
    dpoints = sum_to_shape(undo_steps(half * sums, y, axis), np.shape(points))
    dy = undo_neighbour_sums(half * steps, y, axis)
    return dy, np.reshape(dpoints, np.shape(x)), 0.0


@trapezoid.jvp
def trapezoid_jvp(z, y, x, spacing, axis, *, dy, dx, ddx):
    if x is None:
        by_spacing = 0.5 * np.sum(neighbour_sums(y, axis), axis) * ddx
        return np.trapezoid(dy, None, spacing, axis) + by_spacing
    return np.trapezoid(dy, x, axis=axis) + np.trapezoid(y, dx, axis=axis)
