"""Elementwise operations, fused: a tree of them is one loop, or part of another.

A leaf is an array or a number. Two loops are written for a tree: one for the usual
case, all arrays of one shape with unit stride in the last axis, which LLVM turns into
vector code; and one for everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import Num, deref

from .control import for_range
from .emitter import BOOL, Emitter
from .values import I1, I64, Array, Scalar, Static, Value, element_type, scalar_type
from .vectormath import TABLE, math_function


@dataclass
class Leaf:
    """An array that is read, or a number."""

    value: Value
    dtype: np.dtype[Any]


@dataclass
class Tree:
    """An operation on trees."""

    emit: Callable[[Emitter, list[ir.Value], np.dtype[Any]], ir.Value]
    inputs: list[Any]
    compute: np.dtype[Any]
    dtype: np.dtype[Any]


Expr = Leaf | Tree


def leaves(expr: Expr) -> list[Array]:
    """The arrays that a tree reads."""
    if isinstance(expr, Leaf):
        return [expr.value] if isinstance(expr.value, Array) and expr.value.ndim else []
    return [a for e in expr.inputs for a in leaves(e)]


def evaluate(
    e: Emitter, expr: Expr, read: Callable[[Array], ir.Value], want: np.dtype[Any]
) -> ir.Value:
    """The value of a tree for one element."""
    if isinstance(expr, Leaf):
        if isinstance(expr.value, Array) and expr.value.ndim:
            r = read(expr.value)
            return e.convert(r, expr.dtype, want)
        return e.number(expr.value, want)
    args = [evaluate(e, i, read, expr.compute) for i in expr.inputs]
    return e.convert(expr.emit(e, args, expr.compute), expr.dtype, want)


# The table ----------------------------------------------------------------------------


def _math(name: str) -> Any:
    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        e.owner.math = True
        function = math_function(e.module, name, scalar_type(dtype), e.owner.target)
        return e.builder.call(function, args)

    return emit


def _float_or_int(f: str, i: str) -> Any:
    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        return getattr(e.builder, f if dtype.kind == "f" else i)(*args)

    return emit


def _compare(sign: str) -> Any:
    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        b = e.builder
        if dtype.kind == "f":
            if sign == "!=":
                return b.fcmp_unordered(sign, *args)
            return b.fcmp_ordered(sign, *args)
        if dtype.kind == "b":
            return b.icmp_unsigned(sign, *args)
        return b.icmp_signed(sign, *args)

    return emit


def _negative(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    return e.builder.fneg(args[0]) if dtype.kind == "f" else e.builder.neg(args[0])


def _extreme(sign: str) -> Any:
    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        b = e.builder
        x, y = args
        if dtype.kind == "f":
            chosen = b.select(b.fcmp_ordered(sign, x, y), x, y)
            # Not a number wins, as in NumPy.
            return b.select(b.fcmp_unordered("uno", x, x), x, chosen)
        return b.select(b.icmp_signed(sign, x, y), x, y)

    return emit


def _where(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    raise AssertionError("where is built with a condition of its own")


def _square(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    return getattr(e.builder, "fmul" if dtype.kind == "f" else "mul")(args[0], args[0])


def _reciprocal(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    return e.builder.fdiv(ir.Constant(args[0].type, 1.0), args[0])


def _absolute(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    if dtype.kind == "f":
        found: ir.Value = _math("abs")(e, args, dtype)
        return found
    b = e.builder
    zero = ir.Constant(args[0].type, 0)
    return b.select(b.icmp_signed("<", args[0], zero), b.neg(args[0]), args[0])


def _logical(name: str) -> Any:
    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        return getattr(e.builder, name)(*args)

    return emit


def _not(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    return e.builder.not_(args[0])


def _floor_divide(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    b = e.builder
    x, y = args
    if dtype.kind == "f":
        found: ir.Value = _math("floor")(e, [b.fdiv(x, y)], dtype)
        return found
    q = b.sdiv(x, y)
    r = b.srem(x, y)
    zero = ir.Constant(x.type, 0)
    opposite = b.icmp_signed("<", b.xor(x, y), zero)
    uneven = b.icmp_signed("!=", r, zero)
    return b.sub(q, b.zext(b.and_(opposite, uneven), x.type))


def _remainder(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    b = e.builder
    x, y = args
    if dtype.kind == "f":
        r = _math("fmod")(e, [x, y], dtype)
        zero = ir.Constant(x.type, 0.0)
        opposite = b.xor(b.fcmp_ordered("<", r, zero), b.fcmp_ordered("<", y, zero))
        nonzero = b.fcmp_ordered("!=", r, zero)
        return b.select(b.and_(opposite, nonzero), b.fadd(r, y), r)
    r = b.srem(x, y)
    zero = ir.Constant(x.type, 0)
    opposite = b.icmp_signed("<", b.xor(r, y), zero)
    uneven = b.icmp_signed("!=", r, zero)
    return b.select(b.and_(opposite, uneven), b.add(r, y), r)


def _power(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    x, y = args
    if dtype.kind != "f":
        return _integer_power(e, x, y)
    b = e.builder
    if isinstance(y, ir.Constant):
        if y.constant == 2.0:
            return b.fmul(x, x)
        if y.constant == 1.0:
            return x
        if y.constant == 3.0:
            return b.fmul(b.fmul(x, x), x)
        if y.constant == 0.5:
            found: ir.Value = _math("sqrt")(e, [x], dtype)
            return found
        if y.constant == -1.0:
            return b.fdiv(ir.Constant(x.type, 1.0), x)
    found = _math("pow")(e, args, dtype)
    return found


def _integer_power(e: Emitter, x: ir.Value, y: ir.Value) -> ir.Value:
    b = e.builder
    result = b.alloca(x.type)
    b.store(ir.Constant(x.type, 1), result)
    with for_range(b, 0, y):
        b.store(b.mul(b.load(result), x), result)
    return b.load(result)


ELEMENTWISE: dict[str, Any] = {
    "add": _float_or_int("fadd", "add"),
    "subtract": _float_or_int("fsub", "sub"),
    "multiply": _float_or_int("fmul", "mul"),
    "divide": _float_or_int("fdiv", "sdiv"),
    "negative": _negative,
    "positive": lambda e, args, dtype: args[0],
    "power": _power,
    "float_power": _power,
    "square": _square,
    "reciprocal": _reciprocal,
    "absolute": _absolute,
    "fabs": _absolute,
    "maximum": _extreme(">"),
    "minimum": _extreme("<"),
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "greater": _compare(">"),
    "greater_equal": _compare(">="),
    "less": _compare("<"),
    "less_equal": _compare("<="),
    "equal": _compare("=="),
    "not_equal": _compare("!="),
    "logical_and": _logical("and_"),
    "logical_or": _logical("or_"),
    "logical_xor": _logical("xor"),
    "logical_not": _not,
    "bitwise_and": _logical("and_"),
    "bitwise_or": _logical("or_"),
    "bitwise_xor": _logical("xor"),
}
_RENAMED = {
    "arctan": "atan",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "expit": "sigmoid",
    "gammaln": "lgamma",
    "loggamma": "lgamma",
    "psi": "digamma",
}
for _name in TABLE:
    if _name not in ("abs", "pow"):
        ELEMENTWISE.setdefault(_name, _math(_name))
for _numpy, _own in _RENAMED.items():
    ELEMENTWISE[_numpy] = _math(_own)

COMPARISONS = {
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "equal",
    "not_equal",
}
LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}


def is_elementwise(node: Apply) -> bool:
    """Whether a statement is an operation on elements that has a native form."""
    name = getattr(node.op, "name", None)
    if name == "where":
        return len(node.args) == 3
    if name not in ELEMENTWISE or node.keywords:
        return False
    return isinstance(deref(node.type), Num)


def build(e: Emitter, node: Node) -> Expr:
    """The tree of a node: fused operations below it, leaves where they end."""
    if isinstance(node, Apply) and id(node) in e.fused:
        return build_operation(e, node)
    value = e.value(node)
    return Leaf(value, _dtype_of(e, value))


def _dtype_of(e: Emitter, value: Value) -> np.dtype[Any]:
    if isinstance(value, Scalar | Array):
        return value.dtype
    if isinstance(value, Static):
        v = value.value
        if isinstance(v, bool):
            return BOOL
        if isinstance(v, int):
            return np.dtype(np.int64)
        if isinstance(v, float):
            return np.dtype(np.float64)
        if isinstance(v, np.generic):
            return v.dtype
    raise e.refuse("this operand")


def _is_weak(expr: Expr) -> bool:
    if isinstance(expr, Leaf):
        if isinstance(expr.value, Static):
            return not isinstance(expr.value.value, np.generic)
        return isinstance(expr.value, Scalar) and expr.value.weak
    return False


def build_operation(e: Emitter, node: Apply) -> Expr:
    """The tree of one elementwise operation."""
    name = node.op.name
    t = deref(node.type)
    assert isinstance(t, Num)
    if t.dtype is None or element_type(t.dtype) is None:
        raise e.refuse(f"{name} of type {t!r}", node.span)
    inputs = [build(e, a) for a in node.args]
    if name == "where":
        condition, yes, no = inputs

        def choose(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
            return e.builder.select(args[0], args[1], args[2])

        return Choice(choose, [condition, yes, no], t.dtype, t.dtype)
    compute = t.dtype
    if name in COMPARISONS:
        compute = common(inputs)
    elif name in LOGICAL:
        compute = BOOL
    return Tree(ELEMENTWISE[name], inputs, compute, t.dtype)


class Choice(Tree):
    """A `where`: the condition is of another type than the values."""


def common(inputs: list[Expr]) -> np.dtype[Any]:
    """The type in which NumPy compares values."""
    strong = [i.dtype for i in inputs if not _is_weak(i)]
    weak = [i.dtype for i in inputs if _is_weak(i)]
    if not strong:
        return np.result_type(*weak)
    found = np.result_type(*strong)
    for w in weak:
        if w.kind == "f" and found.kind != "f":
            found = np.dtype(np.float64)
        elif w.kind == "i" and found.kind == "b":
            found = w
    return found


def evaluate_tree(
    e: Emitter, expr: Expr, read: Callable[[Array], ir.Value], want: np.dtype[Any]
) -> ir.Value:
    """Like `evaluate`, with conditions of `where` as booleans."""
    if isinstance(expr, Choice):
        condition, yes, no = expr.inputs
        args = [evaluate_tree(e, condition, read, BOOL)]
        args += [evaluate_tree(e, i, read, expr.compute) for i in (yes, no)]
        return e.convert(expr.emit(e, args, expr.compute), expr.dtype, want)
    if isinstance(expr, Tree):
        args = [evaluate_tree(e, i, read, expr.compute) for i in expr.inputs]
        return e.convert(expr.emit(e, args, expr.compute), expr.dtype, want)
    return evaluate(e, expr, read, want)


# Shapes -------------------------------------------------------------------------------


def broadcast(e: Emitter, arrays: list[Array], rank: int) -> list[ir.Value]:
    """The shape that arrays have together; fails if they do not fit."""
    b = e.builder
    shape: list[ir.Value | None] = [None] * rank
    for a in arrays:
        for k, n in enumerate(a.shape):
            at = rank - a.ndim + k
            have = shape[at]
            if have is None or have is n:
                shape[at] = n
                continue
            one, other = (
                b.icmp_signed("==", have, I64(1)),
                b.icmp_signed("==", n, I64(1)),
            )
            equal = b.icmp_signed("==", have, n)
            e.fail_unless(
                b.or_(equal, b.or_(one, other)),
                ValueError,
                "operands could not be broadcast together",
            )
            shape[at] = b.select(one, n, have)
    return [n if n is not None else I64(1) for n in shape]


def fits(e: Emitter, array: Array, shape: list[ir.Value]) -> ir.Value:
    """Whether an array has the last axes of a shape, with unit stride in the last."""
    b = e.builder
    good: ir.Value = I1(1)
    for n, m in zip(reversed(array.shape), reversed(shape)):
        if n is not m:
            good = b.and_(good, b.icmp_signed("==", n, m))
    if not array.contiguous and array.ndim:
        good = b.and_(good, b.icmp_signed("==", array.strides[-1], I64(1)))
    return good


def reader(
    e: Emitter, index: list[ir.Value], unit: bool
) -> Callable[[Array], ir.Value]:
    """How leaves are read at an index of the whole."""

    def read(a: Array) -> ir.Value:
        own = index[len(index) - a.ndim :]
        b = e.builder
        at: ir.Value = I64(0)
        for k, (i, n, s) in enumerate(zip(own, a.shape, a.strides)):
            if unit:
                last = k == a.ndim - 1
                at = b.add(at, i if last else b.mul(i, s))
            else:
                step = b.select(b.icmp_signed("==", n, I64(1)), I64(0), s)
                at = b.add(at, b.mul(i, step))
        r = b.load(b.gep(a.data, [at]))
        return b.trunc(r, I1) if a.dtype.kind == "b" else r

    return read


def both_ways(
    e: Emitter,
    arrays: list[Array],
    shape: list[ir.Value],
    write: Callable[[bool], None],
) -> None:
    """Write a loop twice: for arrays with unit strides, and for any."""
    b = e.builder
    good: ir.Value = I1(1)
    for a in arrays:
        good = b.and_(good, fits(e, a, shape))
    if isinstance(good, ir.Constant):
        write(True)
        return
    with b.if_else(good) as (then, other):
        with then:
            write(True)
        with other:
            write(False)


def materialise(e: Emitter, expr: Expr, rank: int, dtype: np.dtype[Any]) -> Array:
    """An array of the values of a tree."""
    arrays = leaves(expr)
    out = e.allocate(dtype, broadcast(e, arrays, rank))
    fill(e, out, expr)
    return out


def fill(e: Emitter, out: Array, expr: Expr) -> None:
    """Write the values of a tree into an array, whatever its strides."""
    arrays = [*leaves(expr), *([] if out.contiguous else [out])]

    def write(unit: bool) -> None:
        with e.nested_loops(out.shape) as index:
            r = evaluate_tree(e, expr, reader(e, index, unit), out.dtype)
            if out.dtype.kind == "b":
                r = e.builder.zext(r, element_type(out.dtype))
            b = e.builder
            at: ir.Value = I64(0)
            for k, (i, s) in enumerate(zip(index, out.strides)):
                last = unit and k == out.ndim - 1
                at = b.add(at, i if last else b.mul(i, s))
            b.store(r, b.gep(out.data, [at]))

    both_ways(e, arrays, out.shape, write)


def scalar(e: Emitter, expr: Expr, dtype: np.dtype[Any]) -> ir.Value:
    """The value of a tree without arrays."""

    def read(a: Array) -> ir.Value:
        raise AssertionError("there is no array here")

    return evaluate_tree(e, expr, read, dtype)
