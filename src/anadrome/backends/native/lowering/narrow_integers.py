"""Integers of 8 and 16 bits and without a sign: numbers read from arrays, one by one.

They follow NumPy: results wrap around, Python's integers must fit beside them, and
comparisons are exact whatever the types. Whole arrays of them are left to NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import Num, Tuple, Type, deref

from ..emission.function import Emitter
from ..emission.values import (
    BOOL,
    I64,
    INT64,
    UINT64,
    Scalar,
    Static,
    Value,
    is_narrow,
    scalar_type,
    stored_type,
)

_COMPARISONS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
_SIMPLE = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "bitwise_and": "and_",
    "bitwise_or": "or_",
    "bitwise_xor": "xor",
}
_OF_FLOATS = {"add": "fadd", "subtract": "fsub", "multiply": "fmul", "divide": "fdiv"}
_OF_ONE = {"negative", "positive", "invert", "absolute"}
_DIVISIONS = {"floor_divide": 0, "remainder": 1}
_SHIFTS = ("left_shift", "right_shift")
_EXTREMES = {"maximum": ">", "minimum": "<"}
_NAMES = {*_COMPARISONS, *_SIMPLE, *_OF_FLOATS, *_OF_ONE, *_DIVISIONS, *_SHIFTS}
_NAMES |= {*_EXTREMES}
_STATEMENTS = (
    *(ops.LENGTH, ops.NOT, ops.CONVERT, ops.TUPLE, ops.LIST),
    *(ops.APPEND, ops.POP, ops.DELITEM, ops.CONTAINS),
)
_SAFE = {"shape", "size"}


def touches_narrow(node: Apply) -> bool:
    """Whether a statement makes or reads such integers, alone or in tuples."""
    return any(_holds_narrow(n.type) for n in (node, *node.inputs))


def _holds_narrow(t: Type) -> bool:
    t = deref(t)
    if isinstance(t, Tuple):
        return any(map(_holds_narrow, t.items))
    return isinstance(t, Num) and t.dtype is not None and is_narrow(t.dtype)


def has_narrow_lowering(node: Apply) -> bool:
    """Whether a statement that touches such integers can be written natively."""
    if is_narrow_operation(node):
        return True
    if node.op is ops.GETITEM:
        return not _is_array(node.args[1])
    if node.op is ops.SETITEM:
        return _is_number(node.args[2]) and not _is_array(node.args[1])
    if node.op in _STATEMENTS:
        return True
    whole = len(node.args) == 1 and not node.keywords
    return whole and getattr(node.op, "name", None) in _SAFE


def _is_array(index: Node) -> bool:
    t = deref(index.type)
    items = t.items if isinstance(t, Tuple) else (t,)
    numbers = [n for n in map(deref, items) if isinstance(n, Num)]
    return any(n.ndim != 0 or n.boxed or n.dtype == BOOL for n in numbers)


def _is_number(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.scalar and t.dtype is not None


def is_narrow_operation(node: Apply) -> bool:
    """Whether a statement is an operation on such numbers that has a lowering."""
    name = getattr(node.op, "name", None)
    if name not in _NAMES or node.keywords or not touches_narrow(node):
        return False
    if not all(map(_is_number, (node, *node.args))):
        return False
    result, given = (_dtype(node), [_dtype(a) for a in node.args])
    if stored_type(result) is None or any(stored_type(d) is None for d in given):
        return False
    if any(d.kind == "c" for d in (result, *given)):
        return False
    if name in _COMPARISONS:
        return True
    return name in _OF_FLOATS if result.kind == "f" else result.kind in "iu"


def _dtype(node: Node) -> np.dtype[Any]:
    t = deref(node.type)
    assert isinstance(t, Num)
    assert t.dtype is not None
    return t.dtype


def narrow_operation(e: Emitter, node: Apply) -> Value:
    """An operation on numbers of which one at least is such an integer."""
    name, dtype = node.op.name, _dtype(node)
    values = [e.value(a) for a in node.args]
    if name in _COMPARISONS:
        found = _compared(e, _COMPARISONS[name], *values)
        return Scalar(BOOL, found, deref(node.type).python)  # type: ignore[attr-defined]
    args = [fitted(e, v, dtype) for v in values]
    return Scalar(dtype, _computed(e, name, args, dtype))


def _computed(
    e: Emitter, name: str, args: list[ir.Value], dtype: np.dtype[Any]
) -> ir.Value:
    b = e.builder
    if dtype.kind == "f":
        return getattr(b, _OF_FLOATS[name])(*args)
    if name in _SIMPLE:
        return getattr(b, _SIMPLE[name])(*args)
    if name in _OF_ONE:
        return _of_one(e, name, args[0], dtype)
    if name in _SHIFTS:
        return shifted(e, name, args[0], args[1], signed=dtype.kind == "i")
    compare = b.icmp_unsigned if dtype.kind == "u" else b.icmp_signed
    if name in _EXTREMES:
        return b.select(compare(_EXTREMES[name], *args), *args)
    if dtype.kind == "i":
        from .elementwise import ELEMENTWISE

        found: ir.Value = ELEMENTWISE[name](e, args, dtype)
        return found
    x, y = args
    zero, one = ir.Constant(x.type, 0), ir.Constant(x.type, 1)
    nothing = b.icmp_unsigned("==", y, zero)
    divide = (b.udiv, b.urem)[_DIVISIONS[name]]
    # Of zero NumPy makes zero; processors would trap.
    return b.select(nothing, zero, divide(x, b.select(nothing, one, y)))


def _of_one(e: Emitter, name: str, x: ir.Value, dtype: np.dtype[Any]) -> ir.Value:
    b = e.builder
    if name == "negative":
        return b.neg(x)
    if name == "invert":
        return b.not_(x)
    if name == "positive" or dtype.kind == "u":
        return x
    below = b.icmp_signed("<", x, ir.Constant(x.type, 0))
    return b.select(below, b.neg(x), x)


def shifted(
    e: Emitter, name: str, x: ir.Value, count: ir.Value, signed: bool
) -> ir.Value:
    """An integer shifted; by as many bits as it has, or more, nothing is left of it."""
    b = e.builder
    bits = getattr(x.type, "element", x.type).width
    vector = isinstance(x.type, ir.VectorType)

    def same(number: int) -> ir.Value:
        lanes = [number] * x.type.count if vector else number
        return ir.Constant(x.type, lanes)

    within = b.icmp_unsigned("<", count, same(bits))
    if name == "right_shift" and signed:
        return b.ashr(x, b.select(within, count, same(bits - 1)))
    shift = b.shl if name == "left_shift" else b.lshr
    found = shift(x, b.select(within, count, same(0)))
    return b.select(within, found, same(0))


def fitted(e: Emitter, value: Value, dtype: np.dtype[Any]) -> ir.Value:
    """A number beside one of a type; Python's integers must be in its bounds."""
    if isinstance(value, Static) or dtype.kind not in "iu":
        return e.number(value, dtype)
    assert isinstance(value, Scalar)
    if value.weak and value.dtype == INT64 and is_narrow(dtype):
        _check_bounds(e, value.register, dtype)
    return e.convert(value.register, value.dtype, dtype)


