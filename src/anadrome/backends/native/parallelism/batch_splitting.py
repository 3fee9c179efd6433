"""Loops whose rows are divided among threads that never wait for each other.

The loop becomes a function of its own, `rows(record, number)`, that runs it for some
rows. The first iteration is run for all rows at once: it shows the shapes of the
residuals, for which memory is then set aside. The other iterations are run by every
thread for its rows. The record holds the registers of what the loop reads, and the
places of what it leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir

from anadrome.ir.graph import Apply, Constant, Graph, Node, Parameter
from anadrome.ir.types import deref
from anadrome.primitives.registry import Primitive

from ..emission.control_flow import divide_up, for_range, minimum
from ..emission.function import Emitter
from ..emission.marshalling import count_words, load_words, store_words
from ..emission.native_containers import Growing, Mapping
from ..emission.residuals import ArrayStack, StackBuilder, Window, rows_of
from ..emission.values import (
    BOOL,
    I1,
    I32,
    I64,
    INT64,
    POINTER,
    Array,
    Boxed,
    Pack,
    Scalar,
    Series,
    Value,
    is_narrow,
)
from ..fusion.expressions import Leaf
from ..gemm.packed_weights import Packed, packed_weights
from ..lowering.elementwise import fill
from ..runtime.interrupts import Watched, this_thread
from ..runtime.memory import RECYCLE
from ..runtime.memory_lending import COLLECT, CONTEXT_WORDS, LEND
from ..runtime.threads import BODY, declare_parallel_for, declare_thread_count
from .batch_axis import RowPlan, plan_rows

if TYPE_CHECKING:
    from ..emission.loops import LoopEmitter

# Multiplications for which threads are woken.
_WORTH = 1 << 21
_THREADS = 64

# The words at the start of a record.
_STATUS, _EACH, _TOTAL, _FIRST, _LAST, _COUNT, _OWN, _LENT, _CALLER = range(9)
_HEAD = 9


def run_by_rows(
    e: LoopEmitter, loop: Apply, count: ir.Value, start: ir.Value, step: ir.Value
) -> bool:
    """Whether a loop was written so that threads divide its rows."""
    plan = plan_rows(loop, e.joined)
    if plan is None:
        return False
    return _Splitting(e, loop, plan, count, start, step).run()


class _Splitting:
    """One loop that is being written by rows."""

    def __init__(
        self,
        e: LoopEmitter,
        loop: Apply,
        plan: RowPlan,
        count: ir.Value,
        start: ir.Value,
        step: ir.Value,
    ) -> None:
        self.e, self.loop, self.plan, self.count = e, loop, plan, count
        self.body = loop.regions[0]
        shape = loop.shape
        self.stacks = list(loop.args[3 : 3 + shape.stacks])
        self.inits = list(loop.args[3 + shape.stacks :])
        self.free = _free_nodes(loop)
        self.range = [Scalar(INT64, start, True), Scalar(INT64, step, True)]

    def run(self) -> bool:
        e = self.e
        values = [e.value(n) for n in (*self.stacks, *self.inits, *self.free)]
        if not all(_is_plain(v) for v in values):
            return False
        for init, out in zip(self._inits(values), self.loop.outputs):
            # What has another dtype before the loop is converted for it.
            template = e.template(out.type)
            if not isinstance(init, Array) or not isinstance(template, Array):
                return False
            if (init.dtype, init.ndim) != (template.dtype, template.ndim):
                return False
            if is_narrow(init.dtype):
                return False  # kernels do not copy such numbers
        if not all(isinstance(v, ArrayStack) for v in values[: len(self.stacks)]):
            return False
        with packed_weights(e, self.loop, self.count):
            return self._run(values)

    def _inits(self, values: list[Value]) -> list[Value]:
        first = len(self.stacks)
        return values[first : first + len(self.inits)]

    def _run(self, values: list[Value]) -> bool:
        e, b = self.e, self.e.builder
        packed = [n for n in self.free if id(n) in e.packed]
        panels = [e.packed[id(n)].panels for n in packed]
        inits = [v for v in self._inits(values) if isinstance(v, Array)]
        stacks = values[: len(self.stacks)]
        free = values[len(self.stacks) + len(self.inits) :]
        shared = [*stacks, *self.range, *free]
        registers = [r for v in shared for r in v.flatten()] + panels
        kept = self.loop.shape.kept
        kinds = self.body.results[self.loop.shape.carried :]
        sizes = [1 + (getattr(deref(n.type), "ndim", None) or 0) for n in kinds[:kept]]
        layout = _Layout(count_words(registers), [_words(v) for v in inits], sizes)
        function = self._write(layout, shared, packed, panels, inits)
        if function is None:
            return False
        with b.goto_entry_block():
            record = b.alloca(I64, layout.size)
            lent = b.alloca(I64, CONTEXT_WORDS * _THREADS)
        # What has another number of rows would be cut where it has none.
        fits = self._fits(values, inits[0].shape[0])
        e.fail_unless(fits, ValueError, "rows that were taken to be as many differ")
        self._fill(record, layout, registers, inits, lent)
        outs = [e.allocate(v.dtype, v.shape) for v in inits]
        for place, out in zip(layout.outs, outs):
            store_words(b, record, out.flatten(), place)
        self._first_iteration(record, function)
        for place, out in zip(layout.inits, outs):
            store_words(b, record, out.flatten(), place)
        self._other_iterations(record, function, lent, inits)
        self._leave(record, layout, outs)
        return True

    def _fill(
        self,
        record: ir.Value,
        layout: _Layout,
        registers: list[ir.Value],
        inits: list[Array],
        lent: ir.Value,
    ) -> None:
        b = self.e.builder
        total = inits[0].shape[0]
        last = minimum(b, self.count, 1)
        head = [I64(0), total, total, I64(0), last, self.count]
        head += [b.ptrtoint(self.e.context, I64), b.ptrtoint(lent, I64)]
        head.append(b.call(this_thread(self.e.owner), []))
        for k, word in enumerate(head):
            b.store(word, b.gep(record, [I64(k)]))
        store_words(b, record, registers, layout.registers)
        for place, init in zip(layout.inits, inits):
            store_words(b, record, init.flatten(), place)
        for place, size in zip(layout.kept, layout.sizes):
            for k in range(size):
                b.store(I64(0), b.gep(record, [I64(place + k)]))

    def _first_iteration(self, record: ir.Value, function: ir.Function) -> None:
        b = self.e.builder
        pointer = b.bitcast(record, POINTER)
        self.e.check_status(b.call(function, [pointer, I64(0)]))

    def _other_iterations(
        self,
        record: ir.Value,
        function: ir.Function,
        lent: ir.Value,
        inits: list[Array],
    ) -> None:
        e, b = self.e, self.e.builder
        total = inits[0].shape[0]
        threads = b.call(declare_thread_count(e.module), [])
        threads = minimum(b, minimum(b, threads, _THREADS), total)
        chunks = b.select(self._is_worth(inits, total), threads, I64(1))
        chunks = b.select(b.icmp_signed("<", chunks, I64(1)), I64(1), chunks)
        each = divide_up(b, total, chunks)
        safe = b.select(b.icmp_signed("<", each, I64(1)), I64(1), each)
        chunks = divide_up(b, total, safe)
        chunks = b.select(b.icmp_signed("<", chunks, I64(1)), I64(1), chunks)
        for k, word in ((_EACH, each), (_FIRST, I64(1)), (_LAST, self.count)):
            b.store(word, b.gep(record, [I64(k)]))
        others = b.sub(chunks, I64(1))
        contexts = b.bitcast(lent, POINTER)
        arguments = [e.context, contexts, others]
        void = ir.VoidType()
        lend = e.owner.runtime(LEND, void, POINTER, POINTER, I64)
        collect = e.owner.runtime(COLLECT, void, POINTER, POINTER, I64)
        b.call(lend, arguments)
        wrapper = _wrapper(e, function)
        b.call(
            declare_parallel_for(e.module),
            [wrapper, b.bitcast(record, POINTER), chunks],
        )
        status = b.trunc(b.load(b.gep(record, [I64(_STATUS)])), I32)
        with b.if_then(b.icmp_signed("!=", status, I32(0)), likely=False):
            self._recycle(contexts, others)
        b.call(collect, arguments)
        e.owner.lends = True
        e.check_status(status)

    def _recycle(self, contexts: ir.Value, count: ir.Value) -> None:
        """Give up what threads held when one of them failed."""
        e, b = self.e, self.e.builder
        recycle = e.owner.runtime(RECYCLE, ir.VoidType(), POINTER)
        with for_range(b, 0, count) as k:
            at = b.mul(k, I64(8 * CONTEXT_WORDS))
            b.call(recycle, [b.gep(contexts, [at])])

    def _fits(self, values: list[Value], total: ir.Value) -> ir.Value:
        """Whether everything that is to be cut has as many rows as there are."""
        b, good = self.e.builder, I1(1)
        # Numbers of rows, and whether one row may stand for all.
        found: list[tuple[ir.Value, bool]] = []
        for stack, axis in zip(values, self.plan.items):
            assert isinstance(stack, ArrayStack)
            found.append((stack.whole.shape[axis + 1], False))
        for node, axis in self.plan.outside.values():
            value = self.e.value(node)
            assert isinstance(value, Array)
            found.append((value.shape[axis], id(node) not in self.plan.divided))
        inits = [v for v in self._inits(values) if isinstance(v, Array)]
        found += [(v.shape[0], False) for v in inits]
        for rows, spread in found:
            if rows is total:
                continue
            fits = b.icmp_signed("==", rows, total)
            if spread:
                fits = b.or_(fits, b.icmp_signed("==", rows, I64(1)))
            good = b.and_(good, fits)
        return good

    def _is_worth(self, inits: list[Array], total: ir.Value) -> ir.Value:
        """Whether there is enough to do for several threads."""
        e, b = self.e, self.e.builder
        work: ir.Value = I64(0)
        for node in self.free:
            packed = e.packed.get(id(node))
            if packed is not None:
                rows, columns = packed.source.shape
                work = b.add(work, b.mul(rows, columns))
                # What is not packed may be summed in another order for fewer rows.
                null = ir.Constant(packed.panels.type, None)
                exists = b.icmp_unsigned("!=", packed.panels, null)
                work = b.select(exists, work, I64(-(1 << 40)))
        for init in inits:
            size: ir.Value = I64(32)
            for n in init.shape[1:]:
                size = b.mul(size, n)
            work = b.add(work, size)
        work = b.mul(b.mul(work, total), self.count)
        return b.icmp_signed(">=", work, I64(_WORTH))

    def _leave(self, record: ir.Value, layout: _Layout, outs: list[Array]) -> None:
        e, loop = self.e, self.loop
        b = e.builder
        n = loop.shape.carried
        for out, value in zip(loop.outputs, outs):
            e.values[id(out)] = Array(
                value.dtype, value.block, value.data, value.shape, value.strides
            )
        for k, place in enumerate(layout.kept):
            template = e.template(self.body.results[n + k].type)
            assert isinstance(template, Array)
            builder = StackBuilder(
                e, template, self.count, _slots(b, record, place, template)
            )
            whole = builder.whole(self.count)
            e.values[id(loop.outputs[n + k])] = ArrayStack(whole)
        if loop.shape.counts:
            e.values[id(loop.outputs[-1])] = Scalar(INT64, self.count, True)

    # The function -------------------------------------------------------------------

    def _write(
        self,
        layout: _Layout,
        shared: list[Value],
        packed: list[Node],
        panels: list[ir.Value],
        inits: list[Array],
    ) -> ir.Function | None:
        """`rows(record, number) -> status`, or None if it would call Python."""
        from ..emission.codegen import RegionEmitter

        e, owner = self.e, self.e.owner
        called = owner.python
        owner.python = False
        name = e.module.get_unique_name("rows")
        function = ir.Function(e.module, ir.FunctionType(I32, [POINTER, I64]), name)
        function.linkage = "internal"
        inner = RegionEmitter(owner, function, ir.Constant(POINTER, None))
        inner.span = e.span
        b = inner.builder
        record = b.bitcast(function.args[0], I64.as_pointer())
        number = function.args[1]
        head = [b.load(b.gep(record, [I64(k)])) for k in range(_HEAD)]
        inner.watched = Watched(
            b.gep(record, [I64(_STATUS)]),
            b.icmp_signed("==", b.call(this_thread(owner), []), head[_CALLER]),
        )
        first = b.mul(number, head[_EACH])
        rows = minimum(b, b.sub(head[_TOTAL], first), head[_EACH])
        inner.context = self._context(b, number, head[_OWN], head[_LENT])
        originals = [r for v in shared for r in v.flatten()] + panels
        registers = load_words(b, record, originals, layout.registers)
        values = [_borrowed(_with_known_sizes(v, registers)) for v in shared]
        windows = _Windows(inner, first, rows)
        for node, value in zip(self.free, values[len(self.stacks) + 2 :]):
            if id(node) in self.plan.outside:
                assert isinstance(value, Array)
                axis = self.plan.outside[id(node)][1]
                if id(node) in self.plan.divided:
                    value = windows.of(value, axis)
                else:
                    value = windows.spread(value, axis)
            inner.values[id(node)] = value
        for node, pointer in zip(packed, registers):
            source = inner.values[id(node)]
            assert isinstance(source, Array)
            inner.packed[id(node)] = Packed(pointer, source)
        for comparison, other in self.plan.compared:
            # Where rows are divided, what counts is how many there are in all.
            size = inner.integer(inner.value(other))
            same = b.icmp_signed("==", size, head[_TOTAL])
            known = Scalar(BOOL, same, True)
            inner.given[id(comparison)] = inner.values[id(comparison)] = known
        self._write_loop(inner, layout, record, head, values, inits, windows)
        calls, owner.python = owner.python, called
        if calls:
            del e.module.globals[name]
            return None
        return function

    def _context(
        self, b: ir.IRBuilder, number: ir.Value, own: ir.Value, lent: ir.Value
    ) -> ir.Value:
        at = b.mul(b.sub(number, I64(1)), I64(8 * CONTEXT_WORDS))
        is_own = b.icmp_signed("==", number, I64(0))
        return b.inttoptr(b.select(is_own, own, b.add(lent, at)), POINTER)

    def _write_loop(
        self,
        inner: LoopEmitter,
        layout: _Layout,
        record: ir.Value,
        head: list[ir.Value],
        values: list[Value],
        inits: list[Array],
        windows: _Windows,
    ) -> None:
        loop, body = self.loop, self.body
        b = inner.builder
        shape = loop.shape
        stacks: list[ArrayStack] = []
        for value, axis in zip(values, self.plan.items):
            assert isinstance(value, ArrayStack)
            whole = windows.of(value.whole, axis + 1)
            stacks.append(ArrayStack(whole, axis == 0))
        start, step = (inner.integer(v) for v in values[len(self.stacks) :][:2])
        begins: list[Node] = []
        for place, like, node in zip(layout.inits, inits, self.inits):
            begin = Parameter(body, node.type)
            value = windows.of(_borrowed(_read(b, record, place, like)), 0)
            inner.values[id(begin)] = value
            begins.append(begin)
        residuals: list[Series | StackBuilder] = []
        for place, axis, r in zip(
            layout.kept, self.plan.kept, body.results[shape.carried :]
        ):
            template = inner.template(r.type)
            assert isinstance(template, Array)
            slots = _slots(b, record, place, template)
            window = Window(axis, windows.first, windows.rows)
            residuals.append(StackBuilder(inner, template, head[_COUNT], slots, window))
        first, last, count = head[_FIRST], head[_LAST], head[_COUNT]
        iterations = b.sub(last, first)

        def iteration(k: ir.Value) -> ir.Value:
            ordinal = b.add(first, k)
            if shape.reverse:
                ordinal = b.sub(b.sub(count, I64(1)), ordinal)
            index = b.add(start, b.mul(ordinal, step))
            inner.values[id(body.params[0])] = Scalar(INT64, index, True)
            for p, stack in zip(body.params[1:], stacks):
                inner.values[id(p)] = stack.item(inner, ordinal)
            return ordinal

        inner.run_loop(loop, iterations, begins, residuals, iteration)
        finals: list[Array] = []
        for k, out in enumerate(loop.outputs[: len(inits)]):
            final = inner.values[id(out)]
            assert isinstance(final, Array)
            if len(inits) > 1 and not _is_own(body, k):
                # It may lie where another one is about to be written.
                copy = inner.allocate(final.dtype, final.shape)
                fill(inner, copy, Leaf(final, final.dtype))
                inner.release(final)
                final = copy
            finals.append(final)
        for place, final, like in zip(layout.outs, finals, inits):
            target = windows.of(_borrowed(_read(b, record, place, like)), 0)
            same: ir.Value = I1(1)
            for n, m in zip(final.shape, target.shape):
                same = b.and_(same, b.icmp_signed("==", n, m))
            inner.fail_unless(same, ValueError, "a loop variable changes its shape")
            fill(inner, target, Leaf(final, final.dtype))
            inner.release(final)
        inner.builder.ret(I32(0))


def _is_own(body: Graph, k: int) -> bool:
    """Whether a variable gets memory of its own in every iteration."""
    result = body.results[k]
    if isinstance(result, Apply) and isinstance(result.op, Primitive):
        return result.op.fresh
    return False


class _Windows:
    """The rows of one thread."""

    def __init__(self, e: Emitter, first: ir.Value, rows: ir.Value) -> None:
        self.e, self.first, self.rows = e, first, rows

    def of(self, array: Array, axis: int) -> Array:
        """An array cut down to them."""
        return rows_of(self.e, array, Window(axis, self.first, self.rows))

    def spread(self, array: Array, axis: int) -> Array:
        """The same of an array whose one row may stand for all."""
        b = self.e.builder
        rows, stride = array.shape[axis], array.strides[axis]
        single = b.icmp_signed("==", rows, I64(1))
        strides = list(array.strides)
        strides[axis] = b.select(single, I64(0), stride)
        template = Array(array.dtype, array.block, array.data, array.shape, strides)
        return self.of(template, axis)


class _Layout:
    """Where things stand in a record."""

    def __init__(self, registers: int, inits: list[int], sizes: list[int]) -> None:
        self.registers, self.sizes = _HEAD, sizes
        at = _HEAD + registers
        self.inits: list[int] = []
        self.outs: list[int] = []
        self.kept: list[int] = []
        for places in (self.inits, self.outs):
            for size in inits:
                places.append(at)
                at += size
        for size in sizes:
            self.kept.append(at)
            at += size
        self.size = at


def _wrapper(e: Emitter, function: ir.Function) -> ir.Function:
    """The function as the pool calls it; a failure is noted in the record."""
    made = ir.Function(e.module, BODY, f"{function.name}.job")
    made.linkage = "internal"
    b = ir.IRBuilder(made.append_basic_block())
    status = b.call(function, list(made.args))
    with b.if_then(b.icmp_signed("!=", status, I32(0)), likely=False):
        b.store(b.zext(status, I64), b.bitcast(made.args[0], I64.as_pointer()))
    b.ret_void()
    return made


def _free_nodes(loop: Apply) -> list[Node]:
    """What a loop's body reads from outside the loop, each once."""
    body = loop.regions[0]
    inside = {id(n) for n in (*body.params, *body.body)}
    found: dict[int, Node] = {}
    for n in (*(n for s in body.body for n in s.inputs), *body.results):
        if not isinstance(n, Constant) and id(n) not in inside:
            found[id(n)] = n
    return list(found.values())


