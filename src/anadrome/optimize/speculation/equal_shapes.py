"""Shapes taken to be equal, and checked, where only the values can tell.

Reverse mode sums a cotangent over the axes along which its value was broadcast. If
nobody can tell from the program whether it was, native code takes it that it was not,
and checks: see `NATIVE` in `passes`.
"""

from __future__ import annotations

import operator

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Parameter, called_graphs
from anadrome.ir.types import INT, NONE, STR, Num, Tuple, deref, same_dtype
from anadrome.optimize.analysis.iterations import is_primitive, primitive
from anadrome.optimize.analysis.shapes import Dim, Shapes
from anadrome.optimize.rewriting import (
    holds_stored,
    regions_within,
    replace,
    same_type,
)
from anadrome.optimize.simplify.broadcasts import ShapeWalk
from anadrome.primitives.registry import Primitive

_BOOL = Num(np.dtype(bool), 0, True)


def assume_shapes(graph: Graph) -> Graph:
    """The graph without sums over axes that are probably equal as they are.

    di = unbroadcast(dc * g, i.shape)    →    assert dc.shape[1] == i.shape[1]
                                              di = dc * g
    """
    for g in called_graphs(graph):
        walk = _Assuming()
        for p in g.params:
            walk.shapes.give(p)
            dims = walk.shapes.of(p) or ()
            walk.single.update(d.find() for d in dims if not d.find().long)
        walk.handed = _handed_on(g)
        walk.region(g)
        replace(g, walk.replaced)
    return graph


def _handed_on(graph: Graph) -> set[int]:
    """The values that somebody gets hold of, and does not only compute with."""
    found: set[int] = set()
    passing: list[Apply] = []
    for region in regions_within(graph):
        found.update(id(r) for r in region.results)
        for node in region.body:
            if is_primitive(node, "unbroadcast"):
                passing.append(node)
            elif not _is_fresh(node) and node.op is not ops.COPY:
                found.update(id(n) for n in node.inputs)
    for node in reversed(passing):
        if id(node) in found:
            found.add(id(node.args[0]))
    return found


def _is_fresh(node: Node) -> bool:
    """Whether a statement only computes something new."""
    if not isinstance(node, Apply) or not isinstance(node.op, Primitive):
        return False
    return bool(node.op.pure and node.op.fresh)


class _AssumedShapes(Shapes):
    """Shapes of operands that are taken to fit without being broadcast."""

    def __init__(self, walk: _Assuming) -> None:
        super().__init__()
        self.walk = walk

    def common(self, node: Apply, k: int, a: Dim, b: Dim) -> Dim:
        if not (a.long and b.long):
            self.walk.assume([(a, b)])
        return super().common(node, k, a.find(), b.find())


