"""Making arrays: from numbers, from other arrays, and of constants."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anadrome import runtime
from anadrome.ir.types import Num
from anadrome.primitives.helpers import sum_to_shape
from anadrome.primitives.numpy.selecting import untake
from anadrome.primitives.registry import (
    Primitive,
    call,
    constant,
    nondifferentiable,
    primitive,
    register,
)
from anadrome.primitives.result_types import item_type
from anadrome.primitives.sampling import complex_normal

# --- arrays from what is given -----------------------------------------------------


def array_samples(rng: np.random.Generator) -> list[Any]:
    """Numbers, arrays, and nested lists of both."""
    return [
        (1.5,),
        ([1.5, 2.5],),
        ((1.5, 2.5),),
        ([[1.5, 2.5], [3.5, 4.5]],),
        ([rng.normal(size=3), rng.normal(size=3)],),
        ([[rng.normal(size=2)], (rng.normal(size=2),)],),
        (rng.normal(size=(2, 3)),),
        call([1.5, 2.5], dtype=complex),
        ([1.5, 2],),
        (complex_normal(rng, 2),),
    ]


@primitive(
    np.array,
    fresh=False,
    linear=("object",),
    sequences=("object",),
    samples=lambda rng: [
        *array_samples(rng),
        call(rng.normal(size=3), ndmin=2),
    ],
)
def array(object, dtype=None, *, copy=True, order="K", ndmin=0):
    """A new array of numbers, arrays, or nested lists of them."""


@array.vjp
def array_vjp(z, object, dtype, copy, order, ndmin, *, dz):
    if ndmin == 0:
        return dz
    return np.reshape(dz, np.shape(object))


@array.jvp
def array_jvp(z, object, dtype, copy, order, ndmin, *, dobject):
    return np.array(dobject, dtype, ndmin=ndmin)


@primitive(
    np.asarray,
    np.asanyarray,
    np.ascontiguousarray,
    np.asfortranarray,
    view=True,
    linear=("a",),
    sequences=("a",),
    samples=array_samples,
)
def asarray(a, dtype=None, order=None, *, copy=None):
    """The array of what is given, which is itself if it is one."""


@asarray.vjp
def asarray_vjp(z, a, dtype, order, copy, *, dz):
    return np.reshape(dz, np.shape(a))


@asarray.jvp
def asarray_jvp(z, a, dtype, order, copy, *, da):
    return np.asarray(da, dtype)


@primitive(
    np.copy,
    np.ndarray.copy,
    methods=("copy",),
    linear=("a",),
    samples=lambda rng: [(rng.normal(size=(2, 3)),), (complex_normal(rng, 3),)],
)
def copy(a, order="K"):
    """A copy of an array."""


@copy.vjp
def copy_vjp(z, a, order, *, dz):
    return dz


@copy.jvp
def copy_jvp(z, a, order, *, da):
    return da


@primitive(
    runtime.copy_as,
    linear=("a",),
    structural=("like",),
    infer=lambda a, like: Num(a.type.dtype, a.type.ndim, boxed=a.type.boxed),
    samples=lambda rng: [(rng.normal(size=(2, 3)), np.ones((3, 2)).T)],
)
def copy_as(a, like):
    """A copy of an array that lies in memory as another one does."""


@copy_as.vjp
def copy_as_vjp(z, a, like, *, dz):
    return dz


@copy_as.jvp
def copy_as_jvp(z, a, like, *, da):
    return da


@primitive(
    np.ndarray.astype,
    np.astype,
    fresh=False,
    methods=("astype",),
    linear=("x",),
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), np.float64),
        (rng.normal(size=3), complex),
        (rng.normal(size=3), "float64"),
    ],
)
def astype(x, dtype, *, copy=True):
    """`x` in another precision; nothing flows through integers."""


@astype.vjp
def astype_vjp(z, x, dtype, copy, *, dz):
    return dz


@astype.jvp
def astype_jvp(z, x, dtype, copy, *, dx):
    return np.asarray(dx, dtype)


def declare_scalar_type(scalar: Any) -> Primitive:
    """The primitive that converts to a floating or complex type."""

    def declaration(x: Any = 0.0) -> Any: ...

    declaration.__name__ = scalar.__name__
    declaration.__doc__ = f"`x` as {scalar.__name__}."
    made = Primitive(
        declaration,
        (scalar,),
        view=True,
        linear=("x",),
        samples=lambda rng: [(1.5,), (rng.normal(size=3),)],
    )

    @made.vjp
    def vjp(z, x, *, dz):
        return dz

    @made.jvp
    def jvp(z, x, *, dx):
        return scalar(dx)

    return register(made)


SCALAR_TYPES = tuple(
    declare_scalar_type(scalar)
    for scalar in (
        np.float16,
        np.float32,
        np.float64,
        np.longdouble,
        np.complex64,
        np.complex128,
        np.clongdouble,
    )
)


@primitive(
    np.ndarray.item,
    infer=item_type,
    methods=("item",),
    linear=("x",),
    samples=lambda rng: [
        (rng.normal(size=(1, 1)),),
        (rng.normal(size=(2, 3)), 4),
        (rng.normal(size=(2, 3)), 1, -1),
        (rng.normal(size=(2, 3)), (0, 2)),
    ],
)
def item(x, *args):
    """One entry as a Python number."""


@nondifferentiable
def flat_place(args: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """The place, among all entries in a row, that the arguments of `item` mean."""
    index = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
    places = np.arange(np.prod(shape, dtype=int))
    return places[index] if len(index) == 1 else places.reshape(shape)[index]


@item.vjp
def item_vjp(z, x, args, *, dz):
    if len(args) == 0:
        return np.reshape(dz, np.shape(x))
    return untake(dz, flat_place(args, np.shape(x)), None, np.shape(x))


@item.jvp
def item_jvp(z, x, args, *, dx):
    if len(args) == 0:
        return np.reshape(dx, ())
    return np.take(dx, flat_place(args, np.shape(x)))


@primitive(
    np.ndarray.tolist,
    methods=("tolist",),
    linear=("x",),
    samples=lambda rng: [(rng.normal(size=3),), (rng.normal(size=(2, 3)),)],
)
def tolist(x):
    """The entries as nested lists of Python numbers."""


@tolist.vjp
def tolist_vjp(z, x, *, dz):
    return np.reshape(np.array(dz, np.result_type(x)), np.shape(x))


@tolist.jvp
def tolist_jvp(z, x, *, dx):
    return dx.tolist()


# --- arrays filled with one value --------------------------------------------------


@primitive(
    np.full,
    linear=("fill_value",),
    samples=lambda rng: [
        (3, 1.5),
        ((2, 3), 1.5),
        ((2, 3), rng.normal(size=3)),
        call((2, 3), rng.normal(size=(2, 1)), dtype=complex),
    ],
)
def full(shape, fill_value, dtype=None, order="C"):
    """An array filled with a value."""


@full.vjp
def full_vjp(z, shape, fill_value, dtype, order, *, dz):
    return sum_to_shape(dz, np.shape(fill_value))


@full.jvp
def full_jvp(z, shape, fill_value, dtype, order, *, dfill_value):
    return np.full(shape, dfill_value, dtype)


@primitive(
    np.full_like,
    structural=("a",),
    linear=("fill_value",),
    samples=lambda rng: [
        (np.ones((2, 3)), 1.5),
        (np.ones((2, 3)), rng.normal(size=3)),
        call(np.ones(2, dtype=int), 1.5, dtype=float, shape=(4,)),
    ],
)
def full_like(a, fill_value, dtype=None, *, shape=None):
    """An array filled with a value, in the shape and precision of another."""


@full_like.vjp
def full_like_vjp(z, a, fill_value, dtype, shape, *, dz):
    return sum_to_shape(dz, np.shape(fill_value))


@full_like.jvp
def full_like_jvp(z, a, fill_value, dtype, shape, *, dfill_value):
    return np.full(np.shape(z), dfill_value, np.result_type(z))


def declare_constants() -> tuple[Primitive, ...]:
    """The functions whose result depends on shapes and integers alone."""
    like = (np.zeros_like, np.ones_like, np.empty_like)
    shaped = (np.zeros, np.ones, np.empty)
    others = (np.eye, np.identity, np.tri)
    windows = (np.bartlett, np.blackman, np.hamming, np.hanning)
    made = []
    function: Any
    for function in (*like, *shaped, *others, *windows):

        def declaration(*args: Any, **options: Any) -> Any: ...

        def of_shape(shape: Any, *args: Any, **options: Any) -> Any: ...

        declaration = of_shape if function in shaped else declaration

        declaration.__name__ = function.__name__
        declaration.__doc__ = f"Constants: `{function.__name__}`."
        sample = np.ones((2, 3)) if function in like else 3
        made.append(
            constant(function, samples=lambda rng, sample=sample: [(sample,)])(
                declaration
            )
        )
    return tuple(made)


CONSTANTS = declare_constants()


# --- evenly spaced numbers ---------------------------------------------------------


@nondifferentiable
def ramp(num: int, endpoint: bool, dtype: Any) -> Any:
    """Evenly spaced numbers from 0 to 1."""
    return np.linspace(0, 1, num, endpoint=endpoint, dtype=np.real(dtype.type(0)).dtype)


@primitive(
    np.linspace,
    linear=("start", "stop"),
    samples=lambda rng: [
        (0.5, 2.5, 5),
        (rng.normal(size=3), 2.5, 4),
        (rng.normal(size=3), rng.normal(size=(2, 1)), 4),
        call(0.5, 2.5, num=3, endpoint=False),
        call(rng.normal(size=3), rng.normal(size=3), 4, axis=-1),
        (0.5, 2.5, 1),
    ],
)
def linspace(start, stop, num=50, endpoint=True, *, dtype=None, axis=0):
    """Evenly spaced numbers between two ends."""


@linspace.vjp
def linspace_vjp(z, start, stop, num, endpoint, dtype, axis, *, dz):
    t = ramp(num, endpoint, np.result_type(dz))
    dstart = np.tensordot(1.0 - t, dz, (0, axis))
    dstop = np.tensordot(t, dz, (0, axis))
    return sum_to_shape(dstart, np.shape(start)), sum_to_shape(dstop, np.shape(stop))


@linspace.jvp
def linspace_jvp(z, start, stop, num, endpoint, dtype, axis, *, dstart, dstop):
    return np.linspace(dstart, dstop, num, endpoint, dtype=dtype, axis=axis)


@primitive(
    np.geomspace,
    samples=lambda rng: [
        (0.5, 2.5, 5),
        (rng.uniform(1, 2, 3), 2.5, 4),
        call(rng.uniform(1, 2, 3), rng.uniform(1, 2, 3), 4, axis=-1),
        call(0.5, 2.5, num=3, endpoint=False),
    ],
)
def geomspace(start, stop, num=50, endpoint=True, *, dtype=None, axis=0):
    """Numbers between two ends with a constant ratio."""


@geomspace.vjp
def geomspace_vjp(z, start, stop, num, endpoint, dtype, axis, *, dz):
    t = ramp(num, endpoint, np.result_type(dz))
    dstart = np.tensordot(1.0 - t, dz * z, (0, axis)) / start
    dstop = np.tensordot(t, dz * z, (0, axis)) / stop
    return sum_to_shape(dstart, np.shape(start)), sum_to_shape(dstop, np.shape(stop))


@geomspace.jvp
def geomspace_jvp(z, start, stop, num, endpoint, dtype, axis, *, dstart, dstop):
    return z * np.linspace(dstart / start, dstop / stop, num, endpoint, axis=axis)


@primitive(
    np.logspace,
    samples=lambda rng: [
        (0.5, 1.5, 5),
        (rng.uniform(1, 2, 3), 2.5, 4),
        call(0.5, 2.5, num=3, endpoint=False, base=2.0),
    ],
)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Powers of a base with evenly spaced exponents."""


