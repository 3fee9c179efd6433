"""What Python checks when it computes with its own numbers, and NumPy does not.

A quotient by zero or a logarithm of a negative number fails at the user's line. Where
a result leaves 64 bits, or is no integer any more, the program starts over in Python,
or is refused if that could be told. Integers that only say where something stands are
not checked, for a position that is wrong is found when it is used.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.errors import UnexpectedType
from anadrome.frontend.syntax.may_raise import may_be_python
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node
from anadrome.ir.types import Dict, Num, deref

from ..runtime.results import TOO_LARGE
from .dsl import declare
from .function import Emitter
from .values import I1, I64, INT64, Scalar, Static, Value

_DIVISIONS = ("floor_divide", "remainder", "divide")
_WITH_OVERFLOW = {"add": "sadd", "subtract": "ssub", "multiply": "smul"}
# Of the smallest integer alone, and of it by -1, these are too large.
_FROM_THE_SMALLEST = ("negative", "absolute", "floor_divide")
_INTEGER_OPS = (*_WITH_OVERFLOW, "negative", "absolute", "floor_divide", "remainder")
# Where these are infinite at a finite number, they have a pole; others are too large.
_POLES = {"log", "log2", "log10", "log1p", "arctanh", "lgamma", "gammaln"}
_DOMAIN = ValueError, "math domain error"


def guard_operands(e: Emitter, node: Apply) -> None:
    """Fail where Python refuses the operands of an operation on numbers."""
    name, python = node.op.name, are_python(node)
    if name in _DIVISIONS and python:
        _guard_divisor(e, node)
    elif name in (*_DIVISIONS, "power") and may_be_operator(node):
        _guard_mixed(e, node)
    elif name in ("left_shift", "right_shift") and python:
        count = e.integer(e.value(node.args[1]))
        some = e.builder.icmp_signed(">=", count, I64(0))
        e.fail_unless(some, ValueError, "negative shift count")
    elif (_is_math(node) and name == "float_power") or (name == "power" and python):
        _guard_power(e, node)


def checked_integer(e: Emitter, node: Apply) -> ir.Value | None:
    """A sum, difference, product or power of integers; starts over if it is too large.

    None if the operation is another one or need not be checked.
    """
    name, t = node.op.name, deref(node.type)
    assert isinstance(t, Num)
    if t.dtype != np.int64 or not are_python(node):
        return None
    if name not in ("power", "left_shift"):
        if id(node) in e.positions:
            return None
        if name in _FROM_THE_SMALLEST:
            _guard_smallest(e, node)
        if name not in _WITH_OVERFLOW:
            return None
    x, y = (e.integer(e.value(a)) for a in node.args)
    if name == "left_shift":
        found, large = _shifted_left(e, x, y)
    elif name == "power":
        found, large = _integer_power(e, x, y)
    else:
        found, large = _with_overflow(e, _WITH_OVERFLOW[name], x, y)
    e.fail_unless(e.builder.not_(large), UnexpectedType, TOO_LARGE)
    return found


def _guard_smallest(e: Emitter, node: Apply) -> None:
    """Start over where the smallest integer would lose its sign."""
    operands = [e.value(a) for a in node.args]
    b = e.builder
    large = b.icmp_signed("==", e.integer(operands[0]), I64(-(2**63)))
    if len(operands) > 1:
        divisor = operands[1]
        if isinstance(divisor, Static) and divisor.value != -1:
            return
        large = b.and_(large, b.icmp_signed("==", e.integer(divisor), I64(-1)))
    e.fail_unless(b.not_(large), UnexpectedType, TOO_LARGE)


def _with_overflow(
    e: Emitter, name: str, x: ir.Value, y: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """What an operation on integers gives, and whether it is too large."""
    type_ = ir.FunctionType(ir.LiteralStructType([I64, I1]), [I64, I64])
    function = declare(e.module, f"llvm.{name}.with.overflow.i64", type_)
    both = e.builder.call(function, [x, y])
    return e.builder.extract_value(both, 0), e.builder.extract_value(both, 1)


def _shifted_left(e: Emitter, x: ir.Value, y: ir.Value) -> tuple[ir.Value, ir.Value]:
    """An integer shifted to the left, and whether it is too large."""
    b = e.builder
    within = b.icmp_unsigned("<", y, I64(64))
    count = b.select(within, y, I64(0))
    found = b.shl(x, count)
    same = b.and_(within, b.icmp_signed("==", b.ashr(found, count), x))
    nothing = b.icmp_signed("==", x, I64(0))
    return b.select(nothing, x, found), b.not_(b.or_(nothing, same))


def _integer_power(e: Emitter, x: ir.Value, y: ir.Value) -> tuple[ir.Value, ir.Value]:
    """A power by squaring, and whether it is too large."""
    b = e.builder
    before, squaring, done = b.block, *map(b.append_basic_block, ("square", "power"))
    b.cbranch(b.icmp_signed(">", y, I64(0)), squaring, done)
    b.position_at_end(squaring)
    found, square, left = (b.phi(I64) for _ in range(3))
    large, beyond = b.phi(I1), b.phi(I1)
    more, over = _with_overflow(e, "smul", found, square)
    odd = b.trunc(left, I1)
    next_found = b.select(odd, more, found)
    next_large = b.or_(large, b.and_(odd, b.or_(over, beyond)))
    next_square, wide = _with_overflow(e, "smul", square, square)
    next_beyond, rest = b.or_(beyond, wide), b.lshr(left, I64(1))
    for phi, first, then in (
        (found, I64(1), next_found),
        (square, x, next_square),
        (left, y, rest),
        (large, I1(0), next_large),
        (beyond, I1(0), next_beyond),
    ):
        phi.add_incoming(first, before)
        phi.add_incoming(then, squaring)
    b.cbranch(b.icmp_signed("!=", rest, I64(0)), squaring, done)
    b.position_at_end(done)
    result, too_large = b.phi(I64), b.phi(I1)
    for phi, first, then in (
        (result, I64(1), next_found),
        (too_large, I1(0), next_large),
    ):
        phi.add_incoming(first, before)
        phi.add_incoming(then, squaring)
    return result, too_large


def guard_result(e: Emitter, node: Apply, r: ir.Value) -> None:
    """Fail where Python's own function of numbers has no result."""
    t = deref(node.type)
    assert isinstance(t, Num)
    name = node.op.name
    python = name == "power" and are_python(node)
    if t.dtype is None or t.dtype != np.float64 or not (python or _is_math(node)):
        return
    poles = name in _POLES
    b = e.builder
    with b.if_then(b.not_(_is_finite(e, r)), likely=False):
        args = [e.number(e.value(a), t.dtype) for a in node.args]
        nan, finite = I1(0), I1(1)
        for x in args:
            nan = b.or_(nan, b.fcmp_unordered("uno", x, x))
            finite = b.and_(finite, _is_finite(e, x))
        number = b.fcmp_ordered("ord", r, r)
        e.fail_unless(b.or_(number, nan), *_DOMAIN)
        if name == "gamma":
            beyond = b.fcmp_ordered(">", args[0], ir.Constant(r.type, 0.0))
            e.fail_unless(b.or_(b.not_(finite), beyond), *_DOMAIN)
        large = OverflowError, "math range error"
        bad = b.and_(number, finite)
        e.fail_unless(b.not_(bad), *(_DOMAIN if poles else large))


