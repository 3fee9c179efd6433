"""Lists that a loop appends to in every iteration, as residuals of the loop."""

from __future__ import annotations

import dataclasses

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    called_graphs,
    walk,
)
from anadrome.ir.types import List, Num, Other, deref
from anadrome.optimize.analysis.iterations import is_primitive, primitive
from anadrome.optimize.rewriting import holds_stored, regions_within, replace
from anadrome.primitives.registry import Primitive


def keep_appended(graph: Graph) -> Graph:
    """The graph with lists that grow by one item each iteration made by their loops.

    hs = []                              hs = for t in range(n):
    for t in range(n):                       h = tanh(x[t] + h)
        h = tanh(x[t] + h)      →            yield h
        hs.append(h)

    Such a list is never changed after it was made, and so needs no buffer.
    """
    for g in called_graphs(graph):
        uses: dict[int, list[Apply]] = {}
        results: set[int] = set()
        for region in regions_within(g):
            results.update(id(r) for r in region.results)
            for node in region.body:
                for n in {id(n): n for n in node.inputs}.values():
                    uses.setdefault(id(n), []).append(node)
        for region in list(regions_within(g)):
            for node in [n for n in region.body if _is_empty_list(n)]:
                if id(node) not in results:
                    _keep(g, region, node, uses.get(id(node), []))
    return graph


def _is_empty_list(node: Apply) -> bool:
    return node.op is ops.LIST and not node.args and isinstance(deref(node.type), List)


def _keep(graph: Graph, region: Graph, made: Apply, uses: list[Apply]) -> None:
    appends = [u for u in uses if u.op is ops.APPEND]
    others = [u for u in uses if u.op is not ops.APPEND]
    if len(appends) != 1 or not all(_only_reads(u) for u in others):
        return
    (append,) = appends
    target, item = append.args
    if target is not made or item is made or holds_stored(item.type):
        return
    place = {id(n): k for k, n in enumerate(region.body)}
    loop = next((n for n in region.body if _runs(n, append)), None)
    if loop is None or place[id(loop)] < place[id(made)]:
        return
    later: set[int] = set()
    for node in region.body[place[id(loop)] + 1 :]:
        later.add(id(node))
        later.update(id(n) for r in node.regions for n in walk(r))
    if any(id(u) not in later for u in others):
        return
    out = _further_output(loop, item, made)
    body = loop.regions[0]
    body.body = [n for n in body.body if n is not append]
    region.body = [n for n in region.body if n is not made]
    replace(graph, {id(made): out})


def _runs(loop: Apply, append: Apply) -> bool:
    """Whether a loop does something in every iteration."""
    if loop.op is not ops.FOR or loop.shape.breaks or loop.shape.reverse:
        return False
    return any(n is append for n in loop.regions[0].body)


def _only_reads(node: Apply) -> bool:
    if is_primitive(node, "array", "asarray"):
        # It is a new array if what it is made of is none.
        return isinstance(deref(node.args[0].type), List)
    if isinstance(node.op, Primitive):
        return node.op.pure and node.op.fresh
    return node.op in (ops.GETITEM, ops.LENGTH)


def _further_output(loop: Apply, item: Node, made: Apply) -> Output:
    shape = loop.shape
    end = shape.carried + shape.kept
    loop.regions[0].results.insert(end, item)
    out = Output(loop, end, List(item.type))
    out.name, out.span = made.name, made.span
    loop.outputs.insert(end, out)
    for k, o in enumerate(loop.outputs):
        o.index = k
    loop.shape = dataclasses.replace(shape, kept=shape.kept + 1)
    return out


def stack_before_reversing(graph: Graph) -> Graph:
    """The graph with lists joined as they are, and the array reversed.

    np.stack(hs[::-1])    →    np.stack(hs)[::-1]
    """
    for g in called_graphs(graph):
        replaced: dict[int, Node] = {}
        for region in regions_within(g):
            body: list[Apply] = []
            for node in region.body:
                made = _reversed(node)
                for new in made:
                    new.graph, new.span, new.name = region, node.span, node.name
                if made:
                    replaced[id(node)] = made[-1]
                body += made or [node]
            region.body = body
        replace(g, replaced)
    return graph


def _reversed(node: Apply) -> list[Apply]:
    t = deref(node.type)
    if not is_primitive(node, "stack") or len(node.inputs) != 1:
        return []
    source = node.args[0]
    if not isinstance(source, Apply) or source.op is not ops.GETITEM:
        return []
    items, index = source.args
    if not isinstance(deref(items.type), List) or not isinstance(t, Num):
        return []
    if not _reverses(index) or holds_stored(items.type) or holds_stored(t):
        return []
    whole = primitive(np.stack, items, type=Num(t.dtype, t.ndim))
    part = Constant(slice(None, None, -1), Other(slice))
    return [whole, Apply(ops.GETITEM, (whole, part), Num(t.dtype, t.ndim))]


def _reverses(index: Node) -> bool:
    if isinstance(index, Constant):
        return isinstance(index.value, slice) and index.value == slice(None, None, -1)
    if not isinstance(index, Apply) or index.op is not ops.SLICE:
        return False
    values = [a.value if isinstance(a, Constant) else 0 for a in index.args]
    return values[0] is values[1] is None and values[2] == -1
