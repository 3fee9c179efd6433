"""Methods of universal functions: `np.add.reduce`, `np.multiply.outer` and so on."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.primitives.helpers import along, axes_between, restore_axes
from anadrome.primitives.numpy.arithmetic import finite_or_zero
from anadrome.primitives.numpy.cumulative import (
    cumprod_jvp,
    cumprod_vjp,
    cumsum_jvp,
    cumsum_vjp,
    linear_recurrence,
    shifted_ahead,
)
from anadrome.primitives.numpy.predicates import named
from anadrome.primitives.numpy.reductions import (
    extremum_jvp,
    extremum_vjp,
    prod_jvp,
    prod_vjp,
    reduction_samples,
    sum_jvp,
    sum_vjp,
)
from anadrome.primitives.numpy.selecting import untake_along_axis
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.sampling import distinct

# --- reduce: as the reductions, but along the first axis unless told otherwise ------


@primitive(np.add.reduce, linear=("a",), samples=reduction_samples())
def add_reduce(a, axis=0, dtype=None, *, keepdims=False, initial=0, where=True):
    """Sum over axes."""


add_reduce.vjp(sum_vjp)
add_reduce.jvp(sum_jvp)


@primitive(np.multiply.reduce, samples=reduction_samples())
def multiply_reduce(a, axis=0, dtype=None, *, keepdims=False, initial=1, where=True):
    """Product over axes."""


multiply_reduce.vjp(prod_vjp)
multiply_reduce.jvp(prod_jvp)


@primitive(np.maximum.reduce, np.fmax.reduce, samples=reduction_samples(complex=False))
def maximum_reduce(a, axis=0, *, keepdims=False, initial=None, where=True):
    """Largest entry over axes."""


maximum_reduce.vjp(extremum_vjp)
maximum_reduce.jvp(extremum_jvp)


@primitive(np.minimum.reduce, np.fmin.reduce, samples=reduction_samples(complex=False))
def minimum_reduce(a, axis=0, *, keepdims=False, initial=None, where=True):
    """Smallest entry over axes."""


minimum_reduce.vjp(extremum_vjp)
minimum_reduce.jvp(extremum_jvp)


@primitive(np.logaddexp.reduce, samples=reduction_samples(complex=False))
def logaddexp_reduce(a, axis=0, *, keepdims=False):
    """Logarithm of the sum of exponentials over axes."""


def softmax_of(a: Any, z: Any, axis: Any, keepdims: bool) -> Any:
    """The share of each entry in the sum of exponentials."""
    return np.exp(a - restore_axes(finite_or_zero(z), axis, keepdims))


@logaddexp_reduce.vjp
def logaddexp_reduce_vjp(z, a, axis, keepdims, *, dz):
    return restore_axes(dz, axis, keepdims) * softmax_of(a, z, axis, keepdims)


@logaddexp_reduce.jvp
def logaddexp_reduce_jvp(z, a, axis, keepdims, *, da):
    slopes = da * softmax_of(a, z, axis, keepdims)
    return np.sum(slopes, axis=axis, keepdims=keepdims)


# --- accumulate --------------------------------------------------------------------


def accumulate_samples(rng: np.random.Generator) -> list[Any]:
    """Samples along the first and along other axes."""
    return [
        (distinct(rng, 4),),
        (distinct(rng, 2, 3),),
        (distinct(rng, 2, 3), 1),
        call(distinct(rng, 2, 3, 2), axis=-2),
    ]


@primitive(np.add.accumulate, linear=("a",), samples=accumulate_samples)
def add_accumulate(a, axis=0, dtype=None):
    """Running sums along an axis."""


add_accumulate.vjp(cumsum_vjp)
add_accumulate.jvp(cumsum_jvp)


@primitive(np.multiply.accumulate, samples=accumulate_samples)
def multiply_accumulate(a, axis=0, dtype=None):
    """Running products along an axis."""


multiply_accumulate.vjp(cumprod_vjp)
multiply_accumulate.jvp(cumprod_jvp)


@primitive(np.maximum.accumulate, samples=accumulate_samples)
def maximum_accumulate(a, axis=0):
    """Running maxima along an axis; among equal entries the last one counts."""


@primitive(np.minimum.accumulate, samples=accumulate_samples)
def minimum_accumulate(a, axis=0):
    """Running minima along an axis; among equal entries the last one counts."""


@nondifferentiable
def record_holders(a: Any, z: Any, axis: int) -> Any:
    """For each place the index of the entry that is the running extremum."""
    shape = [1] * np.ndim(a)
    shape[axis] = -1
    places = np.arange(np.shape(a)[axis]).reshape(shape)
    return np.maximum.accumulate(np.where(a == z, places, 0), axis=axis)


@maximum_accumulate.vjp
@minimum_accumulate.vjp
def record_vjp(z, a, axis, *, dz):
    return untake_along_axis(dz, record_holders(a, z, axis), axis, np.shape(a))


@maximum_accumulate.jvp
@minimum_accumulate.jvp
def record_jvp(z, a, axis, *, da):
    return np.take_along_axis(da, record_holders(a, z, axis), axis)


@primitive(np.logaddexp.accumulate, samples=accumulate_samples)
def logaddexp_accumulate(a, axis=0):
    """Running logarithms of sums of exponentials along an axis."""


def shares_before(z: Any, axis: int) -> Any:
    """The share of each running sum that was there before, 0 at the start."""
    earlier = z[along(axis, np.ndim(z), slice(0, -1))]
    later = z[along(axis, np.ndim(z), slice(1, None))]
    first = np.zeros_like(z[along(axis, np.ndim(z), slice(0, 1))])
    shares = np.exp(earlier - finite_or_zero(later))
    return np.concatenate((first, shares), axis)


@logaddexp_accumulate.vjp
def logaddexp_accumulate_vjp(z, a, axis, *, dz):
    ahead = np.flip(shifted_ahead(shares_before(z, axis), axis), axis)
    gathered = np.flip(linear_recurrence(ahead, np.flip(dz, axis), axis), axis)
    return gathered * np.exp(a - finite_or_zero(z))


@logaddexp_accumulate.jvp
def logaddexp_accumulate_jvp(z, a, axis, *, da):
    slopes = da * np.exp(a - finite_or_zero(z))
    return linear_recurrence(shares_before(z, axis), slopes, axis)


# --- outer -------------------------------------------------------------------------


def outer_samples(rng: np.random.Generator) -> list[Any]:
    """Pairs of arrays of any ranks."""
    return [
        (rng.normal(size=3), rng.uniform(1, 2, 4)),
        (rng.normal(size=(2, 3)), rng.uniform(1, 2, 2)),
        (rng.normal(size=()), rng.uniform(1, 2, (2, 2))),
        (1.5, rng.uniform(1, 2, 2)),
    ]


def sum_over_second(dz: Any, a: Any) -> Any:
    """`dz` summed over the axes of the second argument."""
    return np.sum(dz, axis=axes_between(np.ndim(a), np.ndim(dz)))


def sum_over_first(dz: Any, a: Any) -> Any:
    """`dz` summed over the axes of the first argument."""
    return np.sum(dz, axis=axes_between(0, np.ndim(a)))


@primitive(np.add.outer, linear=("a", "b"), samples=outer_samples)
def add_outer(a, b):
    """All sums of an entry of `a` and one of `b`."""


@add_outer.vjp
def add_outer_vjp(z, a, b, *, dz):
    return sum_over_second(dz, a), sum_over_first(dz, a)


@add_outer.jvp
def add_outer_jvp(z, a, b, *, da, db):
    return np.add.outer(da, db)


@primitive(np.subtract.outer, linear=("a", "b"), samples=outer_samples)
def subtract_outer(a, b):
    """All differences of an entry of `a` and one of `b`."""


@subtract_outer.vjp
def subtract_outer_vjp(z, a, b, *, dz):
    return sum_over_second(dz, a), -sum_over_first(dz, a)


@subtract_outer.jvp
def subtract_outer_jvp(z, a, b, *, da, db):
    return np.subtract.outer(da, db)


@primitive(np.multiply.outer, samples=outer_samples)
def multiply_outer(a, b):
    """All products of an entry of `a` and one of `b`."""


@multiply_outer.vjp
def multiply_outer_vjp(z, a, b, *, dz):
    return np.tensordot(dz, b, np.ndim(b)), np.tensordot(a, dz, np.ndim(a))


@multiply_outer.jvp
def multiply_outer_jvp(z, a, b, *, da, db):
    return np.multiply.outer(da, b) + np.multiply.outer(a, db)


@primitive(np.divide.outer, samples=outer_samples)
def divide_outer(a, b):
    """All quotients of an entry of `a` and one of `b`."""


@divide_outer.vjp
def divide_outer_vjp(z, a, b, *, dz):
    share = dz / b
    return sum_over_second(share, a), -sum_over_first(share * z, a)


@divide_outer.jvp
def divide_outer_jvp(z, a, b, *, da, db):
    return (np.add.outer(da, np.zeros_like(b)) - z * db) / b


# --- locally constant --------------------------------------------------------------


def declare_comparisons() -> tuple[Any, ...]:
    """The outer comparisons and the reductions of truth values."""
    compared = (
        np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    )  # fmt: skip
    made = []
    function: Any
    for function in compared:

        def outer(a: Any, b: Any) -> Any: ...

        title = f"{function.__name__}_outer"
        made.append(named(outer, (function.outer,), outer_samples, title))
    for function in (np.logical_and, np.logical_or, np.logical_xor):

        def reduce(a: Any, axis: Any = 0, *, keepdims: bool = False) -> Any: ...

        title = f"{function.__name__}_reduce"
        made.append(named(reduce, (function.reduce,), accumulate_samples, title))
    return tuple(made)


COMPARISONS = declare_comparisons()
