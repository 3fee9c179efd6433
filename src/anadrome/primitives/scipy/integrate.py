"""scipy.integrate: integrals of sampled data.

Integrals of functions and differential equations have files of their own, read from
here. Where SciPy calls the spacing of equidistant samples `dx`, the rules call it
`step`: `dx` is the change of `x`.
"""

from __future__ import annotations

import numpy as np
from scipy import integrate

import anadrome.primitives.scipy.integrate_function
import anadrome.primitives.scipy.integrate_ode  # noqa: F401  (registers rules)
from anadrome.primitives.helpers import sum_to_shape
from anadrome.primitives.registry import call, nondifferentiable, primitive

# The rules work along the last axis. Samples x may be a vector, or an array like y.


def last(x, axis):
    """`x` with the axis of integration moved to the end; a vector as it is."""
    return np.moveaxis(x, axis, -1) if np.ndim(x) > 1 else x


def restored(x, axis):
    """`x` with the last axis moved back to where it was."""
    return np.moveaxis(x, -1, axis) if np.ndim(x) > 1 else x


@nondifferentiable
def pads(ndim, before, after):
    """Widths that lengthen the last axis only."""
    return [(0, 0)] * (ndim - 1) + [(before, after)]


def padded(x, before, after):
    """`x` with zeros before and after the last axis."""
    return np.pad(x, pads(np.ndim(x), before, after))


def spacing(x, step, axis):
    """The distances between neighbouring samples."""
    return step if x is None else np.diff(last(x, axis))


def sample_cotangent(dh, x, axis):
    """The cotangent of the samples from that of their distances."""
    moved = padded(dh, 1, 0) - padded(dh, 0, 1)
    shape = np.shape(last(x, axis))
    return restored(sum_to_shape(moved, shape), axis)


def data_samples(*lengths, **options):
    """Samples of an integral of data, of each of some lengths."""

    def make(rng):
        made = []
        for n in lengths:
            y, steps = rng.normal(size=(2, n)), rng.uniform(0.5, 1.5, (2, n))
            x = np.cumsum(steps, axis=1)
            made += [
                call(y[0], **options),
                call(y, dx=0.7, **options),
                call(y, x=x[0], **options),
                call(y, x=x, **options),
                call(y.T, x=x[0], axis=0, **options),
                call(y.T, x=x.T, axis=0, **options),
            ]
        return made

    return make


# ----------------------------------------------------------------------- trapezoidal


@primitive(integrate.trapezoid, samples=data_samples(2, 4))
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral of samples by the trapezoidal rule."""


def trapezoid_pullback(darea, y, x, step, axis):
    """The cotangents of y, x and step from those of the areas between samples."""
    values = last(y, axis)
    heights = 0.5 * (values[..., 1:] + values[..., :-1])
    half = 0.5 * darea * spacing(x, step, axis)
    dy = restored(padded(half, 1, 0) + padded(half, 0, 1), axis)
    dh = darea * heights
    if x is None:
        return dy, 0.0, sum_to_shape(dh, np.shape(step))
    return dy, sample_cotangent(dh, x, axis), 0.0


@nondifferentiable
def areas_shape(shape, axis):
    """The shape of the areas between samples, with their axis at the end."""
    lengths = list(shape)
    n = lengths.pop(axis)
    return (*lengths, n - 1)


@trapezoid.vjp
def trapezoid_vjp(z, y, x, step, axis, *, dz):
    shape = areas_shape(np.shape(y), axis)
    darea = np.broadcast_to(np.expand_dims(dz, -1), shape)
    return trapezoid_pullback(darea, y, x, step, axis)


@trapezoid.jvp
def trapezoid_jvp(z, y, x, step, axis, *, dy, dx, ddx):
    if x is None:
        left = integrate.trapezoid(dy, dx=step, axis=axis)
        return left + integrate.trapezoid(y, dx=ddx, axis=axis)
    left = integrate.trapezoid(dy, x, axis=axis)
    return left + integrate.trapezoid(y, dx, axis=axis)


@primitive(
    integrate.cumulative_trapezoid,
    samples=lambda rng: [
        *data_samples(2, 4)(rng),
        *data_samples(4, initial=0)(rng),
    ],
)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """The running integral of samples by the trapezoidal rule."""


@cumulative_trapezoid.vjp
def cumulative_trapezoid_vjp(z, y, x, step, axis, initial, *, dz):
    dsums = last(dz, axis) if initial is None else last(dz, axis)[..., 1:]
    darea = np.flip(np.cumsum(np.flip(dsums, -1), axis=-1), -1)
    return trapezoid_pullback(darea, y, x, step, axis)


@cumulative_trapezoid.jvp
def cumulative_trapezoid_jvp(z, y, x, step, axis, initial, *, dy, dx, ddx):
    if x is None:
        left = integrate.cumulative_trapezoid(dy, None, step, axis, initial)
        return left + integrate.cumulative_trapezoid(y, None, ddx, axis, initial)
    left = integrate.cumulative_trapezoid(dy, x, 1.0, axis, initial)
    return left + integrate.cumulative_trapezoid(y, dx, 1.0, axis, initial)


# --------------------------------------------------------------------------- Simpson
# A parabola through three samples at distances h and k weighs them by
#     h/3 + k/6 - k²/6h,  (h + k)³/6hk,  k/3 + h/6 - h²/6k;
# with an even number of samples, Cartwright (2017, eq. 8) adds the last interval.


@primitive(integrate.simpson, samples=data_samples(2, 3, 4, 5, 6))
def simpson(y, x=None, *, dx=1.0, axis=-1):
    """The integral of samples by Simpson's rule."""


