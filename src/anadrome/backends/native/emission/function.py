"""The state of compiling one function, and what every lowering needs.

Arrays are counted: each value that a region defines holds one reference to its block,
which is given up after the last statement that reads the value, or handed on if the
region yields it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.errors import AnadromeError, Span
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import (
    Type,
    deref,
)

from ..runtime.memory import ALLOCATE, GIVE_BACK, HEADER, NUMBERS, OBJECT, RELEASE, SITE
from ..runtime.objects import ARGUMENTS
from .builder import Builder
from .casts import convert_number
from .conversion import converted, empty_like, number, truth
from .destinations import Places
from .marshalling import count_words, load_words, store_words
from .module import ModuleEmitter, declare_constants
from .native_containers import Growing, Mapping
from .templates import pointer_to, template
from .values import (
    I1,
    I32,
    I64,
    INT64,
    POINTER,
    Array,
    Boxed,
    Nothing,
    Pack,
    Series,
    Static,
    Value,
    stored_type,
)


class NoLowering(AnadromeError):
    """Something that the native backend cannot compile; the Python backend runs it."""


class Emitter:
    """A function that is being written."""

    def __init__(
        self, owner: ModuleEmitter, function: ir.Function, context: ir.Value
    ) -> None:
        self.owner, self.function, self.context = owner, function, context
        self.module = owner.module
        self.entry = function.append_basic_block("entry")
        self.builder = Builder(self.entry)
        owner.builders.append(self.builder)
        self.values: dict[int, Value] = {}
        # What statements give that are not written here.
        self.given: dict[int, Value] = {}
        self.fused: set[int] = set()
        # What statements make of rows: see `reductions`.
        self.row_shapes: dict[int, Any] = {}
        # Fused values that were computed on their own, and belong to nobody yet.
        self.late: list[Node] = []
        self.dying: set[int] = set()
        # What statements that wait are the last to read, when they are written.
        self.dead: set[int] = set()
        # Integers that only say where something stands.
        self.positions: set[int] = set()
        # The blocks that leave the function with a failure, by its code.
        self.exits: dict[int, ir.Block] = {}
        # What stops a loop that several threads run, see `interrupts`.
        self.watched: Any = None
        # Matrices that a loop around has packed, see `gemm.packed_weights`.
        self.packed: dict[int, Any] = {}
        self.places = Places()
        self.lanes = 1
        self.span: Span | None = None
        # Whether what is made of values is what the caller gets.
        self.leaving = False
        # Whether arguments are taken, and nothing has been done yet.
        self.taking = False
        # Where failures go: the status and the block of each handler around.
        self.handlers: list[tuple[ir.Block, ir.PhiInstr]] = []

    # Failing ------------------------------------------------------------------------

    def refuse(self, message: str, span: Span | None = None) -> NoLowering:
        """The error for something without a lowering to native code."""
        return NoLowering(
            f"{message} has no lowering to native code",
            span or self.span,
            "call the function without ad.jit: the Python backend runs it",
        )

    def leave(self, status: ir.Value) -> None:
        """Leave with a status: to the handler around, or out of the function."""
        b = self.builder
        if self.handlers:
            block, phi = self.handlers[-1]
            phi.add_incoming(status, b.block)
            b.branch(block)
        else:
            b.ret(status)

    def _unless(self, condition: ir.Value, fail: Callable[[], None]) -> None:
        if _is_true(condition):
            return
        b = self.builder
        bad, good = b.append_basic_block("fail"), b.append_basic_block("ok")
        branch = b.cbranch(condition, good, bad)
        branch.set_weights([1 << 20, 1])
        b.position_at_end(bad)
        fail()
        b.position_at_end(good)

    def _leave_unless(self, condition: ir.Value, code: int) -> None:
        if _is_true(condition):
            return
        if self.handlers:
            self._unless(condition, lambda: self.leave(I32(code)))
            return
        b = self.builder
        bad = self.exits.get(code)
        if bad is None:
            bad = self.exits[code] = b.append_basic_block("fail")
            with b.goto_block(bad):
                b.ret(I32(code))
        good = b.append_basic_block("ok")
        branch = b.cbranch(condition, good, bad)
        branch.set_weights([1 << 20, 1])
        b.position_at_end(good)

    def fail_unless(
        self,
        condition: ir.Value,
        kind: type[Exception],
        message: str,
        *numbers: ir.Value,
    ) -> None:
        """Leave the function with a failure unless a condition holds.

        The message is formatted with the numbers, of which there are five at most.
        """
        code = self.owner.failure(kind, message, self.span)
        if not numbers or self.owner.assumes:
            self._leave_unless(condition, code)
            return

        def fail() -> None:
            b = self.builder
            slots = b.bitcast(self.context, I64.as_pointer())
            for k, r in enumerate(numbers):
                b.store(r, b.gep(slots, [I64(NUMBERS + k)]))
            self.leave(I32(code))

        self._unless(condition, fail)

    def fail_in_python_unless(self, condition: ir.Value) -> None:
        """Leave the function if Python has raised, and note where."""

        def fail() -> None:
            b = self.builder
            slots = b.bitcast(self.context, I64.as_pointer())
            place = ARGUMENTS if self.taking else self.owner.site(self.span)
            site = I64(place)
            b.store(site, b.gep(slots, [I64(SITE)]))
            self.leave(I32(-1))

        self._unless(condition, fail)

    def check_status(self, status: ir.Value, code: int | None = None) -> None:
        """Leave the function if a callee has failed."""
        fine = self.builder.icmp_signed("==", status, I32(0))
        if code is None:
            self._unless(fine, lambda: self.leave(status))
        else:
            self._leave_unless(fine, code)

    def local(self, kind: ir.Type, count: int | None = None) -> ir.Value:
        """Memory on the stack of the function."""
        with self.builder.goto_entry_block():
            return self.builder.alloca(kind, count)

    # Constants ----------------------------------------------------------------------

    def constant_place(self, value: Any, how: str = "object") -> ir.Value:
        """The address of what the module holds for an object known at compile time."""
        table = declare_constants(self.module)
        place = I64(self.owner.constant(value, how))
        return self.builder.gep(table, [place])

    def constant_box(self, value: Any) -> Boxed:
        """A Python object known at compile time, boxed for ever."""
        self.owner.python = True
        return Boxed(self.builder.load(self.constant_place(value, "block")))

    def constant_array(self, value: np.ndarray[Any, Any]) -> Array:
        """An array known at compile time; its sizes are part of the program."""
        b = self.builder
        block = b.load(self.constant_place(value, "block"))
        fields = b.bitcast(block, POINTER.as_pointer())
        owner = b.load(b.gep(fields, [I64(OBJECT)]))
        words = b.bitcast(owner, POINTER.as_pointer())
        data = b.bitcast(b.load(b.gep(words, [I64(2)])), pointer_to(value.dtype))
        shape = [I64(n) for n in value.shape]
        strides = [I64(s // value.dtype.itemsize) for s in value.strides]
        return Array(value.dtype, block, data, shape, strides)

    # Values -------------------------------------------------------------------------

    def value(self, node: Node) -> Value:
        """The value of a node."""
        if isinstance(node, Constant):
            v = node.value
            if type(v).__name__ == "Undefined":
                if _is_never(node.type):
                    return Nothing()
                return self.rebuild_empty(self.template(node.type))
            if isinstance(v, np.ndarray) and v.ndim and _is_plain(v):
                return self.constant_array(v)
            return Static(v)
        if id(node) not in self.values and id(node) in self.fused:
            # Somebody wants it in memory after all.
            self.values[id(node)] = self.materialised(node)
            self.late.append(node)
        return self.values[id(node)]

    def materialised(self, node: Node) -> Value:
        """A fused value, computed on its own."""
        raise NotImplementedError

    def template(self, t: Type) -> Value:
        """A value of a type whose registers hold nothing."""
        return template(t, self.owner)

    def coerce(self, value: Value, like: Value) -> Value:
        """An owned value in the representation of another, as branches need it."""
        found, fresh = self.converted(value, like)
        if fresh:
            self.release(value)
        return found

    def adopt(self, value: Value, like: Value) -> Value:
        """A value that somebody else owns, in the representation of another, owned."""
        found, fresh = self.converted(value, like)
        if not fresh:
            self.retain(found)
        return found

    def converted(self, value: Value, like: Value) -> tuple[Value, bool]:
        """A value in the representation of another, and whether it is a new one."""
        return converted(self, value, like)

    def rebuild_empty(self, like: Value) -> Value:
        """A value of the same kind that holds nothing."""
        return empty_like(self, like)

    def number(self, value: Value, dtype: np.dtype[Any]) -> ir.Value:
        """A value as a number of a type."""
        return number(self, value, dtype)

    def true(self, value: Value) -> ir.Value:
        """Whether Python takes a value for true."""
        return truth(self, value)

    def integer(self, value: Value) -> ir.Value:
        """A value as a 64-bit integer."""
        return self.number(value, INT64)

    def convert(
        self, r: ir.Value, source: np.dtype[Any], target: np.dtype[Any]
    ) -> ir.Value:
        """A number in another type."""
        if source.kind == "c" and target.kind not in "bc":
            raise self.refuse("a complex number as a real one")
        return convert_number(self.builder, r, source, target, 1)

    # Memory -------------------------------------------------------------------------

    def allocate(self, dtype: np.dtype[Any], shape: list[ir.Value]) -> Array:
        """A new contiguous array, its contents undefined."""
        return self.allocate_all([dtype], shape)[0]

    def outputs(
        self, nodes: list[Any], dtypes: list[np.dtype[Any]], shape: list[ir.Value]
    ) -> list[Array]:
        """Arrays of one shape for the values of some nodes, in their places."""
        return self.places.arrays(self, nodes, dtypes, shape)

    def output(self, node: Any, dtype: np.dtype[Any], shape: list[ir.Value]) -> Array:
        """An array for the value of a node, in its place if it has one."""
        return self.outputs([node], [dtype], shape)[0]

    def allocate_all(
        self, dtypes: list[np.dtype[Any]], shape: list[ir.Value]
    ) -> list[Array]:
        """New contiguous arrays of one shape, their contents undefined."""
        b = self.builder
        strides = self.row_major(shape)
        count = b.mul(shape[0], strides[0]) if shape else I64(1)
        count, total = self._sane_count(count, shape)
        sizes: dict[int, ir.Value] = {}
        made = []
        there: ir.Value | None = None
        for dtype in dtypes:
            if dtype.itemsize not in sizes:
                sizes[dtype.itemsize] = b.mul(count, I64(dtype.itemsize))
            block = self._new_block(sizes[dtype.itemsize])
            some = b.icmp_unsigned("!=", block, ir.Constant(POINTER, None))
            there = some if there is None else b.and_(there, some)
            data = b.bitcast(b.gep(block, [I64(HEADER)]), pointer_to(dtype))
            made.append(Array(dtype, block, data, list(shape), list(strides), True))
        if there is not None:
            with b.if_then(b.not_(there), likely=False):
                # NumPy does not even ask for what has no address.
                most = float(2**63 // max(d.itemsize for d in dtypes))
                inside = b.fcmp_ordered("<", total, ir.Constant(total.type, most))
                self.fail_unless(inside, ValueError, "array is too big")
                self.fail_unless(I1(0), MemoryError, "not enough memory for an array")
        return made

    def _sane_count(
        self, count: ir.Value, shape: list[ir.Value]
    ) -> tuple[ir.Value, ir.Value]:
        """The number of elements, or one that no memory can hold if it overflowed.

        Then the number as it would be without an overflow.
        """
        b, double = self.builder, ir.DoubleType()
        product: ir.Value = ir.Constant(double, 1.0)
        known = 1.0
        for n in shape:
            if isinstance(n, ir.Constant):
                known *= float(n.constant)
            else:
                product = b.fmul(product, b.sitofp(n, double))
        product = b.fmul(product, ir.Constant(double, known))
        if all(isinstance(n, ir.Constant) for n in shape):
            return (count if known < 1 << 50 else I64(1 << 56)), product
        sane = b.fcmp_ordered("<", product, ir.Constant(double, float(1 << 50)))
        return b.select(sane, count, I64(1 << 56)), product

    def _new_block(self, size: ir.Value) -> ir.Value:
        make = self.owner.runtime(ALLOCATE, POINTER, POINTER, I64)
        return self.builder.call(make, [self.context, size])

    def allocate_bytes(self, size: ir.Value) -> ir.Value:
        """A new block."""
        block = self._new_block(size)
        none = self.builder.icmp_unsigned("!=", block, ir.Constant(POINTER, None))
        self.fail_unless(none, MemoryError, "not enough memory for an array")
        return block

    def row_major(self, shape: list[ir.Value]) -> list[ir.Value]:
        """The strides of a contiguous array."""
        strides: list[ir.Value] = []
        step: ir.Value = I64(1)
        for n in reversed(shape):
            strides.insert(0, step)
            step = self.builder.mul(step, n) if len(strides) < len(shape) else step
        return strides

    def retain(self, value: Value) -> None:
        """One more owner of what a value holds."""
        b = self.builder
        for block in value.blocks():
            if _is_null(block):
                continue
            count, _ = self.count_of(block)
            b.store(b.add(b.load(count), I64(1)), count)

    def count_of(self, block: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Where the owners of a block are counted, and whether there is one.

        A block begins with its count; what has none is counted nowhere.
        """
        b = self.builder
        there = b.icmp_unsigned("!=", block, ir.Constant(POINTER, None))
        own = b.bitcast(block, I64.as_pointer())
        return b.select(there, own, self.owner.nowhere), there

    def release(self, value: Value) -> None:
        """One owner less of what a value holds."""
        if isinstance(value, Pack):
            for item in value.items:
                self.release(item)
            return
        if isinstance(value, Series):
            self._release_series(value)
            return
        if isinstance(value, Growing | Mapping):
            from .containers import release_container

            release_container(self, value)
            return
        if type(value).__name__ == "Reference":
            from .recursive_records import Reference, release_record

            assert isinstance(value, Reference)
            release_record(self, value)
            return
        b = self.builder
        for block in value.blocks():
            if _is_null(block):
                continue
            count, there = self.count_of(block)
            left = b.sub(b.load(count), I64(1))
            b.store(left, count)
            last = b.and_(there, b.icmp_signed("==", left, I64(0)))
            with b.if_then(last):
                function = self.owner.runtime(GIVE_BACK, ir.VoidType(), *[POINTER] * 2)
                b.call(function, [self.context, block])

    def _release_series(self, value: Series) -> None:
        b = self.builder
        if value.item.blocks():
            exists = b.icmp_unsigned("!=", value.block, ir.Constant(POINTER, None))
            with b.if_then(exists):
                count = b.load(b.bitcast(value.block, I64.as_pointer()))
                with b.if_then(b.icmp_signed("==", count, I64(1))):
                    from .control_flow import for_range

                    with for_range(b, 0, value.length) as k:
                        self.release(self.series_item(value, k))
        function = self.owner.runtime(RELEASE, ir.VoidType(), POINTER, POINTER)
        b.call(function, [self.context, value.block])

    # Series -------------------------------------------------------------------------

    def item_struct(self, item: Value) -> ir.Type:
        """How an item of a series lies in memory."""
        kinds = [r.type if r.type != I1 else I64 for r in item.flatten()]
        return ir.LiteralStructType(kinds)

    def series_pointer(self, series: Series, k: ir.Value) -> ir.Value:
        """The address of an item."""
        b = self.builder
        kind = self.item_struct(series.item)
        base = b.bitcast(b.gep(series.block, [I64(HEADER)]), kind.as_pointer())
        return b.gep(base, [k])

    def series_item(self, series: Series, k: ir.Value) -> Value:
        """An item, read from memory; the series still owns it."""
        b = self.builder
        place = self.series_pointer(series, k)
        registers = []
        for j, r in enumerate(series.item.flatten()):
            loaded = b.load(b.gep(place, [I32(0), I32(j)]))
            registers.append(b.trunc(loaded, I1) if r.type == I1 else loaded)
        return series.item.rebuild(registers)

    def store_item(self, series: Series, k: ir.Value, value: Value) -> None:
        """Put an item, with its ownership, into memory."""
        b = self.builder
        place = self.series_pointer(series, k)
        for j, r in enumerate(value.flatten()):
            r = b.zext(r, I64) if r.type == I1 else r
            b.store(r, b.gep(place, [I32(0), I32(j)]))

    def series_bytes(self, item: Value, count: ir.Value) -> ir.Value:
        """The size of the memory of a series; no memory has it if that overflows."""
        b, size = self.builder, 8 * max(1, count_words(item.flatten()))
        sane = b.icmp_unsigned("<", count, I64((1 << 56) // size))
        return b.select(sane, b.mul(count, I64(size)), I64(1 << 60))

    # Results ------------------------------------------------------------------------

    def write_results(self, value: Value, out: ir.Value) -> None:
        """Put the registers of a value where the caller reads them."""
        b = self.builder
        slots = b.bitcast(out, I64.as_pointer())
        store_words(b, slots, value.flatten())

    def read_results(self, template: Value, out: ir.Value) -> Value:
        """The value that a callee has put into memory."""
        b = self.builder
        slots = b.bitcast(out, I64.as_pointer())
        return template.rebuild(load_words(b, slots, template.flatten()))

    # Elements -----------------------------------------------------------------------

    def address(self, array: Array, index: list[ir.Value]) -> ir.Value:
        """The address of an element."""
        b = self.builder
        at: ir.Value = I64(0)
        for i, s in zip(index, array.strides):
            at = b.add(at, b.mul(i, s))
        return b.gep(array.data, [at])

    def load(self, array: Array, index: list[ir.Value]) -> ir.Value:
        """An element."""
        r = self.builder.load(self.address(array, index))
        return self.builder.trunc(r, I1) if array.dtype.kind == "b" else r

    def store(self, array: Array, index: list[ir.Value], r: ir.Value) -> None:
        """Write an element."""
        if array.dtype.kind == "b":
            r = self.builder.zext(r, stored_type(array.dtype))
        self.builder.store(r, self.address(array, index))

    @contextmanager
    def nested_loops(self, shape: list[ir.Value]) -> Iterator[list[ir.Value]]:
        """The indices of nested loops over all elements of a shape."""
        from contextlib import ExitStack

        from .control_flow import for_range

        with ExitStack() as stack:
            yield [stack.enter_context(for_range(self.builder, 0, n)) for n in shape]


def _is_true(condition: ir.Value) -> bool:
    return isinstance(condition, ir.Constant) and bool(condition.constant)


def _is_null(block: ir.Value) -> bool:
    return isinstance(block, ir.Constant) and block.constant is None


def _is_plain(array: np.ndarray[Any, Any]) -> bool:
    return stored_type(array.dtype) is not None and array.flags.aligned


def _is_never(t: Type) -> bool:
    return type(deref(t)).__name__ == "NeverType"
