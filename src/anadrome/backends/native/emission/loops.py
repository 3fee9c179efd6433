"""Loops: counted ones, those with a condition, what they carry, and residuals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from anadrome.errors import NotFollowed
from anadrome.ir.graph import Apply, Graph, Node, free_inputs
from anadrome.ir.types import Stack, deref, is_stored
from anadrome.optimize.analysis.first_iterations import (
    changes_dtype,
    loses_dtype,
    shows_dtype,
)

from ..gemm.packed_weights import packed_weights
from ..parallelism.batch_splitting import run_by_rows
from ..runtime.interrupts import poll
from ..runtime.memory import HEADER, RELEASE
from ..runtime.objects import GET_INDEX
from .boxing import box, boxed, object_in, python
from .control_flow import count_steps
from .function import Emitter
from .light_loops import is_light
from .module import ModuleEmitter
from .residuals import ArrayStack, StackBuilder
from .values import (
    BOOL,
    I1,
    I64,
    INT64,
    POINTER,
    Array,
    Boxed,
    Pack,
    Scalar,
    Series,
    Static,
    Value,
    element_type,
)


class LoopEmitter(Emitter):
    """Writes loops; what stands in them is left to whoever writes regions."""

    def __init__(
        self, owner: ModuleEmitter, function: ir.Function, context: ir.Value
    ) -> None:
        super().__init__(owner, function, context)
        self.borrowed: set[int] = set()
        # The residuals that are one array each, and their depths.
        self.joined: dict[int, int] = {}
        # The values that loops were given to keep: whoever had them has them no more.
        self.given_up: set[int] = set()

    def region(self, graph: Graph) -> list[Value]:
        """Write a region's statements; its results, owned by whoever called."""
        raise NotImplementedError

    def template_of(self, out: Node) -> Value:
        """The template of what a branch or an iteration of a loop gives."""
        raise NotImplementedError

    def for_loop(self, node: Apply) -> None:
        """Write a counted loop."""
        b = self.builder
        shape, body = node.shape, node.regions[0]
        start, stop, step = (self.integer(self.value(a)) for a in node.args[:3])
        count = self.iterations(start, stop, step)
        if self.owner.assumes and not self._is_within(node):
            if run_by_rows(self, node, count, start, step):
                return
        stacks = [self.value(a) for a in node.args[3 : 3 + shape.stacks]]
        stacks = [
            s if isinstance(s, Series | ArrayStack) else self._list_of(s)
            for s in stacks
        ]
        inits = node.args[3 + shape.stacks :]
        given = self._given(node, inits)
        residuals = self._new_series(node, count)

        def iteration(k: ir.Value) -> ir.Value:
            ordinal = b.sub(b.sub(count, I64(1)), k) if shape.reverse else k
            index = b.add(start, b.mul(ordinal, step))
            self.values[id(body.params[0])] = Scalar(INT64, index, True)
            for p, a, stack in zip(body.params[1:], node.args[3:], stacks):
                item: Value
                if isinstance(stack, ArrayStack):
                    item = stack.item(self, ordinal)
                elif isinstance(stack, Series):
                    item = self.series_item(stack, ordinal)
                else:
                    assert isinstance(stack, Boxed)
                    owner = object_in(self, stack.register)
                    made = boxed(self, python(self, GET_INDEX, POINTER, owner, ordinal))
                    item = self.coerce(made, self.template(p.type))
                self.values[id(p)] = item
                if isinstance(stack, Boxed):
                    continue
                if isinstance(deref(a.type), Stack):
                    # It outlives the loop, and holds on to its items.
                    self.borrowed.add(id(p))
                else:
                    self.retain(item)
            return ordinal

        with packed_weights(self, node, count):
            self.run_loop(node, count, inits, residuals, iteration, given=given)

    def _given(self, node: Apply, inits: Sequence[Node]) -> set[int]:
        """The arrays that only a loop reads from now on, and only as what it carries.

        The first iteration may change them where they are, as the others do.
        """
        if self.handlers:
            return set()
        read = [id(n) for n in free_inputs(node)]
        return {
            id(a)
            for a in inits
            if id(a) in self.dying
            and read.count(id(a)) == 1
            and isinstance(self.value(a), Array)
        }

    def _is_within(self, node: Apply) -> bool:
        """Whether residuals of a loop belong to those of the loop around it."""
        return any(
            id(o) in self.joined and id(o) in self.places.kept for o in node.outputs
        )

    def _list_of(self, value: Value) -> Boxed:
        """A stack that is a Python list."""
        return value if isinstance(value, Boxed) else box(self, value)

    def while_loop(self, node: Apply) -> None:
        """Write a loop that runs while its condition holds."""
        if node.shape.kept:
            residuals = self._new_series(node, I64(16))
        else:
            residuals = []
        self.run_loop(node, None, node.args, residuals, lambda k: k, node.regions[0])

    def iterations(
        self,
        start: ir.Value,
        stop: ir.Value,
        step: ir.Value,
        error: type[Exception] = ValueError,
        message: str = "range() arg 3 must not be zero",
    ) -> ir.Value:
        """How many numbers a range has; a step of zero is an error."""
        b = self.builder
        self.fail_unless(b.icmp_signed("!=", step, I64(0)), error, message)
        return count_steps(b, start, stop, step)

    def _new_series(self, node: Apply, count: ir.Value) -> list[Series | StackBuilder]:
        shape, body = node.shape, node.regions[-1]
        found: list[Series | StackBuilder] = []
        for k in range(shape.kept):
            result = body.results[shape.carried + k]
            item = plain(self.template_of(result))
            key = id(node.outputs[shape.carried + k])
            if key in self.joined:
                around, depth = self.places.kept.get(key), self.joined[key]
                template, like = _array_of(item)
                found.append(
                    StackBuilder(
                        self, template, count, around=around, depth=depth, like=like
                    )
                )
                continue
            block = self.allocate_bytes(self.series_bytes(item, count))
            found.append(Series(item, block, I64(0)))
        return found

    def run_loop(
        self,
        node: Apply,
        count: ir.Value | None,
        inits: Any,
        residuals: list[Series | StackBuilder],
        iteration: Any,
        condition: Graph | None = None,
        given: set[int] | None = None,
    ) -> None:
        """Write a loop; `iteration` sets what each is given, and says which it is.

        Initial values that are `given` to it belong to the loop.
        """
        b = self.builder
        shape, body = node.shape, node.regions[-1]
        offset = len(body.params) - shape.carried
        templates = [
            plain(self.template(o.type)) for o in node.outputs[: shape.carried]
        ]
        registers = []
        for a, template in zip(inits, templates):
            if given and id(a) in given:
                registers += self.coerce(self.value(a), template).flatten()
                self.given_up.add(id(a))
            else:
                registers += self.adopt(self.value(a), template).flatten()
        # A while loop's series may move when they grow.
        grows = count is None
        series_registers = [s.block for s in residuals if isinstance(s, Series)]
        before = b.block
        head = b.append_basic_block("loop")
        inside = b.append_basic_block("loop.body")
        done = b.append_basic_block("loop.done")
        b.branch(head)
        b.position_at_end(head)
        k = b.phi(I64)
        k.add_incoming(I64(0), before)
        phis = [b.phi(r.type) for r in registers]
        for phi, r in zip(phis, registers):
            phi.add_incoming(r, before)
        blocks = [b.phi(POINTER) for _ in residuals] if grows else []
        for phi, r in zip(blocks, series_registers):
            phi.add_incoming(r, before)
        flag = None
        if shape.breaks:
            flag = b.phi(I1)
            flag.add_incoming(I1(0), before)
        remaining: list[ir.Value] = list(phis)
        carried = [t.rebuild(remaining) for t in templates]
        go: ir.Value
        if condition is not None:
            for p, value in zip(condition.params, carried):
                self.values[id(p)] = value
                self.borrowed.add(id(p))
            (test,) = self.region(condition)
            go = self._as_bool(test)
        else:
            assert count is not None
            go = b.icmp_signed("<", k, count)
        if flag is not None:
            go = b.and_(go, b.not_(flag))
        leaving = b.block
        b.cbranch(go, inside, done)
        b.position_at_end(inside)
        light = all(map(is_light, node.regions))
        poll(self, k if light else None)
        for p, value in zip(body.params[offset:], carried):
            self.values[id(p)] = value
        ordinal = iteration(k)
        for j, series in enumerate(residuals):
            if isinstance(series, StackBuilder):
                key = id(body.results[shape.carried + j])
                self.places.kept.setdefault(key, (series, ordinal))
        results = self.region(body)
        following = []
        for value, template in zip(results, templates):
            following += self.coerce(value, template).flatten()
        moved = []
        for j, series in enumerate(residuals):
            if isinstance(series, StackBuilder):
                result = results[shape.carried + j]
                if isinstance(result, ArrayStack):
                    series.store(ordinal, result.whole)
                    continue
                if series.like is not None:
                    series.store_numbers(ordinal, self.coerce(result, series.like))
                    continue
                item = self.coerce(result, series.template)
                assert isinstance(item, Array)
                series.store(ordinal, item)
                continue
            current = Series(series.item, blocks[j] if grows else series.block, k)
            if grows:
                current = self._grow(current, k)
            item = self.coerce(results[shape.carried + j], series.item)
            self.store_item(current, ordinal, item)
            moved.append(current.block)
        if flag is not None:
            flag.add_incoming(self._as_bool(results[-1]), b.block)
        end = b.block
        k.add_incoming(b.add(k, I64(1)), end)
        for phi, r in zip(phis, following):
            phi.add_incoming(r, end)
        for phi, r in zip(blocks, moved):
            phi.add_incoming(r, end)
        b.branch(head)
        b.position_at_end(done)
        del leaving
        self._check_dtypes(node, k)
        outputs = list(carried)
        for j, series in enumerate(residuals):
            if isinstance(series, StackBuilder):
                whole, depth, like = series.whole(k), series.depth, series.like
                outputs.append(ArrayStack(whole, depth=depth, like=like))
                continue
            outputs.append(Series(series.item, blocks[j] if grows else series.block, k))
        if flag is not None:
            outputs.append(Scalar(BOOL, flag, True))
        if shape.counts:
            outputs.append(Scalar(INT64, k, True))
        for out, value in zip(node.outputs, outputs):
            if is_stored(out.type) and not isinstance(value, Array):
                # A list that is changed later is a Python list.
                value = self.coerce(value, self.template(out.type))
            self.values[id(out)] = value

    def _check_dtypes(self, node: Apply, count: ir.Value) -> None:
        """Fail where the dtype shows that an array had before a loop."""
        changed = [k for k in range(node.shape.carried) if changes_dtype(node, k)]
        lost = [k for k in range(node.shape.carried) if loses_dtype(node, k)]
        if not changed and not lost:
            return
        kept = "==" if lost else "!="
        hidden = self.builder.icmp_signed(kept, count, I64(0))
        shows = any(shows_dtype(node, k) for k in changed) or (changed and lost)
        self.fail_unless(
            I1(0) if shows else hidden,
            NotFollowed,
            "an array has another dtype before a loop than it leaves it with (convert "
            "it with .astype before the loop)",
        )

    def _grow(self, series: Series, k: ir.Value) -> Series:
        """A series with room for one more item: its memory doubles when it is full."""
        b = self.builder
        power = b.icmp_signed("==", b.and_(k, b.sub(k, I64(1))), I64(0))
        full = b.and_(power, b.icmp_signed(">=", k, I64(16)))
        before = b.block
        more, go_on = b.append_basic_block("grow"), b.append_basic_block("grown")
        b.cbranch(full, more, go_on)
        b.position_at_end(more)
        size = self.series_bytes(series.item, k)
        wide = self.allocate_bytes(b.mul(size, I64(2)))
        copy = self.module.declare_intrinsic("llvm.memcpy", [POINTER, POINTER, I64])
        source, target = (b.gep(p, [I64(HEADER)]) for p in (series.block, wide))
        b.call(copy, [target, source, size, I1(0)])
        release = self.owner.runtime(RELEASE, ir.VoidType(), POINTER, POINTER)
        b.call(release, [self.context, series.block])
        after = b.block
        b.branch(go_on)
        b.position_at_end(go_on)
        block = b.phi(POINTER)
        block.add_incoming(series.block, before)
        block.add_incoming(wide, after)
        return Series(series.item, block, k)

    def _as_bool(self, value: Value) -> ir.Value:
        if isinstance(value, Static):
            return I1(int(bool(value.value)))
        return self.true(value)


def _array_of(item: Value) -> tuple[Array, Value | None]:
    """The template of an item of a stack that is one array; that of numbers in it."""
    if isinstance(item, Series):
        inner, like = _array_of(item.item)
        return _array(inner.dtype, inner.data, inner.ndim + 1), like
    if isinstance(item, Array):
        return item, None
    first = item.items[0] if isinstance(item, Pack) else item
    assert isinstance(first, Scalar)
    element = element_type(first.dtype)
    assert element is not None
    ndim = 1 if isinstance(item, Pack) else 0
    data = ir.Constant(element.as_pointer(), None)
    return _array(first.dtype, data, ndim), item


def _array(dtype: Any, data: ir.Value, ndim: int) -> Array:
    sizes: list[ir.Value] = [I64(0)] * ndim
    return Array(dtype, ir.Constant(POINTER, None), data, sizes, list(sizes))


def plain(value: Value) -> Value:
    """A value of which nothing is known at compile time but its kind."""
    if isinstance(value, Array):
        lies = value.block, value.data, value.shape, value.strides
        return Array(value.dtype, *lies, changed=value.changed)
    if isinstance(value, Pack):
        return Pack([plain(i) for i in value.items], value.names, value.cls)
    return value
