"""Arrays with the axis that loops walk along outermost.

A loop over the last axis of an array takes parts whose elements lie far apart. Where
nobody else sees the array, it is made transposed; one that is only read, by loops from
one end to the other and often enough, is copied once.
"""

from __future__ import annotations

from collections.abc import Iterator

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
from anadrome.ir.types import INT, AliasClass, Num, Tuple, alias_of, deref, is_stored
from anadrome.optimize.analysis.iterations import is_primitive, primitive
from anadrome.optimize.analysis.memory import RESHAPING, is_view
from anadrome.optimize.rewriting import replace

_LIKE = ("copy", "zeros_like", "empty_like", "ones_like")
# A loop counts as so many iterations of the one around it.
_ITERATIONS = 16
# An array that is read so often along its last axis is worth a copy.
_OFTEN = 2 * _ITERATIONS


def lay_out_buffers(graph: Graph) -> Graph:
    """The graph with buffers laid out for the loops that use them.

    u = x.copy()                     u = x.transpose(2, 0, 1).copy().transpose(1, 2, 0)
    for k in range(n):         →     for k in range(n):
        u[:, :, k] = …                   u[:, :, k] = …
    """
    graphs = called_graphs(graph)
    ordered = {id(a) for g in graphs for a in _ordered(g)}
    for g in graphs:
        scores = _Scores()
        scores.region(g, 1)
        replaced: dict[int, Node] = {}
        body: list[Apply] = []
        for p in g.params:
            body += _copied(g, p, scores)
        for node in g.body:
            free = _is_own(node) and id(alias_of(node.type)) not in ordered
            order = scores.order(node) if free else None
            body += (
                [node] if order is None else _transposed_buffer(node, order, replaced)
            )
        for node in body:
            node.graph = g
        g.body = body
        replace(g, replaced)
    return graph


def _ordered(graph: Graph) -> Iterator[AliasClass]:
    """The memory of buffers whose order can be told by who sees them.

    Another shape of an array is a view of it in one order and a copy in another, which
    is not the same if either is written to. What Python functions and functions that
    are called do with it is not known.
    """
    for node in walk(graph):
        reshapes = is_primitive(node, *RESHAPING)
        called = node.op in (ops.CALL, ops.METHOD)
        foreign = node.op is ops.PYCALL and not _is_ours(node.args[0])
        if not (reshapes or called or foreign):
            continue
        for n in node.inputs:
            found = alias_of(n.type) if is_stored(n.type) else None
            if found is not None:
                yield found


def _is_ours(callee: Node) -> bool:
    value = callee.value if isinstance(callee, Constant) else None
    home = getattr(value, "__module__", None) or ""
    return home.startswith("anadrome.") or getattr(value, "__name__", "") == "at"


def _copied(graph: Graph, array: Parameter, scores: _Scores) -> list[Apply]:
    """A copy of an argument for the loops that read it, if there are several."""
    t = deref(array.type)
    if not isinstance(t, Num) or is_stored(t) or t.dtype is None:
        return []
    order = scores.order(array)
    if order is None or scores.reads.get(id(array), 0) < _OFTEN:
        return []
    inverse = [order.index(k) for k in range(len(order))]
    kind = Num(t.dtype, t.ndim)
    given = _transposed(array, order, kind)
    made = Apply(ops.COPY, (given,), kind, name=array.name)
    whole = _transposed(made, inverse, kind)
    _read(graph, array, whole)
    return [given, made, whole]


def _read(graph: Graph, array: Node, copy: Node) -> None:
    """Read parts of a copy of an array in the loops of a graph."""
    for node in graph.body:
        for region in node.regions:
            for inner in region.body:
                if inner.op is ops.GETITEM and inner.args[0] is array:
                    inner.args = (copy, *inner.args[1:])
            _read(region, array, copy)


def _is_own(node: Apply) -> bool:
    """Whether a statement makes an array that is written to and has several axes."""
    t = deref(node.type)
    if not isinstance(t, Num) or (t.ndim or 0) < 2:
        return False
    if not is_stored(t) and not is_primitive(node, "zeros_like"):
        return False
    if node.op is not ops.COPY and not is_primitive(node, *_LIKE):
        return False
    source = deref(node.args[0].type)
    same = isinstance(source, Num) and source.ndim == t.ndim
    return same and len(node.args) == 1 and not node.keywords


def _transposed_buffer(
    node: Apply, order: list[int], replaced: dict[int, Node]
) -> list[Apply]:
    t, source = deref(node.type), node.args[0]
    assert isinstance(t, Num)
    s = deref(source.type)
    assert isinstance(s, Num)
    inverse = [order.index(k) for k in range(len(order))]
    given = _transposed(source, order, Num(s.dtype, s.ndim, alias=s.alias))
    made = Apply(node.op, (given,), t, name=node.name, span=node.span)
    made.target, made.comment = node.target, node.comment
    whole = _transposed(made, inverse, t)
    replaced[id(node)] = whole
    return [given, made, whole]


