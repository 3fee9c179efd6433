"""Conditions that are objects which change: whether they hold is found out at once.

if xs:                        test = bool(xs)
    total += xs.pop()    →    if test:
                                  total += xs.pop()

The derivative asks again which way the program went, when the list may be empty.
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, called_graphs, walk
from anadrome.ir.types import BOOL, Function, is_differentiable, is_stored


def test_at_once(graph: Graph) -> None:
    """Replace conditions that are changed in place by what they say now."""
    for g in called_graphs(graph):
        _region(g)


def _region(graph: Graph) -> None:
    body: list[Apply] = []
    for node in graph.body:
        for region in node.regions:
            _region(region)
        if node.op is ops.IF and is_stored(node.args[0].type) and _comes_back(node):
            callee = Constant(bool, Function(bool))
            test = Apply(ops.OBSERVE, (callee, node.args[0]), BOOL, span=node.span)
            test.graph = graph
            body.append(test)
            node.args = (test, *node.args[1:])
        body.append(node)
    graph.body = body


def _comes_back(node: Apply) -> bool:
    """Whether a branch does something that the backward pass has to undo."""
    if any(is_differentiable(out.type) for out in node.outputs):
        return True
    inner = (n for region in node.regions for n in walk(region))
    return any(getattr(n.op, "writes", False) or n.op in _OPAQUE for n in inner)


_OPAQUE = (ops.CALL, ops.PYCALL, ops.METHOD)
