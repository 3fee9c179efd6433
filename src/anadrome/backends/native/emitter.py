"""The state of compiling one function, and what every lowering needs.

Arrays are counted: each value that a region defines holds one reference to its block,
which is given up after the last statement that reads the value, or handed on if the
region yields it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.errors import AnadromeError, Span
from anadrome.ir.graph import Constant, Graph, Node
from anadrome.ir.types import (
    NoneType_,
    Num,
    Object,
    Stack,
    Tuple,
    Type,
    deref,
    parts,
)

from .expression import declare
from .kernels import Kernels
from .memory import ALLOCATE, HEADER, RELEASE, RETAIN
from .target import Target
from .values import (
    I1,
    I32,
    I64,
    POINTER,
    Array,
    Boxed,
    Nothing,
    Pack,
    Scalar,
    Series,
    Static,
    Value,
    element_type,
    scalar_type,
)

INT64 = np.dtype(np.int64)
BOOL = np.dtype(bool)


class NoNativeForm(AnadromeError):
    """Something that the native backend cannot compile; the Python backend runs it."""


@dataclass(frozen=True)
class Failure:
    """What a status code of compiled code stands for."""

    kind: type[Exception]
    message: str
    span: Span | None


class ModuleEmitter:
    """A module that is being written: its functions and its failures."""

    def __init__(self, target: Target) -> None:
        self.module = ir.Module("anadrome.program")
        self.target = target
        self.failures: list[Failure] = []
        self.functions: dict[int, ir.Function] = {}
        self.results: dict[int, Value] = {}
        self.pending: list[Callable[[], None]] = []
        self.graphs: list[Graph] = []
        self.math = False
        self.callbacks: list[Any] = []
        self.gemms: set[str] = set()
        self.kernels = Kernels()
        # Whether another form of the program is run if this one fails.
        self.assumes = False
        # Whether threads are lent memory, see `lending`.
        self.lends = False

    def failure(self, kind: type[Exception], message: str, span: Span | None) -> int:
        """The status code of a failure."""
        found = Failure(kind, message, span)
        if found not in self.failures:
            self.failures.append(found)
        return self.failures.index(found) + 1

    def runtime(self, name: str, result: ir.Type, *arguments: ir.Type) -> ir.Function:
        """A function of another library."""
        return declare(self.module, name, ir.FunctionType(result, list(arguments)))


class Emitter:
    """A function that is being written."""

    def __init__(
        self, owner: ModuleEmitter, function: ir.Function, context: ir.Value
    ) -> None:
        self.owner, self.function, self.context = owner, function, context
        self.module = owner.module
        self.entry = function.append_basic_block("entry")
        self.builder = ir.IRBuilder(self.entry)
        self.values: dict[int, Value] = {}
        self.fused: set[int] = set()
        # Where values are wanted: the stack and the turn that keep them.
        self.destinations: dict[int, tuple[Any, ir.Value]] = {}
        # The blocks that leave the function with a failure, by its code.
        self.exits: dict[int, ir.Block] = {}
        # Matrices that a loop around has packed, see `packing`.
        self.packed: dict[int, Any] = {}
        # Words through which the function talks to kernels, once there are any.
        self.scratch: ir.Value | None = None
        self.lanes = 1
        self.span: Span | None = None

    # Failing ------------------------------------------------------------------------

    def refuse(self, message: str, span: Span | None = None) -> NoNativeForm:
        """The error for something without a native form."""
        return NoNativeForm(
            f"{message} has no native form",
            span or self.span,
            "call the function without ad.jit: the Python backend runs it",
        )

    def fail_unless(
        self, condition: ir.Value, kind: type[Exception], message: str
    ) -> None:
        """Leave the function with a failure unless a condition holds."""
        self._leave_unless(condition, self.owner.failure(kind, message, self.span))

    def _leave_unless(self, condition: ir.Value, code: int) -> None:
        b = self.builder
        if self.owner.assumes:
            # The program is run again in another form, which tells what is wrong.
            code = self.owner.failure(RuntimeError, "an assumption failed", None)
        bad = self.exits.get(code)
        if bad is None:
            bad = self.exits[code] = b.append_basic_block("fail")
            with b.goto_block(bad):
                b.ret(I32(code))
        good = b.append_basic_block("ok")
        branch = b.cbranch(condition, good, bad)
        branch.set_weights([1 << 20, 1])
        b.position_at_end(good)

    def check_status(self, status: ir.Value, code: int | None = None) -> None:
        """Leave the function if a callee has failed."""
        b = self.builder
        fine = b.icmp_signed("==", status, I32(0))
        if code is not None:
            self._leave_unless(fine, code)
            return
        bad, good = b.append_basic_block("fail"), b.append_basic_block("ok")
        branch = b.cbranch(fine, good, bad)
        branch.set_weights([1 << 20, 1])
        b.position_at_end(bad)
        b.ret(status)
        b.position_at_end(good)

    # Values -------------------------------------------------------------------------

    def value(self, node: Node) -> Value:
        """The value of a node."""
        if isinstance(node, Constant):
            v = node.value
            if type(v).__name__ == "Undefined":
                return (
                    self.template(node.type) if not _is_never(node.type) else Nothing()
                )
            return Static(v)
        if id(node) not in self.values and id(node) in self.fused:
            # Somebody wants it in memory after all.
            self.values[id(node)] = self.materialised(node)
        return self.values[id(node)]

    def materialised(self, node: Node) -> Value:
        """A fused value, computed on its own."""
        raise NotImplementedError

    def template(self, t: Type) -> Value:
        """A value of a type whose registers hold nothing."""
        t = deref(t)
        undefined = ir.Undefined
        if isinstance(t, Num):
            if t.dtype is None or t.ndim is None or element_type(t.dtype) is None:
                return Boxed(I64(0))
            if t.ndim == 0:
                return Scalar(
                    t.dtype, ir.Constant(scalar_type(t.dtype), undefined), t.python
                )
            null = ir.Constant(POINTER, None)
            pointer = ir.Constant(_pointer(t.dtype), None)
            sizes = [I64(0)] * t.ndim
            return Array(t.dtype, null, pointer, list(sizes), list(sizes))
        if isinstance(t, Tuple):
            return Pack([self.template(i) for i in t.items], cls=t.cls)
        if isinstance(t, Object) and not t.stored and not is_recursive(t):
            assert t.fields is not None
            items = [self.template(f) for f in t.fields.values()]
            return Pack(items, tuple(t.fields), t.cls)
        if isinstance(t, NoneType_):
            return Nothing()
        if isinstance(t, Stack):
            item = self.template(t.item)
            return Series(item, ir.Constant(POINTER, None), I64(0))
        return Boxed(I64(0))

    def coerce(self, value: Value, like: Value) -> Value:
        """A value in the representation of another, as branches and loops need it."""
        if isinstance(like, Boxed):
            from .callbacks import box

            return box(self, value)
        if isinstance(value, Boxed) and not isinstance(like, Nothing | Static):
            from .callbacks import unbox

            return unbox(self, value, like)
        if isinstance(like, Scalar):
            return Scalar(like.dtype, self.number(value, like.dtype), like.weak)
        if isinstance(like, Array):
            if isinstance(value, Array):
                if value.dtype != like.dtype or value.ndim != like.ndim:
                    raise self.refuse("an array of another type on another path")
                return value
            if isinstance(value, Nothing) or (
                isinstance(value, Static) and value.value is None
            ):
                return self.rebuild_empty(like)
            # A number where an array is expected: the zero of a cotangent.
            raise self.refuse(
                "a value that is a number on one path and an array on another"
            )
        if isinstance(like, Pack):
            if isinstance(value, Pack):
                items = [self.coerce(v, k) for v, k in zip(value.items, like.items)]
                return Pack(items, like.names, like.cls)
            if isinstance(value, Static) and isinstance(value.value, tuple):
                items = [
                    self.coerce(Static(v), k) for v, k in zip(value.value, like.items)
                ]
                return Pack(items, like.names, like.cls)
            return self.rebuild_empty(like)
        if isinstance(like, Series) and not isinstance(value, Series):
            return self.rebuild_empty(like)
        return value

    def rebuild_empty(self, like: Value) -> Value:
        """A value of the same kind that holds nothing."""
        empty: list[ir.Value] = []
        for r in like.flatten():
            pointer = isinstance(r.type, ir.PointerType)
            empty.append(ir.Constant(r.type, None if pointer else ir.Undefined))
        return like.rebuild(empty)

    def number(self, value: Value, dtype: np.dtype[Any]) -> ir.Value:
        """A value as a number of a type."""
        if isinstance(value, Static):
            v = value.value
            if v is None:
                v = 0
            if isinstance(v, np.generic):
                v = v.item()
            if not isinstance(v, bool | int | float):
                raise self.refuse(f"{v!r} as a number")
            kind = scalar_type(dtype)
            return ir.Constant(kind, float(v) if dtype.kind == "f" else int(v))
        if isinstance(value, Nothing):
            return ir.Constant(scalar_type(dtype), ir.Undefined)
        if isinstance(value, Boxed):
            from .callbacks import unbox

            form = Scalar(dtype, ir.Constant(scalar_type(dtype), 0), True)
            return unbox(self, value, form).flatten()[0]
        if isinstance(value, Array) and value.ndim == 0:
            value = Scalar(value.dtype, self.load(value, []))
        if not isinstance(value, Scalar):
            raise self.refuse("an array as a number")
        return self.convert(value.register, value.dtype, dtype)

    def integer(self, value: Value) -> ir.Value:
        """A value as a 64-bit integer."""
        return self.number(value, INT64)

    def convert(
        self, r: ir.Value, source: np.dtype[Any], target: np.dtype[Any]
    ) -> ir.Value:
        """A number in another type."""
        if source == target:
            return r
        b, kind = self.builder, scalar_type(target)
        if target.kind == "b":
            if source.kind == "f":
                return b.fcmp_unordered("!=", r, ir.Constant(r.type, 0.0))
            return b.icmp_signed("!=", r, ir.Constant(r.type, 0))
        if source.kind == "b":
            return b.uitofp(r, kind) if target.kind == "f" else b.zext(r, kind)
        if source.kind == "f" and target.kind == "f":
            wider = target.itemsize > source.itemsize
            return b.fpext(r, kind) if wider else b.fptrunc(r, kind)
        if source.kind == "f":
            return b.fptosi(r, kind)
        if target.kind == "f":
            return b.sitofp(r, kind)
        wider = target.itemsize > source.itemsize
        return b.sext(r, kind) if wider else b.trunc(r, kind)

    # Memory -------------------------------------------------------------------------

    def allocate(self, dtype: np.dtype[Any], shape: list[ir.Value]) -> Array:
        """A new contiguous array, its contents undefined."""
        return self.allocate_all([dtype], shape)[0]

    def allocate_all(
        self, dtypes: list[np.dtype[Any]], shape: list[ir.Value]
    ) -> list[Array]:
        """New contiguous arrays of one shape, their contents undefined."""
        b = self.builder
        strides = self.row_major(shape)
        count = b.mul(shape[0], strides[0]) if shape else I64(1)
        sizes: dict[int, ir.Value] = {}
        made = []
        there: ir.Value | None = None
        for dtype in dtypes:
            if dtype.itemsize not in sizes:
                sizes[dtype.itemsize] = b.mul(count, I64(dtype.itemsize))
            block = self._new_block(sizes[dtype.itemsize])
            some = b.icmp_unsigned("!=", block, ir.Constant(POINTER, None))
            there = some if there is None else b.and_(there, some)
            data = b.bitcast(b.gep(block, [I64(HEADER)]), _pointer(dtype))
            made.append(Array(dtype, block, data, list(shape), list(strides), True))
        if there is not None:
            self.fail_unless(there, MemoryError, "not enough memory for an array")
        return made

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
        function = self.owner.runtime(RETAIN, ir.VoidType(), POINTER)
        for block in value.blocks():
            self.builder.call(function, [block])

    def release(self, value: Value) -> None:
        """One owner less of what a value holds."""
        if isinstance(value, Pack):
            for item in value.items:
                self.release(item)
            return
        if isinstance(value, Series):
            self._release_series(value)
            return
        function = self.owner.runtime(RELEASE, ir.VoidType(), POINTER, POINTER)
        for block in value.blocks():
            self.builder.call(function, [self.context, block])

    def _release_series(self, value: Series) -> None:
        b = self.builder
        if value.item.blocks():
            exists = b.icmp_unsigned("!=", value.block, ir.Constant(POINTER, None))
            with b.if_then(exists):
                count = b.load(b.bitcast(value.block, I64.as_pointer()))
                with b.if_then(b.icmp_signed("==", count, I64(1))):
                    from .control import for_range

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
        """The size of the memory of a series."""
        size = 8 * max(1, len(item.flatten()))
        return self.builder.mul(count, I64(size))

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
            r = self.builder.zext(r, element_type(array.dtype))
        self.builder.store(r, self.address(array, index))

    @contextmanager
    def nested_loops(self, shape: list[ir.Value]) -> Iterator[list[ir.Value]]:
        """The indices of nested loops over all elements of a shape."""
        from contextlib import ExitStack

        from .control import for_range

        with ExitStack() as stack:
            yield [stack.enter_context(for_range(self.builder, 0, n)) for n in shape]


def is_recursive(t: Object) -> bool:
    """Whether an object can contain one of its own kind."""
    pending, seen = list((t.fields or {}).values()), set()
    while pending:
        inner = deref(pending.pop())
        if inner is t.find():
            return True
        if id(inner) not in seen:
            seen.add(id(inner))
            pending += parts(inner)
    return False


def _pointer(dtype: np.dtype[Any]) -> ir.Type:
    kind = element_type(dtype)
    assert kind is not None
    return kind.as_pointer()


def _is_never(t: Type) -> bool:
    return type(deref(t)).__name__ == "NeverType"
