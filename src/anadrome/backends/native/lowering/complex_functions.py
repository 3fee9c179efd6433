"""Functions of complex numbers, written as real expressions of their parts.

Each takes and gives what `Pair` holds; where a formula would overflow or cancel on its
way to a result that does neither, it is scaled or replaced (Kahan, "Branch cuts for
complex elementary functions", 1987).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..emission.values import Static
from ..fusion.expressions import ElementwiseOp, Expr, Leaf, Pair
from .complex_parts import FLOAT
from .elementwise import ELEMENTWISE, choice, operation

BOOL = np.dtype(bool)
_STEEP = 700.0
"""From here on the exponential is computed as a product of two."""
_FLAT = 22.0
"""From here on cosh and sinh differ by less than a rounding error."""
_FEW = 100
"""Integer powers below this are products, as NumPy has them."""


@dataclass(frozen=True)
class Real:
    """An expression of real numbers that overloads the operators."""

    expr: Expr

    def __add__(self, other: Operand) -> Real:
        return _apply("add", self, other)

    def __sub__(self, other: Operand) -> Real:
        return _apply("subtract", self, other)

    def __mul__(self, other: Operand) -> Real:
        return _apply("multiply", self, other)

    def __rmul__(self, other: Operand) -> Real:
        return _apply("multiply", other, self)

    def __truediv__(self, other: Operand) -> Real:
        return _apply("divide", self, other)

    def __rtruediv__(self, other: Operand) -> Real:
        return _apply("divide", other, self)

    def __neg__(self) -> Real:
        return _apply("negative", self)

    def __abs__(self) -> Real:
        return _apply("absolute", self)


Operand = Real | float
Complex = tuple[Real, Real]


def _expr(x: Operand) -> Expr:
    return x.expr if isinstance(x, Real) else Leaf(Static(float(x)), FLOAT)


def _apply(name: str, *inputs: Operand) -> Real:
    return Real(operation(name, [_expr(x) for x in inputs], FLOAT, FLOAT))


def _test(name: str, x: Operand, y: Operand) -> Expr:
    return ElementwiseOp(ELEMENTWISE[name], [_expr(x), _expr(y)], FLOAT, BOOL)


def _logical(name: str, x: Expr, y: Expr) -> Expr:
    return ElementwiseOp(ELEMENTWISE[name], [x, y], BOOL, BOOL)


def _where(test: Expr, yes: Operand, no: Operand) -> Real:
    return Real(choice(test, _expr(yes), _expr(no), FLOAT))


def _select(test: Expr, yes: Complex, no: Complex) -> Complex:
    return _where(test, yes[0], no[0]), _where(test, yes[1], no[1])


def _with_sign(x: Operand, sign: Real) -> Real:
    """A number that is not negative, with the sign of another, that of zero too."""
    negative = _test("less", 1.0 / sign, 0.0)
    below = _logical("logical_or", _test("less", sign, 0.0), negative)
    return _where(below, -x if isinstance(x, Real) else -float(x), x)


def _is_finite(x: Real) -> Expr:
    return _test("less", abs(x), math.inf)


# Arithmetic ---------------------------------------------------------------------------


def add(x: Complex, y: Complex) -> Complex:
    """The sum."""
    return x[0] + y[0], x[1] + y[1]


def subtract(x: Complex, y: Complex) -> Complex:
    """The difference."""
    return x[0] - y[0], x[1] - y[1]


def multiply(x: Complex, y: Complex) -> Complex:
    """The product."""
    (a, b), (c, d) = x, y
    return a * c - b * d, a * d + b * c


def divide(x: Complex, y: Complex) -> Complex:
    """The quotient, scaled by the greater part of the divisor (Smith, 1962)."""
    (a, b), (c, d) = x, y
    wide = _test("greater_equal", abs(c), abs(d))
    great, small = _where(wide, c, d), _where(wide, d, c)
    p, q = _where(wide, a, b), _where(wide, b, a)
    ratio = small / great
    scale = 1.0 / (great + small * ratio)
    crossed = (q - p * ratio) * scale
    found = (p + q * ratio) * scale, _where(wide, crossed, -crossed)
    zero = _test("equal", great, 0.0)
    nothing = _logical("logical_and", zero, _test("equal", small, 0.0))
    return _select(nothing, (a / abs(c), b / abs(c)), found)


def negative(x: Complex) -> Complex:
    """The number times minus one."""
    return -x[0], -x[1]


def positive(x: Complex) -> Complex:
    """The number itself."""
    return x


def conjugate(x: Complex) -> Complex:
    """The number on the other side of the real axis."""
    return x[0], -x[1]


def square(x: Complex) -> Complex:
    """The number times itself."""
    return multiply(x, x)


def reciprocal(x: Complex) -> Complex:
    """One divided by the number."""
    return divide((Real(_expr(1.0)), Real(_expr(0.0))), x)


def absolute(x: Complex) -> Real:
    """The modulus."""
    return _apply("hypot", *x)


def angle(x: Complex) -> Real:
    """The argument."""
    return _apply("arctan2", x[1], x[0])


def sign(x: Complex) -> Complex:
    """The direction: the number divided by its modulus, and zero at zero."""
    size = absolute(x)
    vast = _test("equal", size, math.inf)

    def at_infinity(part: Real, other: Real) -> Real:
        along = _test("equal", abs(part), math.inf)
        both = _logical("logical_and", along, _test("equal", abs(other), math.inf))
        return _where(both, math.nan, _where(along, _apply("sign", part), 0.0))

    far = at_infinity(*x), at_infinity(x[1], x[0])
    near = _where(_test("equal", size, 0.0), 1.0, size)
    return _select(vast, far, (x[0] / near, x[1] / near))


# Exponentials -------------------------------------------------------------------------


def _exponential(x: Real) -> tuple[Real, Real]:
    """Two factors of which the exponential is the product, neither too great."""
    steep = _test("greater", x, _STEEP)
    rest = _where(steep, x - _STEEP, x)
    return _apply("exp", rest), _where(steep, math.exp(_STEEP), 1.0)


def exp(x: Complex) -> Complex:
    """The exponential."""
    a, b = x
    near, far = _exponential(a)
    real = near * _apply("cos", b) * far
    sine = near * _apply("sin", b) * far
    imaginary = _where(_test("equal", b, 0.0), b, sine)
    # Where the angle is none, only the modulus says something, or nothing.
    lost = _logical("logical_and", _test("equal", near, 0.0), _not_finite(b))
    vast = _logical("logical_and", _test("equal", a, math.inf), _not_finite(b))
    zero = Real(_expr(0.0)), Real(_expr(0.0))
    found = _select(lost, zero, (real, imaginary))
    return _where(vast, math.inf, found[0]), found[1]


def _not_finite(x: Real) -> Expr:
    return _test("not_equal", x - x, 0.0)


def log(x: Complex) -> Complex:
    """The logarithm."""
    return _log_modulus(x), angle(x)


def _log_modulus(x: Complex) -> Real:
    """The logarithm of the modulus, which near one is computed from what is beside."""
    a, b = abs(x[0]), abs(x[1])
    great, small = _apply("maximum", a, b), _apply("minimum", a, b)
    beside = (great - 1.0) * (great + 1.0) + small * small
    close = _logical(
        "logical_and",
        _test("greater", beside, -0.75),
        _test("less", beside, 3.0),
    )
    # Halves do not overflow, and doubles are not lost below what is normal.
    tiny = _test("less", great, 1e-290)
    scale = _where(tiny, 2.0**60, 0.5)
    offset = _where(tiny, -60 * math.log(2.0), math.log(2.0))
    size = _apply("log", _apply("hypot", a * scale, b * scale)) + offset
    return _where(close, 0.5 * _apply("log1p", beside), size)


def _by(factor: float) -> Callable[[Complex], Complex]:
    def scaled(x: Complex) -> Complex:
        a, b = log(x)
        return a * factor, b * factor

    return scaled


def sqrt(x: Complex) -> Complex:
    """The root whose real part is not negative."""
    great = _apply("maximum", abs(x[0]), abs(x[1]))
    vast, tiny = _test("greater", great, 1e307), _test("less", great, 1e-290)
    scale = _where(vast, 0.25, _where(tiny, 2.0**80, 1.0))
    back = _where(vast, 2.0, _where(tiny, 2.0**-40, 1.0))
    a, b = x[0] * scale, x[1] * scale
    root = _apply("sqrt", 0.5 * (abs(a) + _apply("hypot", a, b)))
    other = abs(b) / (2.0 * root)
    right = _test("greater_equal", a, 0.0)
    real = _where(right, root, other) * back
    imaginary = _with_sign(_where(right, other, root) * back, x[1])
    zero = _test("equal", great, 0.0)
    found = _select(zero, (Real(_expr(0.0)), x[1]), (real, imaginary))
    endless = _test("equal", abs(x[1]), math.inf)
    far = _test("equal", abs(x[0]), math.inf)
    nowhere = _logical("logical_and", far, _is_finite(x[1]))
    edge = (
        _where(_test("greater", x[0], 0.0), math.inf, 0.0),
        _with_sign(_where(_test("greater", x[0], 0.0), 0.0, math.inf), x[1]),
    )
    found = _select(nowhere, edge, found)
    return _where(endless, math.inf, found[0]), _where(endless, x[1], found[1])


def sinh(x: Complex) -> Complex:
    """The hyperbolic sine."""
    a, b = x
    return _swelling("sinh", a, "cos", b), _swelling("cosh", a, "sin", b)


def cosh(x: Complex) -> Complex:
    """The hyperbolic cosine."""
    a, b = x
    return _swelling("cosh", a, "cos", b), _swelling("sinh", a, "sin", b)


def _swelling(hyperbolic: str, a: Real, circular: str, b: Real) -> Real:
    """A hyperbolic function of one number times a circular one of another."""
    wave = _apply(circular, b)
    near, far = _exponential(abs(a))
    steep = 0.5 * near * wave * far
    if hyperbolic == "sinh":
        steep = _where(_test("less", a, 0.0), -steep, steep)
    found = _where(_test("greater", abs(a), _FLAT), steep, _apply(hyperbolic, a) * wave)
    if circular == "cos":
        return found
    zero = _with_sign(b, a) if hyperbolic == "sinh" else b
    return _where(_test("equal", b, 0.0), zero, found)


def tanh(x: Complex) -> Complex:
    """The hyperbolic tangent, by Kahan's formula where it does not overflow."""
    a, b = x
    t, s = _apply("tan", b), _apply("sinh", a)
    beta, rho = t * t + 1.0, _apply("sqrt", s * s + 1.0)
    below = beta * s * s + 1.0
    near = beta * rho * s / below, t / below
    fading = 4.0 * _apply("sin", b) * _apply("cos", b) * _apply("exp", -2.0 * abs(a))
    # Where there is no angle, the limit is one whatever it is.
    far = _with_sign(1.0, a), _where(_is_finite(b), fading, 0.0)
    return _select(_test("greater", abs(a), _FLAT), far, near)


