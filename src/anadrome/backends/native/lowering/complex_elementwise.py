"""Lowerings of operations on complex numbers, element by element.

Each is a loop of its own: complex values are not fused.  What has no lowering here is
done by Python in the middle of native code.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir

from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import Num, deref

from ..emission.function import Emitter
from ..emission.python_arithmetic import are_python
from ..emission.values import Array, Scalar, Value
from ..fusion.expressions import Expr, Leaf, Pair, leaves
from .complex_functions import FUNCTIONS, equal, is_whole_power, of_parts, to_power
from .complex_parts import FLOAT, halves, is_complex, part, part_of_array
from .elementwise import broadcast, build, choice, fill, has_complex, scalar

_PARTS = {"real": 0, "imag": 1}
_EQUAL = {"equal": False, "not_equal": True}


def is_complex_operation(node: Apply) -> bool:
    """Whether a statement is an operation on complex elements with a lowering."""
    name = getattr(node.op, "name", None)
    if name not in _PARTS and name not in _EQUAL and name != "where":
        if name not in FUNCTIONS:
            return False
    if node.keywords or not has_complex(node):
        return False
    types = [deref(n.type) for n in (node, *node.inputs)]
    if not all(isinstance(t, Num) and t.ndim is not None and t.dtype for t in types):
        return False
    if any(t.dtype.kind == "c" and not is_complex(t.dtype) for t in types):  # type: ignore[attr-defined]
        return False
    if name in _PARTS:
        return is_complex(deref(node.args[0].type).dtype)  # type: ignore[attr-defined]
    return len(node.args) == _ARITY.get(name, 1)


_ARITY = {
    "where": 3,
    **dict.fromkeys(
        ("add", "subtract", "multiply", "divide", "power", "equal", "not_equal"), 2
    ),
}


def complex_operation(e: Emitter, node: Apply) -> Value:
    """An operation on complex elements."""
    name, t = node.op.name, deref(node.type)
    assert isinstance(t, Num)
    assert t.ndim is not None
    assert t.dtype is not None
    if name in _PARTS:
        return _part(e, node, _PARTS[name], t)
    operands = [_operand(e, a) for a in node.args]
    expression = _expression(e, node, operands)
    arrays = [a for expr in operands for a in leaves(expr)]
    if arrays:
        out = e.allocate(t.dtype, broadcast(e, arrays, t.ndim))
        fill(e, out, expression)
        return out
    if are_python(node):
        _guard(e, node)
    found = scalar(e, expression, t.dtype)
    if are_python(node):
        _guard_size(e, node, found)
    return Scalar(t.dtype, found, t.python)


def _part(e: Emitter, node: Apply, k: int, t: Num) -> Value:
    """The real or the imaginary part: of an array it is a view."""
    value = e.value(node.args[0])
    if isinstance(value, Array) and value.ndim:
        view = part_of_array(e, value, k)
        e.retain(view)
        return view
    register = scalar(e, part(e, build(e, node.args[0]), k), FLOAT)
    return Scalar(FLOAT, register, t.python)


def _operand(e: Emitter, node: Node) -> Expr:
    expr = build(e, node)
    value = expr.value if isinstance(expr, Leaf) else None
    if isinstance(value, Array) and not value.ndim:
        return Leaf(Scalar(value.dtype, e.load(value, [])), value.dtype)
    return expr


def _expression(e: Emitter, node: Apply, operands: list[Expr]) -> Expr:
    name = node.op.name
    if name == "where":
        condition = operands[0]
        if condition.dtype.kind == "c":
            raise e.refuse("a complex condition", node.span)
        yes, no = (halves(e, expr) for expr in operands[1:])
        parts = zip(yes.inputs, no.inputs)
        return Pair(*(choice(condition, a, b, FLOAT) for a, b in parts))
    pairs = [halves(e, expr) for expr in operands]
    if name == "power":
        exponent = node.args[1]
        if isinstance(exponent, Constant) and is_whole_power(exponent.value):
            return to_power(pairs[0], exponent.value, are_python(node))
    if name in _EQUAL:
        return equal(pairs[0], pairs[1], _EQUAL[name])
    return of_parts(name, *pairs)


# What Python refuses ------------------------------------------------------------------


def _guard(e: Emitter, node: Apply) -> None:
    """Fail where Python's own numbers have no quotient or power."""
    name = node.op.name
    if name == "divide":
        e.fail_unless(
            _is_not_zero(e, node.args[1]),
            ZeroDivisionError,
            "complex division by zero",
        )
    if name == "power":
        b = e.builder
        parts = [_register(e, node.args[1], k) for k in (0, 1)]
        zero = ir.Constant(parts[0].type, 0.0)
        downward = b.or_(
            b.fcmp_ordered("<", parts[0], zero), b.fcmp_unordered("!=", parts[1], zero)
        )
        e.fail_unless(
            b.or_(_is_not_zero(e, node.args[0]), b.not_(downward)),
            ZeroDivisionError,
            "zero to a negative or complex power",
        )


def _guard_size(e: Emitter, node: Apply, found: ir.Value) -> None:
    """Fail where Python finds that a modulus or a power is too large."""
    b = e.builder
    if node.op.name == "absolute":
        given = [_register(e, node.args[0], k) for k in (0, 1)]
        endless = b.or_(*(_is_infinite(e, r) for r in given))
        fits = b.or_(b.not_(_is_infinite(e, found)), endless)
        e.fail_unless(fits, OverflowError, "absolute value too large")
    if node.op.name == "power":
        parts = [b.extract_value(found, k) for k in (0, 1)]
        large = b.or_(*(_is_infinite(e, r) for r in parts))
        e.fail_unless(b.not_(large), OverflowError, "complex exponentiation")


def _is_infinite(e: Emitter, r: ir.Value) -> ir.Value:
    b = e.builder
    ends = (
        b.fcmp_ordered("==", r, ir.Constant(r.type, x)) for x in (math.inf, -math.inf)
    )
    return b.or_(*ends)


def _register(e: Emitter, node: Node, k: int) -> ir.Value:
    return scalar(e, part(e, build(e, node), k), FLOAT)


def _is_not_zero(e: Emitter, node: Node) -> Any:
    b = e.builder
    parts = [_register(e, node, k) for k in (0, 1)]
    zero = ir.Constant(parts[0].type, 0.0)
    return b.or_(*(b.fcmp_unordered("!=", p, zero) for p in parts))
