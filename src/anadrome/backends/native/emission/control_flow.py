"""Loops and small integer arithmetic in LLVM IR."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from llvmlite import ir

from .dsl import I64


def integer(value: ir.Value | int) -> ir.Value:
    """A 64-bit integer value."""
    return I64(value) if isinstance(value, int) else value


@contextmanager
def for_range(
    builder: ir.IRBuilder,
    start: ir.Value | int,
    stop: ir.Value | int,
    step: ir.Value | int = 1,
) -> Iterator[ir.Value]:
    """The index of a loop whose body is what is emitted inside the block."""
    before = builder.block
    head = builder.append_basic_block("loop")
    body = builder.append_basic_block("loop.body")
    done = builder.append_basic_block("loop.done")
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(I64)
    index.add_incoming(integer(start), before)
    builder.cbranch(builder.icmp_signed("<", index, integer(stop)), body, done)
    builder.position_at_end(body)
    yield index
    index.add_incoming(builder.add(index, integer(step)), builder.block)
    builder.branch(head)
    builder.position_at_end(done)


def count_steps(
    builder: ir.IRBuilder, start: ir.Value, stop: ir.Value, step: ir.Value
) -> ir.Value:
    """How many numbers a range has whose step is not zero.

    Distance and step are taken as unsigned: neither overflows then.
    """
    b = builder
    up = b.icmp_signed(">", step, I64(0))
    low, high = b.select(up, start, stop), b.select(up, stop, start)
    size = b.select(up, step, b.neg(step))
    steps = b.udiv(b.sub(b.sub(high, low), I64(1)), size)
    some = b.icmp_signed("<", low, high)
    return b.select(some, b.add(steps, I64(1)), I64(0))


def fold_range(
    builder: ir.IRBuilder,
    count: ir.Value,
    initial: Sequence[ir.Value],
    body: Callable[[list[ir.Value]], Sequence[ir.Value]],
) -> list[ir.Value]:
    """The values that `body` turns the initial ones into when repeated `count` times.

    The loop is tested at its end, with one test before it, as fast kernels want.
    """
    before = builder.block
    inside = builder.append_basic_block("fold")
    done = builder.append_basic_block("fold.done")
    builder.cbranch(builder.icmp_signed(">", count, I64(0)), inside, done)
    builder.position_at_end(inside)
    left = builder.phi(I64)
    left.add_incoming(count, before)
    phis = [builder.phi(value.type) for value in initial]
    for phi, value in zip(phis, initial):
        phi.add_incoming(value, before)
    updated = list(body(list(phis)))
    end = builder.block
    for phi, value in zip(phis, updated):
        phi.add_incoming(value, end)
    less = builder.sub(left, I64(1))
    left.add_incoming(less, end)
    builder.cbranch(builder.icmp_signed(">", less, I64(0)), inside, done)
    builder.position_at_end(done)
    results = []
    for start, last in zip(initial, updated):
        result = builder.phi(start.type)
        result.add_incoming(start, before)
        result.add_incoming(last, end)
        results.append(result)
    return results


def changed_if(
    builder: ir.IRBuilder,
    condition: ir.Value,
    values: Sequence[ir.Value],
    change: Callable[[], Sequence[ir.Value]],
) -> list[ir.Value]:
    """Values as they are, or as they are changed under a condition."""
    before = builder.block
    yes, done = (builder.append_basic_block(n) for n in ("changed", "as.they.are"))
    builder.cbranch(condition, yes, done)
    builder.position_at_end(yes)
    changed = change()
    after = builder.block
    builder.branch(done)
    builder.position_at_end(done)
    results = []
    for x, y in zip(values, changed, strict=True):
        phi = builder.phi(x.type)
        phi.add_incoming(x, before)
        phi.add_incoming(y, after)
        results.append(phi)
    return results


def minimum(builder: ir.IRBuilder, a: ir.Value, b: ir.Value | int) -> ir.Value:
    """The lesser of two integers."""
    b = integer(b)
    return builder.select(builder.icmp_signed("<", a, b), a, b)


def divide_up(builder: ir.IRBuilder, a: ir.Value, b: ir.Value | int) -> ir.Value:
    """a/b rounded up, for a ≥ 0 and b > 0."""
    b = integer(b)
    return builder.udiv(builder.add(a, builder.sub(b, I64(1))), b)


def offset(builder: ir.IRBuilder, pointer: ir.Value, count: ir.Value | int) -> ir.Value:
    """A pointer moved by a number of elements."""
    return builder.gep(pointer, [integer(count)])
