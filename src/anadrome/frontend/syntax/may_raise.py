"""Which exceptions a statement can raise, so that only those that matter are caught."""

from __future__ import annotations

import operator

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import (
    AnyType,
    Dict,
    List,
    Num,
    Object,
    Other,
    Tuple,
    Type,
    VarTuple,
    deref,
)
from anadrome.primitives.registry import Primitive

Errors = tuple[type[BaseException], ...]

_PLAIN = {
    operator.add,
    operator.sub,
    operator.mul,
    operator.neg,
    operator.pos,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
    operator.abs,
    abs,
}
_DIVISIONS = {operator.truediv, operator.floordiv, operator.mod, operator.pow}
_ELEMENTWISE: Errors = (ValueError, TypeError, FloatingPointError)

_NUMPY: Errors = (
    ValueError,
    TypeError,
    ArithmeticError,
    IndexError,
    AttributeError,
    RuntimeError,
    MemoryError,
)


def exceptions_of(node: Apply) -> Errors | None:
    """The exceptions that a statement can raise; None if it may be any."""
    if node.op is ops.TRY:
        return None
    if node.regions:
        found: Errors = ()
        if node.op is ops.IF:
            found += _of_test(node.args[0])
        for region in node.regions:
            for inner in region.body:
                errors = exceptions_of(inner)
                if errors is None:
                    return None
                found += errors
        return found
    if isinstance(node.op, Primitive):
        return _of_primitive(node)
    return _of_operation(node)


def _of_primitive(node: Apply) -> Errors | None:
    module = str(getattr(node.target, "__module__", "")).split(".")[0]
    if isinstance(deref(node.type), AnyType):
        return None
    if module == "math":
        # NumPy's function of that name returns nan where this one raises.
        return (ValueError, TypeError, OverflowError)
    if not node.op.raises:
        return (FloatingPointError,)
    types = [deref(a.type) for a in node.inputs]
    numbers = all(isinstance(t, Num) for t in types)
    scalars = numbers and all(t.ndim == 0 for t in types)  # type: ignore[attr-defined]
    if node.target in _PLAIN or isinstance(node.target, np.ufunc):
        if scalars:
            return (FloatingPointError,)
        return _ELEMENTWISE if numbers else None
    if node.target in _DIVISIONS and numbers:
        if any(t.python or t.ndim is None for t in types):  # type: ignore[attr-defined]
            return (*_ELEMENTWISE, ArithmeticError)
        return (FloatingPointError,) if scalars else _ELEMENTWISE
    return _NUMPY if module == "numpy" else None


def _of_test(test: Node) -> Errors:
    """What the question whether a value is true can raise."""
    t = deref(test.type)
    sure = isinstance(t, Num) and t.ndim == 0
    return () if sure or isinstance(t, List | Dict | Tuple) else (ValueError, TypeError)


def _of_operation(node: Apply) -> Errors | None:
    op = node.op
    if op is ops.LENGTH and not getattr(deref(node.args[0].type), "ndim", 1):
        return (TypeError,)
    if op.total or op in (ops.APPEND, ops.SETATTR):
        return ()
    if op is ops.GETITEM:
        return _of_item(node.args[0], node.args[1])
    if op is ops.SETITEM:
        if isinstance(deref(node.args[0].type), Dict):
            return (TypeError,)
        return (IndexError, ValueError, TypeError)
    if op in (ops.DELITEM, ops.POP):
        return (LookupError,)
    if op is ops.GETATTR:
        return () if isinstance(deref(node.args[0].type), Object) else None
    if op is ops.CONVERT:
        t = deref(node.args[1].type)
        plain = isinstance(t, Num) and t.ndim == 0 and t.dtype is not None
        target = node.args[0].value  # type: ignore[attr-defined]
        if plain and target in (float, bool, complex) and t.dtype.kind != "c":  # type: ignore[attr-defined]
            return ()
        return (ValueError, TypeError, OverflowError)
    if op in (ops.NOT, ops.CONTAINS):
        t = deref(node.args[-1].type)
        scalar = isinstance(t, Num) and t.ndim == 0
        if op is ops.CONTAINS and isinstance(t, List) and _may_be_array(t.item):
            return (ValueError,)
        return () if scalar or isinstance(t, List | Dict) else (ValueError, TypeError)
    if op is ops.ASSERT:
        return (ops.raised_by(node), *_of_test(node.args[0]))
    if op is ops.FORMAT:
        return (ValueError, TypeError)
    if op in (ops.PYCALL, ops.OBSERVE) and isinstance(node.args[0], Constant):
        value = node.args[0].value
        if value in (isinstance, type, print, repr, str, id):
            return ()
        if isinstance(value, type) and issubclass(value, BaseException):
            return ()
    return None


def _may_be_array(t: Type) -> bool:
    """Whether a value may be an array with axes, which is not simply true or false."""
    t = deref(t)
    return isinstance(t, Num) and t.ndim != 0


def _of_item(node: Node, index: Node) -> Errors | None:
    t = deref(node.type)
    if isinstance(t, Tuple) and isinstance(index, Constant):
        return ()
    if isinstance(t, Dict):
        return (KeyError, TypeError)
    if isinstance(t, Num | List | Tuple | VarTuple):
        s = deref(index.type)
        if isinstance(s, Num) and s.ndim == 0:
            return (IndexError, TypeError)
        if isinstance(s, Other) and s.cls is slice and not isinstance(t, Num):
            return (TypeError,)
        return (IndexError, TypeError, ValueError)
    return None


def is_harmless(node: Apply) -> bool:
    """Whether nobody outside notices that a statement was left out."""
    if node.regions:
        return all(is_harmless(n) for r in node.regions for n in r.body)
    if isinstance(node.op, Primitive):
        return node.op.pure
    if node.op is ops.OBSERVE and isinstance(node.args[0], Constant):
        return node.args[0].value in (type, isinstance, issubclass)
    if node.op in (ops.APPEND, ops.SETITEM, ops.SETATTR, ops.POP, ops.DELITEM):
        return isinstance(node.args[0], Apply) and node.args[0].op in (
            ops.LIST,
            ops.DICT,
            ops.RECORD,
        )
    return bool(node.op.pure)