def _rotated(function: Callable[[Complex], Complex]) -> Callable[[Complex], Complex]:
    """A circular function from the hyperbolic one: f(ix) = i g(x)."""

    def circular(x: Complex) -> Complex:
        a, b = function((-x[1], x[0]))
        return b, -a

    return circular


def cos(x: Complex) -> Complex:
    """The cosine."""
    return cosh((-x[1], x[0]))


def power(x: Complex, y: Complex) -> Complex:
    """The power of anything to anything; of zero as NumPy has it."""
    found = exp(multiply(y, log(x)))
    empty = _logical(
        "logical_and", _test("equal", x[0], 0.0), _test("equal", x[1], 0.0)
    )
    nothing = _where(_test("greater", y[0], 0.0), 0.0, math.nan)
    found = _select(empty, (nothing, nothing), found)
    none = _logical("logical_and", _test("equal", y[0], 0.0), _test("equal", y[1], 0.0))
    return _where(none, 1.0, found[0]), _where(none, 0.0, found[1])


def integer_power(x: Complex, exponent: int, python: bool = False) -> Complex:
    """A power by squaring; Python starts from one, which tells where it overflows."""
    one = Real(_expr(1.0)), Real(_expr(0.0))
    found: Complex | None = one if python else None
    factor, left = x, abs(exponent)
    while left:
        if left % 2:
            found = factor if found is None else multiply(found, factor)
        left //= 2
        factor = multiply(factor, factor) if left else factor
    found = one if found is None else found
    return reciprocal(found) if exponent < 0 else found


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "negative": negative,
    "positive": positive,
    "conjugate": conjugate,
    "conjugate_method": conjugate,
    "square": square,
    "reciprocal": reciprocal,
    "absolute": absolute,
    "angle": angle,
    "sign": sign,
    "exp": exp,
    "log": log,
    "log2": _by(1 / math.log(2.0)),
    "log10": _by(1 / math.log(10.0)),
    "sqrt": sqrt,
    "sinh": sinh,
    "cosh": cosh,
    "tanh": tanh,
    "sin": _rotated(sinh),
    "cos": cos,
    "tan": _rotated(tanh),
    "power": power,
}


