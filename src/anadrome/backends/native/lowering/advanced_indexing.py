"""Elements and rows that arrays of integers, or masks, pick."""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from ..emission.function import Emitter
from ..emission.marshalling import pair
from ..emission.python_arithmetic import fitting, whole
from ..emission.values import I64, INT64, PAIR, Array, Scalar, Static, Value
from .basic_indexing import checked_index, outside
from .elementwise import Leaf, broadcast, fill, materialise


def with_arrays(e: Emitter, parts: list[Value]) -> list[Value]:
    """The parts of an index, with lists of numbers that are written down as arrays."""
    found: list[Value] = []
    for p in parts:
        items = p.value if isinstance(p, Static) else None
        if isinstance(items, list) and items:
            kinds = {type(item) for item in items}
            if kinds == {int} or kinds == {bool}:
                p = e.constant_array(np.array(items))
        found.append(p)
    return found


def _positions(e: Emitter, array: Array, parts: list[Value]) -> list[Array]:
    """The integers of an index, for each axis that it picks from."""
    first = parts[0]
    if isinstance(first, Array) and first.dtype.kind == "b" and len(parts) == 1:
        return _where_true(e, array, first)
    return _leading_indices(e, array, parts)


def _release_made(e: Emitter, parts: list[Value], indices: list[Array]) -> None:
    """Release the positions that a mask was turned into."""
    first = parts[0]
    if isinstance(first, Array) and first.dtype.kind == "b":
        for index in indices:
            e.release(index)


def _where_true(e: Emitter, array: Array, mask: Array) -> list[Array]:
    """The positions of a mask that hold."""
    b = e.builder
    if not 0 < mask.ndim <= array.ndim:
        raise e.refuse("a mask of more axes than there are")
    for k, (n, m) in enumerate(zip(array.shape, mask.shape)):
        # NumPy takes an axis without entries for any other.
        fits = b.or_(b.icmp_signed("==", n, m), b.icmp_signed("==", m, I64(0)))
        e.fail_unless(
            fits,
            IndexError,
            "boolean index did not match indexed array along axis "
            f"{k}; size of axis is {{0}} but size of corresponding boolean axis is "
            "{1}",
            n,
            m,
        )
    count = e.local(I64)
    b.store(I64(0), count)
    with e.nested_loops(mask.shape) as where:
        holds = b.zext(e.load(mask, where), I64)
        b.store(b.add(b.load(count), holds), count)
    found = [e.allocate(INT64, [b.load(count)]) for _ in mask.shape]
    b.store(I64(0), count)
    with e.nested_loops(mask.shape) as where, b.if_then(e.load(mask, where)):
        at = b.load(count)
        for index, k in zip(found, where):
            e.store(index, [at], k)
        b.store(b.add(at, I64(1)), count)
    return found


def _leading_indices(e: Emitter, array: Array, parts: list[Value]) -> list[Array]:
    """The integer arrays of an index that takes whole rows: `x[ids]`, `x[i, j]`."""
    found = []
    for p in parts:
        if not isinstance(p, Array) or p.dtype.kind != "i":
            raise e.refuse("an index that mixes arrays with other things")
        found.append(p)
    if len(found) > array.ndim:
        raise e.refuse("more indices than axes")
    return found if len(found) == 1 else _together(e, found)


def _together(e: Emitter, arrays: list[Array]) -> list[Array]:
    """Arrays broadcast against one another."""
    b = e.builder
    rank = max(a.ndim for a in arrays)
    shape = broadcast(e, arrays, rank)
    found = []
    for a in arrays:
        strides: list[ir.Value] = [I64(0)] * (rank - a.ndim)
        for n, s in zip(a.shape, a.strides):
            strides.append(b.select(b.icmp_signed("==", n, I64(1)), I64(0), s))
        found.append(Array(a.dtype, a.block, a.data, shape, strides))
    return found


def gather(e: Emitter, array: Array, parts: list[Value]) -> Array:
    """The elements, or the rows, that an index picks."""
    indices = _positions(e, array, parts)
    b = e.builder
    rest = array.shape[len(indices) :]
    out = e.allocate(array.dtype, [*indices[0].shape, *rest])
    with e.nested_loops(indices[0].shape) as where:
        at = _row(e, array, indices, where)
        row = Array(array.dtype, array.block, at, rest, array.strides[len(indices) :])
        if rest:
            part = Array(
                out.dtype,
                out.block,
                e.address(out, where),
                rest,
                out.strides[len(where) :],
            )
            fill(e, part, Leaf(row, row.dtype))
        else:
            b.store(b.load(at), e.address(out, where))
    _release_made(e, parts, indices)
    return out