def _check_bounds(e: Emitter, r: ir.Value, dtype: np.dtype[Any]) -> None:
    b, limits = e.builder, np.iinfo(dtype)
    inside = b.icmp_signed(">=", r, I64(int(limits.min)))
    if dtype != UINT64:
        inside = b.and_(inside, b.icmp_signed("<=", r, I64(int(limits.max))))
    message = f"Python integer {{0}} out of bounds for {dtype}"
    e.fail_unless(inside, OverflowError, message, r)


def stored(e: Emitter, value: Value, dtype: np.dtype[Any]) -> ir.Value:
    """A number as an element of an array of a type.

    NumPy cuts numbers of its own to size if the type has no sign, else refuses them.
    """
    if isinstance(value, Static):
        if isinstance(value.value, np.integer | np.bool_):
            value = Static(int(value.value))
            if dtype.kind == "u":
                limits = np.iinfo(dtype)
                value = Static(value.value % (int(limits.max) + 1))
        if not isinstance(value.value, int):
            raise e.refuse("this stored as an integer")
        return e.number(value, dtype)
    if not isinstance(value, Scalar) or value.dtype.kind not in "iub":
        raise e.refuse("this stored as an integer")
    if value.weak and value.dtype == INT64:
        return fitted(e, value, dtype)
    found = e.convert(value.register, value.dtype, dtype)
    if dtype.kind == "i" and not np.can_cast(value.dtype, dtype):
        wide = INT64 if value.dtype != UINT64 else UINT64
        back = e.convert(found, dtype, wide)
        same = e.builder.icmp_signed(
            "==", back, e.convert(value.register, value.dtype, wide)
        )
        if wide == UINT64:
            same = e.builder.and_(same, e.builder.icmp_signed(">=", back, I64(0)))
        message = f"Python integer out of bounds for {dtype}"
        e.fail_unless(same, OverflowError, message)
    return found