def _is_plain(value: Value) -> bool:
    if isinstance(value, Boxed | Series | Growing | Mapping):
        return False
    if isinstance(value, Pack):
        return all(_is_plain(i) for i in value.items)
    return True


def _with_known_sizes(value: Value, registers: list[ir.Value]) -> Value:
    """A value of other registers; sizes that are known stay known."""
    made = value.rebuild(registers)
    if isinstance(value, Array) and isinstance(made, Array):
        made.shape = [
            n if isinstance(n, ir.Constant) else m
            for n, m in zip(value.shape, made.shape)
        ]
    return made


def _borrowed(value: Value) -> Any:
    """The same value without its ownership: counts are not for several threads."""
    null = ir.Constant(POINTER, None)
    if isinstance(value, ArrayStack):
        whole = _borrowed(value.whole)
        assert isinstance(whole, Array)
        return ArrayStack(whole)
    if isinstance(value, Array):
        rest = (value.data, value.shape, value.strides, value.contiguous)
        return Array(value.dtype, null, *rest)
    if isinstance(value, Pack):
        return Pack([_borrowed(i) for i in value.items], value.names, value.cls)
    return value


def _words(value: Value) -> int:
    return count_words(value.flatten())


def _read(b: ir.IRBuilder, record: ir.Value, place: int, like: Array) -> Value:
    registers = load_words(b, record, like.flatten(), place)
    template = Array(like.dtype, like.block, like.data, like.shape, like.strides)
    return template.rebuild(registers)


def _slots(
    b: ir.IRBuilder, record: ir.Value, place: int, template: Array
) -> list[ir.Value]:
    """The places of a stack's block and sizes."""
    words = [b.gep(record, [I64(place + k)]) for k in range(1 + template.ndim)]
    return [b.bitcast(words[0], POINTER.as_pointer()), *words[1:]]
