"""Native forms of the primitives that are not elementwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import Num, deref

from .control import for_range
from .elementwise import (
    Expr,
    Leaf,
    both_ways,
    broadcast,
    build,
    evaluate_tree,
    fill,
    leaves,
    materialise,
    reader,
)
from .emitter import INT64, Emitter
from .values import (
    I1,
    I32,
    I64,
    POINTER,
    Array,
    Pack,
    Scalar,
    Static,
    Value,
    element_type,
    scalar_type,
)

Lowering = Callable[[Emitter, Apply], Value]
LOWERINGS: dict[str, Lowering] = {}
_TREES: set[str] = set()


def lowers(*names: str, trees: bool = False) -> Callable[[Lowering], Lowering]:
    """Register the native form of primitives; `trees` if it takes fused operands."""

    def enter(lower: Lowering) -> Lowering:
        for name in names:
            LOWERINGS[name] = lower
            if trees:
                _TREES.add(name)
        return lower

    return enter


def consumes_trees(user: Apply, node: Node) -> bool:
    """Whether a statement computes a fused operand as it goes."""
    name = getattr(user.op, "name", "")
    if name == "setitem":
        return len(user.args) == 3 and user.args[2] is node
    return name in _TREES and user.args[0] is node


def argument(e: Emitter, node: Apply, name: str) -> Value:
    """An argument of a primitive by its declared name; its default if not given."""
    bound = node.op.signature.bind(*node.args, **node.keywords)
    if name in bound.arguments:
        return e.value(bound.arguments[name])
    return Static(node.op.signature.parameters[name].default)


def static(e: Emitter, value: Value, what: str) -> Any:
    """The Python value of something that must be known at compile time."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, Pack):
        return tuple(static(e, i, what) for i in value.items)
    raise e.refuse(f"{what} that is known only at run time")


def array_of(e: Emitter, node: Node) -> Array:
    """A node as an array in memory; a number becomes one without axes."""
    value = e.value(node)
    if isinstance(value, Array):
        return value
    raise e.refuse("a number used as an array")


def result_type(e: Emitter, node: Apply) -> Num:
    """The type of an array or a number that a statement makes."""
    t = deref(node.type)
    if not isinstance(t, Num) or t.ndim is None or t.dtype is None:
        raise e.refuse(f"a result of type {t!r}", node.span)
    if element_type(t.dtype) is None:
        raise e.refuse(f"numbers of type {t.dtype}", node.span)
    return t