def is_whole_power(exponent: Any) -> bool:
    """Whether a power is one of products."""
    if isinstance(exponent, complex):
        return exponent.imag == 0 and is_whole_power(exponent.real)
    if not isinstance(exponent, int | float) or isinstance(exponent, bool):
        return False
    return abs(exponent) < _FEW and exponent == int(exponent)


def of_parts(name: str, *operands: Pair) -> Expr:
    """The expression of a function of complex expressions."""
    found = FUNCTIONS[name](*(_complex(x) for x in operands))
    return _as_expression(found)


def to_power(base: Pair, exponent: Any, python: bool) -> Expr:
    """The expression of a power by an integer."""
    return _as_expression(integer_power(_complex(base), int(exponent.real), python))


def equal(x: Pair, y: Pair, differ: bool) -> Expr:
    """The expression that tells whether complex ones are equal, or whether not."""
    (a, b), (c, d) = _complex(x), _complex(y)
    name, join = ("not_equal", "logical_or") if differ else ("equal", "logical_and")
    return _logical(join, _test(name, a, c), _test(name, b, d))


def _complex(x: Pair) -> Complex:
    return Real(x.real), Real(x.imaginary)


def _as_expression(found: Complex | Real) -> Expr:
    if isinstance(found, Real):
        return found.expr
    return Pair(found[0].expr, found[1].expr)
