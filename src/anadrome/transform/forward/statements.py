"""Tangents of single statements: each does to tangents what it does to values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anadrome import runtime
from anadrome.errors import UnknownFunction
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import (
    ANY,
    NEVER,
    NONE,
    AnyType,
    List,
    Num,
    Tuple,
    Type,
    VarTuple,
    deref,
    is_differentiable,
    strip_optional,
)
from anadrome.primitives.cotangents import present_tangent, zeros_of_numbers
from anadrome.primitives.registry import Primitive, is_nondifferentiable
from anadrome.transform.dependence.draws import is_draw
from anadrome.transform.forward.primitives import push_primitive
from anadrome.transform.forward.tangents import MIRRORED, only_observed
from anadrome.transform.refusals import unknown_function
from anadrome.transform.reverse.cotangents import may_be_integer, part_type

if TYPE_CHECKING:
    from anadrome.transform.forward.walk import Forward

Step = Callable[["Forward", Apply], None]


def push_statement(f: Forward, node: Apply) -> None:
    """Write the tangent of a statement without regions, if it has one."""
    op = node.op
    if isinstance(op, ops.Op) and op.writes:
        _store(f, node)
        return
    if op is ops.PYCALL and _mirrored(f, node):
        return
    if op in (ops.PYCALL, ops.METHOD):
        _refuse_effect(f, node)
    if node not in f.activity:
        return
    if isinstance(op, Primitive):
        push_primitive(f, node)
    elif op in STEPS:
        STEPS[op](f, node)


def _read(f: Forward, node: Apply) -> None:
    base = f.tangent(node.args[0])
    if base is None:
        if f.activity.shadowed(node.type):
            f.give(node, f.real_tangent(node))
        return
    t = strip_optional(node.args[0].type)
    if isinstance(t, Tuple) and isinstance(node.args[1], Constant):
        index = node.args[1].value
        if type(index) is int:
            f.give(node, take(f.it, base, index % len(t.items)))
            return
    given = (base, f.value(node.args[1]))
    name = getattr(node.args[1], "value", None)
    if isinstance(t, AnyType) and name in runtime.SIZES and node.op is ops.GETATTR:
        sized = (f.it.constant(runtime.tangent_of_size), f.value(node.args[0]), *given)
        made: Node = f.it.emit(
            ops.PYCALL, sized, f.tangent_type(node.type), target=True
        )
    else:
        made = f.it.emit(node.op, given, f.tangent_type(node.type))
    own = deref(node.type)
    # Those of integers in lists are zeros.
    mixed = isinstance(own, Num) and own.scalar and may_be_integer(own)
    if isinstance(own, AnyType) or (mixed and not isinstance(t, List)):
        made = f.it.apply(present_tangent, (made, f.value(node)))
    f.give(node, made)


def _copy(f: Forward, node: Apply) -> None:
    t = f.tangent(node.args[0])
    if t is not None:
        if node.op is ops.COPY:
            t = f.copy(t, f.value(node), f.tangent_type(node.type))
        f.give(node, t)
    elif f.activity.shadowed(node.type):
        # A copy of a constant, into which something that varies is stored.
        f.give(node, f.real_tangent(node, node.type))


def _index_add(f: Forward, node: Apply) -> None:
    base, index, value = node.args
    d, dv = f.real_tangent(base), f.tangent(value)
    if dv is not None:
        d = f.it.emit(ops.INDEX_ADD, (d, f.value(index), dv), d.type)
    f.give(node, d)


def _tuple(f: Forward, node: Apply) -> None:
    f.give(node, make_tuple(f.it, [f.real_tangent(a) for a in node.args]))


def _named_tuple(f: Forward, node: Apply) -> None:
    cls, *given = node.args
    assert isinstance(cls, Constant)
    f.give(node, make_tuple(f.it, [f.real_tangent(a) for a in given], cls.value))


def _list(f: Forward, node: Apply) -> None:
    kind, t = f.tangent_type(node.type), deref(node.type)
    place = t.item if isinstance(t, List) else ANY
    items = [f.item_tangent(a, place) for a in node.args]
    f.give(node, f.it.emit(ops.LIST, tuple(items), kind))


def _dict(f: Forward, node: Apply) -> None:
    args: list[Node] = []
    for k, v in zip(node.args[::2], node.args[1::2]):
        args += [f.value(k), f.real_tangent(v)]
    f.give(node, f.it.emit(ops.DICT, tuple(args), f.tangent_type(node.type)))


def _record(f: Forward, node: Apply) -> None:
    items = [f.real_tangent(a) for a in node.args[2:]]
    given = (*node.args[:2], *items)
    f.give(node, f.it.emit(ops.RECORD, given, f.tangent_type(node.type)))


def _convert(f: Forward, node: Apply) -> None:
    cls, source = node.args
    t = f.tangent(source)
    assert isinstance(cls, Constant)
    if t is not None and cls.value in (float, complex):
        f.give(node, f.it.emit(ops.CONVERT, (cls, t), node.type))


# Calls that are not looked into -------------------------------------------------------


def _outside(f: Forward, node: Apply) -> None:
    if is_nondifferentiable(getattr(node.args[0], "value", None)):
        return
    if is_draw(node, f.activity):
        if f.activity.shadowed(node.type):
            f.give(node, f.real_tangent(node, node.type))
        return
    if is_differentiable(node.type) and not only_observed(f.old, node):
        raise _opaque(node)


def _mirrored(f: Forward, node: Apply) -> bool:
    """Do to tangents what a helper of reverse mode does; whether it is one."""
    callee = node.args[0]
    linear = MIRRORED.get(callee.value) if isinstance(callee, Constant) else None
    if linear is None:
        return False
    given = node.args[1:]
    if not any(f.tangent(given[k]) is not None for k in linear) and (
        linear or not f.activity.shadowed(node.type)
    ):
        return False
    args = [
        f.real_tangent(a) if k in linear else f.value(a) for k, a in enumerate(given)
    ]
    made = f.it.emit(
        ops.PYCALL,
        (callee, *args),
        f.tangent_type(node.type),
        target=node.target,
    )
    if node.type is not NONE:
        f.activity.nodes.add(id(node))
        f.give(node, made)
    return True


def _refuse_effect(f: Forward, node: Apply) -> None:
    """Refuse a call that may change an object whose tangent it does not know."""
    what = getattr(node.args[0], "value", None)
    if node.target is True or what in runtime.LOOKING or is_nondifferentiable(what):
        return
    if any(f.activity.buffer(a.type) for a in node.inputs):
        raise _opaque(node)


def _opaque(node: Apply) -> UnknownFunction:
    callee = node.args[0] if node.op is ops.PYCALL else node.args[1]
    what = callee.value if isinstance(callee, Constant) else "a function"
    return unknown_function(getattr(what, "__name__", what), node.span)


# Changes in place ---------------------------------------------------------------------


def _store(f: Forward, node: Apply) -> None:
    op, it = node.op, f.it
    target = node.args[0]
    if not f.activity.buffer(target.type):
        return
    twin = f.tangents[id(target)]
    t = strip_optional(target.type)
    if op is ops.POP:
        made = it.emit(ops.POP, (twin,), f.tangent_type(node.type))
        f.give(node, made)
        f.activity.nodes.add(id(node))
        return
    if op is ops.DELITEM:
        it.emit(ops.DELITEM, (twin, f.value(node.args[1])), NEVER)
        return
    value = node.args[-1]
    if isinstance(t, Num):
        d: Node = f.tangent(value) or it.constant(0.0)
        if t.dtype is None and f.tangent(value) is not None:
            check = it.constant(runtime.refuse_cutting)
            it.emit(ops.OBSERVE, (check, f.value(target)), NONE)
    else:
        d = f.item_tangent(value, _place_of(node, t))
    if deref(d.type) is NONE and isinstance(deref(value.type), List | Tuple | VarTuple):
        if op is ops.SETITEM and isinstance(t, List):
            # Items without a derivative put in the place of others.
            zeros = zeros_of_numbers
            given = (f.value(value),)
            d = it.emit(zeros, given, f.tangent_type(value.type), target=zeros.impl)
    if op is ops.APPEND:
        it.emit(ops.APPEND, (twin, d), NEVER)
    else:
        it.emit(op, (twin, f.value(node.args[1]), d), NEVER)


def _place_of(store: Apply, t: Type) -> Type:
    """The type of what may lie where a statement stores something."""
    if isinstance(t, List):
        return t.item
    place = deref(part_type(t, getattr(store.args[1], "value", None)))
    return place if isinstance(place, Num) and place.inexact else ANY


STEPS: dict[Any, Step] = {
    ops.GETITEM: _read,
    ops.GETATTR: _read,
    ops.CAST: _copy,
    ops.COPY: _copy,
    ops.INDEX_ADD: _index_add,
    ops.TUPLE: _tuple,
    ops.NAMEDTUPLE: _named_tuple,
    ops.LIST: _list,
    ops.DICT: _dict,
    ops.RECORD: _record,
    ops.CONVERT: _convert,
    ops.PYCALL: _outside,
    ops.METHOD: _outside,
}
"""How statements that are no primitives are done to tangents."""

__all__ = ["push_statement"]
