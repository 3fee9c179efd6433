"""Calls as graphs of their own, and graphs as parts of others."""

from __future__ import annotations

import enum
from typing import Any

from anadrome.frontend.calls.calls import call
from anadrome.frontend.calls.recursion import close_graph, substitute
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.augmented_assignment import check_updates
from anadrome.frontend.numpy.readonly_views import check_stores
from anadrome.infer.values import callable_data
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Graph, Node, Parameter, walk
from anadrome.ir.types import NONE, alias_of, deref, unchanged
from anadrome.runtime import refuse_shared


def graph_of_call(
    it: Interpreter,
    function: Any,
    args: list[Node],
    keywords: dict[str, Node],
    copied: bool = True,
) -> tuple[Graph, list[Parameter], list[Node]]:
    """A call inside a function as a graph of its own.

    Returns the graph, its parameters for the arguments, and the outer values that are
    its further parameters. What is made of it has `copied` arrays before it changes
    them.
    """
    name = getattr(function, "__name__", None) or getattr(function, "name", None) or "f"
    graph = Graph(name if name.isidentifier() else "f")
    args = [it.concrete(a) for a in args]
    kind = unchanged if copied else deref
    params = [graph.add_parameter(kind(a.type), a.name) for a in args]
    named: dict[str, Node] = {}
    for k, v in keywords.items():
        v = it.concrete(v)
        p = graph.add_parameter(kind(v.type), k)
        named[k] = v if _stays_known(v) else p
    given: list[Node] = [v if _stays_known(v) else p for v, p in zip(args, params)]
    callee = function if isinstance(function, Node) else it.constant(function)
    before = it.known_items
    it.known_items = {}
    with it.region(graph):
        graph.results = [it.concrete(call(it, callee, given, named))]
    it.known_items = before
    # Checked here: nobody knows the statements again after they are transformed.
    for g in (graph, *it.graphs):
        check_updates(g, it.rebound)
        check_stores(g)
    free = close_graph(graph)
    if copied:
        _refuse_shared(it, graph, [*args, *map(it.concrete, keywords.values()), *free])
    return graph, params, free


def _refuse_shared(it: Interpreter, graph: Graph, given: list[Node]) -> None:
    """Refuse, when it runs, arrays that share memory if one of them is changed.

    What is made of the call copies them one by one.
    """
    for k, (p, a) in enumerate(zip(graph.params, given)):
        own, inner = alias_of(a.type), alias_of(p.type)
        if own is None or inner is None or isinstance(a, Constant):
            continue
        if not (inner.stored or inner.copied):
            continue
        own.copied = True
        for j, b in enumerate(given):
            if j != k and alias_of(b.type) is own:
                it.emit(ops.OBSERVE, (it.constant(refuse_shared), a, b), NONE)


def _stays_known(node: Node) -> bool:
    """Whether an argument decides what the function does: a function, a word, a flag."""  # noqa: E501
    if not isinstance(node, Constant):
        return False
    value = node.value
    plain = isinstance(value, str | bool | enum.Enum) or value is None
    return plain or callable_data(value) or callable(value)


def splice(it: Interpreter, graph: Graph, given: list[Node]) -> Node:
    """Put the statements of a graph into the one that is being read; its result."""
    values = [it.concrete(g) for g in given]
    substitute(graph, {id(p): a for p, a in zip(graph.params, values, strict=True)})
    for node in walk(graph):
        # What a derivative adds stands where it is called.
        node.span = node.span or it.span
    for node in graph.body:
        it.graph.append(node)
        for region in node.regions:
            region.parent = it.graph
    return graph.results[0]


__all__ = ["graph_of_call", "splice"]
