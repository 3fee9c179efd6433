"""Lowerings of linear algebra: SciPy's LAPACK, called by its address.

LAPACK wants columns one after the other: matrices are transposed on the way in and
on the way out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply
from anadrome.ir.types import Tuple, deref
from anadrome.primitives.registry import find_primitive

from ..emission.control_flow import for_range
from ..emission.function import Emitter
from ..emission.values import (
    I32,
    I64,
    INT32,
    POINTER,
    Array,
    Pack,
    Scalar,
    Static,
    Value,
    scalar_type,
)
from ..fusion.expressions import Leaf
from ..linking.lapack import symbol
from .elementwise import fill, operation, scalar
from .registry import argument, array_of, lowers, result_type, static

_LETTERS = {"float32": "s", "float64": "d"}


def _call(e: Emitter, routine: str, dtype: np.dtype[Any], *args: Any) -> ir.Value:
    """What a routine says of its work; numbers are handed over by their address."""
    b = e.builder
    given: list[ir.Value] = []
    for a in args:
        if isinstance(a, Array):
            given.append(b.bitcast(a.data, POINTER))
            continue
        place = e.local(I32)
        b.store(I32(ord(a)) if isinstance(a, str) else b.trunc(a, I32), place)
        given.append(b.bitcast(place, POINTER))
    info = e.local(I32)
    b.store(I32(0), info)
    given.append(b.bitcast(info, POINTER))
    name = symbol(_LETTERS[dtype.name] + routine)
    function = e.owner.runtime(name, ir.VoidType(), *[POINTER] * len(given))
    b.call(function, given)
    return b.load(info)


def _fail_if(e: Emitter, info: ir.Value, message: str) -> None:
    fine = e.builder.icmp_signed("<=", info, I32(0))
    e.fail_unless(fine, np.linalg.LinAlgError, message)


def _matrix(e: Emitter, node: Apply, dtype: np.dtype[Any] | None) -> Array:
    """The first argument, which must be one square matrix."""
    name = node.op.name
    if find_primitive(getattr(np.linalg, name)) is not node.op:
        # SciPy has functions of the same names, with other defaults and checks.
        raise e.refuse(f"SciPy's '{name}'", node.span)
    array = array_of(e, node.args[0])
    if array.ndim != 2 or dtype is None or dtype.name not in _LETTERS:
        raise e.refuse(f"'{name}' of this", node.span)
    b = e.builder
    e.fail_unless(
        b.icmp_signed("==", *array.shape),
        np.linalg.LinAlgError,
        "Last 2 dimensions of the array must be square",
    )
    small = b.icmp_signed("<", array.shape[0], I64(1 << 31))
    e.fail_unless(small, MemoryError, "a matrix is too large")
    return array


def _transposed(e: Emitter, array: Array, dtype: np.dtype[Any]) -> Array:
    """A new array that holds the columns of a matrix as its rows."""
    view = _transposed_view(array)
    out = e.allocate(dtype, view.shape)
    fill(e, out, Leaf(view, view.dtype))
    return out


def _transposed_view(array: Array) -> Array:
    shape, strides = array.shape[::-1], array.strides[::-1]
    return Array(array.dtype, array.block, array.data, shape, strides)


def _at_least_one(e: Emitter, n: ir.Value) -> ir.Value:
    b = e.builder
    return b.select(b.icmp_signed("<", n, I64(1)), I64(1), n)


def _solved(e: Emitter, a: Array, columns: Array) -> None:
    """Solve for right sides that are the rows of an array, in their place."""
    n, dtype = a.shape[0], columns.dtype
    count = columns.shape[0] if columns.ndim == 2 else I64(1)
    matrix, order = _transposed(e, a, dtype), e.allocate(INT32, [n])
    lead = _at_least_one(e, n)
    info = _call(e, "gesv", dtype, n, count, matrix, lead, order, columns, lead)
    e.release(matrix)
    e.release(order)
    _fail_if(e, info, "Singular matrix")


@lowers("solve", operands=2)
def _lower_solve(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    a = _matrix(e, node, t.dtype)
    right = array_of(e, node.args[1])
    assert t.dtype is not None
    if right.ndim not in (1, 2):
        raise e.refuse("'solve' for several matrices", node.span)
    b = e.builder
    e.fail_unless(
        b.icmp_signed("==", right.shape[0], a.shape[0]),
        ValueError,
        "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
        "signature (m,m),(m,n)->(m,n) (size {} is different from {})",
        right.shape[0],
        a.shape[0],
    )
    if right.ndim == 1:
        out = e.allocate(t.dtype, right.shape)
        fill(e, out, Leaf(right, right.dtype))
        _solved(e, a, out)
        return out
    columns = _transposed(e, right, t.dtype)
    _solved(e, a, columns)
    return _transposed_back(e, columns)


def _transposed_back(e: Emitter, columns: Array) -> Array:
    out = _transposed(e, columns, columns.dtype)
    e.release(columns)
    return out


@lowers("inv")
def _lower_inv(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    a = _matrix(e, node, t.dtype)
    assert t.dtype is not None
    columns = e.allocate(t.dtype, a.shape)
    fill(e, columns, Leaf(Static(0), t.dtype))
    one = ir.Constant(scalar_type(t.dtype), 1.0)
    with for_range(e.builder, 0, a.shape[0]) as k:
        e.store(columns, [k, k], one)
    _solved(e, a, columns)
    return _transposed_back(e, columns)


# Determinants -------------------------------------------------------------------------


def _factored(e: Emitter, a: Array, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Triangular factors, and the rows that were exchanged."""
    n = a.shape[0]
    matrix, order = _transposed(e, a, dtype), e.allocate(INT32, [n])
    _call(e, "getrf", dtype, n, n, matrix, _at_least_one(e, n), order)
    return matrix, order


