"""Buffers of a function's own, with the axis that its loops walk along outermost.

A loop over the last axis of an array takes parts whose elements lie far apart. Where
nobody else sees the array, it is made the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import INT, Num, Tuple, deref, is_stored
from anadrome.optimize.memory import is_view
from anadrome.optimize.rewriting import replace
from anadrome.optimize.turns import is_primitive, primitive

_LIKE = ("copy", "zeros_like", "empty_like", "ones_like")
# A loop counts as so many turns of the one around it.
_TURNS = 16


def lay_out_buffers(graph: Graph) -> Graph:
    """The graph with buffers laid out for the loops that use them.

    u = x.copy()                     u = x.transpose(2, 0, 1).copy().transpose(1, 2, 0)
    for k in range(n):         →     for k in range(n):
        u[:, :, k] = …                   u[:, :, k] = …
    """
    for g in called_graphs(graph):
        scores = _Scores()
        scores.region(g, 1)
        replaced: dict[int, Node] = {}
        body: list[Apply] = []
        for node in g.body:
            order = scores.order(node) if _is_own(node) else None
            body += [node] if order is None else _turned(node, order, replaced)
        for node in body:
            node.graph = g
        g.body = body
        replace(g, replaced)
    return graph


def _is_own(node: Apply) -> bool:
    """Whether a statement makes a buffer that is written to and has several axes."""
    t = deref(node.type)
    if not isinstance(t, Num) or (t.ndim or 0) < 2 or not is_stored(t):
        return False
    if node.op is not ops.COPY and not is_primitive(node, *_LIKE):
        return False
    source = deref(node.args[0].type)
    same = isinstance(source, Num) and source.ndim == t.ndim
    return same and len(node.args) == 1 and not node.keywords


def _turned(node: Apply, order: list[int], replaced: dict[int, Node]) -> list[Apply]:
    t, source = deref(node.type), node.args[0]
    assert isinstance(t, Num)
    s = deref(source.type)
    assert isinstance(s, Num)
    back = [order.index(k) for k in range(len(order))]
    given = _transposed(source, order, Num(s.dtype, s.ndim, alias=s.alias))
    made = Apply(node.op, (given,), t, name=node.name, span=node.span)
    made.target, made.comment = node.target, node.comment
    whole = _transposed(made, back, t)
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

    def region(self, graph: Graph, weight: int) -> None:
        """Count what a region does."""
        for node in graph.body:
            if node.op in (ops.GETITEM, ops.SETITEM) and weight > 1:
                self._access(node, weight)
            loops = node.op in (ops.FOR, ops.WHILE)
            for inner in node.regions:
                self.region(inner, weight * _TURNS if loops else weight)

    def _access(self, node: Apply, weight: int) -> None:
        base, axes = _root(node.args[0])
        t = deref(base.type)
        if not isinstance(t, Num) or axes is None:
            return
        parts = list(_parts(node.args[1]))
        taken = [_is_number(p) for p in parts]
        if len(parts) > len(axes) or (all(taken) and len(parts) == len(axes)):
            return
        at = self.at.setdefault(id(base), [0] * len(axes))
        along = self.along.setdefault(id(base), [0] * len(axes))
        for k, axis in enumerate(axes):
            here = k < len(taken) and taken[k]
            (at if here else along)[axis] += weight

    def order(self, node: Apply) -> list[int] | None:
        """The axes of a buffer from the outermost to the innermost, if they change."""
        at, along = self.at.get(id(node)), self.along.get(id(node))
        if at is None or along is None or at[-1] <= 2 * along[-1]:
            return None
        outer = [k for k in range(len(at)) if at[k] > along[k]]
        inner = [k for k in range(len(at)) if at[k] <= along[k]]
        return [*outer, *inner] if inner else None


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
