"""scipy.signal: convolution, correlation and linear filters."""

from __future__ import annotations

import numpy as np
from scipy import signal

from anadrome.errors import NotDifferentiable
from anadrome.primitives.helpers import sum_to_shape
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.sampling import complex_normal

# The product of each pair of entries lands in one entry of the full convolution, of
# which the modes "same" and "valid" keep the middle. So the rules put a cotangent back
# into the full shape, and slide the other operand, reversed, over it.


@nondifferentiable
def margins(shape1, shape2, mode, axes=None):
    """How much of the full convolution a mode cuts off on each side of each axis."""
    ndim = len(shape1)
    cut = [(0, 0)] * ndim
    for axis in range(ndim) if axes is None else np.atleast_1d(axes) % ndim:
        m, n = shape1[axis], shape2[axis]
        full = m + n - 1
        kept = {"full": full, "same": m, "valid": abs(m - n) + 1}[mode]
        start = (full - kept) // 2
        cut[axis] = (start, full - kept - start)
    return cut


@nondifferentiable
def opposite_margins(shape1, shape2, mode):
    """The same, where an odd remainder is cut off in front."""
    return [(after, before) for before, after in margins(shape1, shape2, mode)]


def pair_samples(*options):
    """Samples of a function of two arrays, with each of some options."""

    def make(rng):
        long, short = rng.normal(size=6), rng.normal(size=3)
        wide, even = rng.normal(size=(4, 5)), rng.normal(size=(2, 3))
        pairs = [(long, short), (short, long), (wide, even)]
        modes = ("full", "same", "valid")
        return [
            call(a, b, mode=mode, **kwargs)
            for a, b in pairs
            for mode in modes
            for kwargs in options
        ] + [call(complex_normal(rng, 5), complex_normal(rng, 3), mode="same")]

    return make


def matrix_samples(rng):
    """Samples of a function of two matrices."""
    wide, even = rng.normal(size=(4, 5)), rng.normal(size=(2, 3))
    return [
        call(a, b, mode=mode)
        for a, b in ((wide, even), (even, wide))
        for mode in ("full", "same", "valid")
    ]


# ----------------------------------------------------------------------- convolution


@primitive(
    signal.convolve, samples=pair_samples({}, {"method": "direct"}, {"method": "fft"})
)
def convolve(in1, in2, mode="full", method="auto"):
    """The discrete convolution of two arrays."""


@convolve.vjp
def convolve_vjp(z, in1, in2, mode, method, *, dz):
    dfull = np.pad(dz, margins(np.shape(in1), np.shape(in2), mode))
    din1 = signal.convolve(dfull, np.flip(in2), "valid", method)
    din2 = signal.convolve(dfull, np.flip(in1), "valid", method)
    return din1, din2


@convolve.jvp
def convolve_jvp(z, in1, in2, mode, method, *, din1, din2):
    left = signal.convolve(din1, in2, mode, method)
    return left + signal.convolve(in1, din2, mode, method)


@primitive(signal.correlate, samples=pair_samples({}, {"method": "fft"}))
def correlate(in1, in2, mode="full", method="auto"):
    """The cross-correlation of two arrays; the second one is conjugated."""


@correlate.vjp
def correlate_vjp(z, in1, in2, mode, method, *, dz):
    dfull = np.pad(dz, margins(np.shape(in1), np.shape(in2), mode))
    din1 = signal.convolve(dfull, np.conj(in2), "valid", method)
    din2 = signal.convolve(dfull, np.flip(in1), "valid", method)
    return din1, np.conj(np.flip(din2))


@correlate.jvp
def correlate_jvp(z, in1, in2, mode, method, *, din1, din2):
    left = signal.correlate(din1, in2, mode, method)
    return left + signal.correlate(in1, din2, mode, method)


def declare_fast_convolution(target):
    """Declare a convolution by Fourier transforms, along some axes."""

    def declaration(in1, in2, mode="full", axes=None):
        """The convolution of two arrays by fast Fourier transforms."""

    declaration.__name__ = target.__name__
    made = primitive(
        target,
        samples=lambda rng: [
            *pair_samples({})(rng),
            call(rng.normal(size=(3, 5)), rng.normal(size=(3, 2)), axes=1),
            call(rng.normal(size=(3, 5)), rng.normal(size=(1, 2)), "same", axes=-1),
            call(rng.normal(size=(1, 5)), rng.normal(size=(3, 2)), "valid", axes=[1]),
        ],
    )(declaration)

    @made.vjp
    def vjp(z, in1, in2, mode, axes, *, dz):
        dfull = np.pad(dz, margins(np.shape(in1), np.shape(in2), mode, axes))
        din1 = target(dfull, np.flip(in2, axes), "valid", axes)
        din2 = target(dfull, np.flip(in1, axes), "valid", axes)
        return sum_to_shape(din1, np.shape(in1)), sum_to_shape(din2, np.shape(in2))

    @made.jvp
    def jvp(z, in1, in2, mode, axes, *, din1, din2):
        return target(din1, in2, mode, axes) + target(in1, din2, mode, axes)

    return made


fftconvolve = declare_fast_convolution(signal.fftconvolve)
oaconvolve = declare_fast_convolution(signal.oaconvolve)


@nondifferentiable
def require_zero_boundary(boundary, fillvalue):
    """Refuse convolutions that look beyond the edges of an image."""
    if boundary != "fill" or fillvalue != 0:
        raise NotDifferentiable(
            f"convolution with boundary={boundary!r}, fillvalue={fillvalue!r} has no "
            "derivative here",
            help='extend the array with np.pad, and convolve it with mode="valid"',
        )


