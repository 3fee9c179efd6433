"""Fields of records that nobody changes, read once and without the record."""

from __future__ import annotations

from typing import Any

from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    Parameter,
    called_graphs,
)
from anadrome.ir.types import Cell, Dict, Object, Tuple, deref, is_stored
from anadrome.optimize.rewriting import replace
from anadrome.runtime import Saved


def forward_fields(graph: Graph) -> Graph:
    """The graph with reads of what was just built replaced by what it was built of.

    pair = (a, b)      →    y = f(a)
    y = f(pair[0])
    """
    for g in called_graphs(graph):
        replaced: dict[int, Node] = {}
        _forward_region(g, replaced)
        replace(g, replaced)
    return graph


def _forward_region(graph: Graph, replaced: dict[int, Node]) -> None:
    for node in graph.body:
        if node.op in (ops.GETITEM, ops.GETATTR):
            found = part_of_built(
                replaced.get(id(node.args[0]), node.args[0]), node.args[1]
            )
            if found is not None:
                if found.name is None and not isinstance(found, Constant):
                    found.name = node.name
                replaced[id(node)] = replaced.get(id(found), found)
        for region in node.regions:
            _forward_region(region, replaced)


def part_of_built(base: Node, key: Node) -> Node | None:
    """What a tuple, a record or a dictionary was built of, or None."""
    if not isinstance(base, Apply) or not isinstance(key, Constant):
        return None
    if is_stored(base.type):
        return None
    k = key.value
    if (
        base.op is ops.TUPLE
        and type(k) is int
        and -len(base.args) <= k < len(base.args)
    ):
        return base.args[k]
    if base.op is ops.NAMEDTUPLE and type(k) is int and 0 <= k < len(base.args) - 1:
        return base.args[1 + k]
    if base.op is ops.RECORD:
        names = base.args[1].value  # type: ignore[attr-defined]
        return base.args[2 + names.index(k)] if k in names else None
    if base.op is ops.DICT:
        for name, value in zip(base.args[::2], base.args[1::2]):
            if isinstance(name, Constant) and type(name.value) is type(k):
                if name.value == k:
                    return value
    return None


def read_fields_once(graph: Graph) -> Graph:
    """The graph with fields of a parameter that loops and branches read read at entry.

    for t in range(n):          W = p.W
        h = f(p.W @ h)    →     for t in range(n):
                                    h = f(W @ h)
    """
    for g in called_graphs(graph):
        again = True
        while again:
            again = _read_once(g)
    return graph


def _read_once(graph: Graph) -> bool:
    """Move the reads of one more level of fields to the top; whether there were any."""
    params = {id(p) for p in graph.params}
    tops = {
        id(n)
        for n in graph.body
        if n.op in (ops.GETATTR, ops.GETITEM) and not _may_be_absent(n)
    }
    reads: dict[tuple[int, Any], list[Apply]] = {}
    inner: set[tuple[int, Any]] = set()
    _collect(graph, params | tops, reads, inner, 0)
    replaced: dict[int, Node] = {}
    entry: dict[int, list[Apply]] = {}
    for key in (k for k in reads if k in inner):
        first = reads[key][0]
        made = Apply(first.op, first.args, first.type, span=first.span)
        made.name = next((n.name for n in reads[key] if n.name), _field_name(first))
        made.graph = graph
        entry.setdefault(id(first.args[0]), []).append(made)
        replaced.update((id(n), made) for n in reads[key])
    if not replaced:
        return False
    moved = {id(n) for key in inner for n in reads[key]}
    _drop(graph, moved)
    body: list[Apply] = []
    for p in graph.params:
        body += entry.get(id(p), [])
    for node in graph.body:
        body.append(node)
        body += entry.get(id(node), [])
    graph.body = body
    replace(graph, replaced)
    return True


def _may_be_absent(node: Apply) -> bool:
    """Whether a read gives None on some path: a residual or a part of a branch."""
    base: Node = node
    while isinstance(base, Apply) and base.op in (ops.GETATTR, ops.GETITEM):
        base = base.args[0]
        t = deref(base.type)
        if isinstance(t, Object) and t.cls is Saved:
            return True
    origin = base.apply if isinstance(base, Output) else base
    return isinstance(origin, Apply) and origin.op in (ops.IF, ops.TRY)


def _field_name(node: Apply) -> str | None:
    key = node.args[1].value  # type: ignore[attr-defined]
    return key if isinstance(key, str) and key.isidentifier() else None


def _collect(
    graph: Graph,
    bases: set[int],
    reads: dict[tuple[int, Any], list[Apply]],
    inner: set[tuple[int, Any]],
    depth: int,
) -> None:
    for node in graph.body:
        if node.op in (ops.GETATTR, ops.GETITEM) and id(node.args[0]) in bases:
            base, key = node.args
            if _is_field(base, key) and (depth or isinstance(base, Parameter)):
                assert isinstance(key, Constant)
                place = (id(base), (type(key.value), key.value))
                reads.setdefault(place, []).append(node)
                if depth:
                    inner.add(place)
        for region in node.regions:
            _collect(region, bases, reads, inner, depth + 1)


def _is_field(base: Node, key: Node) -> bool:
    """Whether a read of a field surely succeeds and gives the same at any time."""
    t = deref(base.type)
    if not isinstance(key, Constant) or is_stored(t):
        return False
    if isinstance(t, Tuple):
        return type(key.value) is int and -len(t.items) <= key.value < len(t.items)
    if isinstance(t, Object | Dict) and isinstance(t, Cell) and t.fields is not None:
        return key.value in t.fields
    return False


def _drop(graph: Graph, moved: set[int]) -> None:
    graph.body = [n for n in graph.body if id(n) not in moved]
    for node in graph.body:
        for region in node.regions:
            _drop(region, moved)