def _row(
    e: Emitter,
    array: Array,
    indices: list[Array],
    where: list[ir.Value],
    is_checked: bool = False,
) -> ir.Value:
    """The address of what an integer index picks."""
    b = e.builder
    at: ir.Value = I64(0)
    for k, index in enumerate(indices):
        i = e.convert(e.load(index, where), index.dtype, INT64)
        if is_checked:
            n = array.shape[k]
            i = b.select(b.icmp_signed("<", i, I64(0)), b.add(i, n), i)
        else:
            i = checked_index(e, i, array.shape[k], outside(k))
        at = b.add(at, b.mul(i, array.strides[k]))
    return b.gep(array.data, [at])


def add_at(e: Emitter, out: Array, parts: list[Value], value: Value) -> None:
    """Add to what an index picks: a place that is named twice gets both."""
    indices = _positions(e, out, parts)
    b = e.builder
    rest = out.shape[len(indices) :]
    if not isinstance(value, Array) or value.ndim != len(rest) + indices[0].ndim:
        raise e.refuse("adding fewer axes at an array of indices")
    for n, m in zip(value.shape, [*indices[0].shape, *rest]):
        e.fail_unless(
            b.icmp_signed("==", n, m), ValueError, "shape mismatch of what is added"
        )
    with e.nested_loops(indices[0].shape) as where:
        at = _row(e, out, indices, where)
        row = Array(out.dtype, out.block, at, rest, out.strides[len(indices) :])
        with e.nested_loops(rest) as inner:
            place = e.address(row, inner)
            r = e.convert(e.load(value, [*where, *inner]), value.dtype, out.dtype)
            b.store(plus(b, b.load(place), r), place)
    _release_made(e, parts, indices)


def store_at(e: Emitter, array: Array, parts: list[Value], value: Value) -> None:
    """Store into what an index picks: of what has one place, the last stays."""
    if array.dtype.kind not in "fib":
        raise e.refuse("a store of this at an array of indices")
    indices = _positions(e, array, parts)
    copies: list[Array] = []

    def apart(part: Array) -> Array:
        """Values that may lie in the memory that is written."""
        copies.append(materialise(e, Leaf(part, part.dtype), part.ndim, part.dtype))
        return copies[-1]

    if array.dtype.kind == "i":
        indices = [apart(index) for index in indices]
    rest = array.shape[len(indices) :]
    shape = [*indices[0].shape, *rest]
    if isinstance(value, Array) and value.ndim > len(shape):
        raise e.refuse("a store of more axes than are picked")
    spread = _spread_over(e, apart(value), shape) if isinstance(value, Array) else None
    if isinstance(value, Scalar) and value.weak:
        value = fitting(e, whole(e, value, array.dtype), array.dtype)
    with e.nested_loops(indices[0].shape) as where:
        # Nothing is written if one of the places does not exist.
        _row(e, array, indices, where)
    with e.nested_loops(indices[0].shape) as where:
        at = _row(e, array, indices, where, is_checked=True)
        row = Array(array.dtype, array.block, at, rest, array.strides[len(indices) :])
        with e.nested_loops(rest) as inner:
            if spread is None:
                r = e.number(value, array.dtype)
            else:
                found = e.load(spread, [*where, *inner])
                r = e.convert(found, spread.dtype, array.dtype)
            e.store(row, list(inner), r)
    for part in copies:
        e.release(part)
    _release_made(e, parts, indices if array.dtype.kind != "i" else [])


def _spread_over(e: Emitter, value: Array, shape: list[ir.Value]) -> Array:
    """An array that is repeated along axes until it has a shape, or a failure."""
    b = e.builder
    strides: list[ir.Value] = [I64(0)] * (len(shape) - value.ndim)
    for n, m, step in zip(value.shape, shape[len(strides) :], value.strides):
        single = b.icmp_signed("==", n, I64(1))
        e.fail_unless(
            b.or_(single, b.icmp_signed("==", n, m)),
            ValueError,
            "shape mismatch: {0} values cannot be stored at {1} places",
            n,
            m,
        )
        strides.append(b.select(single, I64(0), step))
    return Array(value.dtype, value.block, value.data, shape, strides)


def plus(b: ir.IRBuilder, x: ir.Value, y: ir.Value) -> ir.Value:
    """The sum of two numbers, complex ones too."""
    if x.type == PAIR:
        parts = [[b.extract_value(r, k) for r in (x, y)] for k in (0, 1)]
        return pair(b, *(b.fadd(*both) for both in parts))
    return (
        b.fadd(x, y)
        if isinstance(x.type, ir.DoubleType | ir.FloatType)
        else b.add(x, y)
    )
