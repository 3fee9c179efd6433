"""Loops without what does not change in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Apply, Graph, Node, called_graphs
from anadrome.optimize.analysis.iterations import Iterations
from anadrome.optimize.rewriting import is_movable, is_new, is_total, replace


def drop_constant_carries(graph: Graph) -> Graph:
    """The graph with loop variables that keep their first value replaced by it.

    for t in range(n):          for t in range(n):
        s, c = s + c, c    →        s = s + c
    """
    for g in called_graphs(graph):
        _drop_in(g)
    return graph


def _drop_in(graph: Graph) -> None:
    replaced: dict[int, Node] = {}
    for node in graph.body:
        for region in node.regions:
            _drop_in(region)
        if node.op in (ops.FOR, ops.WHILE):
            _drop_carries(node, replaced)
    replace(graph, replaced)


def _drop_carries(node: Apply, replaced: dict[int, Node]) -> None:
    shape, body = node.shape, node.regions[-1]
    n = shape.carried
    first, offset = len(node.args) - n, len(body.params) - n
    constant = [
        k
        for k in range(n)
        if body.results[k] is body.params[offset + k]
        and node.args[first + k] is not UNDEFINED
    ]
    if not constant:
        return
    for k in constant:
        init = node.args[first + k]
        replaced[id(node.outputs[k])] = init
        for region in node.regions:
            replaced[id(region.params[len(region.params) - n + k])] = init
    gone = set(constant)
    node.args = tuple(a for j, a in enumerate(node.args) if j - first not in gone)
    node.outputs = [o for j, o in enumerate(node.outputs) if j not in gone]
    for j, o in enumerate(node.outputs):
        o.index = j
    body.results = [r for j, r in enumerate(body.results) if j not in gone]
    for region in node.regions:
        start = len(region.params) - n
        region.params = [
            p for j, p in enumerate(region.params) if j - start not in gone
        ]
    node.shape = dataclasses.replace(shape, carried=n - len(gone))


def hoist_invariants(graph: Graph) -> Graph:
    """The graph with what is the same in every iteration computed before the loop.

    for t in range(n):          n = x.shape[0]
        d = y / x.shape[0]  →   for t in range(n):
                                    d = y / n

    Only what cannot fail moves: the loop may have no iterations at all.
    """
    return hoist(graph, lambda node: node.name is None and is_total(node))


Test = Callable[[Apply], bool]


def hoist(graph: Graph, wanted: Test, movable: Test = is_movable) -> Graph:
    """The graph with wanted statements before the loops on whose iterations they do
    not depend."""
    for g in called_graphs(graph):
        _hoist_in(g, wanted, movable)
    return graph


def _hoist_in(graph: Graph, wanted: Test, movable: Test) -> None:
    body: list[Apply] = []
    for node in graph.body:
        for region in node.regions:
            _hoist_in(region, wanted, movable)
        if node.op in (ops.FOR, ops.WHILE):
            body += _invariants(node, graph, wanted, movable)
        body.append(node)
    graph.body = body


def _invariants(
    loop: Apply, outside: Graph, wanted: Test, movable: Test
) -> list[Apply]:
    found: list[Apply] = []
    iterations = Iterations(loop)
    for region in loop.regions:
        kept: list[Apply] = []
        for node in region.body:
            if (
                movable(node)
                and wanted(node)
                and not is_new(node)
                and all(iterations.is_invariant(n) for n in node.inputs)
            ):
                iterations.inside.discard(id(node))
                node.graph = outside
                node.comment = None
                found.append(node)
            else:
                kept.append(node)
        region.body = kept
    return found
