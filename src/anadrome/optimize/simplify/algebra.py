"""Identities of arithmetic that leave every number exactly as it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, called_graphs
from anadrome.ir.types import Num, deref
from anadrome.optimize.rewriting import (
    has_identity,
    holds_stored,
    regions_within,
    replace,
    same_type,
)
from anadrome.primitives.registry import Primitive

Rewrite = Callable[[Apply], Node | None]


def simplify_algebra(graph: Graph) -> Graph:
    """The graph with arithmetic that does nothing left out.

    y = 1.0 * x + 0.0    →    y = x
    """
    for g in called_graphs(graph):
        replaced: dict[int, Node] = {}
        _region(g, replaced, _returned(g))
        replace(g, replaced)
    return graph


def _returned(graph: Graph) -> set[int]:
    """What a function returns, or puts into what it returns."""
    found: set[int] = set()
    pending = list(graph.results)
    while pending:
        node = pending.pop()
        found.add(id(node))
        if isinstance(node, Apply) and node.op in _BUILDERS:
            pending += node.inputs
        elif isinstance(node, Output) and node.apply.op in (ops.IF, ops.TRY):
            pending += [r.results[node.index] for r in node.apply.regions]
    return found


_BUILDERS = (ops.TUPLE, ops.LIST, ops.DICT, ops.NAMEDTUPLE, ops.RECORD)


def _region(graph: Graph, replaced: dict[int, Node], returned: set[int]) -> None:
    for node in graph.body:
        if any(id(n) in replaced for n in node.inputs):
            node.args = tuple(replaced.get(id(a), a) for a in node.args)
            node.keywords = {
                k: replaced.get(id(v), v) for k, v in node.keywords.items()
            }
        found = _simplified(node)
        if found is not None and id(node) in returned and not _is_number(node):
            # The caller gets an array of its own.
            node.op, node.args, node.target = ops.COPY, (found,), None
        elif found is not None:
            found = replaced.get(id(found), found)
            if found.name is None and not isinstance(found, Constant):
                found.name = node.name
            replaced[id(node)] = found
        for region in node.regions:
            _region(region, replaced, returned)


def replace_flags(graph: Graph) -> Graph:
    """The graph with flags that only repeat a test replaced by the test.

    if test:                  if test: …
        stop = True    →      if test:
    else:                         break
        stop = False
    if stop:
        break
    """
    for g in called_graphs(graph):
        for region in regions_within(g):
            replaced: dict[int, Node] = {}
            for node in region.body:
                if node.op is ops.IF and is_bool(node.args[0]):
                    then, other = (r.results for r in node.regions)
                    for out, a, b in zip(node.outputs, then, other):
                        if is_value(a, True) and is_value(b, False):
                            replaced[id(out)] = node.args[0]
            replace(region, replaced)
    return graph


def is_bool(node: Node) -> bool:
    """Whether a value is True or False rather than something that counts as such."""
    t = deref(node.type)
    return isinstance(t, Num) and t.scalar and t.dtype == np.dtype(np.bool_)


def is_value(node: Node, value: bool) -> bool:
    """Whether a node is that constant."""
    return isinstance(node, Constant) and node.value is value


def _simplified(node: Apply) -> Node | None:
    if not isinstance(node.op, Primitive) or has_identity(node.type):
        return None
    for rewrite in _PATTERNS.get(node.op.name, ()):
        found = rewrite(node)
        if found is None or has_identity(found.type):
            continue
        if same_type(found.type, node.type) and not _may_be_integer(found):
            return found
    return None


def _may_be_integer(node: Node) -> bool:
    """Whether a float of Python's is an int on some path, which 1.0 * n is not."""
    t = deref(node.type)
    return isinstance(t, Num) and t.python and t.varied


def _is_number(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.scalar


def _is(node: Node, number: float) -> bool:
    return (
        isinstance(node, Constant)
        and type(node.value) in (int, float)
        and node.value == number
    )


def _right_one(node: Apply) -> Node | None:
    return node.args[0] if _is(node.args[1], 1) else None


def _left_one(node: Apply) -> Node | None:
    return node.args[1] if _is(node.args[0], 1) else None


def _negative_twice(node: Apply) -> Node | None:
    inner = node.args[0]
    if isinstance(inner, Apply) and inner.op is node.op:
        return inner.args[0]
    return None


def cancel_signs(graph: Graph) -> Graph:
    """The graph without pairs of signs around a product; signs are exact.

    y = -(-a * b / c)    →    y = a * b / c
    """
    for g in called_graphs(graph):
        uses: dict[int, int] = {}
        for region in regions_within(g):
            for n in (*region.results, *(n for s in region.body for n in s.inputs)):
                uses[id(n)] = uses.get(id(n), 0) + 1
        for region in regions_within(g):
            for node in region.body:
                _cancel(node, uses)
    return graph


def _cancel(node: Apply, uses: dict[int, int]) -> None:
    if not isinstance(node.op, Primitive) or node.op.name != "negative":
        return
    chain: list[Apply] = []
    inner = node.args[0]
    while isinstance(inner, Apply) and isinstance(inner.op, Primitive):
        if uses.get(id(inner)) != 1 or holds_stored(inner.type):
            return
        if inner.op.name == "negative":
            break
        if inner.op.name not in ("multiply", "divide") or inner.keywords:
            return
        chain.append(inner)
        inner = inner.args[0]
    else:
        return
    assert isinstance(inner, Apply)
    if not chain or not same_type(inner.type, inner.args[0].type):
        return
    if not same_type(chain[0].type, node.type):
        return
    # The innermost factor loses its sign and the outermost product takes the name.
    last = chain[-1]
    last.args = (inner.args[0], *last.args[1:])
    first = chain[0]
    node.op, node.target, node.args = first.op, first.target, first.args


_PATTERNS: dict[str, tuple[Rewrite, ...]] = {
    "multiply": (_right_one, _left_one),  # x * 1 → x, 1 * x → x
    "divide": (_right_one,),  # x / 1 → x
    "power": (_right_one,),  # x ** 1 → x
    "negative": (_negative_twice,),  # -(-x) → x
}
"""The identities by the operation that they take away.

`x + 0` is not among them: it turns -0.0 into 0.0. Zero cotangents never become numbers,
so there is none to take away.
"""
