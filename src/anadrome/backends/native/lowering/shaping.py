"""Lowerings of what only changes the shape: views, reshapes, broadcasts."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import is_stored

from ..emission.function import Emitter
from ..emission.memory_order import is_row_major
from ..emission.values import (
    I1,
    I64,
    INT64,
    Array,
    Pack,
    Scalar,
    Static,
    Value,
    either,
    either_array,
    is_one,
    stored_type,
)
from .elementwise import Leaf, build, evaluate_tree, fill
from .reductions import sum_to
from .registry import argument, array_of, lowers, result_type, static, whole_axes


@lowers("shape", complexes=True)
def _lower_shape(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    if not isinstance(value, Array | Scalar):
        raise e.refuse("the shape of a container", node.span)
    if isinstance(value, Array):
        return Pack([Scalar(INT64, n, True) for n in value.shape])
    return Pack([])


@lowers("size", complexes=True)
def _lower_size(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    if not isinstance(value, Array | Scalar):
        raise e.refuse("the size of a container", node.span)
    count: ir.Value = I64(1)
    if isinstance(value, Array):
        for n in value.shape:
            count = e.builder.mul(count, n)
    return Scalar(INT64, count, True)


def _shared(
    e: Emitter,
    array: Array,
    shape: list[Any],
    strides: list[Any],
    contiguous: bool = False,
) -> Array:
    """Another view of an array's memory."""
    made = Array(array.dtype, array.block, array.data, shape, strides, contiguous)
    e.retain(made)
    return made


