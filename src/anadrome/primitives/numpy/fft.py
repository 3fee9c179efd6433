"""Discrete Fourier transforms.

All are linear, and the matrix of `fft` is symmetric: the reverse rule is the same
transform, cut or filled up to the length of the input. A transform to real numbers
counts most frequencies twice, once for the half that is not stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.primitives.helpers import along
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.result_types import real_transform_type
from anadrome.primitives.sampling import complex_normal


def fit_length(x: Any, n: int, axis: int) -> Any:
    """`x` cut or filled up with zeros to n entries along an axis."""
    if np.shape(x)[axis] == n:
        return x
    if np.shape(x)[axis] > n:
        return x[along(axis, np.ndim(x), slice(n))]
    return np.pad(x, end_padding(np.shape(x), n, axis))


def fit_shape(x: Any, shape: Any, axes: Any) -> Any:
    """`x` cut or filled up with zeros to a shape along some axes."""
    for axis in axes:
        x = fit_length(x, shape[axis], axis)
    return x


@nondifferentiable
def end_padding(shape: tuple[int, ...], n: int, axis: int) -> list[tuple[int, int]]:
    """How much to add at the end of each axis so that one gets n entries."""
    widths = [(0, 0)] * len(shape)
    widths[axis] = (0, n - shape[axis])
    return widths


@nondifferentiable
def length_of(n: int | None, shape: tuple[int, ...], axis: int) -> int:
    """The length of a transform."""
    return shape[axis] if n is None else n


@nondifferentiable
def transform_axes(s: Any, axes: Any, ndim: int) -> tuple[int, ...]:
    """The axes of a transform along several."""
    if axes is not None:
        return tuple(axes)
    return tuple(range(ndim)) if s is None else tuple(range(ndim - len(s), ndim))


@nondifferentiable
def transform_lengths(s: Any, axes: Any, shape: tuple[int, ...]) -> list[int]:
    """The lengths of a transform along several axes."""
    axes = transform_axes(s, axes, len(shape))
    given = [None] * len(axes) if s is None else s
    return [shape[a] if n in (None, -1) else n for n, a in zip(given, axes)]


@nondifferentiable
def opposite_norm(norm: str | None) -> str:
    """The normalisation under which the inverse transform scales as this one does."""
    return {"forward": "backward", "ortho": "ortho"}.get(norm or "backward", "forward")


@nondifferentiable
def multiplicities(n: int, axis: int, ndim: int, dtype: Any) -> Any:
    """How often each stored frequency occurs among all n, laid along an axis."""
    counts = np.full(n // 2 + 1, 2)
    counts[0] = 1
    if n % 2 == 0:
        counts[-1] = 1
    shape = [1] * ndim
    shape[axis] = -1
    return counts.reshape(shape).astype(np.zeros(0, dtype).real.dtype)


def complex_samples(rng: np.random.Generator) -> list[Any]:
    """Whole, cut and filled transforms of complex and real input."""
    return [
        (complex_normal(rng, 6),),
        (rng.normal(size=5),),
        (complex_normal(rng, 6), 4),
        (complex_normal(rng, 3), 5),
        (complex_normal(rng, 3, 4), None, 0),
        call(complex_normal(rng, 3, 4), axis=-1, norm="ortho"),
        call(complex_normal(rng, 3, 4), n=6, axis=1, norm="forward"),
    ]


def real_samples(rng: np.random.Generator) -> list[Any]:
    """Whole, cut and filled transforms of real input, of even and odd length."""
    return [
        (rng.normal(size=6),),
        (rng.normal(size=5),),
        (rng.normal(size=6), 4),
        (rng.normal(size=3), 5),
        (rng.normal(size=(3, 4)), None, 0),
        call(rng.normal(size=(3, 4)), axis=-1, norm="ortho"),
        call(rng.normal(size=(3, 4)), n=6, axis=1, norm="forward"),
    ]


def planes(make: Any) -> Any:
    """Samples of transforms along several axes."""

    def samples(rng: np.random.Generator) -> list[Any]:
        return [
            (make(rng, 3, 4),),
            (make(rng, 2, 3, 4), (2, 5), (1, 2)),
            call(make(rng, 2, 3, 4), axes=(0, 1)),
            call(make(rng, 3, 4), s=(4, 3), axes=(0, 1), norm="ortho"),
            call(make(rng, 3, 5), norm="forward"),
        ]

    return samples


def real_normal(rng: np.random.Generator, *shape: int) -> Any:
    """A real array of normal numbers."""
    return rng.normal(size=shape)


# --- along one axis ----------------------------------------------------------------


@primitive(np.fft.fft, linear=("a",), samples=complex_samples)
def fft(a, n=None, axis=-1, norm=None):
    """Discrete Fourier transform."""


@fft.vjp
def fft_vjp(z, a, n, axis, norm, *, dz):
    return fit_length(np.fft.fft(dz, axis=axis, norm=norm), np.shape(a)[axis], axis)


@fft.jvp
def fft_jvp(z, a, n, axis, norm, *, da):
    return np.fft.fft(da, n, axis, norm)


@primitive(np.fft.ifft, linear=("a",), samples=complex_samples)
def ifft(a, n=None, axis=-1, norm=None):
    """Inverse discrete Fourier transform."""


@ifft.vjp
def ifft_vjp(z, a, n, axis, norm, *, dz):
    return fit_length(np.fft.ifft(dz, axis=axis, norm=norm), np.shape(a)[axis], axis)


@ifft.jvp
def ifft_jvp(z, a, n, axis, norm, *, da):
    return np.fft.ifft(da, n, axis, norm)


@primitive(np.fft.rfft, linear=("a",), samples=real_samples)
def rfft(a, n=None, axis=-1, norm=None):
    """Discrete Fourier transform of real input: the frequencies from 0 up."""


@rfft.vjp
def rfft_vjp(z, a, n, axis, norm, *, dz):
    whole = np.fft.fft(dz, length_of(n, np.shape(a), axis), axis, norm)
    return fit_length(np.real(whole), np.shape(a)[axis], axis)


@rfft.jvp
def rfft_jvp(z, a, n, axis, norm, *, da):
    return np.fft.rfft(da, n, axis, norm)


def doubled(x: Any, n: int, axis: int) -> Any:
    """`x` times the number of times that each stored frequency occurs."""
    return x * multiplicities(n, axis, np.ndim(x), np.result_type(x))


@primitive(np.fft.irfft, infer=real_transform_type, samples=complex_samples)
def irfft(a, n=None, axis=-1, norm=None):
    """Inverse of `rfft`."""


@irfft.vjp
def irfft_vjp(z, a, n, axis, norm, *, dz):
    length = np.shape(z)[axis]
    half = np.conj(np.fft.rfft(dz, length, axis, opposite_norm(norm)))
    return fit_length(doubled(half, length, axis), np.shape(a)[axis], axis)


@irfft.jvp
def irfft_jvp(z, a, n, axis, norm, *, da):
    return np.fft.irfft(da, n, axis, norm)


@primitive(np.fft.hfft, infer=real_transform_type, samples=complex_samples)
def hfft(a, n=None, axis=-1, norm=None):
    """Discrete Fourier transform of input with Hermitian symmetry."""


@hfft.vjp
def hfft_vjp(z, a, n, axis, norm, *, dz):
    length = np.shape(z)[axis]
    half = np.fft.rfft(dz, length, axis, norm)
    return fit_length(doubled(half, length, axis), np.shape(a)[axis], axis)


@hfft.jvp
def hfft_jvp(z, a, n, axis, norm, *, da):
    return np.fft.hfft(da, n, axis, norm)


@primitive(np.fft.ihfft, samples=real_samples)
def ihfft(a, n=None, axis=-1, norm=None):
    """Inverse of `hfft`."""


@ihfft.vjp
def ihfft_vjp(z, a, n, axis, norm, *, dz):
    length = length_of(n, np.shape(a), axis)
    whole = np.fft.fft(np.conj(dz), length, axis, opposite_norm(norm))
    return fit_length(np.real(whole), np.shape(a)[axis], axis)


@ihfft.jvp
def ihfft_jvp(z, a, n, axis, norm, *, da):
    return np.fft.ihfft(da, n, axis, norm)


# --- along several axes ------------------------------------------------------------


def fftn_cotangent(a: Any, s: Any, axes: Any, norm: Any, dz: Any) -> Any:
    """The cotangent for `fftn`."""
    own = transform_axes(s, axes, np.ndim(a))
    return fit_shape(np.fft.fftn(dz, axes=own, norm=norm), np.shape(a), own)


def ifftn_cotangent(a: Any, s: Any, axes: Any, norm: Any, dz: Any) -> Any:
    """The cotangent for `ifftn`."""
    own = transform_axes(s, axes, np.ndim(a))
    return fit_shape(np.fft.ifftn(dz, axes=own, norm=norm), np.shape(a), own)


def rfftn_cotangent(a: Any, s: Any, axes: Any, norm: Any, dz: Any) -> Any:
    """The cotangent for `rfftn`."""
    own = transform_axes(s, axes, np.ndim(a))
    lengths = transform_lengths(s, axes, np.shape(a))
    whole = np.fft.fftn(dz, s=lengths, axes=own, norm=norm)
    return fit_shape(np.real(whole), np.shape(a), own)


def irfftn_cotangent(z: Any, a: Any, s: Any, axes: Any, norm: Any, dz: Any) -> Any:
    """The cotangent for `irfftn`."""
    own = transform_axes(s, axes, np.ndim(a))
    half = np.conj(np.fft.rfftn(dz, axes=own, norm=opposite_norm(norm)))
    return fit_shape(doubled(half, np.shape(z)[own[-1]], own[-1]), np.shape(a), own)


@primitive(np.fft.fft2, linear=("a",), samples=planes(complex_normal))
def fft2(a, s=None, axes=(-2, -1), norm=None):
    """Discrete Fourier transform along two axes."""


@fft2.vjp
def fft2_vjp(z, a, s, axes, norm, *, dz):
    return fftn_cotangent(a, s, axes, norm, dz)


@fft2.jvp
def fft2_jvp(z, a, s, axes, norm, *, da):
    return np.fft.fft2(da, s, axes, norm)


@primitive(np.fft.fftn, linear=("a",), samples=planes(complex_normal))
def fftn(a, s=None, axes=None, norm=None):
    """Discrete Fourier transform along several axes."""


@fftn.vjp
def fftn_vjp(z, a, s, axes, norm, *, dz):
    return fftn_cotangent(a, s, axes, norm, dz)


@fftn.jvp
def fftn_jvp(z, a, s, axes, norm, *, da):
    return np.fft.fftn(da, s, axes, norm)


@primitive(np.fft.ifft2, linear=("a",), samples=planes(complex_normal))
def ifft2(a, s=None, axes=(-2, -1), norm=None):
    """Inverse discrete Fourier transform along two axes."""


@ifft2.vjp
def ifft2_vjp(z, a, s, axes, norm, *, dz):
    return ifftn_cotangent(a, s, axes, norm, dz)


@ifft2.jvp
def ifft2_jvp(z, a, s, axes, norm, *, da):
    return np.fft.ifft2(da, s, axes, norm)


@primitive(np.fft.ifftn, linear=("a",), samples=planes(complex_normal))
def ifftn(a, s=None, axes=None, norm=None):
    """Inverse discrete Fourier transform along several axes."""


@ifftn.vjp
def ifftn_vjp(z, a, s, axes, norm, *, dz):
    return ifftn_cotangent(a, s, axes, norm, dz)


@ifftn.jvp
def ifftn_jvp(z, a, s, axes, norm, *, da):
    return np.fft.ifftn(da, s, axes, norm)


@primitive(np.fft.rfft2, linear=("a",), samples=planes(real_normal))
def rfft2(a, s=None, axes=(-2, -1), norm=None):
    """`rfft` along the last of two axes, `fft` along the other."""


@rfft2.vjp
def rfft2_vjp(z, a, s, axes, norm, *, dz):
    return rfftn_cotangent(a, s, axes, norm, dz)


@rfft2.jvp
def rfft2_jvp(z, a, s, axes, norm, *, da):
    return np.fft.rfft2(da, s, axes, norm)


@primitive(np.fft.rfftn, linear=("a",), samples=planes(real_normal))
def rfftn(a, s=None, axes=None, norm=None):
    """`rfft` along the last of several axes, `fft` along the others."""


@rfftn.vjp
def rfftn_vjp(z, a, s, axes, norm, *, dz):
    return rfftn_cotangent(a, s, axes, norm, dz)


@rfftn.jvp
def rfftn_jvp(z, a, s, axes, norm, *, da):
    return np.fft.rfftn(da, s, axes, norm)


@primitive(np.fft.irfft2, infer=real_transform_type, samples=planes(complex_normal))
def irfft2(a, s=None, axes=(-2, -1), norm=None):
    """Inverse of `rfft2`."""


@irfft2.vjp
def irfft2_vjp(z, a, s, axes, norm, *, dz):
    return irfftn_cotangent(z, a, s, axes, norm, dz)


@irfft2.jvp
def irfft2_jvp(z, a, s, axes, norm, *, da):
    return np.fft.irfft2(da, s, axes, norm)


@primitive(np.fft.irfftn, infer=real_transform_type, samples=planes(complex_normal))
def irfftn(a, s=None, axes=None, norm=None):
    """Inverse of `rfftn`."""


@irfftn.vjp
def irfftn_vjp(z, a, s, axes, norm, *, dz):
    return irfftn_cotangent(z, a, s, axes, norm, dz)


@irfftn.jvp
def irfftn_jvp(z, a, s, axes, norm, *, da):
    return np.fft.irfftn(da, s, axes, norm)


# --- frequencies -------------------------------------------------------------------


def shift_samples(rng: np.random.Generator) -> list[Any]:
    """Even and odd lengths, along all or some axes."""
    return [
        (rng.normal(size=5),),
        (rng.normal(size=(3, 4)),),
        (complex_normal(rng, 3, 4), 0),
        call(rng.normal(size=(3, 5)), axes=(0, 1)),
    ]


@primitive(np.fft.fftshift, linear=("x",), samples=shift_samples)
def fftshift(x, axes=None):
    """`x` with the frequency 0 moved to the middle."""


@fftshift.vjp
def fftshift_vjp(z, x, axes, *, dz):
    return np.fft.ifftshift(dz, axes)


@fftshift.jvp
def fftshift_jvp(z, x, axes, *, dx):
    return np.fft.fftshift(dx, axes)


@primitive(np.fft.ifftshift, linear=("x",), samples=shift_samples)
def ifftshift(x, axes=None):
    """`fftshift` undone."""


@ifftshift.vjp
def ifftshift_vjp(z, x, axes, *, dz):
    return np.fft.fftshift(dz, axes)


@ifftshift.jvp
def ifftshift_jvp(z, x, axes, *, dx):
    return np.fft.ifftshift(dx, axes)


@primitive(np.fft.fftfreq, samples=lambda rng: [(5, 0.3), (4, 1.5)])
def fftfreq(n, d=1.0):
    """The frequencies of `fft` at a sample spacing d."""


@primitive(np.fft.rfftfreq, samples=lambda rng: [(5, 0.3), (4, 1.5)])
def rfftfreq(n, d=1.0):
    """The frequencies of `rfft` at a sample spacing d."""


@fftfreq.vjp
@rfftfreq.vjp
def frequencies_vjp(z, n, d, *, dz):
    return -np.sum(dz * z) / d


@fftfreq.jvp
@rfftfreq.jvp
def frequencies_jvp(z, n, d, *, dd):
    return -z * dd / d
