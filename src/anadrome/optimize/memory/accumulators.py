"""Sums that recursive functions return, accumulated in arrays that are handed down.

The backward pass of a recursive function returns a gradient for every parameter that
the function hands on to itself, and adds up what its own calls return: an array of
zeros for every leaf, and a sum of whole arrays for every node. Here one array is made
by the first caller, and everything is added to it where it arises.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Parameter,
    called_graphs,
    walk,
)
from anadrome.ir.types import (
    INT,
    NONE,
    Num,
    Object,
    Other,
    Tuple,
    Type,
    deref,
)
from anadrome.optimize.memory.sums import (
    Sum,
    Uses,
    array_type,
    callee_of,
    insert,
    is_zero,
    place_of,
)
from anadrome.optimize.rewriting import replace
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.primitives.registry import Primitive, find_primitive

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
    a call returns is accumulated directly where it does nothing but enter such a sum,
    or one that a backward loop carries; for any other use the caller makes an array of
    zeros and reads it afterwards.
    """
    plans = _Plans(graph)
    if not plans.sums:
        return graph
    sums: list[_Returned | _Carried] = [*plans.sums.values(), *plans.loops]
    for sum in sums:
        sum.rewrite()
    for g in plans.graphs:
        _pass_accumulators(g, plans)
    for sum in sums:
        sum.forget_result()
    return remove_dead_code(graph)


class _Plans:
    """The sums that can be accumulated, by function and position in its result."""

    def __init__(self, graph: Graph) -> None:
        self.graphs = called_graphs(graph)
        self.uses = Uses(self.graphs)
        self.sums: dict[tuple[int, int], _Returned] = {}
        self.loops: list[_Carried] = []
        # Of a read of a call's result: the array that the call adds to.
        self.absorbed: dict[int, Sum] = {}
        whole = _results_taken_apart(self.graphs)
        for g in self.graphs:
            if g.mirrors is None or id(g) not in whole or not _calls_itself(g):
                continue
            for k in range(len(g.mirrors[1])):
                found = _Returned(self, g, k)
                if found.kind is not None:
                    self.sums[id(g), k] = found
        for found in list(self.sums.values()):
            found.find()
        self._drop_useless()
        for found in self.sums.values():
            self.absorbed.update((id(read), found) for read in found.reads)
        if self.sums:
            self._find_loops()

    def _drop_useless(self) -> None:
        """Leave out what no recursive call hands down; that may make others useless."""
        count = -1
        while count != len(self.sums):
            count = len(self.sums)
            for key, found in list(self.sums.items()):
                found.reads = [r for r in found.reads if place_of(r) in self.sums]
                if found.broken or not found.reads:
                    del self.sums[key]
        for found in self.sums.values():
            # What was to be handed down to a function that is left out is a term.
            found.forget()
            found.find()

    def _find_loops(self) -> None:
        """The sums of what iterations call; outer loops are looked at first."""
        for g in self.graphs:
            for loop in walk(g):
                if loop.op is not ops.FOR or loop.shape.mirrors is None:
                    continue
                for k in range(loop.shape.carried):
                    found = _Carried(self, g, loop, k)
                    if found.can_be_accumulated():
                        self.loops.append(found)
                        self.absorbed.update((id(read), found) for read in found.reads)


def _calls_itself(graph: Graph) -> bool:
    return any(
        any(g is graph for g in called_graphs(callee))
        for callee in map(callee_of, walk(graph))
        if callee is not None
    )


def _results_taken_apart(graphs: list[Graph]) -> set[int]:
    """The functions whose result is a tuple of which calls read single items only."""
    found = {id(g) for g in graphs if _tuple_of(g) is not None}
    for graph in graphs:
        for values, reader in _reads(graph):
            for n in values:
                callee = callee_of(n)
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


