"""Which object a value is: where a program can see it.

An object that nobody changes is as good as its attributes, and native code keeps it as
such. Where the program compares objects by `is`, takes their `id`, looks for them in
lists or uses them as keys, each must remain the object that it is.
"""

from __future__ import annotations

import dataclasses
import operator

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node, Parameter
from anadrome.ir.types import (
    AliasClass,
    NoneType_,
    Num,
    Tuple,
    Type,
    VarTuple,
    deref,
    tell_apart,
)
from anadrome.primitives.registry import Primitive

LOOKERS = frozenset(
    (
        *(ops.IS, ops.OBSERVE, ops.PYCALL, ops.METHOD, ops.CONTAINS, ops.SET),
        *(ops.DICT, ops.GETITEM, ops.SETITEM, ops.DELITEM),
    )
)
"""Operations that may look at which object an argument is."""

# They ask what an object is like, not which it is.
_BLIND = (isinstance, hasattr, type, len, str, repr, format, print, callable)


# They take an object for equal to itself without asking it.
_COMPARING = (
    *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
    *(list.index, list.count, list.remove, tuple.index, tuple.count),
)


def note_identity(op: object, args: tuple[Node, ...]) -> None:
    """Record which objects an operation tells from others like them."""
    if op is ops.IS:
        if not any(isinstance(deref(a.type), NoneType_) for a in args):
            for a in args:
                tell_apart(a.type, arrays=True)
        return
    callee = getattr(args[0], "value", None) if args else None
    if op is ops.CONTAINS or any(callee is f for f in _COMPARING):
        for a in args:
            if not isinstance(a, Constant):
                tell_apart(a.type, deep=True, arrays=True)
            _tell_nans_apart(a)
        return
    if op in (ops.OBSERVE, ops.PYCALL):
        if any(callee is f for f in _BLIND):
            return
        args = args[1:]
    elif op is ops.DICT:
        args = args[::2]
    elif op in (ops.GETITEM, ops.SETITEM, ops.DELITEM):
        args = args[1:2]
    for a in args:
        if not isinstance(a, Constant) and not isinstance(deref(a.type), Num):
            tell_apart(a.type, deep=True)


def _tell_nans_apart(node: Node) -> None:
    """Record that a number, or numbers in a list, must not be computed only once."""
    if not isinstance(node, Apply):
        return
    t = deref(node.type)
    if isinstance(t, Num) and t.scalar and t.inexact:
        # Its type may be that of all numbers.
        node.type = dataclasses.replace(t, alias=AliasClass())
        node.type.alias.told_apart = True
    elif node.op in (ops.LIST, ops.TUPLE):
        for item in node.args:
            _tell_nans_apart(item)


def is_singleton(t: Type) -> bool:
    """Whether equal values of a type are one object: None, and True and False."""
    t = deref(t)
    if isinstance(t, Num):
        return t.python and t.dtype is not None and t.dtype.kind == "b"
    return isinstance(t, NoneType_)


def has_no_identity(t: Type) -> bool:
    """Whether which object a value is depends on how the program is run."""
    t = deref(t)
    if isinstance(t, Num):
        return t.ndim == 0 and not t.boxed and not is_singleton(t)
    return isinstance(t, Tuple | VarTuple)


# They give a new array, if only a view, also where it is just like the old one.
_NEW_VIEWS = frozenset(
    (
        *("transpose", "transpose_method", "transpose_all", "matrix_transpose"),
        *("reshape", "reshape_method", "ravel", "ravel_method", "swapaxes"),
        *("moveaxis", "rollaxis", "expand_dims", "broadcast_to", "diagonal"),
        *("flip", "fliplr", "flipud", "rot90", "view_method"),
    )
)


def are_apart(x: Node, y: Node) -> bool:
    """Whether two arrays are surely two objects: one is made from the other, or new."""
    return (_is_made(x) and not _may_be(y, x)) or (_is_made(y) and not _may_be(x, y))


def _is_made(node: Node) -> bool:
    """Whether a statement makes an array that was not there before."""
    t = deref(node.type)
    if not isinstance(node, Apply) or not isinstance(t, Num) or t.ndim == 0:
        return False
    if node.op is ops.GETITEM:
        return isinstance(deref(node.args[0].type), Num)
    if not isinstance(node.op, Primitive):
        return False
    return node.op.name in _NEW_VIEWS or bool(node.op.pure and node.op.fresh)


def _may_be(node: Node, made: Node) -> bool:
    """Whether a value may be, or be made from, one that a statement makes."""
    if node is made:
        return True
    if isinstance(node, Parameter):
        return node.graph is None or node.graph.parent is not None
    if isinstance(node, Constant):
        return False
    if isinstance(node, Apply) and (
        isinstance(node.op, Primitive) or (node.op is ops.GETITEM and _is_made(node))
    ):
        return any(_may_be(a, made) for a in node.inputs)
    return True


__all__ = ["LOOKERS", "are_apart", "has_no_identity", "is_singleton", "note_identity"]
