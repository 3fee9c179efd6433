"""Functions that are locally constant: their derivative is zero where it exists.

Comparisons, logic, rounding, integers, indices, shapes and types.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.primitives.registry import Primitive, constant
from anadrome.primitives.result_types import shape_type
from anadrome.primitives.sampling import Samples

Function = Callable[..., Any]


def reals(rng: np.random.Generator) -> list[Any]:
    """One array of real numbers."""
    return [(rng.normal(size=(2, 3)),)]


def pairs(rng: np.random.Generator) -> list[Any]:
    """Two arrays of real numbers that broadcast."""
    return [(rng.normal(size=(2, 3)), rng.normal(size=3))]


def truths(rng: np.random.Generator) -> list[Any]:
    """Two arrays of truth values."""
    return [(rng.normal(size=3) > 0, rng.normal(size=3) > 0)]


def wholes(rng: np.random.Generator) -> list[Any]:
    """Two arrays of integers."""
    return [(rng.integers(1, 9, 3), rng.integers(1, 5, 3))]


def numbers(*args: Any) -> Samples:
    """One call with the given arguments."""
    return lambda rng: [args]


def of_one(*targets: Function, samples: Samples = reals, **options: Any) -> Primitive:
    """A locally constant function of one array, elementwise."""

    def declaration(x: Any) -> Any: ...

    return named(declaration, targets, samples, broadcasts=True, **options)


def of_two(*targets: Function, samples: Samples = pairs, **options: Any) -> Primitive:
    """A locally constant function of two arrays, elementwise."""

    def declaration(x: Any, y: Any) -> Any: ...

    return named(declaration, targets, samples, broadcasts=True, **options)


def of_any(*targets: Function, samples: Samples = reals, **options: Any) -> Primitive:
    """A locally constant function of any arguments."""

    def declaration(*args: Any, **kwargs: Any) -> Any: ...

    return named(declaration, targets, samples, **options)


def named(
    declaration: Function,
    targets: tuple[Function, ...],
    samples: Samples,
    title: str | None = None,
    **options: Any,
) -> Primitive:
    """Declare a locally constant function, by default under its first target's name."""
    declaration.__name__ = title or targets[0].__name__
    declaration.__doc__ = f"Locally constant: `{declaration.__name__}`."
    made: Primitive = constant(*targets, samples=samples, **options)(declaration)
    return made


COMPARISONS = (
    of_two(np.equal, operator.eq),
    of_two(np.not_equal, operator.ne),
    of_two(np.less, operator.lt),
    of_two(np.less_equal, operator.le),
    of_two(np.greater, operator.gt),
    of_two(np.greater_equal, operator.ge),
    of_any(np.isclose, samples=pairs),
    of_any(np.allclose, samples=pairs),
    of_any(np.array_equal, samples=pairs),
    of_any(np.array_equiv, samples=pairs),
    of_any(np.isin, samples=pairs),
    of_any(math.isclose, samples=numbers(1.5, 1.6)),
)

LOGIC = (
    of_two(np.logical_and, samples=truths),
    of_two(np.logical_or, samples=truths),
    of_two(np.logical_xor, samples=truths),
    of_one(np.logical_not, operator.not_),
    of_two(np.bitwise_and, operator.and_, samples=truths),
    of_two(np.bitwise_or, operator.or_, samples=truths),
    of_two(np.bitwise_xor, operator.xor, samples=truths),
    of_one(np.invert, operator.invert, operator.inv, samples=numbers(np.array([1, 2]))),
    of_one(np.bitwise_count, samples=numbers(np.array([1, 2]))),
    of_two(np.left_shift, operator.lshift, samples=wholes),
    of_two(np.right_shift, operator.rshift, samples=wholes),
)

PROPERTIES_OF_NUMBERS = (
    of_one(np.isnan, math.isnan),
    of_one(np.isinf, math.isinf),
    of_one(np.isfinite, math.isfinite),
    of_one(np.isneginf),
    of_one(np.isposinf),
    of_one(np.isreal),
    of_one(np.iscomplex),
    of_one(np.signbit),
)

ROUNDING = (
    of_one(np.floor),
    of_one(np.ceil),
    of_one(np.trunc),
    of_one(np.rint),
    of_one(np.fix),
    # The `math` functions return integers, not floating-point numbers.
    of_one(math.floor, samples=numbers(1.7)),
    of_one(math.ceil, samples=numbers(1.7)),
    of_one(math.trunc, samples=numbers(1.7)),
    of_two(np.floor_divide, operator.floordiv),
)

