"""Elementwise operations, fused: an expression of them is one loop, or part of another.

The table says how each operation is written, for numbers and for vectors of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import Num, deref

from ..emission.dsl import Emit, declare, type_name, widen
from ..emission.function import Emitter
from ..emission.marshalling import pair
from ..emission.values import (
    BOOL,
    I64,
    Array,
    Scalar,
    Static,
    Value,
    element_type,
    is_one,
    scalar_type,
)
from ..fusion.expressions import Choice, ElementwiseOp, Expr, Leaf, Pair, leaves
from ..kernels.library import run
from ..kernels.plan import KernelOutput
from ..vectormath import TABLE, math_function
from .narrow_integers import shifted, touches_narrow

__all__ = [
    "ELEMENTWISE",
    "ElementwiseOp",
    "Leaf",
    "broadcast",
    "build",
    "build_operation",
    "evaluate_tree",
    "fill",
    "is_elementwise",
    "leaves",
    "materialise",
    "operation",
    "scalar",
]


_FLOAT = np.dtype(np.float64)


# The table ----------------------------------------------------------------------------


def _math(name: str) -> Any:
    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        element = scalar_type(dtype)
        if not TABLE[name].inline:
            e.owner.math.add((name, type_name(element)))
        kind = widen(element, e.lanes)
        function = math_function(e.module, name, kind, e.owner.target)
        return e.builder.call(function, args)

    return emit


def _same(like: ir.Value, number: float) -> ir.Value:
    """A number as a constant beside a value, in every lane."""
    if isinstance(like.type, ir.VectorType):
        return ir.Constant(like.type, [number] * like.type.count)
    return ir.Constant(like.type, number)


def _constant(r: ir.Value) -> Any:
    """The number that a constant holds, or None."""
    if not isinstance(r, ir.Constant):
        return None
    number = r.constant[0] if isinstance(r.type, ir.VectorType) else r.constant
    return number.constant if isinstance(number, ir.Constant) else number


def _arithmetic(f: str, i: str, logical: str | None = None) -> Any:
    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        name = {"f": f, "b": logical or i}.get(dtype.kind, i)
        return getattr(e.builder, name)(*args)

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
        compare = b.icmp_unsigned if dtype.kind == "b" else b.icmp_signed
        return b.select(compare(sign, x, y), x, y)

    return emit


def _extreme_number(sign: str) -> Any:
    extreme = _extreme(sign)

    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        b = e.builder
        x, y = args
        if dtype.kind != "f":
            return extreme(e, args, dtype)
        # What is not a number loses.
        chosen = b.select(b.fcmp_ordered(sign, x, y), x, y)
        return b.select(b.fcmp_unordered("uno", y, y), x, chosen)

    return emit


def _square(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    return getattr(e.builder, "fmul" if dtype.kind == "f" else "mul")(args[0], args[0])


def _reciprocal(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    return e.builder.fdiv(_same(args[0], 1.0), args[0])


_quotient = _arithmetic("fdiv", "sdiv")


def _divide(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    """A quotient; of vectors and a constant without a division.

    The product with the reciprocal, corrected once by its remainder, is the quotient
    as it is rounded (Markstein, IA-64 and Elementary Functions, 2000, chapter 8). Zero
    and what is not finite keep the product.
    """
    x, y = args
    b, number = e.builder, _constant(y)
    if number is None or not isinstance(x.type, ir.VectorType) or dtype.kind != "f":
        return _quotient(e, args, dtype)
    inverse = _normal_inverse(number, dtype)
    if inverse is None or not e.owner.target.has_fma:
        return _quotient(e, args, dtype)
    r = _same(x, inverse)
    type_ = ir.FunctionType(x.type, [x.type] * 3)
    fma = declare(e.module, f"llvm.fma.{type_name(x.type)}", type_)
    product = b.fmul(x, r)
    remainder = b.call(fma, [b.fneg(product), y, x])
    better = b.call(fma, [remainder, r, product])
    # Where the product cannot overflow, the remainder is as good a sign, and known
    # before: the correction itself is then done under a mask.
    sign = remainder if abs(number) >= 1 else better
    return b.select(b.fcmp_ordered("!=", sign, _same(x, 0.0)), better, product)


def _normal_inverse(number: float, dtype: np.dtype[Any]) -> float | None:
    """The reciprocal of a number if neither is zero, tiny or infinite."""
    kind, limits = dtype.type, np.finfo(dtype)
    low, high = float(limits.tiny) * 4, float(limits.max) / 4
    if not low < abs(float(kind(number))) < high:
        return None
    return float(kind(1) / kind(number))


def _absolute(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    if dtype.kind == "f":
        found: ir.Value = _math("abs")(e, args, dtype)
        return found
    b = e.builder
    zero = _same(args[0], 0)
    return b.select(b.icmp_signed("<", args[0], zero), b.neg(args[0]), args[0])


def _sign(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    if dtype.kind == "f":
        found: ir.Value = _math("sign")(e, args, dtype)
        return found
    b, x = e.builder, args[0]
    positive = b.zext(b.icmp_signed(">", x, _same(x, 0)), x.type)
    return b.sub(positive, b.zext(b.icmp_signed("<", x, _same(x, 0)), x.type))


def _rounded(name: str) -> Any:
    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        return _math(name)(e, args, dtype) if dtype.kind == "f" else args[0]

    return emit


def _logical(name: str) -> Any:
    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        return getattr(e.builder, name)(*args)

    return emit


def _not(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    return e.builder.not_(args[0])


def _shift(name: str) -> Any:
    def emit(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
        return shifted(e, name, args[0], args[1], signed=True)

    return emit


def _divide_integers(e: Emitter, x: ir.Value, y: ir.Value) -> tuple[ir.Value, ir.Value]:
    """(x // y, x % y), both 0 where y is 0: processors would trap."""
    b = e.builder
    zero, one = _same(x, 0), _same(x, 1)
    nothing = b.icmp_signed("==", y, zero)
    # The least integer has no negative, and processors trap there too.
    negates = b.icmp_signed("==", y, _same(x, -1))
    safe = b.select(b.or_(nothing, negates), one, y)
    q, r = b.sdiv(x, safe), b.srem(x, safe)
    uneven = b.icmp_signed("!=", r, zero)
    down = b.and_(b.icmp_signed("<", b.xor(x, safe), zero), uneven)
    q = b.select(down, b.sub(q, one), q)
    r = b.select(down, b.add(r, safe), r)
    q = b.select(negates, b.sub(zero, x), q)
    return b.select(nothing, zero, q), b.select(nothing, zero, r)


def _divide_floats(
    e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]
) -> tuple[ir.Value, ir.Value]:
    """(x // y, x % y) as NumPy has them: the remainder is exact."""
    b = e.builder
    x, y = args
    zero, one = _same(x, 0.0), _same(x, 1.0)
    r = _math("fmod")(e, [x, y], dtype)
    q = b.fdiv(b.fsub(x, r), y)
    uneven = b.fcmp_unordered("!=", r, zero)
    signs = b.xor(b.fcmp_ordered("<", r, zero), b.fcmp_ordered("<", y, zero))
    down = b.and_(uneven, signs)
    q = b.select(down, b.fsub(q, one), q)
    r = b.select(down, b.fadd(r, y), r)
    e_zero = _copysign(e, zero, y)
    r = b.select(uneven, r, e_zero)
    floor = _math("floor")(e, [q], dtype)
    off = b.fcmp_ordered(">", b.fsub(q, floor), _same(x, 0.5))
    floor = b.select(off, b.fadd(floor, one), floor)
    quotient = b.fdiv(x, y)
    small = b.fcmp_ordered("==", q, zero)
    floor = b.select(small, _copysign(e, zero, quotient), floor)
    nothing = b.fcmp_ordered("==", y, zero)
    return b.select(nothing, quotient, floor), r


