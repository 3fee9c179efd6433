"""Products of vectors, matrices and tensors.

All of them are linear in each argument, so every forward rule is the product rule,
and every reverse rule multiplies the cotangent by the other argument.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.primitives.helpers import axes_between, restore_axes, sum_to_shape
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.sampling import complex_normal


def pairs_of(shapes: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> Any:
    """Samples with arrays of each pair of shapes, complex ones for the last."""

    def make(rng: np.random.Generator) -> list[Any]:
        made = [(rng.normal(size=s), rng.normal(size=t)) for s, t in shapes]
        s, t = shapes[-1]
        made.append((complex_normal(rng, *s), complex_normal(rng, *t)))
        made.append((rng.normal(size=s), complex_normal(rng, *t)))
        return made

    return make


# --- matmul ------------------------------------------------------------------------


@primitive(
    np.matmul,
    np.linalg.matmul,
    operator.matmul,
    samples=pairs_of(
        [
            ((3,), (3,)),
            ((3,), (3, 2)),
            ((2, 3), (3,)),
            ((4, 2, 3), (3,)),
            ((3,), (4, 3, 2)),
            ((4, 2, 3), (3, 5)),
            ((2, 3), (4, 3, 5)),
            ((4, 1, 2, 3), (6, 3, 5)),
            ((0, 3), (3, 2)),
            ((2, 3), (3, 4)),
        ]
    ),
)
def matmul(x1, x2):
    """`x1 @ x2`."""


@matmul.vjp
def matmul_vjp(z, x1, x2, *, dz):
    if np.ndim(x1) == 2 and np.ndim(x2) == 2:
        return dz @ x2.T, x1.T @ dz
    if np.ndim(x1) == 1 and np.ndim(x2) == 1:
        return dz * x2, dz * x1
    if np.ndim(x1) == 1 and np.ndim(x2) == 2:
        return x2 @ dz, np.outer(x1, dz)
    if np.ndim(x1) == 2 and np.ndim(x2) == 1:
        return np.outer(dz, x2), dz @ x1
    if np.ndim(x2) == 2:
        batch = axes_between(0, np.ndim(x1) - 1)
        return dz @ x2.T, np.tensordot(x1, dz, (batch, batch))
    if np.ndim(x1) == 1:
        columns = np.expand_dims(dz, -1)
        dx1 = np.squeeze(x2 @ columns, -1)
        dx2 = np.expand_dims(x1, -1) * np.expand_dims(dz, -2)
        return sum_to_shape(dx1, np.shape(x1)), dx2
    if np.ndim(x2) == 1:
        dx1 = np.expand_dims(dz, -1) * x2
        return dx1, np.tensordot(dz, x1, np.ndim(dz))
    return (
        sum_to_shape(dz @ np.swapaxes(x2, -1, -2), np.shape(x1)),
        sum_to_shape(np.swapaxes(x1, -1, -2) @ dz, np.shape(x2)),
    )


@matmul.jvp
def matmul_jvp(z, x1, x2, *, dx1, dx2):
    return dx1 @ x2 + x1 @ dx2


# --- dot, inner, outer, tensordot --------------------------------------------------


@primitive(
    np.dot,
    methods=("dot",),
    samples=pairs_of(
        [
            ((), ()),
            ((), (2, 3)),
            ((2, 3), ()),
            ((3,), (3,)),
            ((3,), (3, 2)),
            ((2, 3), (3,)),
            ((4, 2, 3), (3,)),
            ((4, 2, 3), (5, 3, 6)),
            ((3,), (5, 3, 6)),
            ((2, 3), (3, 4)),
        ]
    ),
)
def dot(a, b):
    """Sum over the last axis of `a` and the last but one of `b`."""


@dot.vjp
def dot_vjp(z, a, b, *, dz):
    if np.ndim(a) == 2 and np.ndim(b) == 2:
        return dz @ b.T, a.T @ dz
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return sum_to_shape(dz * b, np.shape(a)), sum_to_shape(dz * a, np.shape(b))
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return dz * b, dz * a
    if np.ndim(a) == 2 and np.ndim(b) == 1:
        return np.outer(dz, b), dz @ a
    if np.ndim(b) == 1:
        return np.multiply.outer(dz, b), np.tensordot(dz, a, np.ndim(dz))
    kept = (*axes_between(0, np.ndim(b) - 2), np.ndim(b) - 1)
    theirs = axes_between(np.ndim(a) - 1, np.ndim(dz))
    ours = axes_between(0, np.ndim(a) - 1)
    da = np.tensordot(dz, b, (theirs, kept))
    db = np.tensordot(a, dz, (ours, ours))
    return da, np.moveaxis(db, 0, -2)


@dot.jvp
def dot_jvp(z, a, b, *, da, db):
    return np.dot(da, b) + np.dot(a, db)


@primitive(
    np.inner,
    samples=pairs_of(
        [
            ((), (2, 3)),
            ((2, 3), ()),
            ((3,), (3,)),
            ((2, 3), (3,)),
            ((3,), (2, 3)),
            ((4, 2, 3), (5, 3)),
        ]
    ),
)
def inner(a, b):
    """Sum over the last axes of `a` and `b`."""


@inner.vjp
def inner_vjp(z, a, b, *, dz):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return sum_to_shape(dz * b, np.shape(a)), sum_to_shape(dz * a, np.shape(b))
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return dz * b, dz * a
    ours = axes_between(0, np.ndim(a) - 1)
    return np.tensordot(dz, b, np.ndim(b) - 1), np.tensordot(dz, a, (ours, ours))


@inner.jvp
def inner_jvp(z, a, b, *, da, db):
    return np.inner(da, b) + np.inner(a, db)


@primitive(
    np.outer,
    np.linalg.outer,
    samples=pairs_of([((), ()), ((3,), (4,)), ((3,), ()), ((4,), (2,))]),
)
def outer(a, b):
    """All products of an entry of `a` and an entry of `b`."""


@outer.vjp
def outer_vjp(z, a, b, *, dz):
    da = dz @ np.ravel(b)
    db = np.ravel(a) @ dz
    return np.reshape(da, np.shape(a)), np.reshape(db, np.shape(b))


@outer.jvp
def outer_jvp(z, a, b, *, da, db):
    return np.outer(da, b) + np.outer(a, db)


@primitive(
    np.tensordot,
    np.linalg.tensordot,
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 4)), rng.normal(size=(3, 4, 5))),
        (rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), 1),
        (rng.normal(size=2), rng.normal(size=3), 0),
        (rng.normal(size=(2, 3, 4)), rng.normal(size=(5, 4, 2)), ([0, 2], [2, 1])),
        call(rng.normal(size=(2, 3)), rng.normal(size=(4, 3)), axes=(-1, -1)),
        (complex_normal(rng, 2, 3), complex_normal(rng, 3, 2), ((1, 0), (0, 1))),
    ],
)
def tensordot(a, b, axes=2):
    """Sum over pairs of axes."""


@nondifferentiable
def summed_axes(axes: Any, ndim: int, of_second: bool) -> tuple[int, ...]:
    """The axes of one argument of `tensordot` that are summed over."""
    if not isinstance(axes, Sequence):
        return tuple(range(axes) if of_second else range(ndim - axes, ndim))
    own = axes[1] if of_second else axes[0]
    own = own if isinstance(own, Sequence) else (own,)
    return tuple(int(i) % ndim for i in own)


@nondifferentiable
def tensordot_back(axes: Any, ndim: int, other: int, of_second: bool) -> Any:
    """How to find the cotangent of one argument of `tensordot`.

    The pairs of axes over which to sum the output's cotangent and the other argument,
    and the transposition that puts the axes of the result in their places.
    """
    own = summed_axes(axes, ndim, of_second)
    theirs = summed_axes(axes, other, not of_second)
    kept = [i for i in range(ndim) if i not in own]
    rest = tuple(i for i in range(other) if i not in theirs)
    start = 0 if of_second else len(kept)
    # Behind the kept axes come the summed ones, in the other argument's order.
    order = sorted(range(len(theirs)), key=lambda i: theirs[i])
    found = [*kept, *(own[i] for i in order)]
    pairs = (tuple(range(start, start + len(rest))), rest)
    return pairs, tuple(found.index(i) for i in range(ndim))


@nondifferentiable
def check_summed(axes: Any, a: Any, b: Any) -> None:
    """Refuse arrays whose axes, all of which are summed over, are not equally long."""
    ours, theirs = (summed_axes(axes, np.ndim(x), k) for k, x in enumerate((a, b)))
    if [np.shape(a)[i] for i in ours] != [np.shape(b)[i] for i in theirs]:
        raise ValueError("shape-mismatch for sum")


@tensordot.vjp
def tensordot_vjp(z, a, b, axes, *, dz):
    if np.ndim(dz) == 0:
        check_summed(axes, a, b)
    over_b, place_a = tensordot_back(axes, np.ndim(a), np.ndim(b), False)
    over_a, place_b = tensordot_back(axes, np.ndim(b), np.ndim(a), True)
    return (
        np.transpose(np.tensordot(dz, b, over_b), place_a),
        np.transpose(np.tensordot(dz, a, over_a), place_b),
    )


@tensordot.jvp
def tensordot_jvp(z, a, b, axes, *, da, db):
    return np.tensordot(da, b, axes) + np.tensordot(a, db, axes)


# --- products of vectors -----------------------------------------------------------


@primitive(
    np.vdot, samples=pairs_of([((3,), (3,)), ((2, 3), (2, 3)), ((2, 2), (2, 2))])
)
def vdot(a, b):
    """Sum of the products of all entries, those of `a` conjugated."""


@vdot.vjp
def vdot_vjp(z, a, b, *, dz):
    da = np.conj(dz * np.ravel(b))
    db = dz * np.conj(np.ravel(a))
    return np.reshape(da, np.shape(a)), np.reshape(db, np.shape(b))


@vdot.jvp
def vdot_jvp(z, a, b, *, da, db):
    return np.vdot(da, b) + np.vdot(a, db)


@primitive(
    np.vecdot,
    np.linalg.vecdot,
    samples=lambda rng: [
        (rng.normal(size=3), rng.normal(size=3)),
        (rng.normal(size=(4, 1, 3)), rng.normal(size=(2, 3))),
        call(rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), axis=0),
        (complex_normal(rng, 2, 3), complex_normal(rng, 3)),
    ],
)
def vecdot(x1, x2, *, axis=-1):
    """Sum of products along an axis, the entries of `x1` conjugated."""


@vecdot.vjp
def vecdot_vjp(z, x1, x2, axis, *, dz):
    spread = restore_axes(dz, axis, False)
    return (
        sum_to_shape(np.conj(spread * x2), np.shape(x1)),
        sum_to_shape(spread * np.conj(x1), np.shape(x2)),
    )


@vecdot.jvp
def vecdot_jvp(z, x1, x2, axis, *, dx1, dx2):
    return np.sum(np.conj(dx1) * x2 + np.conj(x1) * dx2, axis=axis)


if hasattr(np, "matvec"):

    @primitive(
        np.matvec,
        samples=pairs_of([((2, 3), (3,)), ((4, 2, 3), (3,)), ((2, 3), (4, 3))]),
    )
    def matvec(x1, x2):
        """Products of matrices and vectors, over leading axes."""

    @matvec.vjp
    def matvec_vjp(z, x1, x2, *, dz):
        dx1 = np.expand_dims(dz, -1) * np.expand_dims(x2, -2)
        dx2 = np.matvec(np.swapaxes(x1, -1, -2), dz)
        return sum_to_shape(dx1, np.shape(x1)), sum_to_shape(dx2, np.shape(x2))

    @matvec.jvp
    def matvec_jvp(z, x1, x2, *, dx1, dx2):
        return np.matvec(dx1, x2) + np.matvec(x1, dx2)

    @primitive(
        np.vecmat,
        samples=pairs_of([((3,), (3, 2)), ((3,), (4, 3, 2)), ((4, 3), (3, 2))]),
    )
    def vecmat(x1, x2):
        """Products of conjugated vectors and matrices, over leading axes."""

    @vecmat.vjp
    def vecmat_vjp(z, x1, x2, *, dz):
        dx1 = np.conj(np.matvec(x2, dz))
        dx2 = np.expand_dims(np.conj(x1), -1) * np.expand_dims(dz, -2)
        return sum_to_shape(dx1, np.shape(x1)), sum_to_shape(dx2, np.shape(x2))

    @vecmat.jvp
    def vecmat_jvp(z, x1, x2, *, dx1, dx2):
        return np.vecmat(dx1, x2) + np.vecmat(x1, dx2)


@primitive(
    np.cross,
    samples=lambda rng: [
        (rng.normal(size=3), rng.normal(size=3)),
        (rng.normal(size=(4, 3)), rng.normal(size=3)),
        (rng.normal(size=(2, 1, 3)), rng.normal(size=(4, 3))),
        call(rng.normal(size=(3, 4)), rng.normal(size=(4, 3)), axisa=0),
        call(rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), axis=0),
        call(rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), axisc=0),
        (complex_normal(rng, 2, 3), complex_normal(rng, 3)),
    ],
)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross product of vectors in three dimensions."""