def _transposed(node: Node, order: list[int], t: Num) -> Apply:
    axes = Constant(tuple(order), Tuple((INT,) * len(order)))
    return primitive(np.transpose, node, axes, type=t)


class _Scores:
    """How often loops take parts of buffers at one place of an axis, or along it."""

    def __init__(self) -> None:
        self.at: dict[int, list[int]] = {}
        self.along: dict[int, list[int]] = {}
        self.reads: dict[int, int] = {}
        # The arrays that sums of parts were begun with.
        self._begun: dict[int, Node] = {}
        # The numbers of axes of arrays along which the loops around go from end to end.
        self._spanned: frozenset[int | None] = frozenset()

    def region(self, graph: Graph, weight: int) -> None:
        """Count what a region does."""
        for node in graph.body:
            if node.op in (ops.GETITEM, ops.SETITEM, ops.INDEX_ADD) and weight > 1:
                self._access(node, weight)
            if node.op is ops.INDEX_ADD:
                self._begun[id(node)] = self._first(node.args[0])
            loops = node.op in (ops.FOR, ops.WHILE)
            outer = self._spanned
            if node.op is ops.FOR:
                self._carry(node)
                self._spanned = outer | {_measured(n) for n in node.args[:2]}
            for inner in node.regions:
                self.region(inner, weight * _ITERATIONS if loops else weight)
            self._spanned = outer

    def _first(self, node: Node) -> Node:
        return self._begun.get(id(node), node)

    def _carry(self, loop: Apply) -> None:
        """Follow what a loop adds to from before it, through it, to behind it."""
        given = loop.args[3 + loop.shape.stacks :]
        inside = loop.regions[-1].params[1 + loop.shape.stacks :]
        for before, within, after in zip(given, inside, loop.outputs):
            self._begun[id(within)] = self._begun[id(after)] = self._first(before)

    def _access(self, node: Apply, weight: int) -> None:
        base, axes = _root(self._first(node.args[0]))
        t = deref(base.type)
        if not isinstance(t, Num) or axes is None:
            return
        parts = list(_parts(node.args[1]))
        taken = [_is_number(p) for p in parts]
        if len(parts) > len(axes) or (all(taken) and len(parts) == len(axes)):
            return
        reads = node.op is ops.GETITEM and base is node.args[0] and any(taken)
        # Arrays that are taken apart alike are most often of one length.
        if reads and t.ndim in self._spanned:
            self.reads[id(base)] = self.reads.get(id(base), 0) + weight
        at = self.at.setdefault(id(base), [0] * len(axes))
        along = self.along.setdefault(id(base), [0] * len(axes))
        for k, axis in enumerate(axes):
            here = k < len(taken) and taken[k]
            (at if here else along)[axis] += weight

    def order(self, node: Node) -> list[int] | None:
        """The axes of a buffer from the outermost to the innermost, if they change."""
        at, along = self.at.get(id(node)), self.along.get(id(node))
        if at is None or along is None or at[-1] <= 2 * along[-1]:
            return None
        outer = [k for k in range(len(at)) if at[k] > along[k]]
        inner = [k for k in range(len(at)) if at[k] <= along[k]]
        return [*outer, *inner] if inner else None


def _measured(node: Node) -> int | None:
    """How many axes the array has that the end of a range is the length of the last
    axis of, or nearly so."""
    while is_primitive(node, "add", "subtract"):
        assert isinstance(node, Apply)
        node, by = node.args
        if not isinstance(by, Constant):
            return None
    if not isinstance(node, Apply) or node.op is not ops.GETITEM:
        return None
    shape, axis = node.args
    if not is_primitive(shape, "shape") or not isinstance(axis, Constant):
        return None
    assert isinstance(shape, Apply)
    t = deref(shape.args[0].type)
    if not isinstance(t, Num) or not t.ndim or axis.value != t.ndim - 1:
        return None
    return t.ndim


def _root(node: Node) -> tuple[Node, list[int] | None]:
    """The buffer that an array is seen through, and which axes of it it has."""
    t = deref(node.type)
    axes = list(range(t.ndim or 0)) if isinstance(t, Num) else None
    while is_view(node):
        assert isinstance(node, Apply)
        if not is_primitive(node, "transpose_all") or axes is None:
            return node, None
        node, axes = node.args[0], axes[::-1]
    return node, axes


def _parts(index: Node) -> Iterator[Node]:
    if isinstance(index, Apply) and index.op is ops.TUPLE:
        yield from index.args
    else:
        yield index


def _is_number(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0
