"""Marks on the statements of a program that may fail, so that they stay.

    i = np.argmax(x[n:])        # fails if x has no more than n entries
    return np.sum(x)            # and does not read i

A derivative is not looked at: what it adds to its program may be left out freely.
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, called_graphs, walk
from anadrome.optimize.analysis.failing import Span, can_fail, span_of
from anadrome.optimize.simplify.broadcasts import ShapeWalk


def retain_statements(graph: Graph) -> Graph:
    """The graph with marks on what may fail and therefore stays.

    It is done once, when a program has been read.
    """
    for g in called_graphs(graph):
        if any(n.retained is None for n in walk(g)):
            marks = _Marks()
            for p in g.params:
                marks.shapes.give(p)
            marks.region(g)
    return graph


def settle(graph: Graph) -> Graph:
    """The graph, of whose statements no more than those marked must stay."""
    for g in called_graphs(graph, recorded=True):
        g.derived = True
        for node in walk(g):
            if node.retained is None:
                node.retained = False
    return graph


class _Marks(ShapeWalk):
    """A walk in the order of execution that decides which statements may fail."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: dict[int, Span] = {}

    def statement(self, node: Apply) -> None:
        if node.op is ops.FOR:
            span = span_of(node, self.shapes)
            if span is not None:
                self.spans[id(node.regions[-1].params[0])] = span
        fails = can_fail(node, self.shapes, self.spans)
        before = node.retained
        super().statement(node)
        if not self.looking:
            node.retained = fails if before is None else before

    def rewrite(self, node: Apply) -> None:
        """Nothing is rewritten here."""