@primitive(
    np.linalg.cross,
    samples=lambda rng: [
        (rng.normal(size=(4, 3)), rng.normal(size=(4, 3))),
        call(rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), axis=0),
    ],
)
def linalg_cross(x1, x2, *, axis=-1):
    """Cross product of vectors in three dimensions."""


@nondifferentiable
def vectors_last(ndim: int, axis: int, length: int) -> tuple[int, int]:
    """The axis to move to the end so that the vectors of a cross product come last."""
    if length != 3:
        raise NotDifferentiable(
            "np.cross has a derivative for vectors of length 3 only; "
            f"these have length {length}: append a zero"
        )
    return axis, ndim - 1


def cross_cotangents(dz: Any, a: Any, b: Any, in_a: int, in_b: int, in_z: int) -> Any:
    """The cotangents of a cross product whose vectors lie along the given axes."""
    home_a = vectors_last(np.ndim(a), in_a, np.shape(a)[in_a])
    home_b = vectors_last(np.ndim(b), in_b, np.shape(b)[in_b])
    first = np.moveaxis(a, home_a[0], home_a[1])
    second = np.moveaxis(b, home_b[0], home_b[1])
    last = np.moveaxis(dz, in_z, -1)
    da = sum_to_shape(np.cross(second, last), np.shape(first))
    db = sum_to_shape(np.cross(last, first), np.shape(second))
    return (
        np.moveaxis(da, home_a[1], home_a[0]),
        np.moveaxis(db, home_b[1], home_b[0]),
    )