def integer_of(
    e: Emitter, r: ir.Value, beyond: type[Exception] = UnexpectedType
) -> ir.Value:
    """A floating number as an integer, as `int` has it."""
    b = e.builder
    number = b.fcmp_ordered("ord", r, r)
    e.fail_unless(number, ValueError, "cannot convert float NaN to integer")
    low, high = (ir.Constant(r.type, x) for x in (-(2.0**63), 2.0**63))
    fits = b.and_(b.fcmp_ordered(">=", r, low), b.fcmp_ordered("<", r, high))
    with b.if_then(b.not_(fits), likely=False):
        infinite = "cannot convert float infinity to integer"
        e.fail_unless(_is_finite(e, r), OverflowError, infinite)
        e.fail_unless(I1(0), beyond, TOO_LARGE)
    return b.fptosi(r, I64)


def whole(e: Emitter, value: Value, dtype: np.dtype[Any]) -> Value:
    """A number to be stored, cut to an integer as `int` does it if it has to be one.

    What an array holds, of no axes too, is cut without a look at it.
    """
    floating = isinstance(value, Scalar) and value.dtype.kind == "f"
    if dtype.kind != "i" or not floating or value.boxed:  # type: ignore[attr-defined]
        return value
    assert isinstance(value, Scalar)
    r = e.convert(value.register, value.dtype, np.dtype(np.float64))
    return Scalar(INT64, integer_of(e, r, OverflowError), True)


def fitting(e: Emitter, value: Value, dtype: np.dtype[Any]) -> Value:
    """A number to be stored; fails if it is an integer that the type does not hold."""
    if dtype != np.int32:
        return value
    if isinstance(value, Static) and isinstance(value.value, int | np.integer):
        value = Static(int(value.value))
    elif isinstance(value, Scalar) and value.dtype == np.int64:
        value = Scalar(value.dtype, value.register, True)
    else:
        return value
    return Scalar(dtype, e.number(value, dtype))


def are_python(node: Apply) -> bool:
    """Whether an operation is Python's own: of its numbers, and not a ufunc's."""
    types = [deref(a.type) for a in node.args]
    return not isinstance(node.target, np.ufunc) and all(
        isinstance(t, Num) and t.ndim == 0 and t.python for t in types
    )


