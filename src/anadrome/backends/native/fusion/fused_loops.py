"""Elementwise statements that hang together, as one loop or each by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import Num, deref
from anadrome.optimize.analysis.memory import memory_of, row_of
from anadrome.primitives.registry import Primitive

from ..emission.function import Emitter
from ..emission.values import I64, Array, Value, either, either_array, is_one
from ..kernels.library import run
from ..kernels.plan import KernelOutput
from ..lowering.elementwise import (
    build,
    build_operation,
    fill,
    is_elementwise,
    materialise,
    operation,
)
from ..lowering.language import STATEMENTS, check_store
from ..lowering.reductions import add
from ..lowering.registry import LOWERINGS
from ..lowering.shaping import sizes_of
from .expressions import Expr, Leaf, leaves
from .stores import Store


@dataclass
class Place:
    """An array, and the part of it that is added to."""

    whole: Array
    part: Array


def operands_of(e: Emitter, node: Node) -> list[Node]:
    """What a statement reads element by element, fused operations looked through."""
    assert isinstance(node, Apply)
    args = node.args
    if is_lowered(node):
        # Shapes, axes and indices are known or looked up, not read.
        args = args[:1]
    found: list[Node] = []
    for a in args:
        found += operands_of(e, a) if id(a) in e.fused else [a]
    return found


def is_lowered(node: Apply) -> bool:
    """Whether a statement has a lowering of its own."""
    if node.op is ops.GETITEM:
        return True
    return isinstance(node.op, Primitive) and not is_elementwise(node)


def lower(e: Emitter, node: Apply) -> Value:
    """The value of such a statement."""
    made = (
        STATEMENTS[node.op](e, node)
        if node.op is ops.GETITEM
        else LOWERINGS[node.op.name].lower(e, node)
    )
    assert made is not None
    return made


def is_unbroadcast(node: Apply) -> bool:
    """Whether a statement sums what a gradient has beyond a shape."""
    return getattr(node.op, "name", None) == "unbroadcast" and len(node.args) == 2


class FusedLoop:
    """Statements that hang together, fused to one loop where they can be."""

    def __init__(
        self,
        e: Emitter,
        nodes: list[Apply],
        uses: dict[int, int],
        places: dict[int, Place],
        stores: dict[int, Store],
    ) -> None:
        self.e, self.places = e, places
        self.additions = [n for n in nodes if id(n) in places]
        self.stores = [stores[id(n)] for n in nodes if id(n) in stores]
        apart = places.keys() | stores.keys()
        self.nodes = nodes = [n for n in nodes if id(n) not in apart]
        self.own = {id(n) for n in nodes}
        inner: dict[int, int] = {}
        added: dict[int, int] = {}
        for n in nodes:
            for a in operands_of(e, n):
                inner[id(a)] = inner.get(id(a), 0) + 1
        for n in self.additions:
            added[id(n.args[2])] = added.get(id(n.args[2]), 0) + 1
        for store in self.stores:
            added[id(store.value)] = added.get(id(store.value), 0) + 1
        self.stored = [
            n
            for n in nodes
            if uses.get(id(n), 0) > inner.get(id(n), 0) + added.get(id(n), 0)
        ]
        self.added = added
        self.inner = inner
        if nodes:
            self.rank = deref(nodes[0].type).ndim  # type: ignore[attr-defined]
        elif self.stores:
            self.rank = self.stores[0].part.ndim
        else:
            self.rank = places[id(self.additions[0])].part.ndim
        self.tests: dict[Any, ir.Value] = {}
        # Whether something has axes of one element where others have more.
        self.narrow = False

    def write(self) -> list[Apply]:
        """Write the statements."""
        e, b = self.e, self.e.builder
        for n in self.additions:
            e.values[id(n)] = self.places[id(n)].whole
        made = [*self.stored, *self.additions]
        anchor = self._anchor()
        count = len(self.nodes) + len(self.additions) + len(self.stores)
        if anchor is None or count == 1:
            self._write_apart()
            return made
        together, straight = self._fits(anchor), self._is_straight()
        if self.narrow:
            self._write_apart()
            return made
        if together is not None and e.owner.joint:
            e.fail_unless(together, RuntimeError, "arrays of different shapes")
            together = None
        if together is None:
            together = straight
        elif straight is not None:
            together = b.and_(together, straight)
        if together is None:
            for node, value in self._write_together(anchor):
                e.values[id(node)] = value
            return made
        yes, no, done = (b.append_basic_block(n) for n in ("joint", "apart", "made"))
        b.cbranch(together, yes, no)
        b.position_at_end(yes)
        first = {id(n): v for n, v in self._write_together(anchor)}
        end = b.block
        b.branch(done)
        b.position_at_end(no)
        self._write_apart()
        other = b.block
        b.branch(done)
        b.position_at_end(done)
        for node in self.stored:
            mine, theirs = first[id(node)], e.values[id(node)]
            e.values[id(node)] = _merged(b, mine, end, theirs, other)
        return made

    # Together -----------------------------------------------------------------------

    def _arrays(self, node: Apply) -> list[Array]:
        found = []
        for a in node.args[: 1 if is_unbroadcast(node) else None]:
            value = self.e.values.get(id(a)) if id(a) not in self.own else None
            if isinstance(value, Array) and value.ndim:
                found.append(value)
        return found

    def _anchor(self) -> list[ir.Value] | None:
        """A shape that all of them probably have."""
        for node in self.nodes:
            if deref(node.type).ndim != self.rank:  # type: ignore[attr-defined]
                return None
        parts = [s.part for s in self.stores]
        parts += [self.places[id(n)].part for n in self.additions]
        if any(part.ndim != self.rank for part in parts):
            return None
        if self.stores:
            return self.stores[0].part.shape
        for node in self.nodes:
            for a in self._arrays(node):
                if a.ndim == self.rank and not any(is_one(n) for n in a.shape):
                    return a.shape
        return None

    def _equal(self, n: ir.Value, m: ir.Value) -> ir.Value | None:
        """Whether two sizes are equal; None if that is certain."""
        if n is m:
            return None
        key = (id(n), id(m))
        if key not in self.tests:
            self.tests[key] = self.e.builder.icmp_signed("==", n, m)
        return self.tests[key]

    def _fits(self, anchor: list[ir.Value]) -> ir.Value | None:
        """Whether one loop computes all; None if that is certain."""
        b = self.e.builder
        tests: dict[Any, ir.Value] = {}
        # For each statement, the arrays that may give it its full shape.
        giving: dict[int, list[list[ir.Value]] | None] = {}
        for node in self.nodes:
            if is_unbroadcast(node):
                self._test_full(giving[id(node.args[0])], anchor, tests)
                sizes = sizes_of(self.e, self.e.value(node.args[1]))
                for n, m in zip(sizes, anchor):
                    test = self._equal(n, m)
                    if test is not None:
                        tests[id(test)] = test
                giving[id(node)] = None
                continue
            shapes: list[list[ir.Value]] | None = []
            for a in self._arrays(node):
                shape = a.shape
                for n, m in zip(reversed(shape), reversed(anchor)):
                    test = None if is_one(n) else self._equal(n, m)
                    if test is not None:
                        one = b.icmp_signed("==", n, I64(1))
                        tests.setdefault((id(test), 1), b.or_(test, one))
                if shapes is not None:
                    full = len(shape) == self.rank and all(
                        n is m for n, m in zip(shape, anchor)
                    )
                    shapes = None if full else [*shapes, shape]
            for a_node in node.args:
                if id(a_node) in self.own and shapes is not None:
                    below = giving[id(a_node)]
                    shapes = None if below is None else [*shapes, *below]
            giving[id(node)] = shapes
        for node in self.stored:
            self._test_full(giving[id(node)], anchor, tests)
        added = [n.args[2] for n in self.additions]
        for written in (*added, *(store.value for store in self.stores)):
            # Where many statements hang together, another loop may have made it.
            value = self.e.values.get(id(written))
            if isinstance(value, Array) and id(written) not in self.own:
                for n, m in zip(value.shape, anchor):
                    test = None if is_one(n) else self._equal(n, m)
                    if test is not None:
                        one = b.icmp_signed("==", n, I64(1))
                        tests.setdefault((id(test), 1), b.or_(test, one))
        places = [self.places[id(n)].part for n in self.additions]
        for part in (*places, *(s.part for s in self.stores)):
            for n, m in zip(part.shape, anchor):
                test = self._equal(n, m)
                if test is not None:
                    tests[id(test)] = test
        return self._all(tests)

    def _all(self, tests: dict[Any, ir.Value]) -> ir.Value | None:
        found: ir.Value | None = None
        for test in tests.values():
            found = test if found is None else self.e.builder.and_(found, test)
        return found

    def _is_alone(self, store: Store) -> bool:
        return not any(s.kind is store.kind and s is not store for s in self.stores)

    def _is_straight(self) -> ir.Value | None:
        """Whether parts that may overlap need not pass through a buffer."""
        parts = [self.places[id(n)].part for n in self.additions]
        parts += [s.part for s in self.stores if not self._is_alone(s)]
        tests: dict[Any, ir.Value] = {}
        for part in parts:
            step = part.strides[-1]
            test = None if is_one(step) else self._equal(step, I64(1))
            if test is not None:
                tests[id(step)] = test
        return self._all(tests)

    def _test_full(
        self,
        shapes: list[list[ir.Value]] | None,
        anchor: list[ir.Value],
        tests: dict[Any, ir.Value],
        skip: int = 0,
    ) -> None:
        """Require that one of some shapes is full along every axis but last ones."""
        if shapes is None:
            return
        b = self.e.builder
        for k, m in list(enumerate(reversed(anchor), 1))[skip:]:
            some: ir.Value | None = None
            names = []
            for shape in shapes:
                if len(shape) < k or is_one(shape[-k]):
                    continue
                test = self._equal(shape[-k], m)
                if test is None:
                    break
                names.append(id(test))
                some = test if some is None else b.or_(some, test)
            else:
                self.narrow |= some is None
                one = b.icmp_signed("==", m, I64(1))
                tests[tuple(names), k] = one if some is None else b.or_(some, one)

    def _write_together(self, shape: list[ir.Value]) -> list[tuple[Apply, Value]]:
        e = self.e
        exprs: dict[int, Expr] = {}
        for node in self.nodes:
            exprs[id(node)] = self._expression(node, exprs)
        dtypes = [deref(n.type).dtype for n in self.stored]  # type: ignore[attr-defined]
        outs = e.outputs(self.stored, dtypes, shape)
        kernel_outputs = [
            KernelOutput(exprs[id(n)], out) for n, out in zip(self.stored, outs)
        ]
        for n in self.additions:
            part = self.places[id(n)].part
            steps = part.strides
            part = Array(part.dtype, part.block, part.data, shape, steps)
            _, row, start = row_of(*n.args[:2]) or (None, None, None)
            place = (id(self.places[id(n)].whole), row), start
            kernel_outputs.append(
                KernelOutput(build(e, n.args[2], exprs), part, add, place=place)
            )
        for store in self.stores:
            part = store.part
            part = Array(part.dtype, part.block, part.data, shape, part.strides)
            combine = add if store.adds else None
            expr = build(e, store.value, exprs)
            output = KernelOutput(
                expr, part, combine, alone=self._is_alone(store), late=True
            )
            if self._only_added(store) and not self._reads(store):
                base, row, start = row_of(*store.node.args[:2]) or (None, None, None)
                output.place = (id(base), row), start
            kernel_outputs.append(output)
        if kernel_outputs:
            run(e, shape, kernel_outputs)
        return [*zip(self.stored, outs)]

    def _only_added(self, store: Store) -> bool:
        """Whether the loop does no more than add to what is written."""
        return all(s.adds for s in self.stores if s.kind is store.kind)

    def _reads(self, store: Store) -> bool:
        """Whether the loop also reads what is written."""
        return any(memory_of(a) is store.kind for n in self.nodes for a in n.args)

    def _expression(self, node: Apply, exprs: dict[int, Expr]) -> Expr:
        if is_unbroadcast(node):
            return exprs[id(node.args[0])]
        if node.op is ops.COPY:
            return build(self.e, node.args[0], exprs)
        return build_operation(self.e, node, exprs)

    # Apart --------------------------------------------------------------------------

    def _write_apart(self) -> None:
        """Write what several read by itself, the rest as part of its reader."""
        e = self.e
        stored = {id(n) for n in self.stored}
        exprs: dict[int, Expr] = {}
        passing: list[Value] = []
        readers: dict[int, Apply] = {}
        for node in self.nodes:
            for a in operands_of(e, node):
                readers[id(a)] = node
        before = e.span
        for node in self.nodes:
            e.span = node.span
            t = deref(node.type)
            assert isinstance(t, Num)
            assert t.dtype is not None
            assert t.ndim is not None
            alone = id(node) in stored or self.inner.get(id(node), 0) != 1
            alone = alone or id(node) in self.added
            if not alone:
                reader = readers[id(node)]
                alone = is_lowered(reader)
            value: Value
            if is_lowered(node):
                value = lower(e, node)
            else:
                expr = self._expression(node, exprs)
                if not alone and leaves(expr):
                    exprs[id(node)] = expr
                    continue
                value = materialise(e, expr, t.ndim, t.dtype)
            e.values[id(node)] = value
            if id(node) not in stored:
                passing.append(value)
        for node in self.additions:
            e.span = node.span
            part, value = self.places[id(node)].part, e.value(node.args[2])
            assert isinstance(value, Array)
            pair: list[Any] = [Leaf(part, part.dtype), Leaf(value, value.dtype)]
            fill(e, part, operation("add", pair, part.dtype, part.dtype))
        for store in self.stores:
            e.span = store.node.span
            self._write_store(store)
        e.span = before
        for value in passing:
            e.release(value)
        for node in self.nodes:
            if id(node) not in stored:
                e.values.pop(id(node), None)

    def _write_store(self, store: Store) -> None:
        e, part = self.e, store.part
        expr = build(e, store.value)
        for a in leaves(expr):
            check_store(e, a, part)
        if store.adds:
            pair: list[Any] = [Leaf(part, part.dtype), expr]
            expr = operation("add", pair, part.dtype, part.dtype)
        fill(e, part, expr)


def _merged(
    b: ir.IRBuilder, x: Value, x_end: ir.Value, y: Value, y_end: ir.Value
) -> Value:
    """A value that is one of two, as the program came."""
    if isinstance(x, Array) and isinstance(y, Array):
        return either_array(b, x, x_end, y, y_end)
    pairs = zip(x.flatten(), y.flatten(), strict=True)
    return x.rebuild([either(b, r, x_end, s, y_end) for r, s in pairs])