@cross.vjp
def cross_vjp(z, a, b, axisa, axisb, axisc, axis, *, dz):
    if axis is not None:
        return cross_cotangents(dz, a, b, axis, axis, axis)
    return cross_cotangents(dz, a, b, axisa, axisb, axisc)


@cross.jvp
def cross_jvp(z, a, b, axisa, axisb, axisc, axis, *, da, db):
    return np.cross(da, b, axisa, axisb, axisc, axis) + np.cross(
        a, db, axisa, axisb, axisc, axis
    )


@linalg_cross.vjp
def linalg_cross_vjp(z, x1, x2, axis, *, dz):
    return cross_cotangents(dz, x1, x2, axis, axis, axis)


@linalg_cross.jvp
def linalg_cross_jvp(z, x1, x2, axis, *, dx1, dx2):
    return np.linalg.cross(dx1, x2, axis=axis) + np.linalg.cross(x1, dx2, axis=axis)


# --- Kronecker product -------------------------------------------------------------


@primitive(
    np.kron,
    samples=pairs_of(
        [
            ((), (3,)),
            ((2,), (3,)),
            ((2, 3), (4,)),
            ((3,), (2, 2)),
            ((2, 1, 2), (2, 3)),
            ((2, 3), (3, 2)),
        ]
    ),
)
def kron(a, b):
    """Kronecker product."""