class _Returned(Sum):
    """One gradient that a function returns, as the sum of its terms."""

    def __init__(self, plans: _Plans, graph: Graph, place: int) -> None:
        self.graph, self.place = graph, place
        self.tuple = _tuple_of(graph)
        assert graph.mirrors is not None
        self.forward, positions = graph.mirrors
        self.source: Parameter = self.forward.params[positions[place]]
        assert self.tuple is not None
        kind = array_type(self.tuple.args[place].type)
        super().__init__(plans.uses, plans.sums, kind)
        if not self.fits(self.source):
            self.kind = None

    def find(self) -> None:
        """Take the sum apart."""
        assert self.tuple is not None
        self.take(self.tuple.args[self.place], self.graph, self.tuple)

    def rewrite(self) -> None:
        """Give the function the array to add to, and add every term to it."""
        name = self.source.name
        t = _stored(self.kind)
        self.array = self.graph.add_parameter(t, f"∂{name}" if name else None)
        self.add_terms()

    def zeros(self, saved: Node) -> list[Apply]:
        """Statements that make the array, of which the last is the array."""
        assert self.array is not None
        shape = self._residual_shape()
        read = Apply(ops.GETATTR, (saved, shape), self._record_fields()[shape.value])
        kind = self.array.type
        if isinstance(deref(read.type), Num):
            made = Apply(find_primitive(np.zeros_like), (read,), kind)
            made.target = np.zeros_like
        else:
            assert isinstance(kind, Num)
            dtype = Constant(kind.dtype, Other(type(kind.dtype)))
            made = Apply(find_primitive(np.zeros), (read, dtype), kind)
            made.target = np.zeros
        made.name = self.array.name
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
        insert(self.forward, record, [shape])
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


class _Carried(Sum):
    """A gradient that the iterations of a backward loop add to.

    Such a loop carries gradients only, and what is added to a gradient has its shape.
    """

    def __init__(self, plans: _Plans, graph: Graph, loop: Apply, place: int) -> None:
        self.graph, self.loop, self.place = graph, loop, place
        self.absorbed = plans.absorbed
        self.start = loop.args[len(loop.args) - loop.shape.carried + place]
        super().__init__(plans.uses, plans.sums, array_type(self.start.type))

    def can_be_accumulated(self) -> bool:
        """Whether the iterations hand the array down to a function that adds to it."""
        if self.kind is None or not self.take_iterations(self.loop, self.place):
            return False
        taken = any(id(read) in self.absorbed for read in self.reads)
        return bool(self.reads) and not taken and not self.broken

    def rewrite(self) -> None:
        """Make the array before the loop, and add to it there."""
        loop, start = self.loop, self.start
        assert loop.graph is not None
        if is_zero(start):
            assert isinstance(start, Apply)
            array = Apply(start.op, start.args, _stored(self.kind), span=start.span)
            array.target, array.keywords = start.target, dict(start.keywords)
        else:
            array = Apply(ops.COPY, (start,), _stored(self.kind), span=start.span)
        array.name = loop.outputs[self.place].name
        insert(loop.graph, loop, [array])
        self.array = array
        self.add_terms()

    def forget_result(self) -> None:
        """Carry nothing, and read the array instead."""
        body, carried = self.loop.regions[-1], self.loop.shape.carried
        own = body.params[len(body.params) - carried + self.place]
        body.results[self.place] = own
        assert self.array is not None
        replace(self.graph, {id(self.loop.outputs[self.place]): self.array})


def _pass_accumulators(graph: Graph, plans: _Plans) -> None:
    """Give every call of a rewritten function the arrays that it adds to."""
    for node in list(walk(graph)):
        callee = callee_of(node)
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
            absorbing = [r for r in reads if place_of(r)[1] == s.place]
            if absorbing:
                given: Node | None = plans.absorbed[id(absorbing[0])].array
                assert given is not None
            else:
                made = s.zeros(node.args[1])
                insert(node.graph, node, made)
                given = made[-1]
                _replace_item(graph, node, s.place, given)
            assert s.array is not None
            given.type.alias.unify(s.array.type.alias)  # type: ignore[attr-defined]
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


def _stored(kind: Num | None) -> Num:
    """The type of an array that is added to."""
    assert kind is not None
    t = Num(kind.dtype, kind.ndim)
    t.alias.store()
    return t


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


__all__ = ["accumulate_through_calls"]
