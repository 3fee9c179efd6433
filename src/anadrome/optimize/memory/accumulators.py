"""Sums that recursive functions return, accumulated in arrays that are handed down.

The backward pass of a recursive function returns a gradient for every parameter that
the function hands on to itself, and adds up what its own calls return: an array of
zeros for every leaf, and a sum of whole arrays for every node. Here one array is made
by the first caller, and everything is added to it where it arises.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anadrome.frontend.numpy.indexing import is_basic
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
    called_graphs,
    walk,
)
from anadrome.ir.types import (
    INT,
    NEVER,
    NONE,
    Function,
    Num,
    Object,
    Other,
    Tuple,
    Type,
    deref,
)
from anadrome.optimize.rewriting import replace
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.primitives.registry import Primitive, find_primitive

_ELLIPSIS = Constant(Ellipsis, Other(type(Ellipsis)))
_NOTHING = Constant(None, NONE)


def accumulate_through_calls(graph: Graph) -> Graph:
    """The graph whose recursive gradients are added to arrays that they are given.

    def back(saved, d):                      def back(saved, d, dw):
        if saved.leaf:                           if not saved.leaf:
            return np.zeros_like(saved.w)   →        dw += d * saved.x
        return (d * saved.x                          back(saved.left, d, dw)
                + back(saved.left, d)                back(saved.right, d, dw)
                + back(saved.right, d))

    Only for the functions that `transform` marks: their results are the gradients of
    parameters, so all that is added up has the shape of the parameter. A gradient that
    a call returns is accumulated directly where it does nothing but enter such a sum;
    for any other use the caller makes an array of zeros and reads it afterwards.
    """
    plans = _Plans(graph)
    if not plans.sums:
        return graph
    for sum in plans.sums.values():
        sum.rewrite()
    for g in plans.graphs:
        _pass_accumulators(g, plans)
    for sum in plans.sums.values():
        sum.forget_result()
    return remove_dead_code(graph)


class _Uses:
    """How often every value is read."""

    def __init__(self, graphs: list[Graph]) -> None:
        self.counts: dict[int, int] = {}
        for graph in graphs:
            self._count(graph.results)
            for node in walk(graph):
                self._count(node.inputs)
                for region in node.regions:
                    self._count(region.results)

    def _count(self, nodes: Any) -> None:
        for n in nodes:
            self.counts[id(n)] = self.counts.get(id(n), 0) + 1

    def once(self, node: Node) -> bool:
        return self.counts.get(id(node), 0) == 1


class _Plans:
    """The sums that can be accumulated, by function and position in its result."""

    def __init__(self, graph: Graph) -> None:
        self.graphs = called_graphs(graph)
        self.uses = _Uses(self.graphs)
        self.sums: dict[tuple[int, int], _Sum] = {}
        # Of a read of a call's result: the array that the call adds to.
        self.absorbed: dict[int, _Sum] = {}
        whole = _results_taken_apart(self.graphs)
        for g in self.graphs:
            if g.mirrors is None or id(g) not in whole or not _calls_itself(g):
                continue
            for k in range(len(g.mirrors[1])):
                found = _Sum(self, g, k)
                if found.kind is not None:
                    self.sums[id(g), k] = found
        for found in list(self.sums.values()):
            found.find()
        self._drop_useless()
        for found in self.sums.values():
            self.absorbed.update((id(read), found) for read in found.reads)

    def _drop_useless(self) -> None:
        """Leave out what no recursive call hands down; that may make others useless."""
        count = -1
        while count != len(self.sums):
            count = len(self.sums)
            for key, found in list(self.sums.items()):
                found.reads = [r for r in found.reads if _sum_of(r) in self.sums]
                if found.broken or not found.reads:
                    del self.sums[key]
        for found in self.sums.values():
            # What was to be handed down to a function that is left out is a term.
            found.terms, found.reads = [], []
            found.find()


def _sum_of(read: Apply) -> tuple[int, int]:
    """The function and the position in its result of a value that a call returned."""
    call, index = read.args
    assert isinstance(call, Apply)
    assert isinstance(index, Constant)
    return id(_callee(call)), index.value


def _callee(node: Node) -> Graph | None:
    if isinstance(node, Apply) and node.op is ops.CALL:
        first = node.args[0]
        if isinstance(first, Constant) and isinstance(first.value, Graph):
            return first.value
    return None


def _calls_itself(graph: Graph) -> bool:
    return any(
        any(g is graph for g in called_graphs(callee))
        for callee in map(_callee, walk(graph))
        if callee is not None
    )


def _results_taken_apart(graphs: list[Graph]) -> set[int]:
    """The functions whose result is a tuple of which calls read single items only."""
    found = {id(g) for g in graphs if _tuple_of(g) is not None}
    for graph in graphs:
        for values, reader in _reads(graph):
            for n in values:
                callee = _callee(n)
                if callee is not None and not _is_item(reader, n):
                    found.discard(id(callee))
        for node in walk(graph):
            for n in node.args[1:] if node.op is ops.CALL else node.inputs:
                if isinstance(n, Constant) and isinstance(n.value, Graph):
                    found.discard(id(n.value))
    return found


def _reads(graph: Graph) -> Iterator[tuple[Any, Apply | None]]:
    yield graph.results, None
    for node in walk(graph):
        yield node.inputs, node
        for region in node.regions:
            yield region.results, None


def _is_item(reader: Apply | None, call: Node) -> bool:
    if reader is None or reader.op is not ops.GETITEM or reader.args[0] is not call:
        return False
    index = reader.args[1]
    return isinstance(index, Constant) and type(index.value) is int and index.value >= 0


def _tuple_of(graph: Graph) -> Apply | None:
    if len(graph.results) != 1:
        return None
    made = graph.results[0]
    if isinstance(made, Apply) and made.op is ops.TUPLE and made.graph is graph:
        return made
    return None


@dataclass
class _Term:
    """Something that is added to a sum, and the statement at which it was added.

    Without such a statement, it is added at the end of the region.
    """

    value: Node
    index: Node
    region: Graph
    anchor: Apply | None


@dataclass
class _Sum:
    """One gradient that a function returns, as the sum of its terms."""

    plans: _Plans
    graph: Graph
    place: int
    terms: list[_Term] = field(default_factory=list)
    reads: list[Apply] = field(default_factory=list)
    broken: bool = False

    def __post_init__(self) -> None:
        self.tuple = _tuple_of(self.graph)
        assert self.graph.mirrors is not None
        self.forward, positions = self.graph.mirrors
        self.source: Parameter = self.forward.params[positions[self.place]]
        assert self.tuple is not None
        self.kind = _array_type(self.tuple.args[self.place].type)
        if self.kind is not None and not self._fits(self.source):
            self.kind = None
        self.parameter: Parameter | None = None

    def _fits(self, node: Node) -> bool:
        """Whether a value is an array of the sum's dtype and rank."""
        t, kind = _array_type(node.type), self.kind
        return (
            t is not None
            and kind is not None
            and (t.dtype, t.ndim) == (kind.dtype, kind.ndim)
        )

    # Finding the terms ----------------------------------------------------------------

    def find(self) -> None:
        """Take the sum apart."""
        assert self.tuple is not None
        self._take(self.tuple.args[self.place], self.graph, self.tuple)

    def _take(self, node: Node, region: Graph, anchor: Apply | None) -> None:
        if not self._absorb(node):
            if not self._fits(node):
                self.broken = True
            self.terms.append(_Term(node, _ELLIPSIS, region, anchor))

    def _absorb(self, node: Node) -> bool:
        """Whether a value is a sum that is taken apart."""
        if isinstance(node, Apply) and _is_zero(node):
            return True
        if not self.plans.uses.once(node) or not self._fits(node):
            return False
        if isinstance(node, Output):
            if node.apply.op is ops.IF:
                for region in node.apply.regions:
                    self._take(region.results[node.index], region, None)
                return True
            return self._absorb_loop(node.apply, node.index)
        if not isinstance(node, Apply) or node.graph is None:
            return False
        if node.op is ops.GETITEM and _callee(node.args[0]) is not None:
            if _sum_of(node) not in self.plans.sums:
                return False
            self.reads.append(node)
            return True
        if node.op is ops.INDEX_ADD:
            base, index, value = node.args
            if not _is_number_like(value):
                return False
            self._take(base, node.graph, node)
            self.terms.append(_Term(value, index, node.graph, node))
            return True
        if isinstance(node.op, Primitive) and node.op.name == "add":
            if len(node.args) == 2 and all(map(self._fits, node.args)):
                for a in node.args:
                    self._take(a, node.graph, node)
                return True
        return False

    def _absorb_loop(self, loop: Apply, k: int) -> bool:
        """Whether a variable that a loop carries is a sum to which iterations add."""
        if loop.op is not ops.FOR or k >= loop.shape.carried or loop.graph is None:
            return False
        body = loop.regions[-1]
        carried = body.params[len(body.params) - loop.shape.carried + k]
        uses = self.plans.uses
        if not uses.once(carried) or not self._fits(carried):
            return False
        added: list[tuple[Node, Apply]] = []
        node: Node = body.results[k]
        while node is not carried:
            is_add = isinstance(node, Apply) and isinstance(node.op, Primitive)
            if not is_add or node.op.name != "add" or node.graph is not body:  # type: ignore[attr-defined]
                return False
            assert isinstance(node, Apply)
            if not uses.once(node) or not all(map(self._fits, node.args)):
                return False
            a, b = node.args
            if not _leads_to(carried, a):
                a, b = b, a
            added.append((b, node))
            node = a
        for value, anchor in added:
            self._take(value, body, anchor)
        self._take(loop.args[len(loop.args) - loop.shape.carried + k], loop.graph, loop)
        return True

    # Rewriting ------------------------------------------------------------------------

    def rewrite(self) -> None:
        """Give the function the array to add to, and add every term to it."""
        kind = self.kind
        assert kind is not None
        t = Num(kind.dtype, kind.ndim)
        t.alias.store()
        name = self.source.name
        self.parameter = self.graph.add_parameter(t, f"∂{name}" if name else None)
        for term in self.terms:
            self._insert(term)

    def _insert(self, term: _Term) -> None:
        """Add a term as soon as it is there: it need not be kept until then."""
        made = list(self._statements(term))
        body, anchor = term.region.body, term.anchor
        needed = (term.value, term.index)
        makers = {id(n.apply if isinstance(n, Output) else n) for n in needed}
        last = max((k for k, n in enumerate(body) if id(n) in makers), default=-1)
        if last >= 0:
            anchor = body[last + 1] if last + 1 < len(body) else None
        _insert(term.region, anchor, made)

    def _statements(self, term: _Term) -> Iterator[Apply]:
        total = self.parameter
        assert total is not None
        span = term.value.span
        old: Node = total
        comment = term.value.comment if isinstance(term.value, Apply) else None
        if not is_basic(term.index):
            # One place may be named twice.
            add_at = Constant(np.add.at, Function(np.add.at))
            args = (add_at, total, term.index, term.value)
            added = Apply(ops.PYCALL, args, NONE, span=span)
            added.comment = comment
            yield added
            return
        if term.index is not _ELLIPSIS:
            part = deref(term.value.type)
            assert isinstance(part, Num)
            kind = Num(part.dtype, part.ndim, alias=total.type.alias)  # type: ignore[attr-defined]
            old = Apply(ops.GETITEM, (total, term.index), kind, span=span)
            yield old
        new = Apply(
            find_primitive(operator.add),
            (old, term.value),
            _new(old.type),
            span=span,
        )
        new.target = operator.add
        new.comment = comment
        yield new
        store = Apply(ops.SETITEM, (total, term.index, new), NEVER, span=span)
        store.comment = comment
        yield store

    def zeros(self, saved: Node) -> list[Apply]:
        """Statements that make the array, of which the last is the array."""
        assert self.parameter is not None
        shape = self._residual_shape()
        read = Apply(ops.GETATTR, (saved, shape), self._record_fields()[shape.value])
        kind = self.parameter.type
        if isinstance(deref(read.type), Num):
            made = Apply(find_primitive(np.zeros_like), (read,), kind)
            made.target = np.zeros_like
        else:
            assert isinstance(kind, Num)
            dtype = Constant(kind.dtype, Other(type(kind.dtype)))
            made = Apply(find_primitive(np.zeros), (read, dtype), kind)
            made.target = np.zeros
        made.name = self.parameter.name
        return [read, made]

    def _record_fields(self) -> dict[str, Type]:
        record = deref(self.graph.params[0].type)
        assert isinstance(record, Object)
        assert record.fields is not None
        return record.fields

    def _residual_shape(self) -> Constant:
        """The name of the residual that is the parameter or its shape."""
        handed = self.forward.results[0]
        assert isinstance(handed, Apply)
        record = handed.args[1]
        assert isinstance(record, Apply)
        names: tuple[str, ...] = record.args[1].value  # type: ignore[attr-defined]
        values = record.args[2:]
        for name, value in zip(names, values):
            if value is self.source or _is_shape_of(value, self.source):
                return Constant(name, record.args[1].type)
        shape = Apply(find_primitive(np.shape), (self.source,), _shape_type(self.kind))
        shape.target = np.shape
        _insert(self.forward, record, [shape])
        name = next(f"shape{k}" for k in range(99) if f"shape{k}" not in names)
        record.args = (
            record.args[0],
            Constant((*names, name), record.args[1].type),
            *values,
            shape,
        )
        self._record_fields()[name] = shape.type
        return Constant(name, record.args[1].type)

    def forget_result(self) -> None:
        """Return nothing for what is added to an array."""
        assert self.tuple is not None
        args = list(self.tuple.args)
        args[self.place] = _NOTHING
        self.tuple.args = tuple(args)
        self.tuple.type = _without(self.tuple.type, self.place)