@nondifferentiable
def interleaved(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with axes of `a` and `b` in turn, short shapes padded with ones."""
    ndim = max(len(a), len(b))
    first = (1,) * (ndim - len(a)) + tuple(a)
    second = (1,) * (ndim - len(b)) + tuple(b)
    return tuple(n for pair in zip(first, second) for n in pair)


@kron.vjp
def kron_vjp(z, a, b, *, dz):
    blocks = np.reshape(dz, interleaved(np.shape(a), np.shape(b)))
    spread_a = np.reshape(a, interleaved(np.shape(a), (1,) * np.ndim(b)))
    spread_b = np.reshape(b, interleaved((1,) * np.ndim(a), np.shape(b)))
    da = np.sum(blocks * spread_b, axis=axes_between(1, np.ndim(blocks), 2))
    db = np.sum(blocks * spread_a, axis=axes_between(0, np.ndim(blocks), 2))
    return np.reshape(da, np.shape(a)), np.reshape(db, np.shape(b))


@kron.jvp
def kron_jvp(z, a, b, *, da, db):
    return np.kron(da, b) + np.kron(a, db)


# --- convolution -------------------------------------------------------------------


def convolution_samples(rng: np.random.Generator) -> list[Any]:
    """Long with short and short with long, in each mode."""
    lengths = ((5, 3), (3, 5), (6, 4), (4, 6), (4, 1))
    modes = ("full", "same", "valid")
    return [
        *(
            (rng.normal(size=n), rng.normal(size=m), s)
            for n, m in lengths
            for s in modes
        ),
        (rng.normal(size=4), rng.normal(size=3)),
        (complex_normal(rng, 4), complex_normal(rng, 3), "same"),
    ]


@primitive(np.convolve, samples=convolution_samples)
def convolve(a, v, mode="full"):
    """Discrete convolution of two vectors."""


@primitive(np.correlate, samples=convolution_samples)
def correlate(a, v, mode="valid"):
    """Cross-correlation of two vectors, the second conjugated."""


@nondifferentiable
def trimmed(n: int, m: int, mode: str, correlating: bool = False) -> tuple[int, int]:
    """How many entries of the full convolution a mode leaves out at either end."""
    short = min(n, m)
    if mode == "full":
        return 0, 0
    if mode == "valid":
        return short - 1, short - 1
    before = (short - 1) // 2
    after = short - 1 - before
    # `np.correlate` reverses its result when the second vector is the longer one.
    return (after, before) if correlating and m > n else (before, after)


@convolve.vjp
def convolve_vjp(z, a, v, mode, *, dz):
    whole = np.pad(dz, trimmed(np.size(a), np.size(v), mode))
    da = np.convolve(whole, np.flip(v), "valid")
    dv = np.convolve(whole, np.flip(a), "valid")
    return da, dv


@convolve.jvp
def convolve_jvp(z, a, v, mode, *, da, dv):
    return np.convolve(da, v, mode) + np.convolve(a, dv, mode)


@correlate.vjp
def correlate_vjp(z, a, v, mode, *, dz):
    whole = np.pad(dz, trimmed(np.size(a), np.size(v), mode, True))
    da = np.convolve(whole, np.conj(v), "valid")
    dv = np.flip(np.conj(np.convolve(whole, np.flip(a), "valid")))
    return da, dv


@correlate.jvp
def correlate_jvp(z, a, v, mode, *, da, dv):
    return np.correlate(da, v, mode) + np.correlate(a, dv, mode)