def interleaved(even, odd):
    """even[0], odd[0], even[1], …, even[-1] along the last axis."""
    pairs = np.stack([even[..., :-1], odd], axis=-1)
    flat = np.reshape(pairs, (*np.shape(odd)[:-1], 2 * np.shape(odd)[-1]))
    return np.concatenate([flat, even[..., -1:]], axis=-1)


def simpson_weights(h):
    """The weights of n + 1 samples at n distances."""
    n = np.shape(h)[-1]
    if n == 1:
        return np.concatenate([0.5 * h, 0.5 * h], axis=-1)
    inner = parabola_weights(h[..., 0 : n - n % 2 : 2], h[..., 1 : n - n % 2 : 2])
    return inner if n % 2 == 0 else padded(inner, 0, 1) + last_weights(h)


def parabola_weights(h, k):
    """The weights of parabolas over pairs of distances."""
    first = h / 3 + k / 6 - k * k / (6 * h)
    third = k / 3 + h / 6 - h * h / (6 * k)
    middle = (h + k) ** 3 / (6 * h * k)
    return interleaved(padded(first, 0, 1) + padded(third, 1, 0), middle)


def last_weights(h):
    """The weights of the last interval, which touch the last three samples."""
    n = np.shape(h)[-1]
    h, k = h[..., -2:-1], h[..., -1:]
    third = -(k**3) / (6 * h * (h + k))
    second = k / 2 + k * k / (6 * h)
    first = (2 * k * k + 3 * h * k) / (6 * (h + k))
    return padded(np.concatenate([third, second, first], axis=-1), n - 2, 0)


def simpson_weights_pullback(h, dw):
    """The cotangent of the distances from that of the weights."""
    n = np.shape(h)[-1]
    if n == 1:
        return 0.5 * (dw[..., :1] + dw[..., 1:])
    m = n - n % 2
    dinner = parabola_pullback(h[..., 0:m:2], h[..., 1:m:2], dw[..., : m + 1])
    return dinner if n % 2 == 0 else padded(dinner, 0, 1) + last_pullback(h, dw)


def parabola_pullback(h, k, dw):
    """The cotangents of pairs of distances, interleaved."""
    d0, d1, d2 = dw[..., 0:-2:2], dw[..., 1:-1:2], dw[..., 2::2]
    middle = (h + k) ** 3 / (6 * h * k)
    dh = d0 * (1 / 3 + k * k / (6 * h * h)) + d2 * (1 / 6 - h / (3 * k))
    dk = d2 * (1 / 3 + h * h / (6 * k * k)) + d0 * (1 / 6 - k / (3 * h))
    dh = dh + d1 * middle * (3 / (h + k) - 1 / h)
    dk = dk + d1 * middle * (3 / (h + k) - 1 / k)
    return interleaved(padded(dh, 0, 1), dk)[..., :-1]


def last_pullback(h, dw):
    """The cotangents of the distances from the weights of the last interval."""
    n = np.shape(h)[-1]
    h, k = h[..., -2:-1], h[..., -1:]
    d3, d2, d1 = dw[..., -3:-2], dw[..., -2:-1], dw[..., -1:]
    third = -(k**3) / (6 * h * (h + k))
    first = (2 * k * k + 3 * h * k) / (6 * (h + k))
    dh = -d3 * third * (1 / h + 1 / (h + k)) - d2 * k * k / (6 * h * h)
    dk = d3 * third * (3 / k - 1 / (h + k)) + d2 * (0.5 + k / (3 * h))
    dh = dh + d1 * (k / 2 - first) / (h + k)
    dk = dk + d1 * (2 * k / 3 + h / 2 - first) / (h + k)
    return padded(np.concatenate([dh, dk], axis=-1), n - 2, 0)


@simpson.vjp
def simpson_vjp(z, y, x, step, axis, *, dz):
    values = last(y, axis)
    darea = np.expand_dims(dz, -1)
    if x is None:
        weights = simpson_weights(np.ones_like(values[..., 1:]))
        dy = restored(step * darea * weights, axis)
        return dy, 0.0, np.sum(dz * np.sum(weights * values, axis=-1))
    h = spacing(x, step, axis)
    weights = simpson_weights(h) * np.ones_like(values)
    dh = simpson_weights_pullback(h, darea * values)
    return restored(darea * weights, axis), sample_cotangent(dh, x, axis), 0.0


@simpson.jvp
def simpson_jvp(z, y, x, step, axis, *, dy, dx, ddx):
    if x is None:
        left = integrate.simpson(dy, dx=step, axis=axis)
        return left + ddx * integrate.simpson(y, axis=axis)
    values = last(y, axis)
    dh = simpson_weights_pullback(spacing(x, step, axis), values) * spacing(dx, 0, axis)
    return integrate.simpson(dy, x, axis=axis) + np.sum(dh, axis=-1)


REFUSED = {
    integrate.romb: "romb has no rule; use scipy.integrate.simpson",
    integrate.cumulative_simpson: "cumulative_simpson has no rule; use "
    "scipy.integrate.cumulative_trapezoid",
}
for _target, _reason in REFUSED.items():
    primitive(_target, refusal=_reason)(_target)