def _is_exchanged(e: Emitter, order: Array, k: ir.Value) -> ir.Value:
    """Whether a row was exchanged for another one."""
    own = e.builder.add(k, I64(1))
    return e.builder.icmp_signed("!=", e.load(order, [k]), e.builder.trunc(own, I32))


@lowers("det")
def _lower_det(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    a = _matrix(e, node, t.dtype)
    assert t.dtype is not None
    b, kind = e.builder, scalar_type(t.dtype)
    matrix, order = _factored(e, a, t.dtype)
    product = e.local(kind)
    b.store(ir.Constant(kind, 1.0), product)
    with for_range(b, 0, a.shape[0]) as k:
        factor = e.load(matrix, [k, k])
        factor = b.select(_is_exchanged(e, order, k), b.fneg(factor), factor)
        b.store(b.fmul(b.load(product), factor), product)
    e.release(matrix)
    e.release(order)
    return Scalar(t.dtype, b.load(product))


@lowers("slogdet")
def _lower_slogdet(e: Emitter, node: Apply) -> Value:
    t = deref(node.type)
    if not isinstance(t, Tuple) or len(t.items) != 2:
        raise e.refuse("'slogdet' of this", node.span)
    dtype = getattr(deref(t.items[0]), "dtype", None)
    a = _matrix(e, node, dtype)
    assert dtype is not None
    b, kind = e.builder, scalar_type(dtype)
    matrix, order = _factored(e, a, dtype)
    zero, one, less = (ir.Constant(kind, v) for v in (0.0, 1.0, -1.0))
    sign, total = e.local(kind), e.local(kind)
    b.store(one, sign)
    b.store(zero, total)
    with for_range(b, 0, a.shape[0]) as k:
        factor = e.load(matrix, [k, k])
        own = b.select(b.fcmp_ordered("<", factor, zero), less, one)
        # A factor that is not a number has no sign either.
        own = b.select(b.fcmp_ordered("==", factor, zero), zero, own)
        own = b.select(_is_exchanged(e, order, k), b.fneg(own), own)
        b.store(b.fmul(b.load(sign), own), sign)
        size = b.select(b.fcmp_ordered("<", factor, zero), b.fneg(factor), factor)
        log = operation("log", [Leaf(Scalar(dtype, size), dtype)], dtype, dtype)
        b.store(b.fadd(b.load(total), scalar(e, log, dtype)), total)
    e.release(matrix)
    e.release(order)
    items: list[Value] = [Scalar(dtype, b.load(sign)), Scalar(dtype, b.load(total))]
    return Pack(items, cls=t.cls)


@lowers("cholesky", options=("upper",))
def _lower_cholesky(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    a = _matrix(e, node, t.dtype)
    assert t.dtype is not None
    upper = bool(static(e, argument(e, node, "upper"), "which half"))
    b, n = e.builder, a.shape[0]
    matrix = _transposed(e, a, t.dtype)
    half = "U" if upper else "L"
    info = _call(e, "potrf", t.dtype, half, n, matrix, _at_least_one(e, n))
    zero = ir.Constant(scalar_type(t.dtype), 0.0)
    with for_range(b, 0, n) as i, for_range(b, 0, n) as j:
        # Its rows are the columns.
        beyond = b.icmp_signed(">" if upper else "<", j, i)
        e.store(matrix, [i, j], b.select(beyond, zero, e.load(matrix, [i, j])))
    out = _transposed_back(e, matrix)
    _fail_if(e, info, "Matrix is not positive definite")
    return out