@logspace.vjp
def logspace_vjp(z, start, stop, num, endpoint, base, dtype, axis, *, dz):
    t = ramp(num, endpoint, np.result_type(dz))
    slope = dz * z * math.log(base)
    dstart = np.tensordot(1.0 - t, slope, (0, axis))
    dstop = np.tensordot(t, slope, (0, axis))
    return sum_to_shape(dstart, np.shape(start)), sum_to_shape(dstop, np.shape(stop))


@logspace.jvp
def logspace_jvp(z, start, stop, num, endpoint, base, dtype, axis, *, dstart, dstop):
    return z * math.log(base) * np.linspace(dstart, dstop, num, endpoint, axis=axis)


@primitive(
    np.arange,
    samples=lambda rng: [
        (3.5,),
        (0.5, 3.0),
        (0.5, 3.2, 0.5),
        call(0.5, stop=3.2, step=0.4),
        (5,),
    ],
)
def arange(start, stop=None, step=1, *, dtype=None):
    """Numbers from a start in equal steps; how many is locally constant."""


@nondifferentiable
def counting(n: int, dtype: Any) -> Any:
    """0, 1, 2, … in a given precision."""
    return np.arange(n).astype(dtype)


@arange.vjp
def arange_vjp(z, start, stop, step, dtype, *, dz):
    if stop is None:
        return 0.0, 0.0, 0.0
    return np.sum(dz), 0.0, np.sum(dz * counting(np.size(dz), np.result_type(dz)))


@arange.jvp
def arange_jvp(z, start, stop, step, dtype, *, dstart, dstop, dstep):
    if stop is None:
        return np.zeros_like(z)
    steps = counting(np.size(z), np.result_type(z))
    return np.broadcast_to(dstart + dstep * steps, np.shape(z))
