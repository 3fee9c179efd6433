"""Derivatives without summing over axes that nothing was broadcast along."""

from __future__ import annotations

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import BOOL, INT, Num, Tuple, deref, same_dtype
from anadrome.optimize.analysis.shapes import Shapes
from anadrome.optimize.rewriting import holds_stored, replace
from anadrome.primitives.registry import Primitive, find_primitive


def remove_broadcasts(graph: Graph) -> Graph:
    """The graph without sums over, and copies along, axes that fit as they are.

    z = x @ W + b
    dx = unbroadcast(dz, x.shape)    →    dx = dz
    db = unbroadcast(dz, b.shape)         db = np.sum(dz, axis=0)
    """
    for g in called_graphs(graph):
        walk = ShapeWalk()
        for p in g.params:
            walk.shapes.give(p)
        walk.region(g)
        replace(g, walk.replaced)
    return graph


class ShapeWalk:
    """A walk through one function in the order in which it runs."""

    def __init__(self) -> None:
        self.shapes = Shapes()
        self.replaced: dict[int, Node] = {}
        # While the shapes of loop variables are still being found nothing is changed.
        self.looking = 0

    def region(self, graph: Graph) -> None:
        """Go through a region."""
        for node in graph.body:
            self.statement(node)

    def statement(self, node: Apply) -> None:
        """Rewrite one statement and note what it shows."""
        if self.replaced and any(id(n) in self.replaced for n in node.inputs):
            if not self.looking:
                node.args = tuple(self.current(a) for a in node.args)
                node.keywords = {k: self.current(v) for k, v in node.keywords.items()}
        if node.op in (ops.FOR, ops.WHILE):
            self._loop(node)
        elif node.regions:
            for inner in node.regions:
                mark = self.shapes.mark()
                self.region(inner)
                self.shapes.undo(mark)
            if node.op is ops.IF:
                self.shapes.leave_branch(node)
        else:
            self.rewrite(node)
            known = len(self.shapes.pairs)
            self.shapes.statement(node)
            if len(self.shapes.pairs) > known:
                node.retained = True

    def current(self, node: Node) -> Node:
        """What stands for a value now."""
        return self.replaced.get(id(node), node)

    def _loop(self, node: Apply) -> None:
        shapes = self.shapes
        unstable: set[tuple[int, int]] = set()
        self.looking += 1
        for _ in range(8):
            mark = shapes.mark()
            self._iteration(node, unstable)
            converged = shapes.leave_iteration(node, unstable)
            shapes.undo(mark)
            if converged:
                break
        else:
            count = node.shape.carried
            first = len(node.args) - count
            for k in range(count):
                dims = shapes.of(node.args[first + k]) or ()
                unstable.update((k, j) for j in range(len(dims)))
        self.looking -= 1
        mark = shapes.mark()
        self._iteration(node, unstable)
        pairs = list(shapes.pairs[mark[1] :])
        shapes.leave_loop(node, pairs, unstable)
        shapes.undo(mark)

    def _iteration(self, node: Apply, unstable: set[tuple[int, int]]) -> None:
        self.shapes.enter_loop(node)
        body, skip = node.regions[-1], 3 if node.op is ops.FOR else 0
        for k in range(node.shape.stacks):
            p = body.params[(1 if skip else 0) + k]
            self.shapes.stack_tuple(p, node.args[skip + k])
        self.shapes.enter_iteration(node, unstable)
        for region in node.regions:
            self.region(region)

    # Rewriting ----------------------------------------------------------------------

    def rewrite(self, node: Apply) -> None:
        """Put something simpler in the place of a statement if shapes allow it."""
        if not isinstance(node.op, Primitive) or holds_stored(node.type):
            return
        found: Node | None = None
        if node.op.name in ("unbroadcast", "broadcast_to"):
            found = self._same_shape(node)
        if found is None and not self.looking:
            if node.op.name == "unbroadcast":
                self._sum_leading(node)
                self._sum_repeated(node)
            elif node.op.name == "multiply":
                self._scale(node)
        if found is not None and not self.looking:
            found = self.current(found)
            if found.name is None:
                found.name = node.name
            self.replaced[id(node)] = found

    def _same_shape(self, node: Apply) -> Node | None:
        d, shape = self.current(node.args[0]), node.args[1]
        if isinstance(d, Constant) or holds_stored(d.type):
            return None
        if getattr(node.type, "boxed", False) and not getattr(d.type, "boxed", False):
            return None  # a number that is made an array without axes
        if self.shapes.equal(self.shapes.of(d), self.shapes.of_tuple(shape)):
            return d
        return None

    def _sum_leading(self, node: Apply) -> None:
        """unbroadcast(d, b.shape) → np.sum(d, axis=0) where only new axes differ."""
        dims = self.shapes.of(node.args[0])
        wanted = self.shapes.of_tuple(node.args[1])
        if dims is None or not wanted or len(dims) <= len(wanted):
            return
        extra = len(dims) - len(wanted)
        if not self.shapes.equal(dims[extra:], wanted):
            return
        total = find_primitive(np.sum)
        assert total is not None
        axis = 0 if extra == 1 else tuple(range(extra))
        kind = INT if extra == 1 else Tuple((INT,) * extra)
        node.op, node.target = total, np.sum
        node.args, node.keywords = (node.args[0],), {"axis": Constant(axis, kind)}

    def _sum_repeated(self, node: Apply) -> None:
        """unbroadcast(d, (n, 1)) → np.sum(d, axis=(1,), keepdims=True)."""
        if node.op.name != "unbroadcast":
            return
        dims = self.shapes.of(node.args[0])
        wanted = self.shapes.of_tuple(node.args[1])
        if dims is None or wanted is None or len(dims) != len(wanted):
            return
        pairs = [(d.find(), w.find()) for d, w in zip(dims, wanted)]
        axes = tuple(k for k, (_, w) in enumerate(pairs) if w.size == 1)
        if not axes or any(d is not w and w.size != 1 for d, w in pairs):
            return
        total = find_primitive(np.sum)
        assert total is not None
        node.op, node.target = total, np.sum
        axis = Constant(axes, Tuple((INT,) * len(axes)))
        node.args, node.keywords = (
            (node.args[0],),
            {"axis": axis, "keepdims": Constant(True, BOOL)},
        )

    def _scale(self, node: Apply) -> None:
        """np.broadcast_to(s, y.shape) * y → s * y."""
        for k, a in enumerate(node.args):
            other = node.args[1 - k]
            t, s = deref(other.type), deref(node.type)
            if not isinstance(a, Apply) or not isinstance(a.op, Primitive):
                continue
            if a.op.name != "broadcast_to" or not isinstance(t, Num):
                continue
            if (
                not isinstance(s, Num)
                or not same_dtype(s.dtype, t.dtype)
                or s.ndim != t.ndim
            ):
                continue
            source = self.current(a.args[0])
            if self.shapes.of(source) != () or isinstance(other, Constant):
                continue
            if t.dtype is None or t.dtype.itemsize < 8 or t.dtype.kind not in "fc":
                continue
            if self.shapes.equal(self.shapes.of(a), self.shapes.of(other)):
                node.args = (source, other) if k == 0 else (other, source)
                return