# Comparisons --------------------------------------------------------------------------


def _compared(e: Emitter, sign: str, x: Value, y: Value) -> ir.Value:
    kinds = [_kind_of(e, v) for v in (x, y)]
    if any(k.kind == "f" for k in kinds):
        return _compared_floats(e, sign, (x, y), kinds)
    b = e.builder
    if UINT64 not in kinds and not any(map(_is_wide, (x, y))):
        wide = [e.convert(_register(e, v, k), k, INT64) for v, k in zip((x, y), kinds)]
        return b.icmp_signed(sign, *wide)
    return _compared_wide(e, sign, (x, y), kinds)


def _compared_floats(
    e: Emitter, sign: str, values: tuple[Value, Value], kinds: list[np.dtype[Any]]
) -> ir.Value:
    strong = [k for v, k in zip(values, kinds) if not _is_weak(v)]
    common = np.result_type(*strong) if strong else np.dtype(np.float64)
    if common.kind != "f":
        common = np.dtype(np.float64)
    if stored_type(common) is None:
        raise e.refuse(f"a comparison in {common}")
    x, y = (e.number(v, common) for v in values)
    b = e.builder
    return b.fcmp_unordered(sign, x, y) if sign == "!=" else b.fcmp_ordered(sign, x, y)


def _compared_wide(
    e: Emitter, sign: str, values: tuple[Value, Value], kinds: list[np.dtype[Any]]
) -> ir.Value:
    """Integers of 64 bits compared, whether or not they have a sign."""
    b, wide = e.builder, ir.IntType(65)
    extended = []
    for v, k in zip(values, kinds):
        if isinstance(v, Static):
            number = max(-(2**64), min(2**64 - 1, int(v.value)))
            extended.append(ir.Constant(wide, number))
            continue
        r = _register(e, v, k)
        extended.append(b.sext(r, wide) if k.kind == "i" else b.zext(r, wide))
    return b.icmp_signed(sign, *extended)


def _register(e: Emitter, value: Value, dtype: np.dtype[Any]) -> ir.Value:
    if isinstance(value, Static):
        return ir.Constant(scalar_type(dtype), int(value.value))
    assert isinstance(value, Scalar)
    return value.register


def _kind_of(e: Emitter, value: Value) -> np.dtype[Any]:
    if isinstance(value, Scalar):
        return value.dtype
    if isinstance(value, Static) and isinstance(value.value, np.generic):
        return value.value.dtype
    if isinstance(value, Static) and isinstance(value.value, bool | int | float):
        kind = {bool: BOOL, int: INT64}.get(type(value.value), np.dtype(np.float64))
        return kind
    raise e.refuse("this operand")


def _is_wide(value: Value) -> bool:
    """Whether a number known at compile time has more than 64 bits."""
    if not isinstance(value, Static) or not isinstance(value.value, int):
        return False
    return not -(2**63) <= value.value < 2**63


def _is_weak(value: Value) -> bool:
    if isinstance(value, Static):
        return not isinstance(value.value, np.generic)
    return isinstance(value, Scalar) and value.weak
