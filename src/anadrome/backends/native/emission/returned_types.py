"""Numbers that are returned as what they are on the path that was taken.

Where paths meet, native code has one type for a number: `n if test else 1.0` is a
float. What is computed from it is the same, but who gets the number itself sees an int
become a float, or a float32 a float64. So a number that leaves the program comes out of
its branch as an object of Python's.
"""

from __future__ import annotations

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.cloning import clone_graph
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output
from anadrome.ir.types import Num, deref

_BUILDERS = (ops.TUPLE, ops.LIST, ops.DICT, ops.NAMEDTUPLE, ops.RECORD)
_AS_IT_IS = Num(None, 0)


def keep_returned_types(graph: Graph) -> Graph:
    """The graph with numbers that it returns as they are on each path."""
    if not any(_is_mixed(n) for n in _returned(graph)):
        return graph
    graph = clone_graph(graph)
    graph.results = [_as_it_is(n) for n in graph.results]
    for node in _returned(graph):
        if isinstance(node, Apply):
            node.args = tuple(_as_it_is(a) for a in node.args)
    return graph


def _returned(graph: Graph) -> list[Node]:
    """What a graph returns, and what that is built of."""
    found: list[Node] = []
    pending = list(graph.results)
    while pending:
        node = pending.pop()
        found.append(node)
        if isinstance(node, Apply) and node.op in _BUILDERS:
            pending += node.args
    return found


def _is_mixed(node: Node) -> bool:
    """Whether a number has another type on some path that leads to it."""
    if not isinstance(node, Output) or node.apply.op not in (ops.IF, ops.TRY):
        return False
    given = [region.results[node.index] for region in node.apply.regions]
    kinds = [t for n in (node, *given) if isinstance(t := deref(n.type), Num)]
    if len(kinds) <= len(given) or not all(t.scalar for t in kinds):
        return False
    if any(isinstance(n, Constant) and not _is_number(n.value) for n in given):
        return False
    differ = kinds[0].dtype is not None and len({t.dtype for t in kinds}) > 1
    return differ or any(map(_is_mixed, given))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | complex | np.generic)


def _as_it_is(node: Node) -> Node:
    """A number as an object, if it has another type on some path."""
    if not _is_mixed(node):
        return node
    assert isinstance(node, Output)
    statement = node.apply
    for region in statement.regions:
        region.results.append(_as_it_is(region.results[node.index]))
    return statement.add_output(_AS_IT_IS)
