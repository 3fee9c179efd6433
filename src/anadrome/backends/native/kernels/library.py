"""Kernels: expressions of elementwise operations as vector code along one axis.

What a kernel does is a plan (`plan`), from which its code is written (`vector_code`);
it is called through loops over the other axes (`loop_driver`).  Kernels of equal
structure are one function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir

from ..emission.dsl import I64, declare
from ..emission.marshalling import as_word
from ..emission.values import I1, Array, either
from ..fusion.expressions import Leaf
from ..lowering.complex_parts import by_parts
from .loop_driver import (
    ADDED,
    COLUMNS,
    FREE,
    IN_ORDER,
    KERNEL,
    LAST,
    LOOP_DRIVER,
    LOOP_DRIVER_TYPE,
    ROWS,
    WORTH_HELPING,
)
from .overlapping_adds import arrange
from .plan import KernelOutput, Plan
from .row_code import RowPassEmitter
from .row_plan import RowPlan
from .strided import POINTER
from .vector_code import EVERYTHING, KernelEmitter

if TYPE_CHECKING:
    from ..emission.function import Emitter
    from ..emission.module import ModuleEmitter


_DEEP = 3
"""So many axes, and rows tend to be short."""
_OFTEN = 4
"""An operand that is read so many times over is worth a copy."""


def run(e: Emitter, shape: list[ir.Value], outputs: list[KernelOutput]) -> None:
    """Compute expressions for all elements of a shape."""
    outputs = by_parts(e, outputs)
    plan = Plan(shape, outputs)
    if any(s.place for s in outputs):
        target = e.owner.target
        # The ends of rows are under masks, which cost nothing with 512 bits only.
        cheap = target.vector_bits == 512 or len(shape) < _DEEP
        plan = Plan(shape, arrange(outputs, target.lanes(plan.size) if cheap else 0))
    _run(e, plan)


def run_rows(e: Emitter, shape: list[ir.Value], outputs: list[KernelOutput]) -> None:
    """Compute expressions with reductions along the last axis, row by row."""
    _run(e, RowPlan(shape, outputs))


def _run(e: Emitter, plan: Plan) -> None:
    shape = plan.shape
    given: list[ir.Value] = list(shape)
    patterns = []
    copies: list[Array] = []
    for k, (array, unit) in enumerate(zip(plan.operands, plan.unit)):
        if k < plan.reads and _may_be_transposed(array, len(shape)):
            array = _straight(e, array, shape[0])
            copies.append(array)
        pattern, registers = _described(array, shape, unit)
        patterns.append(pattern)
        given += [array.data, *registers]
    given += [s.register for s in plan.scalars]
    loop = _loop_of(e.owner, plan, tuple(patterns), [g.type for g in given])
    own = declare(e.module, loop.name, loop.function_type)
    e.builder.call(own, given)
    e.owner.kernels.used = True
    for copy in copies:
        e.release(copy)


def _may_be_transposed(array: Array, rank: int) -> bool:
    """Whether an operand is read many times over, each time perhaps across its rows."""
    axes = _own_axes(array)
    if len(axes) < 2 or axes[-1] != array.ndim - 1:
        return False
    again = array.ndim < rank or axes[0] > 0
    return again and not isinstance(array.strides[-1], ir.Constant)


def _straight(e: Emitter, array: Array, times: ir.Value) -> Array:
    """An array, or a copy of it row by row if it is read across its rows often enough.

    The copy belongs to whoever called; else there is no block.
    """
    b, axes = e.builder, _own_axes(array)
    sizes, steps = ([given[k] for k in axes] for given in (array.shape, array.strides))
    transposed: ir.Value = I1(0)
    for step in steps[:-1]:
        transposed = b.or_(transposed, b.icmp_signed("==", step, I64(1)))
    transposed = b.and_(transposed, b.icmp_signed("!=", steps[-1], I64(1)))
    transposed = b.and_(transposed, b.icmp_signed(">=", times, I64(_OFTEN)))
    before = b.block
    copying = b.append_basic_block("transpose")
    done = b.append_basic_block("transposed")
    b.cbranch(transposed, copying, done)
    b.position_at_end(copying)
    source = Array(array.dtype, array.block, array.data, sizes, steps)
    made = e.allocate(array.dtype, sizes)
    run(e, sizes, [KernelOutput(Leaf(source, array.dtype), made)])
    strides = list(array.strides)
    for k, step in zip(axes, made.strides):
        strides[k] = step
    after = b.block
    b.branch(done)
    b.position_at_end(done)

    def one_of(old: ir.Value, new: ir.Value) -> ir.Value:
        return either(b, old, before, new, after)

    block = one_of(ir.Constant(made.block.type, None), made.block)
    data = one_of(array.data, made.data)
    found = [one_of(old, new) for old, new in zip(array.strides, strides)]
    return Array(array.dtype, block, data, array.shape, found)


def _own_axes(array: Array) -> list[int]:
    """The axes along which an array does not repeat itself, as far as is known."""
    pairs = enumerate(zip(array.shape, array.strides))
    return [k for k, (n, step) in pairs if not _is(n, 1) and not _is(step, 0)]


def _is(r: ir.Value, number: int) -> bool:
    return isinstance(r, ir.Constant) and bool(r.constant == number)


def _described(
    array: Array, shape: list[ir.Value], unit: bool
) -> tuple[str, list[ir.Value]]:
    """How the strides of an array follow from registers, and these.

    A letter for each axis: `0` stride zero, `s` a stride, `b` a size and a stride
    that counts unless the size is one; `u` for all axes of a contiguous array.
    """
    if unit:
        return "u", []
    pattern = "0" * (len(shape) - array.ndim)
    registers = []
    for n, m, step in zip(array.shape, shape[len(pattern) :], array.strides):
        if n is m or (isinstance(n, ir.Constant) and n.constant != 1):
            pattern += "s"
            registers.append(step)
        elif isinstance(n, ir.Constant):
            pattern += "0"
        else:
            pattern += "b"
            registers += [n, step]
    return pattern, registers


def _loop_of(
    owner: ModuleEmitter, plan: Plan, patterns: tuple[str, ...], types: list[ir.Type]
) -> ir.Function:
    """The function of a kernel that is given shapes, arrays and numbers."""
    kernels = owner.kernels
    key = (plan.key, plan.only_adds, len(plan.shape), patterns)
    found = kernels.loops.get(key)
    if found is None:
        name = f"anadrome.loop.{len(kernels.loops)}"
        signature = ir.FunctionType(ir.VoidType(), types)
        found = kernels.loops[key] = ir.Function(kernels.module, signature, name)
        _write_loop(found, _kernel_of(owner, plan), plan, patterns)
    return found


def _write_loop(
    function: ir.Function, kernel: ir.Function, plan: Plan, patterns: tuple[str, ...]
) -> None:
    b = ir.IRBuilder(function.append_basic_block("entry"))
    arguments = iter(function.args)
    shape = [next(arguments) for _ in plan.shape]
    rank = len(shape)
    words: list[ir.Value] = list(shape)
    contiguous: dict[int, list[ir.Value]] = {}
    for array, pattern in zip(plan.operands, patterns):
        size = array.dtype.itemsize
        words.append(b.ptrtoint(next(arguments), I64))
        if pattern == "u":
            if size not in contiguous:
                contiguous[size] = _row_major(b, shape, size)
            words += contiguous[size]
            continue
        for letter in pattern:
            n = next(arguments) if letter == "b" else None
            step = I64(0) if letter == "0" else b.mul(next(arguments), I64(size))
            if n is not None:
                step = b.select(b.icmp_signed("==", n, I64(1)), I64(0), step)
            words.append(step)
    at_scalars = len(words)
    words += [as_word(b, r) for r in arguments]
    tied = [s for s in plan.outputs if s.combine and not s.alone]
    cost = plan.cost if all(s.rows for s in tied) else 0
    # What is written for neighbours along the last axis has them nowhere else.
    keep = IN_ORDER if any(plan.unit) else FREE
    keep = keep if all(s.is_total for s in tied) else LAST
    keep = ROWS if isinstance(plan, RowPlan) else keep
    if tied and rank > 1 and plan.only_adds:
        cost = plan.cost + sum(1 + len(s.further) for s in tied)
        keep = ADDED
    if rank > 1 and [s.columns for s in plan.outputs] == [True]:
        cost, keep = plan.cost + 1, COLUMNS
    if rank == 1:
        _call_at_once(b, kernel, words, at_scalars, cost)
    scratch = b.alloca(I64, len(words))
    for k, word in enumerate(words):
        b.store(word, b.gep(scratch, [I64(k)]))
    address = [
        b.bitcast(b.gep(scratch, [I64(k)]), POINTER) for k in (0, rank, at_scalars)
    ]
    driver = declare(function.module, LOOP_DRIVER, LOOP_DRIVER_TYPE)
    count, reads = I64(len(plan.operands)), I64(plan.reads)
    given = [I64(rank), count, reads, *address, I64(cost), I64(keep)]
    b.call(driver, [kernel, *given])
    b.ret_void()


def _call_at_once(
    b: ir.IRBuilder, kernel: ir.Function, words: list[ir.Value], end: int, cost: int
) -> None:
    """Run a kernel along one axis without `loop_driver` if it is not worth sharing."""
    n = words[0]
    ordered = [*words[1:end:2], *words[2:end:2], *words[end:]]
    count = (end - 1) // 2
    scratch = b.alloca(I64, len(ordered))
    most = I64(WORTH_HELPING // max(cost, 1) if cost else EVERYTHING)
    few = b.and_(b.icmp_signed(">", n, I64(0)), b.icmp_signed("<", n, most))
    with b.if_then(few, likely=True):
        for k, word in enumerate(ordered):
            b.store(word, b.gep(scratch, [I64(k)]))
        given = [
            b.bitcast(b.gep(scratch, [I64(k)]), POINTER)
            for k in (0, count, count, 2 * count)
        ]
        b.call(kernel, [n, I64(1), *given])
        b.ret_void()


def _row_major(b: ir.IRBuilder, shape: list[ir.Value], size: int) -> list[ir.Value]:
    strides: list[ir.Value] = []
    step: ir.Value = I64(size)
    for k, n in enumerate(reversed(shape)):
        strides.insert(0, step)
        step = b.mul(step, n) if k < len(shape) - 1 else step
    return strides


class Kernels:
    """The kernels of a program: a module of their own, and which there are."""

    def __init__(self) -> None:
        self.module = ir.Module("anadrome.kernels")
        self.made: dict[Any, ir.Function] = {}
        self.loops: dict[Any, ir.Function] = {}
        self.used = False


def _kernel_of(owner: ModuleEmitter, plan: Plan) -> ir.Function:
    kernels = owner.kernels
    found = kernels.made.get(plan.key)
    if found is None:
        name = f"anadrome.kernel.{len(kernels.made)}"
        function = ir.Function(kernels.module, KERNEL, name)
        function.linkage = "internal"
        if isinstance(plan, RowPlan):
            RowPassEmitter(owner, function, plan).write()
        else:
            KernelEmitter(owner, function, plan).write()
        kernels.made[plan.key] = found = function
    return found