def _copysign(e: Emitter, magnitude: ir.Value, sign: ir.Value) -> ir.Value:
    emit = Emit(e.builder, e.owner.target, e.lanes)
    return emit.copysign(emit.wrap(magnitude), emit.wrap(sign)).ir


def _floor_divide(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    if dtype.kind == "f":
        return _divide_floats(e, args, dtype)[0]
    return _divide_integers(e, *args)[0]


def _remainder(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    if dtype.kind == "f":
        return _divide_floats(e, args, dtype)[1]
    return _divide_integers(e, *args)[1]


def _power(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    x, y = args
    exponent = _constant(y)
    if dtype.kind != "f":
        return _integer_power(e, x, exponent)
    if exponent == 0.5:
        root: ir.Value = _math("sqrt")(e, [x], dtype)
        return root
    if exponent and abs(exponent) <= _FEW and 2 * exponent == int(2 * exponent):
        return _small_power(e, x, exponent, dtype)
    found: ir.Value = _math("pow")(e, args, dtype)
    return found


# Powers up to this one are products, roots and quotients.
_FEW = 4.0


def _small_power(
    e: Emitter, x: ir.Value, exponent: float, dtype: np.dtype[Any]
) -> ir.Value:
    """A power by halves of small integers."""
    b, size = e.builder, abs(exponent)
    factors = [x] * int(size)
    if size != int(size):
        factors.append(_math("sqrt")(e, [x], dtype))
    found = factors[0]
    for factor in factors[1:]:
        found = b.fmul(found, factor)
    integral = size == int(size)
    if not integral:
        # Of minus zero there is no sign left.
        found = _math("abs")(e, [found], dtype)
    if exponent < 0:
        found = b.fdiv(_same(x, 1.0), found)
    if integral:
        return found
    # The only number below zero that has such a power.
    lowest = b.fcmp_ordered("==", x, _same(x, -math.inf))
    return b.select(lowest, _same(x, math.inf if exponent > 0 else 0.0), found)


def _integer_power(e: Emitter, x: ir.Value, exponent: int) -> ir.Value:
    """A power of integers by squaring."""
    b, found, square = e.builder, _same(x, 1), x
    while exponent:
        if exponent % 2:
            found = b.mul(found, square)
        square, exponent = b.mul(square, square), exponent // 2
    return found


ELEMENTWISE: dict[str, Any] = {
    "add": _arithmetic("fadd", "add", "or_"),
    "subtract": _arithmetic("fsub", "sub"),
    "multiply": _arithmetic("fmul", "mul", "and_"),
    "divide": _divide,
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
    "fmax": _extreme_number(">"),
    "fmin": _extreme_number("<"),
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "greater": _compare(">"),
    "greater_equal": _compare(">="),
    "less": _compare("<"),
    "less_equal": _compare("<="),
    "equal": _compare("=="),
    "not_equal": _compare("!="),
    "sign": _sign,
    "floor": _rounded("floor"),
    "ceil": _rounded("ceil"),
    "trunc": _rounded("trunc"),
    "rint": _rounded("rint"),
    "logical_and": _logical("and_"),
    "logical_or": _logical("or_"),
    "logical_xor": _logical("xor"),
    "logical_not": _not,
    "bitwise_and": _logical("and_"),
    "bitwise_or": _logical("or_"),
    "bitwise_xor": _logical("xor"),
    "invert": _not,
    "left_shift": _shift("left_shift"),
    "right_shift": _shift("right_shift"),
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
    "psi": "digamma",
}
_OF_FLOATS = {*_RENAMED, *TABLE} - {*ELEMENTWISE, "abs", "pow"}
"""What is there for floating numbers only; of integers Python computes it."""
for _name in _OF_FLOATS:
    ELEMENTWISE[_name] = _math(_RENAMED.get(_name, _name))

_COSTLY = {*TABLE, *_RENAMED, "power", "float_power"} - {"abs", "sqrt", "sign"}

COMPARISONS = {
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "equal",
    "not_equal",
}
ROUNDED = {"floor", "ceil", "trunc"}
LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}


def is_elementwise(node: Apply) -> bool:
    """Whether a statement is an operation on elements that has a lowering."""
    name = getattr(node.op, "name", None)
    if name == "where":
        plain = not has_complex(node) and not touches_narrow(node)
        return len(node.args) == 3 and plain
    if name not in ELEMENTWISE or node.keywords or touches_narrow(node):
        return False
    t = deref(node.type)
    if not isinstance(t, Num):
        return False
    if name in _REAL_OF_COMPLEX and has_complex(node):
        return False
    if t.dtype is None or t.dtype.kind == "f":
        return True
    if t.dtype.kind == "c":
        return False
    if name in ("power", "float_power"):
        return _is_integer_power(node)
    return name != "reciprocal" and name not in _OF_FLOATS


_REAL_OF_COMPLEX = {"absolute", *COMPARISONS, *LOGICAL}
"""What makes something real of complex numbers."""


def has_complex(node: Apply) -> bool:
    """Whether a statement makes or reads complex numbers."""
    return any(
        t.dtype is not None and t.dtype.kind == "c"
        for t in (deref(n.type) for n in (node, *node.inputs))
        if isinstance(t, Num)
    )


def _is_integer_power(node: Apply) -> bool:
    """Whether a power of integers is one: NumPy raises if an exponent is not."""
    exponent = node.args[1]
    if isinstance(exponent, Constant):
        return isinstance(exponent.value, int) and exponent.value >= 0
    types = [deref(n.type) for n in (node, *node.args)]
    return all(isinstance(t, Num) and t.ndim == 0 and t.python for t in types)


def build(e: Emitter, node: Node, known: dict[int, Expr] | None = None) -> Expr:
    """The expression of a node: fused operations below it, leaves where they end.

    `known` are expressions that are built already.
    """
    if known and id(node) in known:
        return known[id(node)]
    if isinstance(node, Apply) and id(node) in e.fused:
        return build_operation(e, node, known)
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
        if isinstance(v, complex):
            return np.dtype(np.complex128)
        if isinstance(v, np.generic):
            return v.dtype
    raise e.refuse("this operand")


def _is_weak(expr: Expr) -> bool:
    if isinstance(expr, Leaf):
        if isinstance(expr.value, Static):
            return not isinstance(expr.value.value, np.generic)
        return isinstance(expr.value, Scalar) and expr.value.weak
    return False


def build_operation(
    e: Emitter, node: Apply, known: dict[int, Expr] | None = None
) -> Expr:
    """The expression of one elementwise operation."""
    name = node.op.name
    t = deref(node.type)
    assert isinstance(t, Num)
    if t.dtype is None or element_type(t.dtype) is None:
        raise e.refuse(f"{name} of type {t!r}", node.span)
    inputs = [build(e, a, known) for a in node.args]
    if name == "where":
        # NumPy converts what it chooses from, whether or not it fits.
        yes, no = (_narrowed(e, _strong(i), t.dtype) for i in inputs[1:])
        return choice(inputs[0], yes, no, t.dtype)
    compute = t.dtype
    if name in COMPARISONS:
        compute = common(inputs)
    elif name in LOGICAL:
        compute = BOOL
    elif name in ROUNDED and t.dtype.kind == "i":
        # `math.floor` of a floating number is made an integer by who reads it.
        compute = common(inputs)
        return operation(name, inputs, compute, compute)
    inputs = [_narrowed(e, i, compute) for i in inputs]
    return operation(name, inputs, compute, t.dtype)


def _strong(expr: Expr) -> Expr:
    """A Python integer as one of NumPy's."""
    if not isinstance(expr, Leaf) or expr.dtype != np.int64:
        return expr
    number = expr.value
    if isinstance(number, Static):
        return Leaf(Static(np.int64(number.value)), expr.dtype)
    if isinstance(number, Scalar):
        return Leaf(Scalar(number.dtype, number.register), expr.dtype)
    return expr


def _narrowed(e: Emitter, expr: Expr, dtype: np.dtype[Any]) -> Expr:
    """A number as it is computed with, if that is smaller: vectors of it are longer."""
    if isinstance(expr, Leaf) and isinstance(expr.value, Static):
        if dtype.kind == "i" and isinstance(expr.value.value, int):
            e.number(expr.value, dtype)  # fails if it does not fit
        return expr
    if not isinstance(expr, Leaf) or not isinstance(expr.value, Scalar):
        return expr
    number = expr.value
    if dtype.kind == "b" or dtype.itemsize >= number.dtype.itemsize:
        return expr
    # A Python integer taken for a shorter one must fit.
    return Leaf(Scalar(dtype, e.number(number, dtype)), dtype)


def operation(
    name: str, inputs: list[Any], compute: np.dtype[Any], dtype: np.dtype[Any]
) -> ElementwiseOp:
    """The expression of an operation of the table."""
    cost = 12 if name in _COSTLY else 1
    return ElementwiseOp(ELEMENTWISE[name], inputs, compute, dtype, cost)


def choice(condition: Expr, yes: Expr, no: Expr, dtype: np.dtype[Any]) -> ElementwiseOp:
    """The expression of a `where`."""
    return Choice(_choose, [condition, yes, no], dtype, dtype)


def _choose(e: Emitter, args: list[ir.Value], dtype: np.dtype[Any]) -> ir.Value:
    return e.builder.select(*args)


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
    if found == np.int32 and not all(_fits(i) for i in inputs if _is_weak(i)):
        # Python's integers are compared whatever their size.
        return np.dtype(np.int64)
    return found


def _fits(expr: Expr) -> bool:
    """Whether an integer is known to be one of 32 bits."""
    value = expr.value if isinstance(expr, Leaf) else None
    limits = np.iinfo(np.int32)
    return isinstance(value, Static) and limits.min <= value.value <= limits.max


def evaluate_tree(
    e: Emitter, expr: Expr, read: Callable[[Array], ir.Value], want: np.dtype[Any]
) -> ir.Value:
    """The value of an expression for one element; what is shared is computed once."""
    known: dict[tuple[int, str], ir.Value] = {}

    def value_of(expr: Expr, want: np.dtype[Any]) -> ir.Value:
        key = id(expr), want.char
        if key not in known:
            known[key] = compute(expr, want)
        return known[key]

    def compute(expr: Expr, want: np.dtype[Any]) -> ir.Value:
        if isinstance(expr, Pair):
            return pair(e.builder, *(value_of(part, _FLOAT) for part in expr.inputs))
        if isinstance(expr, Choice):
            condition, yes, no = expr.inputs
            args = [value_of(condition, BOOL)]
            args += [value_of(i, expr.compute) for i in (yes, no)]
            return e.convert(expr.emit(e, args, expr.compute), expr.dtype, want)
        if isinstance(expr, ElementwiseOp):
            args = [value_of(i, expr.compute) for i in expr.inputs]
            return e.convert(expr.emit(e, args, expr.compute), expr.dtype, want)
        return _evaluate_leaf(e, expr, read, want)

    return value_of(expr, want)


def _evaluate_leaf(
    e: Emitter, expr: Expr, read: Callable[[Array], ir.Value], want: np.dtype[Any]
) -> ir.Value:
    assert isinstance(expr, Leaf)
    if isinstance(expr.value, Array) and expr.value.ndim:
        return e.convert(read(expr.value), expr.dtype, want)
    return e.number(expr.value, want)


# Shapes -------------------------------------------------------------------------------


def broadcast(e: Emitter, arrays: list[Array], rank: int) -> list[ir.Value]:
    """The shape that arrays have together; fails if they do not fit."""
    shape, fitting = joint_shape(e, [a.shape for a in arrays], rank)
    if fitting is not None:
        message = "operands could not be broadcast together"
        e.fail_unless(fitting, ValueError, message)
    return shape


def joint_shape(
    e: Emitter, shapes: list[list[ir.Value]], rank: int
) -> tuple[list[ir.Value], ir.Value | None]:
    """The shape that shapes are broadcast to, and whether they can be, if in doubt."""
    b = e.builder
    joint: list[ir.Value] = [I64(1)] * rank
    fitting: ir.Value | None = None
    for shape in shapes:
        for at, n in enumerate(shape, rank - len(shape)):
            have = joint[at]
            if have is n or is_one(n):
                continue
            if is_one(have):
                joint[at] = n
                continue
            one = b.icmp_signed("==", have, I64(1))
            good = b.or_(
                b.icmp_signed("==", have, n),
                b.or_(one, b.icmp_signed("==", n, I64(1))),
            )
            fitting = good if fitting is None else b.and_(fitting, good)
            joint[at] = b.select(one, n, have)
    return joint, fitting


def materialise(e: Emitter, expr: Expr, rank: int, dtype: np.dtype[Any]) -> Array:
    """An array of the values of an expression."""
    arrays = leaves(expr)
    out = e.allocate(dtype, broadcast(e, arrays, rank))
    fill(e, out, expr)
    return out


def fill(e: Emitter, out: Array, expr: Expr) -> None:
    """Write the values of an expression into an array, whatever its strides."""
    if expr.dtype.kind == "c" and out.dtype.kind != "c":
        raise e.refuse("complex numbers as real ones")
    run(e, out.shape, [KernelOutput(expr, out)])


def scalar(e: Emitter, expr: Expr, dtype: np.dtype[Any]) -> ir.Value:
    """The value of an expression without arrays."""

    def read(a: Array) -> ir.Value:
        raise AssertionError("there is no array here")

    return evaluate_tree(e, expr, read, dtype)
