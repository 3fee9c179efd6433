"""Conditions that are objects which change: whether they hold is found out at once.

if xs:                        test = bool(xs)
    total += xs.pop()    →    if test:
                                  total += xs.pop()

The derivative asks again which way the program went, when the list may be empty.
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, called_graphs
from anadrome.ir.types import BOOL, Function, is_stored


def test_at_once(graph: Graph) -> None:
    """Replace conditions that are changed in place by what they say now."""
    for g in called_graphs(graph):
        _region(g)


def _region(graph: Graph) -> None:
    body: list[Apply] = []
    for node in graph.body:
        for region in node.regions:
            _region(region)
        if node.op is ops.IF and is_stored(node.args[0].type):
            callee = Constant(bool, Function(bool))
            test = Apply(ops.OBSERVE, (callee, node.args[0]), BOOL, span=node.span)
            test.graph = graph
            body.append(test)
            node.args = (test, *node.args[1:])
        body.append(node)
    graph.body = body
