"""Which object a value is: where a program can see it.

An object that nobody changes is as good as its attributes, and native code keeps it as
such. Where the program compares objects by `is`, takes their `id`, looks for them in
lists or uses them as keys, each must remain the object that it is.
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import NoneType_, Num, Tuple, Type, VarTuple, deref, tell_apart

LOOKERS = frozenset(
    (
        *(ops.IS, ops.OBSERVE, ops.PYCALL, ops.METHOD, ops.CONTAINS, ops.SET),
        *(ops.DICT, ops.GETITEM, ops.SETITEM, ops.DELITEM),
    )
)
"""Operations that may look at which object an argument is."""

# They ask what an object is like, not which it is.
_BLIND = (isinstance, hasattr, type, len, str, repr, format, print, callable)


def note_identity(op: object, args: tuple[Node, ...]) -> None:
    """Record which objects an operation tells from others like them."""
    if op is ops.IS:
        if not any(isinstance(deref(a.type), NoneType_) for a in args):
            for a in args:
                tell_apart(a.type)
        return
    if op in (ops.OBSERVE, ops.PYCALL):
        callee = getattr(args[0], "value", None)
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


__all__ = ["LOOKERS", "has_no_identity", "is_singleton", "note_identity"]