class _Assuming(ShapeWalk):
    """A walk that makes assumptions where it lacks facts."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes = _AssumedShapes(self)
        # Values at hand whose shape can be looked at without computing anything.
        self.scope: list[tuple[Dim, Node, int]] = []
        # Tuples of lengths that are residuals.
        self.told: list[tuple[Dim, Node, int]] = []
        self.checks: list[Apply] = []
        # What must stay an array of its own.
        self.handed: set[int] = set()
        # Axes of arguments that are not known to be longer than one.
        self.single: set[Dim] = set()

    def region(self, graph: Graph) -> None:
        marks = len(self.scope), len(self.told)
        for p in graph.params:
            self._show(p)
        outer, self.checks = self.checks, []
        self._look_up_lengths(graph)
        body: list[Apply] = list(self.checks)
        self.checks.clear()
        for node in graph.body:
            self.statement(node)
            body += [*self.checks, node]
            self.checks.clear()
            if node.op in (ops.GETITEM, ops.GETATTR) or is_primitive(node, "matmul"):
                self._show(node)
            for o in node.outputs:
                self._show(o)
        if not self.looking:
            for node in body:
                node.graph = graph
            graph.body = body
        self.checks = outer
        del self.scope[marks[0] :]
        del self.told[marks[1] :]

    def _show(self, node: Node) -> None:
        for k, dim in enumerate(self.shapes.tuples.get(id(node), ())):
            self.told.append((dim, node, k))
        t = deref(node.type)
        if not isinstance(t, Num):
            return
        for k, dim in enumerate(self.shapes.of(node) or ()):
            self.scope.append((dim, node, k))

    def _at_hand(self, dim: Dim) -> tuple[Node, int] | None:
        for known, node, axis in reversed(self.scope):
            if known.find() is dim.find() and id(node) not in self.replaced:
                return node, axis
        return None

    def _first_at_hand(self, dim: Dim) -> tuple[Node, int] | None:
        """The value with a length that was there first: outside loops, if any is."""
        for known, node, axis in self.scope:
            if known.find() is dim.find() and id(node) not in self.replaced:
                return node, axis
        return None

    def _known(self, dim: Dim) -> tuple[Node, int] | None:
        """A value at hand, or else a tuple that is a residual, with a length."""
        found = self._at_hand(dim)
        if found is not None:
            return found
        for known, node, axis in reversed(self.told):
            if known.find() is dim.find():
                return node, axis
        return None

    def rewrite(self, node: Apply) -> None:
        super().rewrite(node)
        if node.op is ops.GETITEM:
            self._look_up(node)
        if is_primitive(node, "multiply"):
            self._times_one(node)
        if is_primitive(node, "add"):
            self._plus_zeros(node)
        if not is_primitive(node, "unbroadcast", "zeros", "broadcast_to"):
            return
        if is_primitive(node, "unbroadcast") and id(node) not in self.replaced:
            if self._assume_equal(node):
                super().rewrite(node)
        if id(node) not in self.replaced and not self.looking:
            node.args = tuple(self._look(a) for a in node.args)

    def _times_one(self, node: Apply) -> None:
        """np.broadcast_to(1.0, y.shape) * y → y."""
        if id(node) in self.handed:
            return
        for ones, other in (node.args, node.args[::-1]):
            s, t = deref(node.type), deref(other.type)
            if not is_primitive(ones, "broadcast_to") or self.looking:
                continue
            assert isinstance(ones, Apply)
            source = ones.args[0]
            if not isinstance(source, Constant) or source.value != 1:
                continue
            if isinstance(other, Constant) or holds_stored(other.type):
                continue
            same = (
                isinstance(s, Num)
                and isinstance(t, Num)
                and same_dtype(s.dtype, t.dtype)
            )
            if same and self.shapes.equal(self.shapes.of(ones), self.shapes.of(other)):
                self.replaced[id(node)] = self.current(other)
                return

    def _plus_zeros(self, node: Apply) -> None:
        """np.zeros(y.shape) + y → y, if nobody else gets hold of y."""
        for zeros, other in (node.args, node.args[::-1]):
            if not is_primitive(zeros, "zeros", "zeros_like") or self.looking:
                continue
            other = self.current(other)
            # Others may add to zeros that they get hold of.
            if not _is_fresh(other) or {id(zeros), id(other)} & self.handed:
                continue
            if not same_type(node.type, other.type) or holds_stored(other.type):
                continue
            a, b = self.shapes.of(zeros), self.shapes.of(other)
            if a is None or b is None or len(a) != len(b):
                continue
            self.assume(list(zip(a, b)))
            if self.shapes.equal(a, b):
                self.replaced[id(node)] = other
                self.handed.add(id(other))
                return

    def _assume_equal(self, node: Apply) -> bool:
        """Whether the last axes of a cotangent may be taken to be those wanted."""
        if holds_stored(node.type):
            return False
        dims = self.shapes.of(self.current(node.args[0]))
        wanted = self.shapes.of_tuple(node.args[1])
        if dims is None or wanted is None or len(dims) < len(wanted):
            return False
        return self.assume(list(zip(dims[len(dims) - len(wanted) :], wanted)))

    def assume(self, pairs: list[tuple[Dim, Dim]]) -> bool:
        """Whether lengths may be taken to be equal; they are checked from here on."""
        differing = [(a, b) for a, b in pairs if a.find() is not b.find()]
        if any(self._may_be_one(d) for pair in differing for d in pair):
            return False
        sides = [(self._known(a), self._known(b)) for a, b in differing]
        if any(a is None or b is None for a, b in sides):
            return False
        for (a, b), (left, right) in zip(differing, sides):
            if a.find() is b.find():
                continue
            assert left is not None
            assert right is not None
            self._check(self._length(*left), self._length(*right))
            self.shapes.unify(a, b)
        return bool(differing)

    def _may_be_one(self, dim: Dim) -> bool:
        """Whether an axis was of length one in the call that is compiled for."""
        return dim.find().size is not None or dim.find() in self.single

    def _add(self, node: Apply) -> Apply:
        self.checks.append(node)
        return node

    def _length(self, node: Node, axis: int) -> Apply:
        t = deref(node.type)
        shape, dims = node, self.shapes.tuples.get(id(node))
        if isinstance(t, Num):
            sizes = Tuple((INT,) * (t.ndim or 0))
            shape = self._add(primitive(np.shape, node, type=sizes))
            dims = self.shapes.of(node)
        made = self._add(Apply(ops.GETITEM, (shape, Constant(axis, INT)), INT))
        if dims is not None:
            self.shapes.lengths[id(made)] = dims[axis]
        return made

    def _check(self, a: Node, b: Node) -> None:
        equal = self._add(primitive(operator.eq, a, b, type=_BOOL))
        message = Constant("shapes that were taken to be equal differ", STR)
        self._add(Apply(ops.ASSERT, (equal, message), NONE))

    def _look_up_lengths(self, graph: Graph) -> None:
        """Take lengths from values at hand, not from residuals."""
        if self.looking:
            return
        for p in graph.params:
            dim = self.shapes.lengths.get(id(p))
            place = None if dim is None else self._at_hand(dim)
            if place is not None:
                self.replaced[id(p)] = self._length(*place)

    def _look_up(self, node: Apply) -> None:
        """Take a length from a value at hand.

        So no shape is a residual for it, and what was computed need not be an array.
        """
        base, index = node.args
        dims = self.shapes.tuples.get(id(base))
        if self.looking or dims is None:
            return
        if not isinstance(index, Constant) or type(index.value) is not int:
            return
        dim = dims[index.value]
        if isinstance(base, Parameter):
            place = self._at_hand(dim)
        elif is_primitive(base, "shape") and _is_fresh(base.args[0]):  # type: ignore[attr-defined]
            place = self._first_at_hand(dim)
        else:
            return
        if place is not None:
            self.replaced[id(node)] = self._length(*place)

    def _look(self, node: Node) -> Node:
        """A shape that is a residual, looked up on a value at hand that has it."""
        dims = self.shapes.tuples.get(id(node))
        if not isinstance(node, Parameter) or dims is None:
            return node
        places = [self._at_hand(d) for d in dims]
        parts: list[Node] = []
        for dim, place in zip(dims, places):
            size = dim.find().size
            if size is not None:
                parts.append(Constant(size, INT))
            elif place is None:
                return node
            else:
                parts.append(self._length(*place))
        return self._add(Apply(ops.TUPLE, tuple(parts), Tuple((INT,) * len(parts))))