INTEGERS = (
    of_two(np.gcd, samples=wholes),
    of_two(np.lcm, samples=wholes),
    of_any(math.gcd, samples=numbers(12, 18)),
    of_any(math.lcm, samples=numbers(12, 18)),
    of_any(math.factorial, samples=numbers(4)),
    of_any(math.comb, samples=numbers(5, 2)),
    of_any(math.perm, samples=numbers(5, 2)),
    of_any(math.isqrt, samples=numbers(17)),
    of_any(
        np.int8, np.int16, np.int32, np.int64,
        np.uint8, np.uint16, np.uint32, np.uint64,
        samples=numbers(1.5),
    ),
    of_any(np.bool_, samples=numbers(1.5)),
)  # fmt: skip

INDICES = (
    of_any(np.argmax, methods=("argmax",)),
    of_any(np.argmin, methods=("argmin",)),
    of_any(np.nanargmax),
    of_any(np.nanargmin),
    of_any(np.argsort, methods=("argsort",)),
    of_any(
        np.argpartition,
        methods=("argpartition",),
        samples=lambda rng: [(rng.normal(size=5), 2)],
    ),
    of_any(np.lexsort),
    of_any(np.argwhere),
    of_any(np.nonzero, methods=("nonzero",)),
    of_any(np.flatnonzero),
    of_any(np.count_nonzero),
    of_any(
        np.searchsorted,
        methods=("searchsorted",),
        samples=lambda rng: [(np.arange(4.0), rng.normal(size=3))],
    ),
    of_any(np.digitize, samples=lambda rng: [(rng.normal(size=3), np.arange(4.0))]),
    of_any(np.indices, samples=numbers((2, 3))),
    of_any(np.diag_indices, samples=numbers(3)),
    of_any(np.diag_indices_from, samples=numbers(np.ones((3, 3)))),
    of_any(np.tril_indices, samples=numbers(3)),
    of_any(np.triu_indices, samples=numbers(3)),
    of_any(np.tril_indices_from, samples=numbers(np.ones((3, 3)))),
    of_any(np.triu_indices_from, samples=numbers(np.ones((3, 3)))),
    of_any(np.mask_indices, samples=numbers(3, np.triu)),
    of_any(np.unravel_index, samples=numbers(4, (2, 3))),
    of_any(np.ravel_multi_index, samples=numbers((1, 2), (2, 3))),
    of_any(np.packbits, samples=numbers(np.array([1, 0, 1]))),
    of_any(np.unpackbits, samples=numbers(np.array([5], np.uint8))),
)

SHAPES_AND_TYPES = (
    of_any(np.shape, properties=("shape",), infer=shape_type),
    of_any(np.ndim, properties=("ndim",)),
    of_any(np.size, properties=("size",)),
    of_any(np.broadcast_shapes, samples=numbers((3, 1), (4,))),
    of_any(np.result_type),
    of_any(np.promote_types, samples=numbers(np.float32, np.float64)),
    of_any(np.min_scalar_type, samples=numbers(3)),
    of_any(np.common_type),
    of_any(np.can_cast, samples=numbers(np.float32, np.float64)),
    of_any(np.issubdtype, samples=numbers(np.float32, np.floating)),
    of_any(np.isdtype, samples=numbers(np.dtype(np.float32), "real floating")),
    of_any(np.finfo, samples=numbers(np.float32)),
    of_any(np.iinfo, samples=numbers(np.int32)),
    of_any(np.dtype, samples=numbers("float32")),
    of_any(np.isscalar),
    of_any(np.iterable),
    of_any(np.iscomplexobj),
    of_any(np.isrealobj),
    of_any(np.isfortran),
    of_any(np.may_share_memory, samples=pairs),
    of_any(np.shares_memory, samples=pairs),
    of_any(np.einsum_path, samples=numbers("ij,jk", np.ones((2, 3)), np.ones((3, 4)))),
    of_any(np.array2string),
    of_any(np.array_repr),
    of_any(np.array_str),
    of_any(np.format_float_positional, samples=numbers(1.5)),
    of_any(np.format_float_scientific, samples=numbers(1.5)),
)


@constant(np.all, methods=("all",), samples=reals)
def all(a, axis=None, *, keepdims=False, where=True):
    """Whether every entry is nonzero."""


@constant(np.any, methods=("any",), samples=reals)
def any(a, axis=None, *, keepdims=False, where=True):
    """Whether some entry is nonzero."""


@constant(np.round, np.around, methods=("round",), samples=reals)
def round(a, decimals=0):
    """Rounded to some decimals."""


@constant(properties=("dtype",), samples=reals)
def dtype_of(x):
    """`x.dtype`."""
    return x.dtype


@constant(properties=("itemsize",), samples=reals)
def itemsize_of(x):
    """`x.itemsize`."""
    return x.itemsize


@constant(properties=("nbytes",), samples=reals)
def nbytes_of(x):
    """`x.nbytes`."""
    return x.nbytes


@constant(properties=("strides",), samples=reals)
def strides_of(x):
    """`x.strides`."""
    return x.strides


@constant(properties=("flags",), samples=reals)
def flags_of(x):
    """`x.flags`."""
    return x.flags