def may_be_operator(node: Apply) -> bool:
    """Whether an operation is Python's own on some paths, and NumPy's on others."""
    if isinstance(node.target, np.ufunc) or are_python(node):
        return False
    return all(map(may_be_python, node.args))


def _is_math(node: Apply) -> bool:
    return getattr(node.target, "__module__", "") == "math"


def _is_finite(e: Emitter, r: ir.Value) -> ir.Value:
    b = e.builder
    return b.fcmp_ordered("==", b.fsub(r, r), ir.Constant(r.type, 0.0))


def _guard_divisor(e: Emitter, node: Apply) -> None:
    divisor = node.args[1]
    r = e.number(e.value(divisor), _dtype(divisor))
    e.fail_unless(_is_not_zero(e, r), ZeroDivisionError, "division by zero")


def _guard_mixed(e: Emitter, node: Apply) -> None:
    """Start over where Python fails, or has a complex power, and NumPy does not."""
    b = e.builder
    if node.op.name != "power":
        right = _is_not_zero(e, e.number(e.value(node.args[1]), _dtype(node.args[1])))
    else:
        dtype = _dtype(node)
        if dtype.kind != "f":
            return
        base = e.number(e.value(node.args[0]), dtype)
        right = b.fcmp_unordered(">", base, ir.Constant(base.type, 0.0))
    e.fail_unless(right, UnexpectedType, "an operator takes numbers of unknown types")


def _is_not_zero(e: Emitter, r: ir.Value) -> ir.Value:
    b = e.builder
    if isinstance(r.type, ir.IntType):
        return b.icmp_signed("!=", r, ir.Constant(r.type, 0))
    return b.fcmp_unordered("!=", r, ir.Constant(r.type, 0.0))


def _guard_power(e: Emitter, node: Apply) -> None:
    b, result = e.builder, deref(node.type)
    assert isinstance(result, Num)
    assert result.dtype is not None
    base, exponent = (e.number(e.value(a), result.dtype) for a in node.args)
    zero = ir.Constant(base.type, 0)
    if result.dtype.kind != "f":
        downward = b.icmp_signed("<", exponent, zero)
    else:
        downward = b.fcmp_ordered("<", exponent, zero)
    defined = b.or_(_is_not_zero(e, base), b.not_(downward))
    if _is_math(node):
        e.fail_unless(defined, *_DOMAIN)
        return
    e.fail_unless(defined, ZeroDivisionError, "zero to a negative power")
    if result.dtype.kind != "f":
        fraction = "a negative power of an integer is no integer: use float(…)"
        e.fail_unless(b.not_(downward), UnexpectedType, fraction)
        return
    given = node.args[1]
    if isinstance(given, Constant) and float(given.value).is_integer():
        return
    negative = b.fcmp_ordered("<", base, zero)
    infinite = b.fcmp_ordered("==", base, ir.Constant(base.type, -math.inf))
    floor = declare(e.module, "llvm.floor.f64", ir.FunctionType(base.type, [base.type]))
    even = b.fcmp_ordered("==", b.call(floor, [exponent]), exponent)
    real = b.or_(b.or_(b.not_(negative), infinite), even)
    nan = b.fcmp_unordered("uno", exponent, exponent)
    complex_ = "a fractional power of a negative number is complex"
    e.fail_unless(b.or_(real, nan), UnexpectedType, complex_)


def _dtype(node: Node) -> np.dtype[Any]:
    t = deref(node.type)
    assert isinstance(t, Num)
    assert t.dtype is not None
    return t.dtype


# Positions ----------------------------------------------------------------------------


def find_positions(graph: Graph) -> set[int]:
    """The integers that are read as positions and sizes only."""
    found: set[int] = set()
    _find_positions(graph, set(), found)
    return found


def _find_positions(region: Graph, valued: set[int], found: set[int]) -> None:
    valued.update(id(n) for n in region.results)
    for node in reversed(region.body):
        for inner in reversed(node.regions):
            _find_positions(inner, valued, found)
        if id(node) in valued or not _carries(node):
            valued.update(id(n) for n in _values_read(node))
        else:
            found.add(id(node))


def _carries(node: Apply) -> bool:
    """Whether a statement only passes positions on."""
    if node.op in (ops.TUPLE, ops.SLICE):
        return True
    return getattr(node.op, "name", "") in _INTEGER_OPS and isinstance(
        deref(node.type), Num
    )


def _values_read(node: Apply) -> list[Node]:
    """The operands of a statement that are not positions."""
    if node.op in (ops.GETITEM, ops.SETITEM) and isinstance(
        deref(node.args[0].type), Dict
    ):
        return list(node.inputs)
    if node.op is ops.GETITEM:
        return [node.args[0]]
    if node.op is ops.SETITEM:
        return [node.args[0], *node.args[2:]]
    if node.op is ops.FOR:
        return list(node.args[3:])
    return list(node.inputs)