def _pass_accumulators(graph: Graph, plans: _Plans) -> None:
    """Give every call of a rewritten function the arrays that it adds to."""
    for node in list(walk(graph)):
        callee = _callee(node)
        sums = [s for (g, _), s in plans.sums.items() if g == id(callee)]
        if callee is None or not sums:
            continue
        reads = [
            n
            for n in walk(graph)
            if n.op is ops.GETITEM and n.args[0] is node and id(n) in plans.absorbed
        ]
        assert node.graph is not None
        for s in sums:
            absorbing = [r for r in reads if _sum_of(r)[1] == s.place]
            if absorbing:
                given: Node | None = plans.absorbed[id(absorbing[0])].parameter
                assert given is not None
            else:
                made = s.zeros(node.args[1])
                _insert(node.graph, node, made)
                given = made[-1]
                _replace_item(graph, node, s.place, given)
            assert s.parameter is not None
            given.type.alias.unify(s.parameter.type.alias)  # type: ignore[attr-defined]
            node.args = (*node.args, given)
            node.type = _without(node.type, s.place)


def _replace_item(graph: Graph, call: Apply, place: int, given: Node) -> None:
    """Read the array that a call added to in place of what the call returned."""
    reads = [
        n
        for n in walk(graph)
        if n.op is ops.GETITEM and n.args[0] is call and n.args[1].value == place  # type: ignore[attr-defined]
    ]
    replaced: dict[int, Node] = {id(n): given for n in reads}
    readers = [
        reader for values, reader in _reads(graph) for n in values if id(n) in replaced
    ]
    for reader in readers:
        if len(readers) == 1 and reader is not None and reader.op is ops.COPY:
            # Nobody else holds the array.
            replaced[id(reader)] = given
    replace(graph, replaced)


