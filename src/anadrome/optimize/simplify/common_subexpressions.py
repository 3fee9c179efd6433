"""Common subexpressions: what is computed twice is computed once."""

from __future__ import annotations

from typing import Any

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import Cell, Num, deref, note_given
from anadrome.optimize.rewriting import is_movable, is_new, replace
from anadrome.primitives.registry import Primitive


def share_expressions(graph: Graph) -> Graph:
    """The graph without computations whose result is already at hand.

    a = x.T @ d          a = x.T @ d
    b = x.T @ d    →     y = a + a
    y = a + b
    """
    for g in called_graphs(graph):
        replaced: dict[int, Node] = {}
        _region(g, {}, replaced)
        replace(g, replaced)
    return graph


def _region(graph: Graph, seen: dict[Any, Node], replaced: dict[int, Node]) -> None:
    kept: list[Apply] = []
    for node in graph.body:
        key = _key(node, replaced) if _is_shareable(node) else None
        if key is not None:
            found = seen.get(key)
            if found is not None and not (is_new(node) and is_new(found)):
                if found.name is None:
                    found.name = node.name
                if isinstance(found, Apply):
                    found.retained = found.retained or node.retained
                replaced[id(node)] = found
                if is_new(node):
                    note_given(found.type, ())
                continue
            seen.setdefault(key, node)
        for region in node.regions:
            # What a region computes is at hand only inside it.
            _region(region, dict(seen), replaced)
        kept.append(node)
    graph.body = kept


def _is_shareable(node: Apply) -> bool:
    if not is_movable(node):
        return False
    if isinstance(node.op, Primitive):
        # Buffers for accumulation stay apart, and so do copies and lists: they have
        # identity.
        if node.op.name.startswith(("zeros", "zero_", "empty", "copy")):
            return False
    if isinstance(deref(node.type), Cell) and node.op not in (ops.GETITEM, ops.GETATTR):
        return False
    return node.name is None or node.name.startswith("∂")


def _key(node: Apply, replaced: dict[int, Node]) -> Any:
    try:
        key = (
            node.op,
            node.target if isinstance(node.op, Primitive) else None,
            tuple(_value_key(a, replaced) for a in node.args),
            tuple((k, _value_key(v, replaced)) for k, v in node.keywords.items()),
            _type_key(node),
        )
        hash(key)
    except TypeError:
        return None
    return key


def _type_key(node: Apply) -> Any:
    t = deref(node.type)
    return (t.dtype, t.ndim, t.python) if isinstance(t, Num) else None


def _value_key(node: Node, replaced: dict[int, Node]) -> Any:
    node = replaced.get(id(node), node)
    if isinstance(node, Constant):
        value = node.value
        return ("constant", type(value), repr(value) if type(value) is float else value)
    return id(node)
