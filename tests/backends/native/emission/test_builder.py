"""The builder that writes no instruction whose result is known."""

import pytest
from llvmlite import binding as llvm
from llvmlite import ir

from anadrome.backends.native.emission.builder import Builder
from anadrome.backends.native.emission.control_flow import fold_range, for_range

I1, I64 = ir.IntType(1), ir.IntType(64)


@pytest.fixture
def function():
    """A function of three integers."""
    module = ir.Module("known")
    return ir.Function(module, ir.FunctionType(I64, [I64, I64, I64]), "f")


@pytest.fixture
def builder(function):
    return Builder(function.append_basic_block("entry"))


def verified(function):
    llvm.parse_assembly(str(function.module)).verify()


def is_constant(value, number):
    return isinstance(value, ir.Constant) and value.constant == number


def test_numbers_that_change_nothing(builder, function):
    x, one, zero = function.args[0], I64(1), I64(0)
    assert builder.add(x, zero) is x
    assert builder.add(zero, x) is x
    assert builder.sub(x, zero) is x
    assert builder.mul(one, x) is x
    assert is_constant(builder.mul(x, zero), 0)
    assert builder.gep(builder.inttoptr(x, I64.as_pointer()), [zero]) is not None
    assert len(builder.block.instructions) == 1


def test_integers_wrap_as_those_of_the_machine(builder):
    least, most = I64(-(1 << 63)), I64((1 << 63) - 1)
    assert is_constant(builder.add(most, I64(1)), -(1 << 63))
    assert is_constant(builder.sub(least, I64(1)), (1 << 63) - 1)
    assert is_constant(builder.mul(most, I64(2)), -2)
    assert is_constant(builder.icmp_signed("<", I64(-1), I64(1)), 1)
    assert is_constant(builder.icmp_unsigned("<", I64(-1), I64(1)), 0)


def test_numbers_of_other_types_are_others(builder, function):
    condition = builder.icmp_signed("<", *function.args[:2])
    long = builder.select(condition, I64(1), I64(0))
    short = builder.select(condition, ir.IntType(32)(1), ir.IntType(32)(0))
    assert long is not short
    assert short.type.width == 32
    half = builder.sitofp(function.args[0], ir.DoubleType())
    positive = builder.fadd(half, ir.Constant(ir.DoubleType(), 0.0))
    negative = builder.fadd(half, ir.Constant(ir.DoubleType(), -0.0))
    assert positive is not negative


def test_what_was_computed_on_every_way(builder, function):
    x, y, _ = function.args
    total = builder.add(x, y)
    with builder.if_else(builder.icmp_signed("<", x, y)) as (then, otherwise):
        with then:
            assert builder.add(x, y) is total
            inside = builder.mul(x, y)
            assert builder.mul(x, y) is inside
        with otherwise:
            assert builder.mul(x, y) is not inside
    after = builder.mul(x, y)
    assert after is not inside
    assert builder.add(x, y) is total
    builder.ret(after)
    verified(function)


def test_what_branches_tell(builder, function):
    x, y, z = function.args
    fine = builder.and_(
        builder.icmp_signed(">=", x, I64(0)), builder.icmp_signed("==", y, z)
    )
    with builder.if_else(fine) as (then, otherwise):
        with then:
            assert is_constant(builder.icmp_signed(">=", x, I64(0)), 1)
            assert is_constant(builder.icmp_signed("<", x, I64(0)), 0)
            assert is_constant(builder.icmp_signed("<=", I64(0), x), 1)
            assert is_constant(builder.icmp_signed("!=", z, y), 0)
            assert not isinstance(builder.icmp_signed(">", x, I64(0)), ir.Constant)
            assert not isinstance(builder.icmp_unsigned("<", x, y), ir.Constant)
        with otherwise:
            assert not isinstance(builder.icmp_signed(">=", x, I64(0)), ir.Constant)
    assert not isinstance(builder.icmp_signed("<", x, I64(0)), ir.Constant)
    builder.ret(x)
    verified(function)


def test_loops(builder, function):
    x, y, n = function.args
    with for_range(builder, 0, n) as k:
        outer = builder.mul(x, y)
        with for_range(builder, 0, k) as j:
            assert builder.mul(x, y) is outer
            builder.mul(j, k)
        product = builder.mul(k, n)
    assert builder.mul(x, y) is not outer
    assert builder.mul(k, n) is not product

    def step(values):
        return [builder.add(values[0], builder.mul(x, y))]

    (total,) = fold_range(builder, n, [I64(0)], step)
    builder.ret(builder.add(total, builder.mul(x, y)))
    verified(function)


def test_code_before_other_code(builder, function):
    x, y, _ = function.args
    total = builder.add(x, y)
    builder.position_before(total)
    again = builder.add(x, y)
    assert again is not total
    builder.position_at_end(function.entry_basic_block)
    builder.ret(builder.sub(again, total))
    verified(function)


def test_a_way_that_is_seen_too_late(builder, function):
    first, late = builder.append_basic_block(), builder.append_basic_block()
    x, y, _ = function.args
    builder.cbranch(builder.icmp_signed("<", x, y), first, late)
    builder.position_at_end(first)
    builder.ret(x)
    builder.position_at_end(late)
    with pytest.raises(AssertionError, match="comes after"):
        builder.branch(first)


def test_what_is_taken_back_is_known_no_more(builder, function):
    x, y, _ = function.args
    kept = builder.add(x, y)
    size = len(builder.block.instructions)
    builder.mul(x, y)
    builder.forget(builder.block.instructions[size:])
    del builder.block.instructions[size:]
    assert builder.add(x, y) is kept
    builder.ret(builder.mul(x, y))
    verified(function)
