"""Lowerings of what makes arrays, and of what joins them."""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply
from anadrome.ir.types import Num

from ..emission.control_flow import for_range
from ..emission.function import Emitter
from ..emission.memory_order import fail_unless_followed, is_row_major
from ..emission.python_arithmetic import fitting, whole
from ..emission.residuals import ArrayStack
from ..emission.values import (
    I64,
    INT64,
    Array,
    Nothing,
    Pack,
    Scalar,
    Static,
    Value,
    either_array,
)
from .elementwise import Leaf, fill, materialise
from .registry import argument, lowers, result_type, static, whole_axes
from .shaping import _shared, check_sizes, contiguous, sizes_of


def _filled(e: Emitter, node: Apply, sizes: list[ir.Value], number: Value) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    if len(sizes) != t.ndim:
        raise e.refuse("an array like a sequence", node.span)
    if not sizes:
        return Scalar(t.dtype, e.number(number, t.dtype))
    if isinstance(number, Array | Scalar) and number.dtype.kind == "c" != t.dtype.kind:
        raise e.refuse("complex numbers as real ones", node.span)
    if isinstance(number, Static) and isinstance(
        number.value, complex | np.complexfloating
    ):
        if t.dtype.kind != "c":
            raise e.refuse("complex numbers as real ones", node.span)
    check_sizes(e, sizes)
    if isinstance(number, Array) and number.ndim:
        raise e.refuse("an array filled with the rows of another", node.span)
    if node.op.name == "full":
        number = fitting(e, number, t.dtype)
    elif isinstance(number, Scalar) and number.weak:
        number = Scalar(t.dtype, e.number(number, t.dtype))
    out = e.allocate(t.dtype, sizes)
    fill(e, out, Leaf(number, t.dtype))
    return out


@lowers("zeros", "ones", "empty", options=("dtype",), complexes=True)
def _lower_zeros(e: Emitter, node: Apply) -> Value:
    number = Static(1.0 if node.op.name == "ones" else 0.0)
    return _filled(e, node, sizes_of(e, e.value(node.args[0])), number)


