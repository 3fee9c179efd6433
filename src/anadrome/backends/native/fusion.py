"""Elementwise statements that wait, so that many of them become one loop.

A region's elementwise statements are not written one by one: they wait until something
needs one of their values, or changes memory.  Then those that hang together are
written as one kernel, which reads every array once, keeps in registers what only they
use, and stores the rest.

That takes arrays of one shape, which is only known when the program runs: it is
tested there, and where it does not hold the statements run by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import Num, deref, is_stored
from anadrome.optimize.memory import (
    extents_at,
    extents_of,
    is_view,
    memory_of,
    place_of,
    row_of,
)
from anadrome.optimize.turns import is_primitive

from .elementwise import (
    build,
    build_operation,
    fill,
    is_elementwise,
    is_one,
    materialise,
    operation,
)
from .emitter import Emitter
from .kernels import run
from .lowering import LOWERINGS
from .operations import check_store, index_parts, own, view_of
from .plans import Sink, operand_key
from .reductions import add
from .shapes import sizes_of
from .stores import Store, overwrites, update_of
from .trees import Expr, Leaf, leaves
from .values import (
    I64,
    Array,
    Scalar,
    SliceValue,
    Static,
    Value,
    element_type,
)

_MOST = 48
"""More statements that hang together are several loops: kernels are not to grow
without bounds."""
_WAITING = 512
"""When so many statements wait they are written."""


class Group:
    """The statements of a region that wait."""

    def __init__(self, e: Emitter, uses: dict[int, int]) -> None:
        self.e, self.uses = e, uses
        self.waiting: dict[int, Apply] = {}
        self.holds: set[int] = set()
        """What must not be given up or changed while the statements wait."""
        self.places: dict[int, _Place] = {}
        """The arrays that `index_add`s add to, and the parts of them."""
        self.stores: dict[int, Store] = {}

    def takes(self, node: Apply) -> bool:
        """Whether a statement may wait; if not, see `needed`."""
        if node.op is ops.SETITEM:
            return self.e.owner.assumes and self._takes_store(node)
        t = deref(node.type)
        if not isinstance(t, Num) or not t.ndim or not _is_native(t):
            return False
        if self._reads_stored(node.inputs):
            return False
        if node.op is ops.INDEX_ADD:
            return self._takes_addition(node, t)
        if node.op is ops.COPY:
            return self.e.owner.assumes and self._takes_copy(node)
        if _is_unbroadcast(node):
            return self._takes_unbroadcast(node, t)
        if not is_elementwise(node):
            return False
        return all(self._is_plain(a, t) for a in node.args)

    def _is_plain(self, node: Node, t: Num) -> bool:
        """Whether an operand can be part of a group of results of a type."""
        if isinstance(node, Constant):
            return isinstance(node.value, bool | int | float | np.generic)
        if id(node) in self.places:
            return False
        if id(node) in self.waiting:
            # A smaller array would be computed once for every row.
            return deref(node.type).ndim == t.ndim  # type: ignore[attr-defined]
        return isinstance(self.e.values.get(id(node)), Scalar | Array)

    def _takes_unbroadcast(self, node: Apply, t: Num) -> bool:
        given, wanted = node.args
        if id(given) not in self.waiting or id(given) in self.places:
            return False
        if id(wanted) in self.waiting:
            return False
        u = deref(given.type)
        if not isinstance(u, Num) or u.ndim != t.ndim or u.dtype != t.dtype:
            return False
        return not any(is_one(n) for n in sizes_of(self.e, self.e.value(wanted)))

    def _takes_addition(self, node: Apply, t: Num) -> bool:
        """Whether an `index_add` at slices can be part of the loop of its operand."""
        base, index, value = node.args
        if id(value) not in self.waiting or id(value) in self.places:
            return False
        if id(index) in self.waiting:
            return False
        if is_stored(node.type):
            return False
        if id(base) in self.waiting:
            if id(base) not in self.places or self.uses.get(id(base)) != 1:
                return False
        elif not isinstance(self.e.values.get(id(base)), Array):
            return False
        parts, u = self._parts(index), deref(value.type)
        rank = (t.ndim or 0) - sum(map(_is_index, parts))
        return all(map(_is_basic, parts)) and isinstance(u, Num) and u.ndim == rank > 0

    def _takes_copy(self, node: Apply) -> bool:
        """Whether a snapshot is read where it is taken: it is never changed."""
        source = node.args[0]
        value = self.e.values.get(id(source))
        return isinstance(value, Array) and memory_of(source) is not None

    def _reads_stored(self, nodes: Iterable[Node]) -> bool:
        """Whether something is read that waits to be stored."""
        if not self.stores:
            return False
        kinds = [s.kind for s in self.stores.values()]
        return any(
            any(memory_of(n) is kind for kind in kinds)
            for n in nodes
            if not isinstance(n, Constant)
        )

    def _takes_store(self, node: Apply) -> bool:
        """Whether a store can be part of the loop that computes its value."""
        base, index, value = node.args
        kind, target = memory_of(base), self.e.values.get(id(base))
        if kind is None or not isinstance(target, Array) or id(index) in self.waiting:
            return False
        t = deref(base.type)
        if not isinstance(t, Num) or not _is_native(t):
            return False
        rank = target.ndim - sum(map(_is_index, self._parts(index)))
        if not rank or not all(map(_is_basic, self._parts(index))):
            return False
        adds = self._update(node)
        stored = value if adds is None else adds
        if not self._is_stored_here(stored, rank):
            return False
        place = place_of(base, index)
        others = [n for n in self.waiting.values() if id(n) not in self.stores]
        if overwrites(kind, place, others):
            return False
        return all(
            place.aligned(s.place) or (s.adds and adds is not None)
            for s in self.stores.values()
            if s.kind is kind
        )

    def _parts(self, index: Node) -> list[Value]:
        return index_parts(self.e.value(index))

    def _is_stored_here(self, node: Node, rank: int) -> bool:
        """Whether a value can be stored element by element into so many axes."""
        if isinstance(node, Constant):
            return isinstance(node.value, bool | int | float | np.generic)
        if id(node) in self.places:
            return False
        t = deref(node.type)
        if id(node) in self.waiting:
            return isinstance(t, Num) and t.ndim == rank
        value = self.e.values.get(id(node))
        if isinstance(value, Array):
            # What lies in memory is stored by itself unless it joins something.
            return value.ndim == rank and memory_of(node) is None
        return isinstance(value, Scalar)

    def needed(self, node: Apply, operands: list[Node], writes: bool) -> bool:
        """Whether a statement cannot be written before those that wait."""
        if not self.waiting:
            return False
        if node.op is ops.ASSERT and self.e.owner.assumes:
            # If it fails, nobody sees what was or was not stored.
            writes = False
        if writes or node.regions or len(self.waiting) >= _WAITING:
            return True
        if self._reads_stored(operands) and not _looks_only(node):
            return True
        return any(id(n) in self.waiting for n in operands)

    def add(self, node: Apply) -> None:
        """Let a statement wait."""
        if node.op is ops.INDEX_ADD:
            self.places[id(node)] = self._place(node)
            self.holds.add(id(node.args[2]))
        elif node.op is ops.SETITEM:
            self.stores[id(node)] = found = self._store(node)
            self.holds.update((id(node.args[0]), id(found.value)))
        else:
            self.holds.update(id(a) for a in node.args)
        self.waiting[id(node)] = node

    def _place(self, node: Apply) -> _Place:
        """The array that is added to, which is nobody else's now."""
        e, base = self.e, node.args[0]
        if id(base) in self.places:
            whole = self.places[id(base)].whole
            e.retain(whole)
        else:
            value = e.value(base)
            assert isinstance(value, Array)
            whole = own(e, value, id(base) in e.dying and id(base) not in self.holds)
        return _Place(whole, view_of(e, whole, index_parts(e.value(node.args[1]))))

    def _store(self, node: Apply) -> Store:
        e, (base, index, value) = self.e, node.args
        target, kind = e.value(base), memory_of(base)
        assert isinstance(target, Array)
        assert kind is not None
        part = view_of(e, target, self._parts(index))
        adds, place = self._update(node), place_of(base, index)
        stored = value if adds is None else adds
        return Store(node, kind, place, part, stored, adds is not None)

    def _update(self, node: Apply) -> Node | None:
        """What a store adds, if the sum is part of it."""
        fused = id(node.args[2]) in self.e.fused
        return update_of(node, self.uses) if fused else None

    def write(self) -> list[Apply]:
        """Write what waits; the statements whose values are in memory now."""
        nodes = list(self.waiting.values())
        places, stores = self.places, self.stores
        self.waiting, self.holds = {}, set()
        self.places, self.stores = {}, {}
        made: list[Apply] = []
        for part in _connected(self.e, nodes, places, stores):
            for first in range(0, len(part), _MOST):
                some = part[first : first + _MOST]
                made += _Part(self.e, some, self.uses, places, stores).write()
        return made


