"""Checks that a graph is well formed, for use after every pass under test."""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import Type


class Malformed(AssertionError):
    """A graph breaks a rule of the representation: a pass is wrong."""


def verify(graph: Graph) -> Graph:
    """The graph itself, once everything about it has been found in order."""
    for g in called_graphs(graph):
        _region(g, set(), g)
    return graph


def _require(condition: bool, graph: Graph, message: str) -> None:
    if not condition:
        raise Malformed(f"in {graph.name}: {message}")


def _region(region: Graph, outside: set[int], graph: Graph) -> None:
    defined = outside | {id(p) for p in region.params}
    for p in region.params:
        _typed(p, graph)
    for node in region.body:
        for n in node.inputs:
            _known(n, defined, graph, node)
        for inner in node.regions:
            _region(inner, defined, graph)
        _layout(node, graph)
        _typed(node, graph)
        defined.add(id(node))
        for k, o in enumerate(node.outputs):
            _require(o.apply is node and o.index == k, graph, f"{o!r} is misplaced")
            _typed(o, graph)
            defined.add(id(o))
    for r in region.results:
        _known(r, defined, graph, None)


def _known(n: Node, defined: set[int], graph: Graph, where: Apply | None) -> None:
    known = isinstance(n, Constant) or id(n) in defined
    _require(
        known, graph, f"{n!r} ({n.name}) is used by {where!r} before it is defined"
    )


def _typed(n: Node, graph: Graph) -> None:
    _require(isinstance(n.type, Type), graph, f"{n!r} has no type")


def _layout(node: Apply, graph: Graph) -> None:
    """Regions, results and outputs of control flow fit together."""
    if node.op in (ops.IF, ops.TRY):
        _require(len(node.regions) == 2, graph, f"{node!r} needs two regions")
        for region in node.regions:
            fits = len(region.results) == len(node.outputs)
            _require(fits, graph, f"{node!r}: results and outputs differ in number")
    if node.op not in (ops.FOR, ops.WHILE):
        return
    shape, body = node.shape, node.regions[-1]
    counted = node.op is ops.FOR
    bounds, index = (3, 1) if counted else (0, 0)
    _require(
        len(node.args) == bounds + shape.stacks + shape.carried,
        graph,
        f"{node!r}: arguments do not fit its shape",
    )
    _require(
        len(body.params) == index + shape.stacks + shape.carried,
        graph,
        f"{node!r}: parameters do not fit its shape",
    )
    _require(
        len(body.results) == shape.carried + shape.kept + shape.breaks,
        graph,
        f"{node!r}: results do not fit its shape",
    )
    _require(
        len(node.outputs) == shape.carried + shape.kept + shape.breaks + shape.counts,
        graph,
        f"{node!r}: outputs do not fit its shape",
    )
    if not counted:
        test = node.regions[0]
        fits = len(test.params) == shape.carried and len(test.results) == 1
        _require(fits, graph, f"{node!r}: the condition does not fit its shape")


__all__ = ["Malformed", "verify"]
