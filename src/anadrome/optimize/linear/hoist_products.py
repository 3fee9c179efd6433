"""Products that do not wait for a loop's state, done before the loop, for native code.

What is moved here may fail where the loop would not have (it may have no iterations),
so these passes are for programs that fall back to what they were when they fail: see
`backends.native.speculation`.
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node, called_graphs
from anadrome.ir.types import Num, deref
from anadrome.optimize.analysis.iterations import (
    Iterations,
    array_type,
    is_counted,
    is_primitive,
)
from anadrome.optimize.rewriting import is_movable, replace
from anadrome.optimize.simplify.loop_invariants import hoist


def hoist_everything(graph: Graph) -> Graph:
    """The graph with all that is the same in every iteration computed before the loop.

    for t in range(n):               V = W[:, k:]
        V = W[:, k:]           →     for t in range(n):
        h = h @ V                        h = h @ V
    """
    return hoist(graph, lambda node: True, _is_movable)


def _is_movable(node: Apply) -> bool:
    """Whether a statement is the same in every iteration if what it is given is.

    Storing into an array changes neither its shape nor where it is.
    """
    if is_movable(node):
        return True
    if not is_primitive(node, "shape", "size", "ndim", *_TRANSPOSES):
        return node.op is ops.LENGTH and isinstance(deref(node.args[0].type), Num)
    return isinstance(deref(node.args[0].type), Num)


_TRANSPOSES = ("transpose_all", "transpose", "matrix_transpose", "swapaxes")


def hoist_products(graph: Graph) -> Graph:
    """The graph with products of a loop's inputs done for all iterations at once.

    for t in range(len(xs)):               zs = xs @ W
        h = tanh(xs[t] @ W + h @ U)   →    for t in range(len(xs)):
                                               h = tanh(zs[t] + h @ U)
    """
    for g in called_graphs(graph):
        _products_in(g)
    return graph


def _products_in(graph: Graph) -> None:
    body: list[Apply] = []
    for node in graph.body:
        for region in node.regions:
            _products_in(region)
        if is_counted(node):
            body += _products(node, graph)
        body.append(node)
    graph.body = body


def _products(loop: Apply, outside: Graph) -> list[Apply]:
    iterations = Iterations(loop)
    replaced: dict[int, Node] = {}
    body: list[Apply] = []
    for node in iterations.body.body:
        t = array_type(node)
        if is_primitive(node, "matmul") and t is not None and t.ndim:
            every = iterations.all(node)
            if every is not None:
                item = Apply(
                    ops.GETITEM, (every, iterations.index), Num(t.dtype, t.ndim)
                )
                item.span, item.graph = node.span, iterations.body
                replaced[id(node)] = item
                node = item
        body.append(node)
    iterations.body.body = body
    replace(iterations.body, replaced)
    for node in iterations.made:
        node.graph = outside
    return iterations.made if replaced else []
