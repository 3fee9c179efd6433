"""Lowerings of matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply

from ..emission.function import Emitter
from ..emission.values import I32, I64, Array, Scalar, Value, element_type
from ..fusion.expressions import Expr, Leaf
from ..gemm.packed_weights import Packed
from .elementwise import fill, materialise, operation
from .registry import array_of, lowers, result_type
from .shaping import contiguous


def gemm(e: Emitter, a: Array, b_: Array, out: Array, accumulate: bool = False) -> None:
    """out (+)= a @ b for matrices."""
    b = e.builder
    kind = "f32" if out.dtype == np.float32 else "f64"
    e.owner.gemms.add(out.dtype.name)
    element = element_type(out.dtype)
    assert element is not None
    pointer = element.as_pointer()
    matrix = [pointer, I64, I64]
    function = e.owner.runtime(
        f"anadrome.gemm.{kind}",
        I32,
        I64,
        I64,
        I64,
        *matrix,
        *matrix,
        *matrix,
        I64,
    )
    args = [a.shape[0], b_.shape[1], a.shape[1]]
    for m in (a, b_, out):
        args += [m.data, *m.strides]
    status = b.call(function, [*args, I64(int(accumulate))])
    e.check_status(
        status, e.owner.failure(MemoryError, "no memory for a matrix product", e.span)
    )


def as_row(array: Array) -> Array:
    """A vector as a matrix of one row; a matrix as it is."""
    if array.ndim == 2:
        return array
    n, s = array.shape[0], array.strides[0]
    return Array(array.dtype, array.block, array.data, [I64(1), n], [n, s])


def as_column(array: Array) -> Array:
    """A vector as a matrix of one column; a matrix as it is."""
    if array.ndim == 2:
        return array
    n, s = array.shape[0], array.strides[0]
    return Array(array.dtype, array.block, array.data, [n, I64(1)], [s, I64(1)])


def prepacked(e: Emitter, a: Array, packed: Packed, out: Array) -> None:
    """out = a @ b for a matrix b that a loop has packed before it started."""
    b = e.builder
    kind = "f32" if out.dtype == np.float32 else "f64"
    element = element_type(out.dtype)
    assert element is not None
    pointer = element.as_pointer()
    function = e.owner.runtime(
        f"anadrome.gemm_prepacked.{kind}",
        I32,
        *(I64, I64, I64, pointer, I64, I64, pointer, pointer, I64, I64),
    )
    null = ir.Constant(pointer, None)
    exists = b.icmp_unsigned("!=", packed.panels, null)
    with b.if_else(exists, likely=True) as (fast, plain):
        with fast:
            args = [a.shape[0], out.shape[1], a.shape[1]]
            args += [a.data, *a.strides, packed.panels]
            args += [out.data, out.strides[0], I64(0)]
            status = b.call(function, args)
            e.check_status(
                status,
                e.owner.failure(MemoryError, "no memory for a matrix product", e.span),
            )
        with plain:
            gemm(e, a, packed.source, out)


@lowers("matmul", "dot", operands=2)
def _lower_matmul(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    x, y = e.value(node.args[0]), e.value(node.args[1])
    if not isinstance(x, Array) or not isinstance(y, Array):
        raise e.refuse("a product with a number", node.span)
    if y.ndim > 2 or t.dtype.kind != "f" or (x.ndim > 2 and y.ndim != 2):
        raise e.refuse(f"a product of {x.ndim} and {y.ndim} axes", node.span)
    given = (x, y)
    x, y = (_in_dtype(e, v, t.dtype) for v in given)
    packed = e.packed.get(id(node.args[1])) if y is given[1] else None
    made = _product(e, node, x, y, packed)
    for value, own in zip((x, y), given):
        if value is not own:
            e.release(value)
    return made


def _product(e: Emitter, node: Apply, x: Array, y: Array, packed: Any) -> Value:
    """The product of arrays of one type."""
    if x.ndim == y.ndim == 1:
        return _inner(e, x, y)
    if x.ndim > 2:
        return _rows_product(e, x, y, packed)
    a, b_ = as_row(x), as_column(y)
    sizes = [a.shape[0], b_.shape[1]]
    _check_inner(e, a, b_)
    if x.ndim == y.ndim:
        out = e.output(node, x.dtype, sizes)
        _multiply(e, a, b_, out, packed)
        return out
    out = e.allocate(x.dtype, sizes)
    _multiply(e, a, b_, out, packed)
    kept = [n for n, used in zip(sizes, (x.ndim == 2, y.ndim == 2)) if used]
    return Array(out.dtype, out.block, out.data, kept, e.row_major(kept), True)


def _inner(e: Emitter, x: Array, y: Array) -> Value:
    """The sum of the products of two vectors."""
    _check_inner(e, x, y)
    kind = "f32" if x.dtype == np.float32 else "f64"
    e.owner.gemms.add(x.dtype.name)
    element = element_type(x.dtype)
    assert element is not None
    vector = [element.as_pointer(), I64]
    name = f"anadrome.inner.{kind}"
    function = e.owner.runtime(name, element, I64, *vector, *vector)
    given = [x.shape[0], x.data, *x.strides, y.data, *y.strides]
    return Scalar(x.dtype, e.builder.call(function, given))


def _multiply(
    e: Emitter, a: Array, b_: Array, out: Array, packed: Packed | None
) -> None:
    if packed is None:
        gemm(e, a, b_, out)
    else:
        prepacked(e, a, packed, out)


def _check_inner(e: Emitter, a: Array, b_: Array) -> None:
    e.fail_unless(
        e.builder.icmp_signed("==", a.shape[-1], b_.shape[0]),
        ValueError,
        "the columns of the first operand do not match the rows of the second",
    )


def _rows_product(e: Emitter, x: Array, y: Array, packed: Packed | None) -> Value:
    """A stack of matrices times one matrix: their rows below each other times it."""
    _check_inner(e, x, y)
    b = e.builder
    rows: ir.Value = I64(1)
    for n in x.shape[:-1]:
        rows = b.mul(rows, n)
    whole = contiguous(e, x)
    flat = [rows, x.shape[-1]]
    a = Array(x.dtype, whole.block, whole.data, flat, e.row_major(flat), True)
    shape = [*x.shape[:-1], y.shape[1]]
    out = e.allocate(x.dtype, shape)
    sizes = [rows, y.shape[1]]
    table = Array(x.dtype, out.block, out.data, sizes, e.row_major(sizes), True)
    _multiply(e, a, y, table, packed)
    e.release(whole)
    return out


def _in_dtype(e: Emitter, array: Array, dtype: np.dtype[Any]) -> Array:
    if array.dtype == dtype:
        return array
    return materialise(e, Leaf(array, array.dtype), array.ndim, dtype)


@lowers("outer", operands=2)
def _lower_outer(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    x, y = array_of(e, node.args[0]), array_of(e, node.args[1])
    if x.ndim != 1 or y.ndim != 1:
        raise e.refuse("'outer' of matrices", node.span)
    out = e.allocate(t.dtype, [x.shape[0], y.shape[0]])
    fill(e, out, product_tree(as_column(x), as_row(y), t.dtype))
    return out


def product_tree(x: Array, y: Array, dtype: np.dtype[Any]) -> Expr:
    """The products of the elements of two arrays."""
    pair = [Leaf(x, x.dtype), Leaf(y, y.dtype)]
    return operation("multiply", pair, dtype, dtype)
