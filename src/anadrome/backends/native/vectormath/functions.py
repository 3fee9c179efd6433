"""The table of functions, and how one enters a module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llvmlite import ir

from ..emission.dsl import DOUBLE, FLOAT, Emit, Value, element_size, type_name
from ..target import Target
from . import (
    error_function,
    exponential,
    gamma,
    inverse,
    logarithm,
    power,
    rounding,
    trigonometric,
)


@dataclass(frozen=True)
class MathFunction:
    """A formula, how many arguments it takes, and how it is to be used.

    `in_double`: the formula is for doubles; singles are widened and rounded back.
    `inline`: it has no branches, so it can be inlined where it is called.
    `ulps`: bounds of the error in single and double precision, on any target
    (`benchmarks/ulp_table.py` measures them).
    """

    formula: Callable[..., Value]
    arity: int = 1
    in_double: bool = False
    inline: bool = True
    ulps: tuple[float, float] = (0.0, 0.0)

    def emit(self, e: Emit, arguments: list[Value]) -> Value:
        """The value of the function, emitted where `e` stands."""
        if self.in_double and arguments[0].element == FLOAT:
            wide = [e.to_double(a) for a in arguments]
            return e.to_single(self.formula(e, *wide))
        return self.formula(e, *arguments)


def _pow(e: Emit, x: Value, y: Value) -> Value:
    if x.element == DOUBLE:
        return power.pow(e, x, y)
    wide = power.pow(e, e.to_double(x), e.to_double(y), extended=False)
    return e.to_single(wide)


def _hypot(e: Emit, x: Value, y: Value) -> Value:
    if x.element == DOUBLE:
        return power.hypot(e, x, y)
    return power.hypot_single(e, x, y)


TABLE = {
    "exp": MathFunction(exponential.exp, ulps=(1.1, 1.1)),
    "exp2": MathFunction(exponential.exp2, ulps=(1.1, 1.1)),
    "expm1": MathFunction(exponential.expm1, ulps=(1.8, 2.0)),
    "log": MathFunction(logarithm.log, ulps=(0.9, 0.9)),
    "log2": MathFunction(logarithm.log2, ulps=(0.9, 0.7)),
    "log10": MathFunction(logarithm.log10, ulps=(0.9, 0.7)),
    "log1p": MathFunction(logarithm.log1p, ulps=(0.9, 1.0)),
    "sigmoid": MathFunction(exponential.sigmoid, ulps=(2.0, 2.0)),
    "softplus": MathFunction(exponential.softplus, ulps=(1.7, 1.7)),
    "logaddexp": MathFunction(
        exponential.logaddexp, arity=2, in_double=True, ulps=(0.51, 1.5)
    ),
    "tanh": MathFunction(exponential.tanh, ulps=(1.5, 1.6)),
    "sinh": MathFunction(exponential.sinh, in_double=True, ulps=(0.51, 2.2)),
    "cosh": MathFunction(exponential.cosh, in_double=True, ulps=(0.51, 1.4)),
    "asinh": MathFunction(inverse.asinh, in_double=True, ulps=(0.51, 1.8)),
    "acosh": MathFunction(inverse.acosh, in_double=True, ulps=(0.51, 1.6)),
    "atanh": MathFunction(inverse.atanh, in_double=True, ulps=(0.51, 1.8)),
    "sin": MathFunction(trigonometric.sin, inline=False, ulps=(0.6, 0.8)),
    "cos": MathFunction(trigonometric.cos, inline=False, ulps=(0.6, 0.8)),
    "tan": MathFunction(trigonometric.tan, inline=False, ulps=(0.6, 2.0)),
    "asin": MathFunction(inverse.asin, in_double=True, ulps=(0.51, 1.4)),
    "acos": MathFunction(inverse.acos, in_double=True, ulps=(0.51, 1.0)),
    "atan": MathFunction(inverse.atan, in_double=True, ulps=(0.51, 1.8)),
    "atan2": MathFunction(inverse.atan2, arity=2, in_double=True, ulps=(0.51, 1.8)),
    "erf": MathFunction(error_function.erf, ulps=(1.2, 1.2)),
    "erfc": MathFunction(error_function.erfc, in_double=True, ulps=(0.51, 3.0)),
    "erfcx": MathFunction(error_function.erfcx, in_double=True, ulps=(0.51, 2.5)),
    "pow": MathFunction(_pow, arity=2, ulps=(0.51, 1.4)),
    "cbrt": MathFunction(power.cbrt, in_double=True, ulps=(0.51, 0.51)),
    "hypot": MathFunction(_hypot, arity=2, ulps=(0.51, 0.51)),
    "gamma": MathFunction(gamma.gamma, in_double=True, inline=False, ulps=(0.51, 3.6)),
    "lgamma": MathFunction(
        gamma.lgamma, in_double=True, inline=False, ulps=(0.51, 4.0)
    ),
    "digamma": MathFunction(
        gamma.digamma, in_double=True, inline=False, ulps=(0.51, 4.0)
    ),
    "sqrt": MathFunction(rounding.sqrt, ulps=(0.5, 0.5)),
    "abs": MathFunction(rounding.absolute),
    "sign": MathFunction(rounding.sign),
    "floor": MathFunction(rounding.floor),
    "ceil": MathFunction(rounding.ceil),
    "trunc": MathFunction(rounding.trunc),
    "rint": MathFunction(rounding.rint),
    "fmod": MathFunction(rounding.fmod, arity=2, inline=False),
}

OUT_OF_LINE = tuple(name for name, function in TABLE.items() if not function.inline)


def symbol(name: str, type_: ir.Type) -> str:
    """The name of a function in a module."""
    return f"anadrome.{name}.{type_name(type_)}"


def math_function(
    module: ir.Module, name: str, type_: ir.Type, target: Target
) -> ir.Function:
    """The function of a name in a module, for a float, double or vector of them.

    If the name is in `OUT_OF_LINE` it is only declared: link the module with the
    addresses of `math_symbols`.
    """
    full_name = symbol(name, type_)
    if full_name in module.globals:
        return module.globals[full_name]
    function = TABLE[name]
    declared = _declare(module, full_name, type_, function.arity)
    if function.inline:
        declared.linkage = "internal"
        declared.attributes.add("alwaysinline")
        define(declared, name, type_, target)
    elif not isinstance(type_, ir.VectorType):
        _declare_variants(declared, name, type_, target)
    return declared


def _declare_variants(
    scalar: ir.Function, name: str, type_: ir.Type, target: Target
) -> None:
    """Tell the loop vectoriser of the vector versions of an out-of-line function."""
    arity = TABLE[name].arity
    mapping = []
    for lanes in vector_lanes(type_, target):
        vector = math_function(scalar.module, name, ir.VectorType(type_, lanes), target)
        mapping.append(f"_ZGV_LLVM_N{lanes}{'v' * arity}_{scalar.name}({vector.name})")
        _keep(vector)
    text = ",".join(mapping)
    _add_attribute(scalar, f'"vector-function-abi-variant"="{text}"')


def _keep(function: ir.Function) -> None:
    """Keep a declaration that nothing calls until the vectoriser looks for it."""
    module, name = function.module, "llvm.compiler.used"
    pointer = ir.IntType(8).as_pointer()
    if name in module.globals:
        used = module.globals[name]
        kept = [*used.initializer.constant, function.bitcast(pointer)]
        used.value_type = ir.ArrayType(pointer, len(kept))
        used.type = used.value_type.as_pointer()
    else:
        kept = [function.bitcast(pointer)]
        used = ir.GlobalVariable(module, ir.ArrayType(pointer, 1), name)
        used.linkage = "appending"
        used.section = "llvm.metadata"
    used.initializer = ir.Constant(used.value_type, kept)


def vector_lanes(element: ir.Type, target: Target) -> tuple[int, ...]:
    """The vector lengths that out-of-line functions exist in, widest first."""
    widest = target.lanes(element_size(element))
    return tuple(lanes for lanes in (16, 8, 4, 2) if lanes <= widest)


def define(function: ir.Function, name: str, type_: ir.Type, target: Target) -> None:
    """Give a declared function the body of the table's formula."""
    lanes = type_.count if isinstance(type_, ir.VectorType) else 1
    e = Emit(ir.IRBuilder(function.append_basic_block()), target, lanes)
    result = TABLE[name].emit(e, [e.wrap(a) for a in function.args])
    e.builder.ret(result.ir)


def _declare(
    module: ir.Module, full_name: str, type_: ir.Type, arity: int
) -> ir.Function:
    function = ir.Function(module, ir.FunctionType(type_, [type_] * arity), full_name)
    function.attributes.add("nounwind")
    _add_attribute(function, "willreturn")
    _add_attribute(function, "memory(none)")
    return function


def _add_attribute(function: ir.Function, text: str) -> None:
    # llvmlite only accepts the attributes it lists, which lack these.
    set.add(function.attributes, text)
