"""Lowerings of the operations of the language: items, tuples, stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant
from anadrome.ir.types import List, Num, alias_of, deref

from ..emission.containers import check_kind, items_of, length_of, live_count
from ..emission.function import Emitter
from ..emission.memory_order import fail_unless_followed
from ..emission.native_containers import Growing, Mapping
from ..emission.native_lists import list_of, own_list, zeros_for
from ..emission.python_arithmetic import fitting, integer_of, whole
from ..emission.recursive_records import Reference, field_of, make_record
from ..emission.values import (
    BOOL,
    I1,
    I64,
    INT64,
    Array,
    Nothing,
    Pack,
    Scalar,
    Series,
    SliceValue,
    Static,
    Value,
    either_array,
)
from ..fusion.expressions import Expr, Pair
from ..fusion.overlap import may_write
from ..repeatable import is_add_at
from ..runtime.memory import HOLDERS, OBJECT
from .advanced_indexing import add_at, gather, plus, store_at, with_arrays
from .basic_indexing import checked_index, index_parts, view_of
from .complex_parts import FLOAT, halves
from .dictionaries import item_of_table, store_in_table
from .elementwise import (
    Leaf,
    build,
    evaluate_tree,
    fill,
    leaves,
    materialise,
    operation,
)
from .growing_lists import growing_of, is_slice, sliced, store_in_list
from .narrow_integers import stored, touches_narrow
from .shaping import contiguous

Statement = Callable[[Emitter, Apply], Value | None]
STATEMENTS: dict[Any, Statement] = {}


def runs(*operations: Any) -> Callable[[Statement], Statement]:
    """Register the lowering of operations."""

    def enter(statement: Statement) -> Statement:
        for op in operations:
            STATEMENTS[op] = statement
        return statement

    return enter


@runs(ops.TUPLE, ops.LIST)
def _tuple(e: Emitter, node: Apply) -> Value:
    t = deref(node.type)
    if isinstance(t, List) and id(t) in e.owner.growing:
        return growing_of(e, e.template(t), [e.value(a) for a in node.args])
    if isinstance(t, List) and id(t) in e.owner.lists:
        values = [e.value(a) for a in node.args]
        if id(t) in e.owner.visible:
            item = e.template(t.item)
            for v in values:
                check_kind(e, v, item, id(t), True)
        return list_of(e, t, values)
    if node.op is ops.LIST and t.stored:  # type: ignore[attr-defined]
        raise e.refuse("a list that is changed", node.span)
    made = Pack([e.value(a) for a in node.args])
    e.retain(made)
    return made


@runs(ops.NAMEDTUPLE)
def _namedtuple(e: Emitter, node: Apply) -> Value:
    cls = node.args[0].value  # type: ignore[attr-defined]
    made = Pack([e.value(a) for a in node.args[1:]], cls=cls)
    e.retain(made)
    return made


@runs(ops.RECORD)
def _record(e: Emitter, node: Apply) -> Value:
    cls, names = (n.value for n in node.args[:2])  # type: ignore[attr-defined]
    template = e.template(node.type)
    if isinstance(template, Reference):
        fields = dict(zip(names, (e.value(a) for a in node.args[2:]), strict=True))
        return make_record(e, template.type, fields)
    made = Pack([e.value(a) for a in node.args[2:]], tuple(names), cls)
    e.retain(made)
    return made


@runs(ops.SLICE)
def _slice(e: Emitter, node: Apply) -> Value:
    made = SliceValue(*(e.value(a) for a in node.args))
    e.retain(made)
    return made


@runs(ops.CAST, ops.INSERT)
def _same(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    e.retain(value)
    return value


@runs(ops.LENGTH)
def _length(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    if isinstance(value, Array):
        return Scalar(INT64, value.shape[0], True)
    if isinstance(value, Series):
        return Scalar(INT64, value.length, True)
    if isinstance(value, Pack):
        return Static(len(value.items))
    if isinstance(value, Growing):
        return Scalar(INT64, length_of(e, value), True)
    if isinstance(value, Mapping):
        return Scalar(INT64, live_count(e, value), True)
    raise e.refuse("'len' of this", node.span)


@runs(ops.NOT)
def _not(e: Emitter, node: Apply) -> Value:
    return Scalar(BOOL, e.builder.not_(e.true(e.value(node.args[0]))), True)


@runs(ops.CONVERT)
def _convert(e: Emitter, node: Apply) -> Value:
    t = deref(node.type)
    assert isinstance(t, Num)
    assert t.dtype is not None
    value = e.value(node.args[1])
    if isinstance(value, Array):
        if value.ndim:
            raise e.refuse("an array as a number", node.span)
        value = Scalar(value.dtype, e.load(value, []))
    if t.dtype.kind == "i" and isinstance(value, Scalar) and value.dtype.kind == "f":
        return Scalar(t.dtype, integer_of(e, value.register), True)
    r = e.true(value) if t.dtype.kind == "b" else e.number(value, t.dtype)
    return Scalar(t.dtype, r, t.python)


@runs(ops.COPY)
def _copy(e: Emitter, node: Apply) -> Value:
    value = e.value(node.args[0])
    if not isinstance(value, Array):
        raise e.refuse("a copy of something that is no array", node.span)
    if id(node.args[0]) not in e.dying or not value.ndim:
        return materialise(e, Leaf(value, value.dtype), value.ndim, value.dtype)
    # What nobody else has or will read need not be copied.
    mine = own(e, value, True)
    whole = contiguous(e, mine)
    e.release(mine)
    return whole


@runs(ops.GETATTR)
def _getattr(e: Emitter, node: Apply) -> Value:
    value, name = e.value(node.args[0]), node.args[1].value  # type: ignore[attr-defined]
    if isinstance(value, Reference):
        item = field_of(e, value, name)
        e.retain(item)
        return item
    if not isinstance(value, Pack) or name not in value.names:
        raise e.refuse(f"the attribute '{name}'", node.span)
    item = value.items[value.names.index(name)]
    e.retain(item)
    return item


@runs(ops.ASSERT)
def _assert(e: Emitter, node: Apply) -> None:
    message = node.args[1]
    text = str(message.value) if isinstance(message, Constant) and message.value else ""
    test = e.true(e.value(node.args[0]))
    e.fail_unless(test, ops.raised_by(node), text)


@runs(ops.GETITEM)
def _getitem(e: Emitter, node: Apply) -> Value:
    value, index = e.value(node.args[0]), e.value(node.args[1])
    if isinstance(value, Pack):
        if not (isinstance(index, Static) and isinstance(index.value, int)):
            return _choose_item(e, node, value, index)
        if not -len(value.items) <= index.value < len(value.items):
            # Only on a path that is not taken, or as in Python.
            e.fail_unless(I1(0), IndexError, "tuple index out of range")
            return e.rebuild_empty(e.template(node.type))
        item = value.items[index.value]
        e.retain(item)
        return item
    if isinstance(value, Static):
        if isinstance(index, Static):
            return Static(value.value[index.value])
        return _choose_item(e, node, Pack([Static(v) for v in value.value]), index)
    if isinstance(value, Mapping):
        return item_of_table(e, value, index)
    if isinstance(value, Series | Growing):
        if is_slice(index):
            return sliced(e, value, index, e.template(node.type))
        value = items_of(e, value)
        k = checked_index(e, e.integer(index), value.length, "list index out of range")
        item = e.series_item(value, k)
        e.retain(item)
        return item
    if not isinstance(value, Array):
        raise e.refuse("an item of this", node.span)
    parts = with_arrays(e, index_parts(index))
    if any(isinstance(p, Array) for p in parts):
        return gather(e, value, parts)
    view = view_of(e, value, parts)
    if not view.shape:
        return Scalar(view.dtype, e.load(view, []))
    e.retain(view)
    return view


def _choose_item(e: Emitter, node: Apply, value: Pack, index: Value) -> Value:
    """An item of a tuple of numbers at an index known only at run time."""
    t = deref(node.type)
    if not isinstance(t, Num) or t.ndim != 0 or t.dtype is None:
        raise e.refuse(
            "an item of a tuple at an index known only at run time", node.span
        )
    b = e.builder
    n = len(value.items)
    k = checked_index(e, e.integer(index), I64(n), "tuple index out of range")
    r = e.number(value.items[0], t.dtype)
    for j, item in enumerate(value.items[1:], 1):
        r = b.select(b.icmp_signed("==", k, I64(j)), e.number(item, t.dtype), r)
    return Scalar(t.dtype, r, t.python)


@runs(ops.SETITEM)
def _setitem(e: Emitter, node: Apply) -> None:
    target = e.value(node.args[0])
    if isinstance(target, Mapping):
        store_in_table(e, target, *(e.value(n) for n in node.args[1:]))
        return
    if isinstance(target, Growing):
        store_in_list(e, target, *(e.value(n) for n in node.args[1:]))
        return
    if isinstance(target, Series):
        _store_in_list(e, target, node)
        return
    if not isinstance(target, Array):
        raise e.refuse("a store into something that is no array", node.span)
    parts = with_arrays(e, index_parts(e.value(node.args[1])))
    if any(isinstance(p, Array) for p in parts):
        store_at(e, target, parts, e.value(node.args[2]))
        return
    view = view_of(e, target, parts)
    if touches_narrow(node) and view.dtype.kind in "iu":
        if view.shape:
            raise e.refuse("a store into many elements", node.span)
        e.store(view, [], stored(e, e.value(node.args[2]), view.dtype))
        return
    expr = build(e, node.args[2])
    t = deref(node.args[2].type)
    cut = view.dtype.kind == "i" and expr.dtype.kind == "f"
    if cut and isinstance(t, Num) and t.scalar and not isinstance(expr, Leaf):
        found = evaluate_tree(e, expr, lambda a: e.load(a, []), expr.dtype)
        expr = Leaf(Scalar(expr.dtype, found), expr.dtype)
    if isinstance(expr, Leaf) and isinstance(expr.value, Scalar | Static):
        number = fitting(e, whole(e, expr.value, view.dtype), view.dtype)
        expr = Leaf(number, getattr(number, "dtype", expr.dtype))
    if not view.shape:
        if any(a.ndim for a in leaves(expr)):
            # Whether one element that has axes counts as a number is NumPy's to say.
            raise e.refuse("an array stored as an element", node.span)

        r = evaluate_tree(e, expr, lambda a: e.load(a, [I64(0)] * a.ndim), view.dtype)
        e.store(view, [], r)
        return
    read = leaves(expr)
    for a in read:
        check_store(e, a, view)
    safe = may_write(e, view, read)
    if isinstance(safe, ir.Constant):
        fill(e, view, expr)
        return
    with e.builder.if_else(safe) as (at_once, later):
        with at_once:
            fill(e, view, expr)
        with later:
            # The value is read from memory that is written: compute it first.
            made = materialise(e, expr, max(a.ndim for a in read), view.dtype)
            fill(e, view, Leaf(made, made.dtype))
            e.release(made)


def _store_in_list(e: Emitter, items: Series, node: Apply) -> None:
    index = e.integer(e.value(node.args[1]))
    message = "list assignment index out of range"
    k = checked_index(e, index, items.length, message)
    new = e.adopt(e.value(node.args[2]), items.item)
    old = e.series_item(items, k)
    e.store_item(items, k, new)
    e.release(old)


def check_store(e: Emitter, value: Array, view: Array) -> None:
    """Fail unless an array can be stored into a view."""
    b = e.builder
    offset = view.ndim - value.ndim
    if offset < 0:
        raise e.refuse("a store of more axes than there are")
    for n, m in zip(value.shape, view.shape[offset:]):
        if n is m:
            continue
        good = b.or_(b.icmp_signed("==", n, m), b.icmp_signed("==", n, I64(1)))
        e.fail_unless(
            good,
            ValueError,
            "could not broadcast an axis of {0} into one of {1}",
            n,
            m,
        )


@runs(ops.INDEX_ADD)
def _index_add(e: Emitter, node: Apply) -> Value:
    base = e.value(node.args[0])
    b = e.builder
    dying = id(node.args[0]) in getattr(e, "dying", set())
    if isinstance(base, Series):
        return _add_to_item(e, own_list(e, base, dying), node)
    if not isinstance(base, Array):
        raise e.refuse("accumulating into something that is no array", node.span)
    parts = with_arrays(e, index_parts(e.value(node.args[1])))
    out = own(e, base, dying)
    value = e.value(node.args[2])
    if any(isinstance(p, Array) for p in parts):
        add_at(e, out, parts, value)
        return out
    view = view_of(e, out, parts)
    if not view.shape:
        place = view.data
        r = e.number(value, out.dtype)
        b.store(plus(b, b.load(place), r), place)
        return out
    leaf = Leaf(value, value.dtype if isinstance(value, Array | Scalar) else out.dtype)
    fill(e, view, _sum(e, Leaf(view, view.dtype), leaf, out.dtype))
    return out


def _add_to_item(e: Emitter, items: Series, node: Apply) -> Series:
    """`items[k] += value`."""
    index = e.integer(e.value(node.args[1]))
    k = checked_index(e, index, items.length, "list index out of range")
    old, item = e.series_item(items, k), items.item
    assert isinstance(old, Scalar)
    assert isinstance(item, Scalar)
    new = plus(e.builder, old.register, e.number(e.value(node.args[2]), item.dtype))
    e.store_item(items, k, Scalar(item.dtype, new, item.weak))
    return items


def _shadow(e: Emitter, node: Apply) -> Value:
    t = deref(node.type)
    if id(t) not in e.owner.lists:
        raise e.refuse("a shadow of this")
    return zeros_for(e, t, e.value(node.args[1]))


def _sum(e: Emitter, x: Expr, y: Expr, dtype: np.dtype[Any]) -> Expr:
    """The expression of a sum, of complex numbers too."""
    if dtype.kind != "c":
        return operation("add", [x, y], dtype, dtype)
    parts = zip(halves(e, x).inputs, halves(e, y).inputs)
    return Pair(*(operation("add", list(both), FLOAT, FLOAT) for both in parts))


def _add_at(e: Emitter, node: Apply) -> None:
    """`np.add.at(x, index, value)`: a place that is named twice gets both."""
    out, index, value = (e.value(n) for n in node.args[1:])
    if not isinstance(out, Array) or alias_of(node.args[1].type) is alias_of(
        node.args[3].type
    ):
        raise e.refuse("adding a part of an array to it", node.span)
    add_at(e, out, index_parts(index), value)


def own(e: Emitter, array: Array, dying: bool) -> Array:
    """The array itself if nobody else holds or reads it any more, else a copy."""

    def copy() -> Array:
        return materialise(e, Leaf(array, array.dtype), array.ndim, array.dtype)

    return take_over(e, array, copy) if dying else copy()


def take_over(e: Emitter, array: Array, make: Callable[[], Array]) -> Array:
    """An array that is read no more if nobody else holds it, else one that is made."""
    b = e.builder
    exists = b.icmp_unsigned("!=", array.block, ir.Constant(array.block.type, None))
    look, mine, copy, done = (
        b.append_basic_block(n) for n in ("look", "mine", "copy", "owned")
    )
    b.cbranch(exists, look, copy)
    b.position_at_end(look)
    words = b.bitcast(array.block, I64.as_pointer())
    alone = b.icmp_signed("==", b.load(words), I64(1))
    for python in (OBJECT, HOLDERS):
        held = b.load(b.gep(words, [I64(python)]))
        alone = b.and_(alone, b.icmp_signed("==", held, I64(0)))
    if not array.contiguous:
        # The elements of an array that is repeated along an axis share their memory.
        for stride in array.strides:
            alone = b.and_(alone, b.icmp_signed("!=", stride, I64(0)))
    b.cbranch(alone, mine, copy)
    b.position_at_end(mine)
    e.retain(array)
    first = b.block
    b.branch(done)
    b.position_at_end(copy)
    made = make()
    second = b.block
    b.branch(done)
    b.position_at_end(done)
    return either_array(b, array, first, made, second)


@runs(ops.PYCALL)
def _pycall(e: Emitter, node: Apply) -> Value | None:
    callee = node.args[0].value  # type: ignore[attr-defined]
    name = getattr(callee, "__name__", "")
    if (callee is min or callee is max) and len(node.args) == 3:
        a, b = (e.integer(e.value(n)) for n in node.args[1:])
        first = e.builder.icmp_signed("<" if callee is min else ">", a, b)
        return Scalar(INT64, e.builder.select(first, a, b), True)
    if is_add_at(node):
        _add_at(e, node)
        return None
    home = getattr(callee, "__module__", None) or ""
    if home.startswith("anadrome.") and name in _OWN:
        return _OWN[name](e, node)
    raise e.refuse(f"'{name}'", node.span)


def _copied(e: Emitter, source: Value, view: Value) -> ir.Value:
    """Whether a view turned out to be a copy."""
    if not isinstance(source, Array) or not isinstance(view, Array):
        raise e.refuse("a view of something that is no array")
    b = e.builder
    low: ir.Value = I64(0)
    high: ir.Value = I64(1)
    for n, stride in zip(source.shape, source.strides):
        last = b.mul(b.sub(n, I64(1)), stride)
        down = b.icmp_signed("<", last, I64(0))
        low = b.add(low, b.select(down, last, I64(0)))
        high = b.add(high, b.select(down, I64(0), last))
    at, start, end = (
        b.ptrtoint(pointer, I64)
        for pointer in (
            view.data,
            b.gep(source.data, [low]),
            b.gep(source.data, [high]),
        )
    )
    before = b.icmp_unsigned("<", at, start)
    return b.or_(before, b.icmp_unsigned(">=", at, end))


def _is_copy(e: Emitter, node: Apply) -> Value:
    source, view = (e.value(n) for n in node.args[1:])
    return Scalar(BOOL, _copied(e, source, view), True)


def _shadow_of_view(e: Emitter, node: Apply) -> Value:
    source, view, mirrored, shadow = (e.value(n) for n in node.args[1:])
    _check_alike(e, source, view, shadow, mirrored)
    e.retain(mirrored)
    return mirrored


def _check_view(e: Emitter, node: Apply) -> Value:
    _check_alike(e, *(e.value(n) for n in node.args[1:]))
    return Nothing()


def _check_alike(
    e: Emitter, source: Value, view: Value, shadow: Value, mirrored: Value
) -> None:
    """Fail if an array's view is a copy and that of its shadow is not, or reversely."""
    if not isinstance(mirrored, Array):
        raise e.refuse("a view of something that is no array")
    b = e.builder
    # An array and its shadow lie in memory in the same order.
    alike = b.icmp_unsigned(
        "==", _copied(e, source, view), _copied(e, shadow, mirrored)
    )
    for n in mirrored.shape:
        alike = b.or_(alike, b.icmp_signed("==", n, I64(0)))
    fail_unless_followed(e, alike)


_OWN: dict[str, Callable[[Emitter, Apply], Value]] = {
    "check_view": _check_view,
    "is_copy": _is_copy,
    "shadow": _shadow,
    "shadow_of_view": _shadow_of_view,
}


@runs(ops.IS)
def _is(e: Emitter, node: Apply) -> Value:
    a, b = (e.value(n) for n in node.args)
    if isinstance(a, Static) and isinstance(b, Static):
        return Static(a.value is b.value)
    if any(
        isinstance(v, Nothing) or (isinstance(v, Static) and v.value is None)
        for v in (a, b)
    ):
        return Static(False)
    raise e.refuse("'is'", node.span)


@runs(ops.RAISE)
def _raise(e: Emitter, node: Apply) -> None:
    kind: type[Exception] = RuntimeError
    message = ""
    b = e.builder
    e.fail_unless(I1(0), kind, message or "an exception was raised")
    del b