def _insert(region: Graph, anchor: Apply | None, made: list[Apply]) -> None:
    at = len(region.body)
    if anchor is not None:
        at = next(k for k, n in enumerate(region.body) if n is anchor)
    for node in made:
        node.graph = region
    region.body[at:at] = made


def _array_type(t: Type) -> Num | None:
    t = deref(t)
    if isinstance(t, Num) and t.ndim and t.dtype is not None and t.inexact:
        return t
    return None


def _new(t: Type) -> Type:
    t = deref(t)
    assert isinstance(t, Num)
    return Num(t.dtype, t.ndim)


def _shape_type(kind: Num | None) -> Tuple:
    assert kind is not None
    assert kind.ndim is not None
    return Tuple((INT,) * kind.ndim)


def _is_shape_of(value: Node, source: Node) -> bool:
    return (
        isinstance(value, Apply)
        and isinstance(value.op, Primitive)
        and value.op.name == "shape"
        and value.args[0] is source
    )


def _without(t: Type, place: int) -> Tuple:
    t = deref(t)
    assert isinstance(t, Tuple)
    return Tuple((*t.items[:place], NONE, *t.items[place + 1 :]), t.cls)


def _is_zero(node: Apply) -> bool:
    return isinstance(node.op, Primitive) and node.op.name in ("zeros_like", "zeros")


def _leads_to(carried: Node, node: Node) -> bool:
    """Whether a chain of additions begins with a loop's variable."""
    while node is not carried:
        is_add = isinstance(node, Apply) and isinstance(node.op, Primitive)
        if not is_add or node.op.name != "add":  # type: ignore[attr-defined]
            return False
        first, second = node.args  # type: ignore[attr-defined]
        node = second if second is carried else first
    return True


def _is_number_like(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.dtype is not None and t.ndim is not None


__all__ = ["accumulate_through_calls"]