@primitive(signal.convolve2d, samples=matrix_samples)
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The convolution of two matrices."""


@convolve2d.vjp
def convolve2d_vjp(z, in1, in2, mode, boundary, fillvalue, *, dz):
    require_zero_boundary(boundary, fillvalue)
    dfull = np.pad(dz, margins(np.shape(in1), np.shape(in2), mode))
    din1 = signal.convolve2d(dfull, np.flip(in2), "valid")
    din2 = signal.convolve2d(dfull, np.flip(in1), "valid")
    return din1, din2


@convolve2d.jvp
def convolve2d_jvp(z, in1, in2, mode, boundary, fillvalue, *, din1, din2):
    require_zero_boundary(boundary, fillvalue)
    return signal.convolve2d(din1, in2, mode) + signal.convolve2d(in1, din2, mode)


@primitive(signal.correlate2d, samples=matrix_samples)
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The cross-correlation of two matrices; the second one is conjugated."""


@correlate2d.vjp
def correlate2d_vjp(z, in1, in2, mode, boundary, fillvalue, *, dz):
    require_zero_boundary(boundary, fillvalue)
    dfull = np.pad(dz, opposite_margins(np.shape(in1), np.shape(in2), mode))
    din1 = signal.convolve2d(dfull, np.conj(in2), "valid")
    din2 = signal.convolve2d(dfull, np.flip(in1), "valid")
    return din1, np.conj(np.flip(din2))


@correlate2d.jvp
def correlate2d_jvp(z, in1, in2, mode, boundary, fillvalue, *, din1, din2):
    require_zero_boundary(boundary, fillvalue)
    return signal.correlate2d(din1, in2, mode) + signal.correlate2d(in1, din2, mode)


# --------------------------------------------------------------------------- filters


@nondifferentiable
def require_rest(zi):
    """Refuse filters that start from a given state."""
    if zi is not None:
        raise NotDifferentiable(
            "lfilter with an initial state has no derivative here",
            help="leave zi=None and filter the whole signal at once, or write the "
            "recurrence as a loop",
        )


@primitive(
    signal.lfilter,
    samples=lambda rng: [
        call(rng.normal(size=3), np.array([1.0, -0.4, 0.2]), rng.normal(size=7)),
        call(rng.normal(size=2), np.array([2.0, 0.5]), rng.normal(size=(2, 5))),
        call(rng.normal(size=4), np.array([1.5]), rng.normal(size=(5, 2)), axis=0),
        call(rng.normal(size=1), np.array([1.5, 0.2, 0.3]), rng.normal(size=2)),
    ],
)
def lfilter(b, a, x, axis=-1, zi=None):
    """The output y of the linear filter a * y = b * x along an axis."""


def lagged_products(x, y, lags):
    """Σ x[n] y[n - k] over all signals, for k = 0, 1, …, lags - 1."""
    n = np.shape(x)[-1]
    return np.stack([np.sum(x[..., k:] * y[..., : max(n - k, 0)]) for k in range(lags)])


@lfilter.vjp
def lfilter_vjp(z, b, a, x, axis, zi, *, dz):
    require_rest(zi)
    dx = np.flip(signal.lfilter(b, a, np.flip(dz, axis), axis), axis)
    # A dy = dB x - dA y: in each coefficient y changes by what 1/A makes of a lagged
    # signal, and 1/A can be applied to the cotangent instead.
    one = np.ones_like(b[:1])
    back = np.flip(signal.lfilter(one, a, np.flip(dz, axis), axis), axis)
    back = np.moveaxis(back, axis, -1)
    db = lagged_products(back, np.moveaxis(x, axis, -1), np.shape(b)[0])
    da = -lagged_products(back, np.moveaxis(z, axis, -1), np.shape(a)[0])
    return db, da, dx


@lfilter.jvp
def lfilter_jvp(z, b, a, x, axis, zi, *, db, da, dx):
    require_rest(zi)
    change = signal.lfilter(db, a, x, axis) - signal.lfilter(da, a, z, axis)
    return change + signal.lfilter(b, a, dx, axis)


@primitive(
    signal.detrend,
    samples=lambda rng: [
        call(rng.normal(size=6)),
        call(rng.normal(size=(5, 2)), axis=0, type="constant"),
        call(rng.normal(size=(2, 6)), bp=3),
    ],
)
def detrend(data, axis=-1, type="linear", bp=0):
    """The data without their mean or linear trend: an orthogonal projection."""


@detrend.vjp
def detrend_vjp(z, data, axis, type, bp, *, dz):
    return signal.detrend(dz, axis, type, bp)


@detrend.jvp
def detrend_jvp(z, data, axis, type, bp, *, ddata):
    return signal.detrend(ddata, axis, type, bp)


REFUSED = {
    signal.sosfilt: "sosfilt has no rule; use scipy.signal.lfilter for each section",
    signal.filtfilt: "filtfilt has no rule; use scipy.signal.lfilter twice, with "
    "np.flip between",
    signal.savgol_filter: "savgol_filter has no rule; use np.convolve with "
    "scipy.signal.savgol_coeffs",
    signal.hilbert: "hilbert has no rule; use np.fft",
}
for _target, _reason in REFUSED.items():
    primitive(_target, refusal=_reason)(_target)