def axes_of(e: Emitter, node: Apply, ndim: int) -> list[int]:
    """The axes of a reduction, counted from zero."""
    axis = static(e, argument(e, node, "axis"), "an axis")
    if axis is None:
        return list(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return sorted(a % ndim for a in axes)


# Reductions ---------------------------------------------------------------------------


def _check_plain(e: Emitter, node: Apply, *names: str) -> None:
    """Refuse options of a reduction that have no native form."""
    for name in names:
        if name in node.keywords:
            value = e.value(node.keywords[name])
            default = node.op.signature.parameters[name].default
            if not (isinstance(value, Static) and value.value is default):
                raise e.refuse(f"'{node.op.name}' with {name}=", node.span)


def reduce(
    e: Emitter,
    node: Apply,
    start: Any,
    combine: Callable[[Emitter, ir.Value, ir.Value], ir.Value],
) -> Value:
    """A reduction over some axes."""
    _check_plain(e, node, "dtype", "initial", "where")
    t = result_type(e, node)
    assert t.dtype is not None
    expr = build(e, node.args[0])
    arrays = leaves(expr)
    if not arrays:
        return Scalar(t.dtype, evaluate_tree(e, expr, lambda a: None, t.dtype))
    rank = max(a.ndim for a in arrays)
    shape = broadcast(e, arrays, rank)
    axes = axes_of(e, node, rank)
    keep = bool(static(e, argument(e, node, "keepdims"), "keepdims"))
    initial = start(e, t.dtype)
    if len(axes) == rank and not keep:
        return Scalar(t.dtype, _reduce_all(e, expr, shape, t.dtype, initial, combine))
    outer = [n for k, n in enumerate(shape) if k not in axes]
    out = e.allocate(t.dtype, outer)
    if axes == [rank - 1]:
        _reduce_last(e, expr, shape, out, initial, combine)
    else:
        _reduce_some(e, expr, shape, axes, out, initial, combine)
    if keep:
        sizes = [I64(1) if k in axes else n for k, n in enumerate(shape)]
        return Array(out.dtype, out.block, out.data, sizes, e.row_major(sizes), True)
    return out


def _accumulate(
    e: Emitter,
    expr: Expr,
    outer: list[ir.Value],
    count: ir.Value,
    unit: bool,
    place: ir.Value,
    dtype: np.dtype[Any],
    combine: Any,
) -> None:
    """Fold the last axis into a number in memory."""
    b = e.builder
    before = b.block
    head, body = b.append_basic_block("fold"), b.append_basic_block("fold.body")
    done = b.append_basic_block("fold.done")
    first = b.load(place)
    b.branch(head)
    b.position_at_end(head)
    k = b.phi(I64)
    total = b.phi(first.type)
    k.add_incoming(I64(0), before)
    total.add_incoming(first, before)
    b.cbranch(b.icmp_signed("<", k, count), body, done)
    b.position_at_end(body)
    r = evaluate_tree(e, expr, reader(e, [*outer, k], unit), dtype)
    new = combine(e, total, r)
    k.add_incoming(b.add(k, I64(1)), b.block)
    total.add_incoming(new, b.block)
    b.branch(head)
    b.position_at_end(done)
    b.store(total, place)


def _reduce_all(
    e: Emitter,
    expr: Expr,
    shape: list[ir.Value],
    dtype: Any,
    initial: Any,
    combine: Any,
) -> ir.Value:
    b = e.builder
    with b.goto_entry_block():
        place = b.alloca(scalar_type(dtype))
    b.store(initial, place)

    def write(unit: bool) -> None:
        with e.nested_loops(shape[:-1]) as outer:
            _accumulate(e, expr, outer, shape[-1], unit, place, dtype, combine)

    both_ways(e, leaves(expr), shape, write)
    return b.load(place)


def _reduce_last(
    e: Emitter,
    expr: Expr,
    shape: list[ir.Value],
    out: Array,
    initial: Any,
    combine: Any,
) -> None:
    def write(unit: bool) -> None:
        with e.nested_loops(shape[:-1]) as outer:
            place = e.address(out, outer)
            e.builder.store(initial, place)
            _accumulate(e, expr, outer, shape[-1], unit, place, out.dtype, combine)

    both_ways(e, leaves(expr), shape, write)


def _reduce_some(
    e: Emitter,
    expr: Expr,
    shape: list[ir.Value],
    axes: list[int],
    out: Array,
    initial: Any,
    combine: Any,
) -> None:
    with e.nested_loops(out.shape) as index:
        e.builder.store(initial, e.address(out, index))

    def write(unit: bool) -> None:
        with e.nested_loops(shape) as index:
            kept = [i for k, i in enumerate(index) if k not in axes]
            r = evaluate_tree(e, expr, reader(e, index, unit), out.dtype)
            place = e.address(out, kept)
            e.builder.store(combine(e, e.builder.load(place), r), place)

    both_ways(e, leaves(expr), shape, write)


def _zero(e: Emitter, dtype: np.dtype[Any]) -> ir.Value:
    return ir.Constant(scalar_type(dtype), 0.0 if dtype.kind == "f" else 0)


def _one(e: Emitter, dtype: np.dtype[Any]) -> ir.Value:
    return ir.Constant(scalar_type(dtype), 1.0 if dtype.kind == "f" else 1)


def _sum(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
    if isinstance(x.type, ir.DoubleType | ir.FloatType):
        # Partial sums, one for each lane: no worse than one after the other.
        return e.builder.fadd(x, y, flags=["reassoc"])
    return e.builder.add(x, y)


def _product(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
    if isinstance(x.type, ir.DoubleType | ir.FloatType):
        return e.builder.fmul(x, y, flags=["reassoc"])
    return e.builder.mul(x, y)


@lowers("sum", trees=True)
def _lower_sum(e: Emitter, node: Apply) -> Value:
    return reduce(e, node, _zero, _sum)


@lowers("prod", trees=True)
def _lower_prod(e: Emitter, node: Apply) -> Value:
    return reduce(e, node, _one, _product)


@lowers("mean", trees=True)
def _lower_mean(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    total = reduce(e, node, _zero, _sum)
    expr = build(e, node.args[0])
    arrays = leaves(expr)
    rank = max((a.ndim for a in arrays), default=0)
    shape = broadcast(e, arrays, rank)
    b = e.builder
    count: ir.Value = I64(1)
    for k in axes_of(e, node, rank) if rank else []:
        count = b.mul(count, shape[k])
    assert t.dtype is not None
    divisor = Scalar(t.dtype, b.sitofp(count, scalar_type(t.dtype)))
    if isinstance(total, Scalar):
        return Scalar(t.dtype, b.fdiv(total.register, divisor.register))
    assert isinstance(total, Array)
    from .elementwise import ELEMENTWISE, Tree

    tree = Tree(
        ELEMENTWISE["divide"],
        [Leaf(total, t.dtype), Leaf(divisor, t.dtype)],
        t.dtype,
        t.dtype,
    )
    fill(e, total, tree)
    return total


def _extreme(sign: str) -> Lowering:
    def start(e: Emitter, dtype: np.dtype[Any]) -> ir.Value:
        if dtype.kind == "f":
            return ir.Constant(
                scalar_type(dtype), float("-inf") if sign == ">" else float("inf")
            )
        limits = np.iinfo(dtype)
        return ir.Constant(
            scalar_type(dtype), int(limits.min if sign == ">" else limits.max)
        )

    def combine(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
        b = e.builder
        if isinstance(x.type, ir.DoubleType | ir.FloatType):
            better = b.fcmp_unordered(sign, y, x)
            nan = b.fcmp_unordered("uno", x, x)
            return b.select(nan, x, b.select(better, y, x))
        return b.select(b.icmp_signed(sign, y, x), y, x)

    def lower(e: Emitter, node: Apply) -> Value:
        return reduce(e, node, start, combine)

    return lower


lowers("max", trees=True)(_extreme(">"))
lowers("min", trees=True)(_extreme("<"))


# Shapes -------------------------------------------------------------------------------


@lowers("shape")
def _lower_shape(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    if isinstance(value, Array):
        return Pack([Scalar(INT64, n, True) for n in value.shape])
    return Pack([])


@lowers("size")
def _lower_size(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
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
    "permute_dims",
    "matrix_transpose",
    "transpose_all",
    "swap_last",
    "transpose_method",
    "T",
    "mT",
)
def _lower_transpose(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    order = list(range(array.ndim))[::-1]
    name = node.op.name
    if name in ("matrix_transpose", "swap_last", "mT"):
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
            order = [a % array.ndim for a in axes]
    return _shared(
        e, array, [array.shape[k] for k in order], [array.strides[k] for k in order]
    )


@lowers("swapaxes")
def _lower_swapaxes(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    i, j = (static(e, e.value(a), "an axis") % array.ndim for a in node.args[1:3])
    order = list(range(array.ndim))
    order[i], order[j] = order[j], order[i]
    return _shared(
        e, array, [array.shape[k] for k in order], [array.strides[k] for k in order]
    )


@lowers("expand_dims")
def _lower_expand_dims(e: Emitter, node: Apply) -> Value:
    axis = static(e, argument(e, node, "axis"), "an axis")
    axes = axis if isinstance(axis, tuple) else (axis,)
    value = e.value(node.args[0])
    if not isinstance(value, Array):
        value = _boxed(e, node.args[0])
    rank = value.ndim + len(axes)
    where = {a % rank for a in axes}
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


@lowers("squeeze")
def _lower_squeeze(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    axis = static(e, argument(e, node, "axis"), "an axis")
    if axis is None:
        raise e.refuse("'squeeze' without an axis", node.span)
    axes = {a % array.ndim for a in (axis if isinstance(axis, tuple) else (axis,))}
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


@lowers("broadcast_to")
def _lower_broadcast_to(e: Emitter, node: Apply) -> Value:
    sizes = sizes_of(e, e.value(node.args[1]))
    t = result_type(e, node)
    value = e.value(node.args[0])
    if not sizes:
        return value
    assert t.dtype is not None
    if not isinstance(value, Array):
        out = e.allocate(t.dtype, sizes)
        fill(e, out, build(e, node.args[0]))
        return out
    b = e.builder
    offset = len(sizes) - value.ndim
    strides: list[ir.Value] = [I64(0)] * offset
    for n, m, s in zip(value.shape, sizes[offset:], value.strides):
        one = b.icmp_signed("==", n, I64(1))
        e.fail_unless(
            b.or_(one, b.icmp_signed("==", n, m)),
            ValueError,
            "operands could not be broadcast together",
        )
        strides.append(b.select(b.and_(one, b.icmp_signed("!=", m, I64(1))), I64(0), s))
    return _shared(e, value, sizes, strides)


@lowers("reshape", "reshape_method", "ravel")
def _lower_reshape(e: Emitter, node: Apply) -> Value:
    array = array_of(e, node.args[0])
    b = e.builder
    count: ir.Value = I64(1)
    for n in array.shape:
        count = b.mul(count, n)
    if node.op.name == "ravel":
        sizes = [count]
    else:
        given = [e.value(a) for a in node.args[1:]]
        given += [
            e.value(v) for k, v in node.keywords.items() if k in ("shape", "newshape")
        ]
        sizes = (
            sizes_of(e, given[0]) if len(given) == 1 else [e.integer(g) for g in given]
        )
        known: ir.Value = I64(1)
        for n in sizes:
            hole = b.icmp_signed("<", n, I64(0))
            known = b.mul(known, b.select(hole, I64(1), n))
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
    good: ir.Value = I1(1)
    for s, w in zip(array.strides, e.row_major(array.shape)):
        good = b.and_(good, b.icmp_signed("==", s, w))
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
    block, data = b.phi(POINTER), b.phi(array.data.type)
    block.add_incoming(array.block, first)
    block.add_incoming(out.block, second)
    data.add_incoming(array.data, first)
    data.add_incoming(out.data, second)
    return Array(array.dtype, block, data, array.shape, e.row_major(array.shape), True)


@lowers("unbroadcast")
def _lower_unbroadcast(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    sizes = sizes_of(e, e.value(node.args[1]))
    if not isinstance(value, Array):
        return value
    t = result_type(e, node)
    assert t.dtype is not None
    b = e.builder
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
    out = e.allocate(t.dtype, sizes)
    with e.nested_loops(sizes) as index:
        e.store(out, index, _zero(e, t.dtype))
    with e.nested_loops(value.shape) as index:
        own = []
        for i, m in zip(index[offset:], sizes):
            own.append(b.select(b.icmp_signed("==", m, I64(1)), I64(0), i))
        place = e.address(out, own)
        r = e.convert(e.load(value, index), value.dtype, t.dtype)
        b.store(b.fadd(b.load(place), r), place)
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
    merged: list[ir.Value] = []
    for x, y in zip(full.flatten(), out.flatten()):
        phi = b.phi(x.type)
        phi.add_incoming(x, first)
        phi.add_incoming(y, second)
        merged.append(phi)
    return full.rebuild(merged)


# Making -------------------------------------------------------------------------------


def _filled(e: Emitter, node: Apply, sizes: list[ir.Value], number: Value) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    if not sizes:
        return Scalar(t.dtype, e.number(number, t.dtype))
    out = e.allocate(t.dtype, sizes)
    fill(e, out, Leaf(number, t.dtype))
    return out


@lowers("zeros", "ones", "empty")
def _lower_zeros(e: Emitter, node: Apply) -> Value:
    number = Static(1.0 if node.op.name == "ones" else 0.0)
    return _filled(e, node, sizes_of(e, e.value(node.args[0])), number)


@lowers("zeros_like", "ones_like", "empty_like")
def _lower_zeros_like(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    sizes = value.shape if isinstance(value, Array) else []
    number = Static(1.0 if node.op.name == "ones_like" else 0.0)
    return _filled(e, node, list(sizes), number)


@lowers("full")
def _lower_full(e: Emitter, node: Apply) -> Value:
    return _filled(e, node, sizes_of(e, e.value(node.args[0])), e.value(node.args[1]))


@lowers("full_like")
def _lower_full_like(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    sizes = value.shape if isinstance(value, Array) else []
    return _filled(e, node, list(sizes), e.value(node.args[1]))


@lowers("copy", "array", "asarray", "ascontiguousarray", "astype")
def _lower_copy(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    value = e.value(node.args[0])
    if isinstance(value, Pack):
        return _stack_scalars(e, value, t)
    if not isinstance(value, Array):
        return Scalar(t.dtype, e.number(value, t.dtype))
    if node.op.name in ("asarray", "ascontiguousarray") and value.dtype == t.dtype:
        return (
            contiguous(e, value)
            if node.op.name != "asarray"
            else _shared(e, value, value.shape, value.strides, value.contiguous)
        )
    return materialise(e, Leaf(value, value.dtype), value.ndim, t.dtype)


def _stack_scalars(e: Emitter, value: Pack, t: Num) -> Value:
    """`np.array([a, b, c])`."""
    assert t.dtype is not None
    out = e.allocate(t.dtype, [I64(len(value.items))]) if t.ndim == 1 else None
    if out is None:
        return _stacked(e, value.items, 0, t)
    for k, item in enumerate(value.items):
        e.store(out, [I64(k)], e.number(item, t.dtype))
    return out


@lowers("arange")
def _lower_arange(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    if t.dtype.kind != "i":
        raise e.refuse("'arange' of floats", node.span)
    given = [e.integer(e.value(a)) for a in node.args]
    start, stop = (I64(0), given[0]) if len(given) == 1 else given[:2]
    step = given[2] if len(given) > 2 else I64(1)
    count = e._turns(start, stop, step)  # type: ignore[attr-defined]
    out = e.allocate(t.dtype, [count])
    b = e.builder
    with for_range(b, 0, count) as k:
        r = b.add(start, b.mul(k, step))
        e.store(out, [k], e.convert(r, INT64, t.dtype))
    return out


# Joining ------------------------------------------------------------------------------


def _items(e: Emitter, value: Value, node: Apply) -> list[Array]:
    if not isinstance(value, Pack):
        raise e.refuse("a list whose length is known only at run time", node.span)
    found = []
    for item in value.items:
        if not isinstance(item, Array):
            raise e.refuse("numbers among arrays", node.span)
        found.append(item)
    return found


@lowers("concatenate")
def _lower_concatenate(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    arrays = _items(e, e.value(node.args[0]), node)
    axis = static(e, argument(e, node, "axis"), "an axis") % arrays[0].ndim
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
    out = e.allocate(t.dtype, sizes)
    at: ir.Value = I64(0)
    for a in arrays:
        part = b.gep(out.data, [b.mul(at, out.strides[axis])])
        fill(
            e, Array(out.dtype, out.block, part, a.shape, out.strides), Leaf(a, a.dtype)
        )
        at = b.add(at, a.shape[axis])
    return out


@lowers("stack")
def _lower_stack(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    value = e.value(node.args[0])
    if not isinstance(value, Pack):
        raise e.refuse("a list whose length is known only at run time", node.span)
    return _stacked(e, value.items, static(e, argument(e, node, "axis"), "an axis"), t)


def _stacked(e: Emitter, items: list[Value], axis: int, t: Num) -> Value:
    assert t.dtype is not None
    assert t.ndim is not None
    axis %= t.ndim
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
    out = e.allocate(t.dtype, sizes)
    for k, item in enumerate(items):
        assert isinstance(item, Array)
        part = b.gep(out.data, [b.mul(I64(k), out.strides[axis])])
        strides = [s for j, s in enumerate(out.strides) if j != axis]
        fill(
            e,
            Array(out.dtype, out.block, part, item.shape, strides),
            Leaf(item, item.dtype),
        )
    return out


# Products -----------------------------------------------------------------------------


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
        element,
        *matrix,
        *matrix,
        *matrix,
        I64,
    )
    args = [a.shape[0], b_.shape[1], a.shape[1], ir.Constant(element, 1.0)]
    for m in (a, b_, out):
        args += [m.data, *m.strides]
    status = b.call(function, [*args, I64(int(accumulate))])
    e.check_status(
        status, e.owner.failure(MemoryError, "no memory for a matrix product", e.span)
    )


def _as_matrix(array: Array, row: bool) -> Array:
    """A vector as a matrix of one row or one column."""
    if array.ndim == 2:
        return array
    n, s = array.shape[0], array.strides[0]
    shape = [I64(1), n] if row else [n, I64(1)]
    strides = [n, s] if row else [s, I64(1)]
    return Array(array.dtype, array.block, array.data, shape, strides)


@lowers("matmul", "dot")
def _lower_matmul(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    x, y = e.value(node.args[0]), e.value(node.args[1])
    if not isinstance(x, Array) or not isinstance(y, Array):
        raise e.refuse("a product with a number", node.span)
    if x.ndim > 2 or y.ndim > 2 or t.dtype.kind != "f":
        raise e.refuse(f"a product of {x.ndim} and {y.ndim} axes", node.span)
    x, y = (_in_dtype(e, v, t.dtype) for v in (x, y))
    a, b_ = _as_matrix(x, True), _as_matrix(y, False)
    b = e.builder
    e.fail_unless(
        b.icmp_signed("==", a.shape[1], b_.shape[0]),
        ValueError,
        "the columns of the first operand do not match the rows of the second",
    )
    sizes = [a.shape[0], b_.shape[1]]
    out = e.allocate(t.dtype, sizes)
    gemm(e, a, b_, out)
    kept = [n for n, used in zip(sizes, (x.ndim == 2, y.ndim == 2)) if used]
    if not kept:
        r = e.load(out, [I64(0), I64(0)])
        e.release(out)
        return Scalar(t.dtype, r)
    return Array(out.dtype, out.block, out.data, kept, e.row_major(kept), True)


def _in_dtype(e: Emitter, array: Array, dtype: np.dtype[Any]) -> Array:
    if array.dtype == dtype:
        return array
    raise e.refuse(f"a product of {array.dtype} and {dtype}")


@lowers("outer")
def _lower_outer(e: Emitter, node: Apply) -> Value:
    t = result_type(e, node)
    assert t.dtype is not None
    x, y = array_of(e, node.args[0]), array_of(e, node.args[1])
    if x.ndim != 1 or y.ndim != 1:
        raise e.refuse("'outer' of matrices", node.span)
    out = e.allocate(t.dtype, [x.shape[0], y.shape[0]])
    column = Array(
        x.dtype, x.block, x.data, [x.shape[0], I64(1)], [x.strides[0], I64(1)]
    )
    b = e.builder
    with for_range(b, 0, x.shape[0]) as i:
        left = e.convert(e.load(column, [i, I64(0)]), x.dtype, t.dtype)
        with for_range(b, 0, y.shape[0]) as j:
            right = e.convert(e.load(y, [j]), y.dtype, t.dtype)
            e.store(
                out,
                [i, j],
                b.fmul(left, right) if t.dtype.kind == "f" else b.mul(left, right),
            )
    return out
