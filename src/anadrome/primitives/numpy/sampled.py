"""Functions of sampled data: interpolation, slopes, polynomials, covariance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anadrome.primitives.helpers import along, axes_of
from anadrome.primitives.numpy.selecting import untake
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.result_types import covariance_type
from anadrome.primitives.sampling import complex_normal

# --- interpolation -----------------------------------------------------------------

KNOTS = np.array([0.0, 1.0, 2.5, 3.0])


@primitive(
    np.interp,
    samples=lambda rng: [
        (1.3, KNOTS, rng.normal(size=4)),
        (np.array([[-1.0, 0.4], [2.7, 5.0]]), KNOTS, rng.normal(size=4)),
        call(np.array([-1.0, 0.4, 5.0]), KNOTS, rng.normal(size=4), left=0.5),
        call(np.array([-1.0, 0.4, 5.0]), KNOTS, rng.normal(size=4), right=0.5),
        (np.array([0.4, 2.7]), KNOTS, complex_normal(rng, 4)),
    ],
)
def interp(x, xp, fp, left=None, right=None):
    """The value at x of straight lines through the points (xp, fp)."""


@nondifferentiable
def interval(x: Any, xp: Any) -> Any:
    """The number of the interval between neighbours in xp that holds x."""
    return np.clip(np.searchsorted(xp, x, side="right") - 1, 0, len(xp) - 2)


def line_through(x: Any, xp: Any, fp: Any, i: Any) -> tuple[Any, Any, Any]:
    """The slope of a line, how far along it x is, and whether x is between its ends."""
    start, width = np.take(xp, i), np.take(xp, i + 1) - np.take(xp, i)
    slope = (np.take(fp, i + 1) - np.take(fp, i)) / width
    along_line = np.clip((x - start) / width, 0.0, 1.0)
    return slope, along_line, (x >= xp[0]) & (x <= xp[-1])


@nondifferentiable
def check_points(xp: Any, fp: Any) -> None:
    """Refuse points of which coordinates are missing."""
    if np.shape(xp) != np.shape(fp):
        raise ValueError("fp and xp are not of the same length")


@interp.vjp
def interp_vjp(z, x, xp, fp, left, right, *, dz):
    check_points(xp, fp)
    i = interval(x, xp)
    slope, t, inside = line_through(x, xp, fp, i)
    known = dz if left is None else np.where(x < xp[0], 0.0, dz)
    known = known if right is None else np.where(x > xp[-1], 0.0, known)
    dx = np.where(inside, dz * slope, 0.0)
    dxp_start, dxp_stop = untake((t - 1.0) * dx, i, None, np.shape(xp)), t * dx
    dfp_start, dfp_stop = untake((1.0 - t) * known, i, None, np.shape(fp)), t * known
    return (
        dx,
        dxp_start - untake(dxp_stop, i + 1, None, np.shape(xp)),
        dfp_start + untake(dfp_stop, i + 1, None, np.shape(fp)),
    )


@interp.jvp
def interp_jvp(z, x, xp, fp, left, right, *, dx, dxp, dfp):
    i = interval(x, xp)
    slope, t, inside = line_through(x, xp, fp, i)
    moved = dx - (1.0 - t) * np.take(dxp, i) - t * np.take(dxp, i + 1)
    raised = (1.0 - t) * np.take(dfp, i) + t * np.take(dfp, i + 1)
    raised = raised if left is None else np.where(x < xp[0], 0.0, raised)
    raised = raised if right is None else np.where(x > xp[-1], 0.0, raised)
    return np.where(inside, slope * moved, 0.0) + raised


# --- slopes ------------------------------------------------------------------------


@primitive(
    np.gradient,
    linear=("f",),
    samples=lambda rng: [
        (rng.normal(size=6),),
        (rng.normal(size=6), 0.3),
        (rng.normal(size=5), np.array([0.0, 0.3, 1.0, 1.2, 2.0])),
        call(rng.normal(size=7), edge_order=2),
        (rng.normal(size=(3, 4)),),
        (rng.normal(size=(3, 4)), 0.3, np.array([0.0, 0.3, 1.0, 1.2])),
        call(rng.normal(size=(3, 4)), axis=-1),
        call(rng.normal(size=(3, 4, 3)), 0.5, axis=(0, 2), edge_order=2),
        (rng.normal(size=2),),
    ],
)
def gradient(f, *varargs, axis=None, edge_order=1):
    """Slopes by central differences along each axis."""


@nondifferentiable
def slope_stencil(n: int, spacing: Any, edge_order: int, dtype: Any) -> Any:
    """The coefficients of the entries up to two places away, for each place.

    Row k + 2 holds those of the entry k places further on. Each comb has one tooth
    within reach of every place, so that its slopes are the coefficients.
    """
    combs = np.arange(n)[:, None] % 5 == np.arange(5)
    teeth: Any = combs * 1.0
    order: Any = edge_order
    slopes = np.gradient(teeth, spacing, axis=0, edge_order=order)
    places = np.arange(n)
    stencil = [slopes[places, (places + k) % 5] for k in range(-2, 3)]
    return np.array(stencil).astype(dtype)


@nondifferentiable
def spacing_along(varargs: tuple[Any, ...], i: int) -> Any:
    """The spacing of the i-th axis."""
    return 1.0 if not varargs else varargs[0] if len(varargs) == 1 else varargs[i]


@nondifferentiable
def as_axis(vector: Any, axis: int, ndim: int) -> Any:
    """A vector laid along one axis of many."""
    shape = [1] * ndim
    shape[axis] = -1
    return np.reshape(vector, shape)


def undo_slopes(dz: Any, axis: int, spacing: Any, edge_order: int) -> Any:
    """The transpose of slopes along one axis."""
    n, ndim = np.shape(dz)[axis], np.ndim(dz)
    stencil = slope_stencil(n, spacing, edge_order, np.result_type(dz))
    edge = np.zeros_like(dz[along(axis, ndim, slice(0, 2))])
    total = np.zeros_like(dz)
    for k in range(5):
        # What came from k - 2 places further on goes back there.
        padded = np.concatenate(
            (edge, as_axis(stencil[k], axis, ndim) * dz, edge), axis
        )
        start = np.shape(edge)[axis] + 2 - k
        total = total + padded[along(axis, ndim, slice(start, start + n))]
    return total


@gradient.vjp
def gradient_vjp(z, f, varargs, axis, edge_order, *, dz):
    axes = axes_of(axis, np.ndim(f))
    if len(axes) == 1:
        return undo_slopes(dz, axes[0], spacing_along(varargs, 0), edge_order)
    return sum(
        undo_slopes(dz[i], axes[i], spacing_along(varargs, i), edge_order)
        for i in range(len(axes))
    )


@gradient.jvp
def gradient_jvp(z, f, varargs, axis, edge_order, *, df):
    return np.gradient(df, *varargs, axis=axis, edge_order=edge_order)


@primitive(
    np.unwrap,
    linear=("p",),
    samples=lambda rng: [
        (np.array([0.1, 3.0, -3.0, 0.2]),),
        call(np.array([[0.1, 3.0, -3.0]]), axis=-1),
        call(np.array([0.1, 0.9, 0.05]), period=1.0),
    ],
)
def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    """Angles with jumps replaced by their complement: a constant is added to each."""


@unwrap.vjp
def unwrap_vjp(z, p, discont, axis, period, *, dz):
    return dz


@unwrap.jvp
def unwrap_jvp(z, p, discont, axis, period, *, dp):
    return dp


# --- polynomials -------------------------------------------------------------------


@nondifferentiable
def descending(n: int, dtype: Any) -> Any:
    """n, …, 2, 1 in a given precision."""
    return np.arange(n, 0, -1).astype(dtype)


@primitive(
    np.polyval,
    samples=lambda rng: [
        (rng.normal(size=4), 1.3),
        (rng.normal(size=4), rng.normal(size=(2, 3))),
        (rng.normal(size=1), rng.normal(size=3)),
        (complex_normal(rng, 3), complex_normal(rng, 2)),
    ],
)
def polyval(p, x):
    """A polynomial with coefficients p, the highest first, at x."""


def slope_of_polynomial(p: Any, x: Any) -> Any:
    """The derivative of a polynomial at x."""
    degree = np.shape(p)[0] - 1
    return np.polyval(p[:-1] * descending(degree, np.asarray(p).dtype), x)


@polyval.vjp
def polyval_vjp(z, p, x, *, dz):
    powers = np.vander(np.ravel(x), np.shape(p)[0])
    dp = np.ravel(dz) @ np.asarray(powers, np.asarray(x).dtype)
    return dp, dz * slope_of_polynomial(p, x)


@polyval.jvp
def polyval_jvp(z, p, x, *, dp, dx):
    return np.polyval(dp, x) + slope_of_polynomial(p, x) * dx


@primitive(
    np.vander,
    samples=lambda rng: [
        (rng.normal(size=3),),
        (rng.normal(size=3), 5),
        call(rng.normal(size=4), 2, increasing=True),
        (complex_normal(rng, 2), 4),
    ],
)
def vander(x, N=None, increasing=False):
    """The powers of each entry of a vector, in rows."""


@nondifferentiable
def exponents(n: int, increasing: bool, dtype: Any) -> Any:
    """The exponents of the columns."""
    powers = np.arange(n) if increasing else np.arange(n)[::-1]
    return powers.astype(dtype)


def slopes_of_powers(x: Any, n: int, increasing: bool) -> Any:
    """The derivatives of the powers in each row."""
    powers = exponents(n, increasing, np.result_type(x))
    lower = exponents(n, increasing, np.int64) - 1
    columns = np.vander(x, n, increasing)
    return powers * np.take(columns, column_of(lower, n, increasing), 1)


@nondifferentiable
def column_of(exponent: Any, n: int, increasing: bool) -> Any:
    """The columns of exponents, that of 0 for negative ones."""
    exponent = np.maximum(exponent, 0)
    return exponent if increasing else n - 1 - exponent


@vander.vjp
def vander_vjp(z, x, N, increasing, *, dz):
    return np.sum(dz * slopes_of_powers(x, np.shape(z)[1], increasing), axis=1)


@vander.jvp
def vander_jvp(z, x, N, increasing, *, dx):
    return np.expand_dims(dx, 1) * slopes_of_powers(x, np.shape(z)[1], increasing)


# --- covariance --------------------------------------------------------------------


def covariance_samples(rng: np.random.Generator) -> list[Any]:
    """Variables in rows or columns, in one array or two."""
    return [
        (rng.normal(size=(3, 5)),),
        (rng.normal(size=(3, 5)), rng.normal(size=5)),
        (rng.normal(size=5), rng.normal(size=5)),
        call(rng.normal(size=(5, 3)), rowvar=False),
        call(rng.normal(size=(5, 3)), rng.normal(size=(5, 2)), rowvar=False),
        (complex_normal(rng, 2, 5),),
    ]


@primitive(
    np.cov,
    infer=covariance_type,
    samples=lambda rng: [
        *covariance_samples(rng),
        (rng.normal(size=5),),
        call(rng.normal(size=(3, 5)), bias=True),
        call(rng.normal(size=(3, 5)), ddof=0),
    ],
)
def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    """The covariances of variables."""


@primitive(np.corrcoef, infer=covariance_type, samples=covariance_samples)
def corrcoef(x, y=None, rowvar=True):
    """The correlations of variables."""


def variables_in_rows(m: Any, rowvar: bool) -> Any:
    """The variables as the rows of a matrix."""
    if np.ndim(m) < 2:
        return np.reshape(m, (1, -1))
    return m if rowvar else np.transpose(m)


def all_variables(m: Any, y: Any, rowvar: bool) -> Any:
    """The variables of one array or two as the rows of a matrix."""
    if y is None:
        return variables_in_rows(m, rowvar)
    return np.concatenate((variables_in_rows(m, rowvar), variables_in_rows(y, rowvar)))


def variables_as_given(drows: Any, m: Any, y: Any, rowvar: bool) -> tuple[Any, Any]:
    """The cotangents of one array or two from that of all rows."""
    if y is None:
        return rows_as_given(drows, np.shape(m), rowvar), 0.0
    n = np.shape(drows)[0] - (np.size(y) // np.shape(drows)[1])
    return (
        rows_as_given(drows[:n], np.shape(m), rowvar),
        rows_as_given(drows[n:], np.shape(y), rowvar),
    )


def rows_as_given(drows: Any, shape: Any, rowvar: bool) -> Any:
    """Rows of variables in the shape of the array that they came from."""
    if len(shape) < 2 or rowvar:
        return np.reshape(drows, shape)
    return np.transpose(drows)


def deviations(m: Any, y: Any, rowvar: bool) -> Any:
    """The deviations of all variables from their means, in rows."""
    rows = all_variables(m, y, rowvar)
    return rows - np.mean(rows, axis=1, keepdims=True)


@nondifferentiable
def divisor(n: int, bias: bool, ddof: int | None) -> int:
    """What sums of products of deviations are divided by."""
    return n - ddof if ddof is not None else n if bias else n - 1


def square(dz: Any, n: int) -> Any:
    """`dz` as a matrix also where there is but one variable."""
    return np.reshape(dz, (n, n))


@cov.vjp
def cov_vjp(z, m, y, rowvar, bias, ddof, *, dz):
    centred = deviations(m, y, rowvar)
    n, count = np.shape(centred)
    u = square(dz, n) / divisor(count, bias, ddof)
    drows = (u + np.transpose(np.conj(u))) @ np.conj(centred)
    return variables_as_given(drows, m, y, rowvar)


@cov.jvp
def cov_jvp(z, m, y, rowvar, bias, ddof, *, dm, dy):
    centred = deviations(m, y, rowvar)
    moved = all_variables(dm, None if y is None else dy, rowvar)
    half = moved @ np.transpose(np.conj(centred))
    whole = half + np.transpose(np.conj(half))
    return np.reshape(whole / divisor(np.shape(centred)[1], bias, ddof), np.shape(z))


@corrcoef.vjp
def corrcoef_vjp(z, x, y, rowvar, *, dz):
    centred = deviations(x, y, rowvar)
    length = np.sqrt(np.sum(np.real(centred * np.conj(centred)), axis=1, keepdims=True))
    unit = centred / length
    u = square(dz, np.shape(centred)[0])
    dunit = (u + np.transpose(np.conj(u))) @ np.conj(unit)
    inward = np.sum(np.real(dunit * unit), axis=1, keepdims=True) * np.conj(unit)
    drows = (dunit - inward) / length
    centred_again = drows - np.mean(drows, axis=1, keepdims=True)
    return variables_as_given(centred_again, x, y, rowvar)


@corrcoef.jvp
def corrcoef_jvp(z, x, y, rowvar, *, dx, dy):
    centred = deviations(x, y, rowvar)
    length = np.sqrt(np.sum(np.real(centred * np.conj(centred)), axis=1, keepdims=True))
    unit = centred / length
    moved = deviations(dx, None if y is None else dy, rowvar)
    inward = np.sum(np.real(np.conj(unit) * moved), axis=1, keepdims=True) * unit
    half = ((moved - inward) / length) @ np.transpose(np.conj(unit))
    return np.reshape(half + np.transpose(np.conj(half)), np.shape(z))