@dataclass
class _Place:
    """An array, and the part of it that is added to."""

    whole: Array
    part: Array


def _is_slice(p: Value) -> bool:
    if isinstance(p, Static):
        return p.value is Ellipsis or isinstance(p.value, slice)
    return isinstance(p, SliceValue)


def _is_index(p: Value) -> bool:
    return isinstance(p, Scalar) or (isinstance(p, Static) and type(p.value) is int)


def _is_basic(p: Value) -> bool:
    return _is_index(p) or _is_slice(p)


def _looks_only(node: Apply) -> bool:
    """Whether a statement reads no elements."""
    return (
        is_view(node)
        or node.op is ops.LENGTH
        or is_primitive(node, "shape", "size", "ndim", "dtype_of")
    )


def _is_native(t: Num) -> bool:
    return t.dtype is not None and element_type(t.dtype) is not None


def _is_unbroadcast(node: Apply) -> bool:
    return getattr(node.op, "name", None) == "unbroadcast" and len(node.args) == 2


def _connected(
    e: Emitter,
    nodes: list[Apply],
    places: dict[int, _Place],
    stores: dict[int, Store],
) -> list[list[Apply]]:
    """Statements in sets that share values or operands, each in order."""
    parent = list(range(len(nodes)))

    def find(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    seen: dict[Any, int] = {id(n): k for k, n in enumerate(nodes)}
    read = {id(memory_of(a)) for n in nodes if id(n) not in stores for a in n.args}
    written = {id(s.kind) for s in stores.values()} & read
    # Where something is not only added to, the order of stores counts.
    mixed = {id(s.kind) for s in stores.values() if not s.adds}
    for k, node in enumerate(nodes):
        operands = node.args
        if id(node) in stores:
            rank = stores[id(node)].part.ndim
            operands = (stores[id(node)].value, node.args[0])
            if id(stores[id(node)].kind) in mixed:
                other = seen.setdefault(("memory", id(stores[id(node)].kind)), k)
                parent[find(k)] = find(other)
        elif id(node) in places:
            rank = places[id(node)].part.ndim
        else:
            rank = deref(node.type).ndim  # type: ignore[attr-defined]
        if id(node) in places:
            operands = (node.args[2],)
            # It does not matter in which order what is added to an array comes.
            block = id(places[id(node)].whole.block)
            other = seen.setdefault((block, extents_at(*node.args[:2])), k)
            parent[find(k)] = find(other)
        for a in operands:
            keys: list[Any] = [id(a)] if not isinstance(a, Constant) else []
            value = e.values.get(id(a))
            if isinstance(value, Scalar):
                continue
            if isinstance(value, Array):
                keys = [(operand_key(value), rank)]
                # Parts of one array that are of one shape are likely to meet.
                extents = extents_of(a)
                if not isinstance(value.block, ir.Constant) and extents is not None:
                    keys.append((id(value.block), rank, extents))
            if written and id(memory_of(a)) in written:
                keys.append(("memory", id(memory_of(a))))
            for key in keys:
                other = seen.setdefault(key, k)
                parent[find(k)] = find(other)
    found: dict[int, list[Apply]] = {}
    for k, node in enumerate(nodes):
        found.setdefault(find(k), []).append(node)
    return list(found.values())


class _Part:
    """Statements that hang together."""

    def __init__(
        self,
        e: Emitter,
        nodes: list[Apply],
        uses: dict[int, int],
        places: dict[int, _Place],
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
            for a in n.args:
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
        else:
            self.rank = self.stores[0].part.ndim
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
            assert isinstance(theirs, Array)
            e.values[id(node)] = _merged(b, mine, end, theirs, other)
        return made

    # Together -----------------------------------------------------------------------

    def _arrays(self, node: Apply) -> list[Array]:
        found = []
        for a in node.args[: 1 if _is_unbroadcast(node) else None]:
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
            if _is_unbroadcast(node):
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
        for store in self.stores:
            value = self.e.values.get(id(store.value))
            if isinstance(value, Array) and id(store.value) not in self.own:
                for n, m in zip(value.shape, anchor):
                    test = None if is_one(n) else self._equal(n, m)
                    if test is not None:
                        one = b.icmp_signed("==", n, I64(1))
                        tests.setdefault((id(test), 1), b.or_(test, one))
        written = [self.places[id(n)].part for n in self.additions]
        for part in (*written, *(s.part for s in self.stores)):
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
    ) -> None:
        """Require that one of some shapes is full along every axis."""
        if shapes is None:
            return
        b = self.e.builder
        for k, m in enumerate(reversed(anchor), 1):
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

    def _write_together(self, shape: list[ir.Value]) -> list[tuple[Apply, Array]]:
        e = self.e
        exprs: dict[int, Expr] = {}
        for node in self.nodes:
            exprs[id(node)] = self._tree(node, exprs)
        dtypes = [deref(n.type).dtype for n in self.stored]  # type: ignore[attr-defined]
        outs = e.outputs(self.stored, dtypes, shape)
        sinks = [Sink(exprs[id(n)], out) for n, out in zip(self.stored, outs)]
        for n in self.additions:
            part = self.places[id(n)].part
            steps = part.strides
            part = Array(part.dtype, part.block, part.data, shape, steps)
            _, row, start = row_of(*n.args[:2]) or (None, None, None)
            place = (id(self.places[id(n)].whole), row), start
            sinks.append(Sink(exprs[id(n.args[2])], part, add, place=place))
        for store in self.stores:
            part = store.part
            part = Array(part.dtype, part.block, part.data, shape, part.strides)
            combine = add if store.adds else None
            tree = build(e, store.value, exprs)
            sink = Sink(tree, part, combine, alone=self._is_alone(store), late=True)
            if self._only_added(store) and not self._reads(store):
                base, row, start = row_of(*store.node.args[:2]) or (None, None, None)
                sink.place = (id(base), row), start
            sinks.append(sink)
        if sinks:
            run(e, shape, sinks)
        return list(zip(self.stored, outs))

    def _only_added(self, store: Store) -> bool:
        """Whether the loop does no more than add to what is written."""
        return all(s.adds for s in self.stores if s.kind is store.kind)

    def _reads(self, store: Store) -> bool:
        """Whether the loop also reads what is written."""
        return any(memory_of(a) is store.kind for n in self.nodes for a in n.args)

    def _tree(self, node: Apply, exprs: dict[int, Expr]) -> Expr:
        if _is_unbroadcast(node):
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
            for a in node.args:
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
                alone = _is_unbroadcast(reader)
            if _is_unbroadcast(node):
                value = LOWERINGS["unbroadcast"](e, node)
            else:
                tree = self._tree(node, exprs)
                if not alone and leaves(tree):
                    exprs[id(node)] = tree
                    continue
                value = materialise(e, tree, t.ndim, t.dtype)
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
        tree = build(e, store.value)
        for a in leaves(tree):
            check_store(e, a, part)
        if store.adds:
            pair: list[Any] = [Leaf(part, part.dtype), tree]
            tree = operation("add", pair, part.dtype, part.dtype)
        fill(e, part, tree)


def _merged(
    b: ir.IRBuilder, x: Array, x_end: ir.Value, y: Array, y_end: ir.Value
) -> Array:
    """An array that is one of two, as the program came."""
    registers: list[ir.Value] = []
    for r, s in zip(x.flatten(), y.flatten()):
        phi = b.phi(r.type)
        phi.add_incoming(r, x_end)
        phi.add_incoming(s, y_end)
        registers.append(phi)
    made = x.rebuild(registers)
    assert isinstance(made, Array)
    made.contiguous = x.contiguous and y.contiguous
    return made