@lowers(
    "transpose",
    "matrix_transpose",
    "transpose_all",
    "transpose_method",
    options=("axes", "*"),
    complexes=True,
)
def _lower_transpose(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    order = list(range(array.ndim))[::-1]
    name = node.op.name
    if name == "matrix_transpose":
        order = [*range(array.ndim - 2), array.ndim - 1, array.ndim - 2]
    elif len(node.args) > 1 or node.keywords:
        given = [
            static(e, e.value(a), "axes")
            for a in (*node.args[1:], *node.keywords.values())
        ]
        if len(given) == 1:
            axes = given[0]
        else:
            axes = tuple(given)
        if axes is not None and axes != ():
            axes = axes[0] if isinstance(axes[0], tuple) else axes
            order = whole_axes(e, axes, array.ndim)
    return _shared(
        e, array, [array.shape[k] for k in order], [array.strides[k] for k in order]
    )


@lowers("swapaxes", operands=3, complexes=True)
def _lower_swapaxes(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    given = [static(e, e.value(a), "an axis") for a in node.args[1:3]]
    (i,), (j,) = (whole_axes(e, a, array.ndim) for a in given)
    order = list(range(array.ndim))
    order[i], order[j] = order[j], order[i]
    return _shared(
        e, array, [array.shape[k] for k in order], [array.strides[k] for k in order]
    )


@lowers("moveaxis", operands=3, complexes=True)
def _lower_moveaxis(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    given = [static(e, e.value(a), "an axis") for a in node.args[1:3]]
    source, target = (whole_axes(e, g, array.ndim) for g in given)
    if len(source) != len(target):
        raise e.refuse("axes that are moved nowhere", node.span)
    order = [k for k in range(array.ndim) if k not in source]
    for to, axis in sorted(zip(target, source)):
        order.insert(to, axis)
    return _shared(
        e, array, [array.shape[k] for k in order], [array.strides[k] for k in order]
    )


@lowers("flip", "fliplr", "flipud", options=("axis",), complexes=True)
def _lower_flip(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    if node.op.name == "flip":
        axis = static(e, argument(e, node, "axis"), "an axis")
    else:
        axis = int(node.op.name == "fliplr")
    if axis is None:
        axis = tuple(range(array.ndim))
    b = e.builder
    strides, start = list(array.strides), array.data
    for k in sorted(whole_axes(e, axis, array.ndim)):
        # Of an axis without elements nothing is read.
        last = b.mul(b.sub(array.shape[k], I64(1)), strides[k])
        start = b.gep(start, [last], source_etype=stored_type(array.dtype))
        strides[k] = b.neg(strides[k])
    made = Array(array.dtype, array.block, start, array.shape, strides)
    e.retain(made)
    return made


@lowers("expand_dims", options=("axis",), complexes=True)
def _lower_expand_dims(e: Emitter, node: Apply) -> Value:
    axis = static(e, argument(e, node, "axis"), "an axis")
    axes = axis if isinstance(axis, tuple) else (axis,)
    value = e.value(node.args[0])
    if not isinstance(value, Array):
        value = _boxed(e, node.args[0])
    rank = value.ndim + len(axes)
    where = whole_axes(e, axes, rank)
    shape, strides = list(value.shape), list(value.strides)
    for k in sorted(where):
        shape.insert(k, I64(1))
        strides.insert(k, I64(1))
    return _shared(e, value, shape, strides)


def _boxed(e: Emitter, node: Node) -> Array:
    """A number as an array without axes."""
    expr = build(e, node)
    dtype = expr.dtype
    out = e.allocate(dtype, [])
    e.store(out, [], evaluate_tree(e, expr, lambda a: e.load(a, []), dtype))
    # The caller shares it once more; this reference is given up by the context.
    return out


@lowers("squeeze", options=("axis",), complexes=True)
def _lower_squeeze(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    axis = static(e, argument(e, node, "axis"), "an axis")
    if axis is None:
        raise e.refuse("'squeeze' without an axis", node.span)
    axes = whole_axes(e, axis, array.ndim)
    for k in axes:
        e.fail_unless(
            e.builder.icmp_signed("==", array.shape[k], I64(1)),
            ValueError,
            "cannot select an axis to squeeze out which has size not equal to one",
        )
    keep = [k for k in range(array.ndim) if k not in axes]
    shape = [array.shape[k] for k in keep]
    strides = [array.strides[k] for k in keep]
    if not keep:
        return Scalar(array.dtype, e.load(array, [I64(0)] * array.ndim))
    return _shared(e, array, shape, strides)


def sizes_of(e: Emitter, value: Value) -> list[ir.Value]:
    """A shape: a number or a tuple of them."""
    if isinstance(value, Pack):
        return [e.integer(i) for i in value.items]
    if isinstance(value, Static) and isinstance(value.value, tuple | list):
        return [I64(int(v)) for v in value.value]
    return [e.integer(value)]


def check_sizes(e: Emitter, sizes: list[ir.Value]) -> None:
    """Fail where an array would have less than nothing."""
    for n in sizes:
        if not isinstance(n, ir.Constant) or n.constant < 0:
            e.fail_unless(
                e.builder.icmp_signed(">=", n, I64(0)),
                ValueError,
                "negative dimensions are not allowed",
            )


@lowers("broadcast_to", operands=2, complexes=True)
def _lower_broadcast_to(e: Emitter, node: Apply) -> Value:
    sizes = sizes_of(e, e.value(node.args[1]))
    t = result_type(e, node)
    value = e.value(node.args[0])
    if not sizes:
        return value
    assert t.dtype is not None
    b = e.builder
    if not isinstance(value, Array) or node.target is np.broadcast_to:
        check_sizes(e, sizes)
    if not isinstance(value, Array):
        one = e.allocate(t.dtype, [])
        fill(e, one, build(e, node.args[0]))
        return Array(t.dtype, one.block, one.data, sizes, [I64(0)] * len(sizes))
    offset = len(sizes) - value.ndim
    strides: list[ir.Value] = [I64(0)] * offset
    for n, m, s in zip(value.shape, sizes[offset:], value.strides):
        if n is m or is_one(n):
            strides.append(s if n is m else I64(0))
            continue
        one = b.icmp_signed("==", n, I64(1))
        e.fail_unless(
            b.or_(one, b.icmp_signed("==", n, m)),
            ValueError,
            "operands could not be broadcast together",
        )
        strides.append(b.select(b.and_(one, b.icmp_signed("!=", m, I64(1))), I64(0), s))
    return _shared(e, value, sizes, strides)


@lowers("reshape", "reshape_method", "ravel", options=("shape", "*"), complexes=True)
def _lower_reshape(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    if is_stored(node.type) and not array.contiguous:
        # Where NumPy finds a view of what does not lie in order, it has to be one.
        raise e.refuse("another shape of a view that is changed in place", node.span)
    b = e.builder
    count: ir.Value = I64(1)
    for n in array.shape:
        count = b.mul(count, n)
    if node.op.name == "ravel":
        sizes = [count]
    else:
        given = [e.value(a) for a in node.args[1:]]
        given += [e.value(v) for k, v in node.keywords.items() if k == "shape"]
        sizes = (
            sizes_of(e, given[0]) if len(given) == 1 else [e.integer(g) for g in given]
        )
        known: ir.Value = I64(1)
        holes: ir.Value = I64(0)
        for n in sizes:
            hole = b.icmp_signed("<", n, I64(0))
            known = b.mul(known, b.select(hole, I64(1), n))
            holes = b.add(holes, b.zext(hole, I64))
        none = b.icmp_signed("==", holes, I64(0))
        one = b.icmp_signed("==", holes, I64(1))
        sure = b.and_(one, b.icmp_signed("!=", known, I64(0)))
        e.fail_unless(
            b.or_(none, sure), ValueError, "cannot reshape array to this shape"
        )
        safe = b.select(b.icmp_signed("==", known, I64(0)), I64(1), known)
        rest = b.sdiv(count, safe)
        sizes = [b.select(b.icmp_signed("<", n, I64(0)), rest, n) for n in sizes]
        known = I64(1)
        for n in sizes:
            known = b.mul(known, n)
        e.fail_unless(
            b.icmp_signed("==", known, count),
            ValueError,
            "cannot reshape array to this shape",
        )
    whole = contiguous(e, array)
    return Array(whole.dtype, whole.block, whole.data, sizes, e.row_major(sizes), True)


def contiguous(e: Emitter, array: Array) -> Array:
    """The array itself, shared, if it is contiguous, else a copy."""
    b = e.builder
    if array.contiguous:
        e.retain(array)
        return array
    good = is_row_major(e, array)
    same, copy, done = (b.append_basic_block(n) for n in ("same", "copy", "whole"))
    b.cbranch(good, same, copy)
    b.position_at_end(same)
    e.retain(array)
    first = b.block
    b.branch(done)
    b.position_at_end(copy)
    out = e.allocate(array.dtype, array.shape)
    fill(e, out, Leaf(array, array.dtype))
    second = b.block
    b.branch(done)
    b.position_at_end(done)
    block = either(b, array.block, first, out.block, second)
    data = either(b, array.data, first, out.data, second)
    return Array(array.dtype, block, data, array.shape, e.row_major(array.shape), True)


@lowers("unbroadcast", operands=2, complexes=True)
def _lower_unbroadcast(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    sizes = sizes_of(e, e.value(node.args[1]))
    if not isinstance(value, Array):
        return value
    t = result_type(e, node)
    assert t.dtype is not None
    b = e.builder
    dropped = max(0, len(sizes) - value.ndim)
    if dropped:
        # A store has dropped axes of length one.
        for n in sizes[:dropped]:
            one = b.icmp_signed("==", n, I64(1))
            e.fail_unless(one, ValueError, "operands could not be broadcast together")
        value = Array(
            value.dtype,
            value.block,
            value.data,
            [I64(1)] * dropped + value.shape,
            [I64(0)] * dropped + value.strides,
        )
    offset = value.ndim - len(sizes)
    same: ir.Value = I1(int(offset == 0))
    for n, m in zip(value.shape[offset:], sizes):
        same = b.and_(same, b.icmp_signed("==", n, m))
    given, summed, done = (
        b.append_basic_block(n) for n in ("given", "summed", "fitted")
    )
    b.cbranch(same, given, summed)
    b.position_at_end(given)
    e.retain(value)
    first = b.block
    b.branch(done)
    b.position_at_end(summed)
    shape = value.shape[:offset]
    fits: ir.Value = I1(1)
    for n, m in zip(value.shape[offset:], sizes):
        # Of what was multiplied by one element all along an axis there is one.
        shape.append(b.select(b.icmp_signed("==", n, I64(1)), m, n))
        one = b.icmp_signed("==", m, I64(1))
        fits = b.and_(fits, b.or_(one, b.icmp_signed("==", shape[-1], m)))
    e.fail_unless(fits, ValueError, "operands could not be broadcast together")
    out = e.allocate(t.dtype, sizes)
    sum_to(e, Leaf(value, value.dtype), shape, out)
    second = b.block
    b.branch(done)
    b.position_at_end(done)
    full = Array(
        value.dtype,
        value.block,
        value.data,
        value.shape[offset:],
        value.strides[offset:],
    )
    return either_array(b, full, first, out, second)