@lowers("zeros_like", "ones_like", "empty_like", options=("dtype",), complexes=True)
def _lower_zeros_like(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    sizes = value.shape if isinstance(value, Array) else []
    number = Static(1.0 if node.op.name == "ones_like" else 0.0)
    return _filled(e, node, list(sizes), number)


@lowers("filled_cotangent", complexes=True)
def _lower_filled(e: Emitter, node: Apply) -> Value:
    """Arrays that repeat their memory are copied; others have memory of their own."""
    return _own_memory(e, e.value(node.args[0]))


def _own_memory(e: Emitter, value: Value) -> Value:
    if isinstance(value, Array):
        return contiguous(e, value)
    if isinstance(value, Pack):
        items = [_own_memory(e, item) for item in value.items]
        return Pack(items, value.names, value.cls)
    if isinstance(value, Scalar | Static | Nothing):
        return value
    raise e.refuse("a cotangent of this form")


@lowers("full", operands=2, options=("dtype",), complexes=True)
def _lower_full(e: Emitter, node: Apply) -> Value:
    return _filled(e, node, sizes_of(e, e.value(node.args[0])), e.value(node.args[1]))


@lowers("full_like", operands=2, options=("dtype",), complexes=True)
def _lower_full_like(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    sizes = value.shape if isinstance(value, Array) else []
    return _filled(e, node, list(sizes), e.value(node.args[1]))


@lowers("copy_as", operands=2, complexes=True)
def _lower_copy_as(e: Emitter, node: Apply) -> Value:
    value, like = e.value(node.args[0]), e.value(node.args[1])
    if not isinstance(value, Array) or not isinstance(like, Array):
        raise e.refuse("a copy of something that is no array", node.span)
    fail_unless_followed(e, is_row_major(e, like))
    return materialise(e, Leaf(value, value.dtype), value.ndim, value.dtype)


@lowers("copy", "array", "asarray", "astype", options=("dtype",), complexes=True)
def _lower_copy(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    value = e.value(node.args[0])
    if node.target is np.asfortranarray:
        raise e.refuse("an array in Fortran's order", node.span)
    if node.target is np.ascontiguousarray:
        if not isinstance(value, Array) or value.dtype != t.dtype or not value.ndim:
            raise e.refuse("'ascontiguousarray' of this", node.span)
        return contiguous(e, value)
    if isinstance(value, Pack):
        return _stack_scalars(e, value, t)
    if not isinstance(value, Array):
        if t.ndim:
            raise e.refuse("an array of this", node.span)
        if node.op.name in ("array", "asarray"):
            value = fitting(e, whole(e, value, t.dtype), t.dtype)
        return Scalar(t.dtype, e.number(value, t.dtype))
    if node.op.name == "asarray" and value.dtype == t.dtype:
        return _shared(e, value, value.shape, value.strides, value.contiguous)
    return materialise(e, Leaf(value, value.dtype), value.ndim, t.dtype)


def _stack_scalars(e: Emitter, value: Pack, t: Num) -> Value:
    """`np.array([a, b, c])`."""
    assert t.dtype is not None
    out = e.allocate(t.dtype, [I64(len(value.items))]) if t.ndim == 1 else None
    if out is None:
        return _stacked(e, value.items, 0, t)
    for k, item in enumerate(value.items):
        item = fitting(e, whole(e, item, t.dtype), t.dtype)
        e.store(out, [I64(k)], e.number(item, t.dtype))
    return out


@lowers("arange", options=("stop", "step", "dtype"))
def _lower_arange(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    if t.dtype.kind != "i":
        raise e.refuse("'arange' of floats", node.span)
    if any(k in node.keywords for k in ("stop", "step")):
        raise e.refuse("'arange' with names", node.span)
    given = [e.integer(e.value(a)) for a in node.args]
    start, stop = (I64(0), given[0]) if len(given) == 1 else given[:2]
    step = given[2] if len(given) > 2 else I64(1)
    count = e.iterations(  # type: ignore[attr-defined]
        start, stop, step, ZeroDivisionError, "division by zero"
    )
    out = e.allocate(t.dtype, [count])
    b = e.builder
    with for_range(b, 0, count) as k:
        r = b.add(start, b.mul(k, step))
        e.store(out, [k], e.convert(r, INT64, t.dtype))
    return out


def _items(e: Emitter, value: Value, node: Apply) -> list[Array]:
    if not isinstance(value, Pack):
        raise e.refuse("a list whose length is known only at run time", node.span)
    found = []
    for item in value.items:
        if not isinstance(item, Array):
            raise e.refuse("numbers among arrays", node.span)
        found.append(item)
    return found


@lowers("concatenate", options=("axis", "dtype"), complexes=True)
def _lower_concatenate(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    arrays = _items(e, e.value(node.args[0]), node)
    axis = static(e, argument(e, node, "axis"), "an axis")
    if axis is None:
        raise e.refuse("arrays joined without an axis", node.span)
    (axis,) = whole_axes(e, axis, arrays[0].ndim)
    join = e.places.joins.get(id(node))
    if join is None:
        return _concatenated(e, node, arrays, axis)
    b = e.builder
    data = b.load(join.data)
    there = b.icmp_unsigned("!=", data, ir.Constant(data.type, None))
    yes, no, done = (b.append_basic_block(n) for n in ("joined", "apart", "whole"))
    b.cbranch(there, yes, no)
    b.position_at_end(yes)
    count = I64(len(arrays))
    shape = [*arrays[0].shape[:-1], b.mul(arrays[0].shape[-1], count)]
    block = b.load(join.block)
    mine = Array(t.dtype, block, data, shape, e.row_major(shape), True)
    first = b.block
    b.branch(done)
    b.position_at_end(no)
    other = _concatenated(e, node, arrays, axis)
    second = b.block
    b.branch(done)
    b.position_at_end(done)
    return either_array(b, mine, first, other, second)


def _concatenated(e: Emitter, node: Apply, arrays: list[Array], axis: int) -> Array:
    dtype = result_type(e, node).dtype
    assert dtype is not None
    b = e.builder
    total: ir.Value = I64(0)
    for a in arrays:
        total = b.add(total, a.shape[axis])
        for k in range(a.ndim):
            if k != axis and a is not arrays[0]:
                e.fail_unless(
                    b.icmp_signed("==", a.shape[k], arrays[0].shape[k]),
                    ValueError,
                    "all the input array dimensions except for the concatenation axis "
                    "must match exactly",
                )
    sizes = list(arrays[0].shape)
    sizes[axis] = total
    out = e.output(node, dtype, sizes)
    at: ir.Value = I64(0)
    for a in arrays:
        part = b.gep(out.data, [b.mul(at, out.strides[axis])])
        fill(
            e, Array(out.dtype, out.block, part, a.shape, out.strides), Leaf(a, a.dtype)
        )
        at = b.add(at, a.shape[axis])
    return out


@lowers("stack", options=("axis", "dtype"), complexes=True)
def _lower_stack(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    value = e.value(node.args[0])
    if isinstance(value, ArrayStack):
        nonempty = e.builder.icmp_signed(">", value.whole.shape[0], I64(0))
        e.fail_unless(nonempty, ValueError, "need at least one array to stack")
        e.retain(value.whole)
        return value.whole
    if not isinstance(value, Pack):
        raise e.refuse("a list whose length is known only at run time", node.span)
    return _stacked(e, value.items, static(e, argument(e, node, "axis"), "an axis"), t)


def _stacked(e: Emitter, items: list[Value], axis: int, t: Num) -> Value:
    assert t.dtype is not None
    assert t.ndim is not None
    (axis,) = whole_axes(e, axis, t.ndim)
    b = e.builder
    if t.ndim == 1:
        out = e.allocate(t.dtype, [I64(len(items))])
        for k, item in enumerate(items):
            e.store(out, [I64(k)], e.number(item, t.dtype))
        return out
    first = items[0]
    if not isinstance(first, Array):
        raise e.refuse("nested lists")
    sizes = list(first.shape)
    sizes.insert(axis, I64(len(items)))
    arrays: list[Array] = []
    for item in items:
        if not isinstance(item, Array) or item.ndim != first.ndim:
            raise e.refuse("arrays of different rank")
        for n, wanted in zip(item.shape, first.shape):
            same = b.icmp_signed("==", n, wanted)
            message = "all input arrays must have the same shape"
            e.fail_unless(same, ValueError, message)
        arrays.append(item)
    out = e.allocate(t.dtype, sizes)
    for k, item in enumerate(arrays):
        part = b.gep(out.data, [b.mul(I64(k), out.strides[axis])])
        strides = [s for j, s in enumerate(out.strides) if j != axis]
        fill(
            e,
            Array(out.dtype, out.block, part, item.shape, strides),
            Leaf(item, item.dtype),
        )
    return out
