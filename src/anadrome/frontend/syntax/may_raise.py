"""Which exceptions a statement can raise, so that only those that matter are caught."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import (
    AnyType,
    Dict,
    List,
    NoneType_,
    Num,
    Object,
    Other,
    Str,
    Tuple,
    Type,
    VarTuple,
    deref,
    kinds_of_number,
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
_ELEMENTWISE: Errors = (ValueError, TypeError, FloatingPointError, OverflowError)
_INTEGERS: Errors = (ValueError, OverflowError, FloatingPointError)

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
    types = [deref(a.type) for a in node.inputs]
    if not node.op.raises:
        return None if any(map(_is_no_number, types)) else (FloatingPointError,)
    numbers = all(isinstance(t, Num) for t in types)
    scalars = numbers and all(t.ndim == 0 for t in types)  # type: ignore[attr-defined]
    if node.target in _PLAIN or isinstance(node.target, np.ufunc):
        if scalars:
            return _INTEGERS if integers_fail(node) else (FloatingPointError,)
        return _ELEMENTWISE if numbers else None
    if node.target in _DIVISIONS and numbers:
        unsure = any(t.python or t.ndim is None for t in types)  # type: ignore[attr-defined]
        if unsure or all(map(may_be_python, node.args)):
            return (*_ELEMENTWISE, ArithmeticError)
        fails = not scalars or integers_fail(node)
        return _ELEMENTWISE if fails else (FloatingPointError,)
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
        t = deref(node.args[0].type)
        if not isinstance(t, Object):
            return None
        # One that is given attributes later may not have them yet.
        return (AttributeError,) if t.stored else ()
    if op is ops.CONVERT:
        t = deref(node.args[1].type)
        plain = isinstance(t, Num) and t.ndim == 0 and t.dtype is not None
        target = node.args[0].value  # type: ignore[attr-defined]
        if plain and target in (float, bool, complex) and t.dtype.kind != "c":  # type: ignore[attr-defined]
            return ()
        return (ValueError, TypeError, OverflowError)
    if op in (ops.NOT, ops.CONTAINS):
        t = deref(node.args[-1].type)
        scalar = isinstance(t, Num) and t.ndim == 0 and op is ops.NOT
        if op is ops.CONTAINS and isinstance(t, List) and _may_be_array(t.item):
            return (ValueError,)
        return () if scalar or isinstance(t, List | Dict) else (ValueError, TypeError)
    if op is ops.ASSERT:
        return (ops.raised_by(node), *_of_test(node.args[0]))
    if op is ops.FORMAT:
        return (ValueError, TypeError)
    if op in (ops.PYCALL, ops.OBSERVE) and isinstance(node.args[0], Constant):
        value = node.args[0].value
        if value is isinstance and not isinstance(node.args[-1], Constant):
            return (TypeError,)
        if value in (isinstance, type, print, repr, str, id):
            return ()
        if isinstance(value, type) and issubclass(value, BaseException):
            return ()
    return None


def may_be_python(node: Node) -> bool:
    """Whether a number is one of Python's, on some path at least."""
    t = deref(node.type)
    if not isinstance(t, Num) or not t.scalar:
        return False
    return any(not issubclass(k, np.generic) for k in kinds_of_number(t))


def integers_fail(node: Apply) -> bool:
    """Whether an operation on NumPy's integers may fail: they have bounds."""
    types = [t for a in node.args if isinstance(t := deref(a.type), Num)]
    if len(types) < len(node.args):
        return False
    dtypes = [t.dtype for t in types if not t.python]
    if not dtypes or not all(d is not None and d.kind in "biu" for d in dtypes):
        return False
    python = [t.dtype for t in types if t.python]
    if any(d is not None and d.kind not in "bi" for d in python):
        return False
    if node.op.name == "power" and not _is_positive(node.args[-1]):
        return True
    if node.op.name in _TRUTHS:
        return False
    numbers = [a for a, t in zip(node.args, types) if t.python and t.dtype != bool]
    return not all(
        _fits(a, d) for a in numbers for d in dtypes if d is not None and d.kind in "iu"
    )


def _fits(node: Node, dtype: Any) -> bool:
    """Whether an integer of Python's surely lies within the bounds of a dtype."""
    if not isinstance(node, Constant):
        return bool(dtype == np.int64)
    bounds = np.iinfo(dtype)
    return bool(bounds.min <= node.value <= bounds.max)


def _is_positive(node: Node) -> bool:
    """Whether an integer is at least zero."""
    if isinstance(node, Constant):
        return bool(np.all(np.asarray(node.value) >= 0))
    t = deref(node.type)
    return isinstance(t, Num) and t.dtype is not None and t.dtype.kind in "bu"


# What compares takes every number beside integers of NumPy.
_TRUTHS = frozenset(
    [
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "logical_and",
        "logical_or",
        "logical_xor",
        "divide",
    ]
)


def _is_no_number(t: Type) -> bool:
    """Whether a value is something that no function of numbers takes."""
    return isinstance(t, Str | NoneType_ | Other)


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
