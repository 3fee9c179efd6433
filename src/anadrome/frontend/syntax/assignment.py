"""Binding and updating names, items and attributes."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

from anadrome.errors import (
    AnadromeError,
    MutationError,
    ShapeMismatch,
    TypeMismatch,
    UnsupportedSyntax,
)
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.augmented_assignment import Update
from anadrome.frontend.syntax.expressions import binary, choose, evaluate, numeric
from anadrome.frontend.values import attributes, item_reads, item_writes, sequences
from anadrome.frontend.values.iteration import iterate, length_of
from anadrome.frontend.values.iterators import iterator_of
from anadrome.frontend.values.own_iterators import opened
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node, Parameter
from anadrome.ir.types import (
    BOOL,
    INT,
    NONE,
    AnyType,
    Dict,
    List,
    NeverType,
    Num,
    Object,
    Tuple,
    VarTuple,
    deref,
    strip_optional,
)
from anadrome.primitives.checks import check_count
from anadrome.primitives.registry import Primitive


def bind(it: Interpreter, target: ast.expr, value: Node) -> None:
    """`target = value`."""
    with it.at(target):
        if isinstance(target, ast.Name):
            it.assign(it.frame.scope, target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            _unpack(it, target, value)
        elif isinstance(target, ast.Subscript):
            if isinstance(target.value, ast.Attribute) and target.value.attr == "flat":
                _store_flat(it, target, value)
                return
            node = evaluate(it, target.value)
            item_writes.set_item(it, node, evaluate(it, target.slice), value)
        elif isinstance(target, ast.Attribute):
            node = evaluate(it, target.value)
            attributes.set_attribute(it, node, target.attr, value)
        else:
            raise it.fail(
                UnsupportedSyntax,
                "this cannot be assigned to",
                "assign to a name, an attribute or an item",
            )


def _store_flat(it: Interpreter, target: ast.Subscript, value: Node) -> None:
    """`array.flat[k] = value`."""
    assert isinstance(target.value, ast.Attribute)
    array = evaluate(it, target.value.value)
    index = evaluate(it, target.slice)
    t, s = strip_optional(array.type), deref(index.type)
    if not (isinstance(t, Num) and t.ndim and isinstance(s, Num) and s.ndim == 0):
        raise it.fail(
            UnsupportedSyntax,
            "this store through 'flat' cannot be followed",
            "index the array itself, for instance x[np.unravel_index(k, x.shape)] = v",
        )
    kind = Tuple((INT,) * t.ndim)
    given = it.constant(flat_position), array, index
    where = it.emit(ops.OBSERVE, given, kind, target=True)
    item_writes.store_array(it, array, where, value)


def flat_position(array: Any, index: int) -> tuple[int, ...]:
    """The position of an item counted along all axes, as an index."""
    found = np.unravel_index(range(array.size)[index], array.shape)
    return tuple(int(k) for k in found)


def _unpack(it: Interpreter, target: ast.Tuple | ast.List, value: Node) -> None:
    stars = [k for k, e in enumerate(target.elts) if isinstance(e, ast.Starred)]
    value = opened(it, value)
    if iterator_of(value) is not None:
        value = sequences.as_list(it, value)
    items = sequences.known(it, value)
    count = len(target.elts)
    if it.patient and isinstance(deref(value.type), NeverType) and not stars:
        it.waited = True
        items = [item_reads.get_item(it, value, it.constant(k)) for k in range(count)]
    if items is None:
        over = iterate(it, value)
        items = over.items
    if items is None:
        if stars:
            return _unpack_star(it, target, value, stars[0])
        t = strip_optional(value.type)
        sequence = (
            value
            if isinstance(t, Num | List | VarTuple | Tuple)
            else (sequences.as_list(it, value))
        )
        check_length(it, sequence, count)
        items = [
            item_reads.get_item(it, sequence, it.constant(k)) for k in range(count)
        ]
    if stars:
        k = stars[0]
        after = count - k - 1
        if len(items) < count - 1:
            raise _wrong_count(it, len(items), count - 1)
        middle = sequences.make_list(it, items[k : len(items) - after])
        items = [*items[:k], middle, *items[len(items) - after :]]
    if len(items) != count:
        raise _wrong_count(it, len(items), count)
    for e, item in zip(target.elts, items):
        bind(it, e.value if isinstance(e, ast.Starred) else e, item)
    return None


def _wrong_count(it: Interpreter, values: int, names: int) -> AnadromeError:
    return it.fail(
        TypeMismatch,
        f"{values} values for {names} names",
        "unpack into as many names, or collect the rest with a star: a, *rest = …",
        python=ValueError,
    )


def check_length(
    it: Interpreter, node: Node, count: int, *, more: bool = False
) -> None:
    """Make the program fail as Python does if a sequence has the wrong length."""
    length = length_of(it, node)
    if isinstance(length, Constant):
        if length.value < count or (length.value > count and not more):
            raise _wrong_count(it, length.value, count)
        return
    given = (length, it.constant(count), *([it.constant(True)] if more else []))
    it.emit(check_count, given, NONE, target=check_count.impl)


def _unpack_star(it: Interpreter, target: Any, value: Node, star: int) -> None:
    count = len(target.elts)
    sequence = (
        value if isinstance(deref(value.type), List) else sequences.as_list(it, value)
    )
    after = count - star - 1
    check_length(it, sequence, count - 1, more=True)
    for k, e in enumerate(target.elts):
        if k < star:
            bind(it, e, item_reads.get_item(it, sequence, it.constant(k)))
        elif k == star:
            stop = it.constant(-after) if after else it.constant(None)
            part = sequences.make_slice(
                it, [it.constant(star), stop, it.constant(None)]
            )
            bind(it, e.value, item_reads.get_item(it, sequence, part))
        else:
            bind(it, e, item_reads.get_item(it, sequence, it.constant(k - count)))


def update(it: Interpreter, function: Any, old: Node, value: Node) -> Node:
    """`old op= value`: the object itself if it changes in place, else a new value."""
    t = strip_optional(old.type)
    if isinstance(t, Object):
        name = f"__i{function.__name__.strip('_')}__"
        if hasattr(t.cls, name):
            from anadrome.frontend.calls.calls import call_method

            return call_method(it, old, name, [value], {})
        return binary(it, function, old, value)
    if isinstance(t, Dict) and function is operator.or_:
        from anadrome.frontend.methods.dicts import DICT

        DICT["update"](it, old, [value], {})
        return old
    if isinstance(t, List) and function is operator.add:
        item_writes.extend(it, old, value)
        return old
    if isinstance(t, List) and function is operator.mul and it.concrete(old) is old:
        whole = sequences.make_slice(it, [it.constant(None)] * 3)
        item_writes.set_item(it, old, whole, binary(it, function, old, value))
        return old
    if isinstance(t, Num) and not t.scalar and not isinstance(old, Constant):
        if t.ndim is None and it.in_place:
            return _update_in_place(it, function, old, value)
        if t.ndim is None:
            return _replace(it, function, old, value)
        if t.boxed and not _is_array(old):
            return _update_in_place(it, function, old, value)
        new = numeric(it, function, old, sequences.as_array(it, value))
        check_casting(it, old, new)
        if function is operator.matmul:
            _check_product(it, old, new)
        item_writes.store_array(it, old, it.constant(Ellipsis), new)
        return old
    if isinstance(t, AnyType) and not isinstance(old, Constant):
        if not it.in_place:
            return _replace(it, function, old, value)
        if item_writes.is_foreign(old):
            it.emit(ops.OBSERVE, (it.constant(check_no_container), old), NONE)
            return _update_in_place(it, function, old, value)
        it.emit(ops.OBSERVE, (it.constant(check_no_array), old), NONE)
    return binary(it, function, old, value)


def _check_product(it: Interpreter, old: Node, new: Node) -> None:
    """Refuse `old @= …` of another shape, which would be spread over the array."""
    from anadrome.frontend.calls import calls, library

    if deref(old.type).ndim == 1:  # type: ignore[attr-defined]
        raise it.fail(
            ShapeMismatch,
            "an array of one axis cannot hold a matrix product in place",
            "write x = x @ y",
            python=ValueError,
        )
    calls.call_value(it, library.check_shape_of_out, [old, new], {})


def _is_array(node: Node) -> bool:
    """Whether an array without axes is never a number that has joined its type."""
    if isinstance(node, Parameter):
        return node.graph.parent is None
    return isinstance(node, Apply) and isinstance(node.op, Primitive)


def check_casting(it: Interpreter, old: Node, new: Node) -> None:
    """Refuse `old op= value` of an array where NumPy does: it keeps its dtype."""
    t, r = strip_optional(old.type), strip_optional(new.type)
    if isinstance(t, AnyType):
        it.emit(ops.OBSERVE, (it.constant(check_kind), old, new), NONE)
    if not isinstance(t, Num) or t.scalar:
        return
    if isinstance(r, Num) and (r.ndim or 0) > (9 if t.ndim is None else t.ndim):
        raise it.fail(
            ShapeMismatch,
            f"an array of {t.ndim} axes cannot hold one of {r.ndim} in place",
            "index what has more axes, or make a new array",
        )
    if t.dtype is None or (isinstance(r, Num) and r.dtype is None):
        it.emit(ops.OBSERVE, (it.constant(check_kind), old, new), NONE)
        return
    if isinstance(r, Num) and r.dtype is not None:
        if np.can_cast(r.dtype, t.dtype, "same_kind"):
            return
        if has_certain_kind(new):
            raise it.fail(
                TypeMismatch,
                f"an array of {t.dtype.name} cannot hold {r.dtype.name} in place",
                "make the array with dtype=float",
                python=TypeError,
            )
        it.emit(ops.OBSERVE, (it.constant(check_kind), old, new), NONE)


def has_certain_kind(node: Node) -> bool:
    """Whether what is computed has the dtype of its type on every path.

    A number of a branch or a loop, an item and a field may be of a narrower kind.
    """
    waiting, seen = [node], set()
    while waiting:
        n = waiting.pop()
        t = deref(n.type)
        if isinstance(n, Constant) or id(n) in seen or not isinstance(t, Num):
            continue
        seen.add(id(n))
        if isinstance(n, Apply) and isinstance(n.op, Primitive):
            waiting += n.args
        elif t.scalar and not (isinstance(n, Parameter) and n.graph.parent is None):
            return False
    return True


def _replace(it: Interpreter, function: Any, old: Node, value: Node) -> Node:
    """`old op= value` of what may be a number or an array, as a new value.

    NumPy would change the array in place. That is the same unless somebody else holds
    it, which is looked at when all of the program is known: see `augmented_assignment`.
    """
    new = binary(it, function, old, value)
    path = tuple(f.call_span for f in it.frames[1:] if f.call_span is not None)
    it.rebound.append(Update(old, new, it.span, path))
    return new


def _update_in_place(it: Interpreter, function: Any, old: Node, value: Node) -> Node:
    """`old op= value`, which changes what is an array and replaces a number."""
    test = it.emit(
        ops.OBSERVE,
        (it.constant(isinstance), old, it.constant(np.ndarray)),
        BOOL,
        target=True,
    )

    def change() -> Node:
        new = binary(it, function, old, value)
        it.emit(ops.OBSERVE, (it.constant(check_kind), old, new), NONE)
        item_writes.store_array(it, old, it.constant(Ellipsis), new)
        return old

    return choose(it, test, change, lambda: binary(it, function, old, value))


def check_kind(array: Any, value: Any) -> None:
    """Raise what NumPy does where an array cannot hold values of some type in place."""
    if not isinstance(array, np.ndarray):
        return
    kind = np.result_type(value)
    if not np.can_cast(kind, array.dtype, "same_kind"):
        nothing = np.zeros(0, kind)
        np.add(nothing, nothing, out=np.zeros(0, array.dtype))


def check_no_container(value: Any) -> None:
    """Refuse to change what is not an array and would change in place."""
    if not isinstance(value, np.ndarray):
        check_no_array(value)


def check_no_array(value: Any) -> None:
    """Refuse to change something in place of which nothing was known before."""
    if hasattr(type(value), "__iadd__"):
        raise MutationError(
            "this changes an array in place that is known under another name, too",
            None,
            "write x = x + y instead, or start with an array such as np.zeros(n)",
        )
