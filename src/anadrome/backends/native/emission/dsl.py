"""Arithmetic on LLVM values written as Python expressions.

`Emit` wraps a builder; the `Value`s that it makes overload the operators, so a
function's formula reads as mathematics while it emits instructions.  The same
formula emits scalar code (one lane) or vector code (several).

Nothing here allows LLVM to reassociate: results are the same in scalar and vector
code, and `fma` is fused exactly where it is written (where the target has it).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from llvmlite import ir

from ..target import Target

FLOAT, DOUBLE = ir.FloatType(), ir.DoubleType()
I1, I32, I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)

_MNEMONICS = {FLOAT: "f32", DOUBLE: "f64", I1: "i1", I32: "i32", I64: "i64"}
_SIZES = {FLOAT: 4, DOUBLE: 8, I32: 4, I64: 8}
# 1.5·2^(p-1): adding it rounds to an integer that stands in the low bits.
_ROUNDING = {FLOAT: 12582912.0, DOUBLE: 6755399441055744.0}
_SIGN = {FLOAT: 1 << 31, DOUBLE: 1 << 63}


def type_name(type_: ir.Type) -> str:
    """The short name of a type: `f32`, or `v16f32` for a vector."""
    if isinstance(type_, ir.VectorType):
        return f"v{type_.count}{_MNEMONICS[type_.element]}"
    return _MNEMONICS[type_]


def element_size(type_: ir.Type) -> int:
    """The bytes of a scalar type."""
    return _SIZES[type_]


def widen(type_: ir.Type, lanes: int) -> ir.Type:
    """A vector of `lanes` elements, or the scalar itself for one lane."""
    return type_ if lanes == 1 else ir.VectorType(type_, lanes)


class _Word(ir.Constant):  # type: ignore[misc]
    """A vector that LLVM has a word for, which is read faster than its lanes are."""

    def __init__(self, vector: ir.VectorType, word: str) -> None:
        self.type, self.constant = vector, word

    def _get_reference(self) -> str:
        return str(self.constant)


def zeros(vector: ir.VectorType) -> ir.Constant:
    """Zero in every lane."""
    return _Word(vector, "zeroinitializer")


def undefined(vector: ir.VectorType) -> ir.Constant:
    """Anything in every lane."""
    return _Word(vector, "undef")


class Value:
    """An LLVM value with operators; Python numbers become constants beside it."""

    __slots__ = ("emit", "ir")

    def __init__(self, emit: Emit, value: ir.Value) -> None:
        self.emit = emit
        self.ir = value

    @property
    def element(self) -> ir.Type:
        """The scalar type, whatever the number of lanes."""
        type_ = self.ir.type
        return type_.element if isinstance(type_, ir.VectorType) else type_

    @property
    def is_float(self) -> bool:
        return self.element in (FLOAT, DOUBLE)

    def _binary(self, name: str, other: Operand, swap: bool = False) -> Value:
        left, right = self.ir, self.emit.like(self, other).ir
        if swap:
            left, right = right, left
        return Value(self.emit, getattr(self.emit.builder, name)(left, right))

    def __add__(self, other: Operand) -> Value:
        return self._binary("fadd" if self.is_float else "add", other)

    def __radd__(self, other: Operand) -> Value:
        return self._binary("fadd" if self.is_float else "add", other, swap=True)

    def __sub__(self, other: Operand) -> Value:
        return self._binary("fsub" if self.is_float else "sub", other)

    def __rsub__(self, other: Operand) -> Value:
        return self._binary("fsub" if self.is_float else "sub", other, swap=True)

    def __mul__(self, other: Operand) -> Value:
        return self._binary("fmul" if self.is_float else "mul", other)

    def __rmul__(self, other: Operand) -> Value:
        return self._binary("fmul" if self.is_float else "mul", other, swap=True)

    def __truediv__(self, other: Operand) -> Value:
        return self._binary("fdiv", other)

    def __rtruediv__(self, other: Operand) -> Value:
        return self._binary("fdiv", other, swap=True)

    def __neg__(self) -> Value:
        if self.is_float:
            return Value(self.emit, self.emit.builder.fneg(self.ir))
        return 0 - self

    def __and__(self, other: Operand) -> Value:
        return self._binary("and_", other)

    def __or__(self, other: Operand) -> Value:
        return self._binary("or_", other)

    def __xor__(self, other: Operand) -> Value:
        return self._binary("xor", other)

    def __invert__(self) -> Value:
        return Value(self.emit, self.emit.builder.not_(self.ir))

    def __lshift__(self, other: Operand) -> Value:
        return self._binary("shl", other)

    def __rshift__(self, other: Operand) -> Value:
        """The arithmetic shift; see `Emit.shift_right` for the logical one."""
        return self._binary("ashr", other)

    def _compare(self, relation: str, other: Operand) -> Value:
        builder = self.emit.builder
        right = self.emit.like(self, other).ir
        if self.is_float:
            make = builder.fcmp_unordered if relation == "!=" else builder.fcmp_ordered
        else:
            make = builder.icmp_signed
        return Value(self.emit, make(relation, self.ir, right))

    def __lt__(self, other: Operand) -> Value:
        return self._compare("<", other)

    def __le__(self, other: Operand) -> Value:
        return self._compare("<=", other)

    def __gt__(self, other: Operand) -> Value:
        return self._compare(">", other)

    def __ge__(self, other: Operand) -> Value:
        return self._compare(">=", other)

    # Value equality of expressions is an instruction, so values do not hash.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self._compare("==", other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self._compare("!=", other)  # type: ignore[arg-type]


Operand = Value | float | int
# Emits a scalar result from scalar arguments.
SlowPath = Callable[[ir.IRBuilder, Sequence[ir.Value]], ir.Value]


class Emit:
    """Makes values at a builder's position, for a target and a number of lanes."""

    def __init__(self, builder: ir.IRBuilder, target: Target, lanes: int = 1) -> None:
        self.builder = builder
        self.target = target
        self.lanes = lanes

    @property
    def module(self) -> ir.Module:
        return self.builder.module

    def wrap(self, value: ir.Value) -> Value:
        """An LLVM value with operators."""
        return Value(self, value)

    def constant(self, element: ir.Type, number: float | int) -> Value:
        """A number in every lane."""
        if element in (FLOAT, DOUBLE):
            number = float(number)
            if element is FLOAT or element == FLOAT:
                number = struct.unpack("f", struct.pack("f", number))[0]
        if self.lanes == 1:
            return Value(self, ir.Constant(element, number))
        splat = [number] * self.lanes
        return Value(self, ir.Constant(ir.VectorType(element, self.lanes), splat))

    def like(self, value: Value, number: Operand) -> Value:
        """A number as a constant of the type of a value."""
        if isinstance(number, Value):
            return number
        return self.constant(value.element, number)

    # --- floating point --------------------------------------------------------

    def fma(self, a: Operand, b: Operand, c: Operand) -> Value:
        """a·b + c, rounded once if the target can."""
        model = next(v for v in (a, b, c) if isinstance(v, Value))
        x, y, z = (self.like(model, v) for v in (a, b, c))
        return self.intrinsic("fma", x, y, z) if self.target.has_fma else x * y + z

    def polynomial(self, x: Value, coefficients: Sequence[float]) -> Value:
        """Σ cₖ·xᵏ by Horner's rule, lowest power first."""
        result = self.like(x, coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            result = self.fma(result, x, coefficient)
        return result

    def two_sum(self, a: Value, b: Value) -> tuple[Value, Value]:
        """(s, e) with s = a + b rounded and s + e = a + b exactly (Knuth)."""
        total = a + b
        back = total - a
        return total, (a - (total - back)) + (b - back)

    def quick_two_sum(self, a: Value, b: Value) -> tuple[Value, Value]:
        """As `two_sum`, where |a| ≥ |b| or a = 0 (Dekker)."""
        total = a + b
        return total, b - (total - a)

    def two_product(self, a: Value, b: Value) -> tuple[Value, Value]:
        """(p, e) with p = a·b rounded and p + e = a·b exactly."""
        product = a * b
        if self.target.has_fma:
            return product, self.fma(a, b, -product)
        (ah, al), (bh, bl) = self._split(a), self._split(b)
        return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl

    def _split(self, a: Value) -> tuple[Value, Value]:
        scaled = a * (134217729.0 if a.element == DOUBLE else 4097.0)
        high = scaled - (scaled - a)
        return high, a - high

    def round_to_integer(self, x: Value) -> tuple[Value, Value]:
        """The nearest integer as a float and as an int, for |x| < 2^(p-2)."""
        return self._from_shifted(x + _ROUNDING[x.element])

    def round_product(self, x: Value, factor: float) -> tuple[Value, Value]:
        """The same of x times a number."""
        return self._from_shifted(self.fma(x, factor, _ROUNDING[x.element]))

    def _from_shifted(self, shifted: Value) -> tuple[Value, Value]:
        """What was rounded by adding a number whose last bit counts ones."""
        magic = _ROUNDING[shifted.element]
        bias = struct.unpack(
            "<i" if shifted.element == FLOAT else "<q",
            struct.pack("<f" if shifted.element == FLOAT else "<d", magic),
        )[0]
        return shifted - magic, self.bits(shifted) - bias

    def abs(self, x: Value) -> Value:
        return self.intrinsic("fabs", x)

    def sqrt(self, x: Value) -> Value:
        return self.intrinsic("sqrt", x)

    def copysign(self, magnitude: Operand, sign: Value) -> Value:
        return self.intrinsic("copysign", self.like(sign, magnitude), sign)

    def select(self, condition: Value, yes: Operand, no: Operand) -> Value:
        model = yes if isinstance(yes, Value) else no
        assert isinstance(model, Value)
        a, b = self.like(model, yes), self.like(model, no)
        return Value(self, self.builder.select(condition.ir, a.ir, b.ir))

    def minimum(self, x: Value, bound: Operand) -> Value:
        """The lesser of two; a NaN in x stays."""
        return self.select(x > bound, bound, x)

    def maximum(self, x: Value, bound: Operand) -> Value:
        """The greater of two; a NaN in x stays."""
        return self.select(x < bound, bound, x)

    # --- representation --------------------------------------------------------

    def bits(self, x: Value) -> Value:
        """The bits of a float as an int of its size."""
        type_ = widen(I32 if x.element == FLOAT else I64, self.lanes)
        return Value(self, self.builder.bitcast(x.ir, type_))

    def from_bits(self, i: Value) -> Value:
        """The float whose bits are given."""
        type_ = widen(FLOAT if i.element == I32 else DOUBLE, self.lanes)
        return Value(self, self.builder.bitcast(i.ir, type_))

    def sign_bit(self, x: Value) -> Value:
        """An int that holds only the sign bit of a float."""
        return self.bits(x) & _SIGN[x.element]

    def shift_right(self, i: Value, amount: Operand) -> Value:
        """The logical shift to the right."""
        return i._binary("lshr", amount)

    def power_of_two(self, i: Value) -> Value:
        """2^i as a float, for i within the normal exponents."""
        if i.element == I32:
            return self.from_bits((i + 127) << 23)
        return self.from_bits((i + 1023) << 52)

    def scale(self, x: Value, i: Value) -> Value:
        """x·2^i, right also where one factor would leave the exponent's range."""
        if self.target.vector_bits == 512:
            return self._scale_at_once(x, i)
        half = i >> 1
        return x * self.power_of_two(half) * self.power_of_two(i - half)

    def scale_by(self, x: Value, n: Value, i: Value) -> Value:
        """`scale` for a power that is there as a float too."""
        kind = "ps" if x.element == FLOAT else "pd"
        size = 4 if x.element == FLOAT else 8
        if self.target.vector_bits != 512 or self.lanes * size != 64:
            return self.scale(x, i)
        type_, mask, rounding = x.ir.type, ir.IntType(self.lanes), I32(4)
        callee = declare(
            self.module,
            f"llvm.x86.avx512.mask.scalef.{kind}.512",
            ir.FunctionType(type_, [type_, type_, type_, mask, I32]),
        )
        given = [x.ir, n.ir, x.ir, mask(-1), rounding]
        return Value(self, self.builder.call(callee, given))

    def _scale_at_once(self, x: Value, i: Value) -> Value:
        """x·2^i by the instruction that AVX-512 has for it."""
        exponent, int_type = i.ir, widen(I32, self.lanes)
        if i.element == I64:
            exponent = self.builder.trunc(exponent, int_type)
        type_ = x.ir.type
        callee = declare(
            self.module,
            f"llvm.ldexp.{type_name(type_)}.{type_name(int_type)}",
            ir.FunctionType(type_, [type_, int_type]),
        )
        return Value(self, self.builder.call(callee, [x.ir, exponent]))

    def to_double(self, x: Value) -> Value:
        return Value(self, self.builder.fpext(x.ir, widen(DOUBLE, self.lanes)))

    def to_single(self, x: Value) -> Value:
        return Value(self, self.builder.fptrunc(x.ir, widen(FLOAT, self.lanes)))

    def int_to_float(self, i: Value) -> Value:
        """An int of less than 2^22 (2^51) in magnitude as a float of its size."""
        element = FLOAT if i.element == I32 else DOUBLE
        magic = self.constant(element, _ROUNDING[element])
        return self.from_bits(i + self.bits(magic)) - magic

    # --- calls -----------------------------------------------------------------

    def intrinsic(self, name: str, *arguments: Value) -> Value:
        """A call of `llvm.<name>`, overloaded on the type of the first argument."""
        type_ = arguments[0].ir.type
        callee = declare(
            self.module,
            f"llvm.{name}.{type_name(type_)}",
            ir.FunctionType(type_, [type_] * len(arguments)),
        )
        return Value(self, self.builder.call(callee, [a.ir for a in arguments]))

    def patch_lanes(
        self,
        condition: Value,
        result: Value,
        arguments: Sequence[Value],
        slow: SlowPath,
    ) -> Value:
        """`result`, with the lanes where `condition` holds computed one by one.

        `slow` emits scalar code.  This is a branch that is rarely taken; code that
        uses it must stay out of line if loops around it are to be vectorised.
        """
        builder = self.builder
        if self.lanes == 1:
            before = builder.block
            with builder.if_then(condition.ir, likely=False):
                patched = slow(builder, [a.ir for a in arguments])
                inside = builder.block
            phi = builder.phi(result.ir.type)
            phi.add_incoming(result.ir, before)
            phi.add_incoming(patched, inside)
            return Value(self, phi)
        mask = builder.bitcast(condition.ir, ir.IntType(self.lanes))
        before = builder.block
        with builder.if_then(builder.icmp_unsigned("!=", mask, mask.type(0)), False):
            patched = self._patch_each(mask, result, arguments, slow)
            inside = builder.block
        phi = builder.phi(result.ir.type)
        phi.add_incoming(result.ir, before)
        phi.add_incoming(patched, inside)
        return Value(self, phi)

    def _patch_each(
        self, mask: ir.Value, result: Value, arguments: Sequence[Value], slow: SlowPath
    ) -> ir.Value:
        builder = self.builder
        before = builder.block
        body = builder.append_basic_block("lane")
        done = builder.append_basic_block("lanes.done")
        builder.branch(body)
        builder.position_at_end(body)
        lane, so_far = builder.phi(I32), builder.phi(result.ir.type)
        lane.add_incoming(I32(0), before)
        so_far.add_incoming(result.ir, before)
        bit = builder.trunc(builder.lshr(mask, _resize(builder, lane, mask.type)), I1)
        test = builder.block
        with builder.if_then(bit):
            scalars = [builder.extract_element(a.ir, lane) for a in arguments]
            patched = builder.insert_element(so_far, slow(builder, scalars), lane)
            inside = builder.block
        merged = builder.phi(result.ir.type)
        merged.add_incoming(so_far, test)
        merged.add_incoming(patched, inside)
        following = builder.add(lane, I32(1))
        lane.add_incoming(following, builder.block)
        so_far.add_incoming(merged, builder.block)
        more = builder.icmp_unsigned("<", following, I32(self.lanes))
        builder.cbranch(more, body, done)
        builder.position_at_end(done)
        return merged


def _resize(builder: ir.IRBuilder, value: ir.Value, type_: ir.IntType) -> ir.Value:
    if type_.width == value.type.width:
        return value
    narrow = type_.width < value.type.width
    return (builder.trunc if narrow else builder.zext)(value, type_)


def declare(module: ir.Module, name: str, type_: ir.FunctionType) -> ir.Function:
    """The function of a name in a module, declared if it is not there yet."""
    if name in module.globals:
        return module.globals[name]
    return ir.Function(module, type_, name)
