"""A graph rearranged for reading: what prints better when written otherwise.

Nothing here changes what a program computes. Indices stand where they are used, and a
loop that counts only to read the items of one value runs over that value.
"""

from __future__ import annotations

import dataclasses

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Parameter, walk
from anadrome.ir.types import INT, List, Num, VarTuple, deref, is_stored
from anadrome.optimize.rewriting import replace
from anadrome.optimize.simplify.dead_code import remove_dead_region
from anadrome.primitives.registry import Primitive


def arrange(graph: Graph) -> None:
    """Rearrange a graph for the printer."""
    # Loops may run over values only if what they read of them is wanted.
    remove_dead_region(graph)
    _run_over_items(graph)
    _spread_indices(graph)
    remove_dead_region(graph)
    # Only what is left tells of the iterations of a loop.
    uncounted = _forget_counts(graph)
    remove_dead_region(graph)
    assert all(loop.shape.stacks for loop in uncounted)


# Indices ----------------------------------------------------------------------------

_INDEXED = {ops.GETITEM: 1, ops.SETITEM: 1, ops.INDEX_ADD: 1, ops.DELITEM: 1}
"""Statements with an index, and its place among the arguments."""


def _spread_indices(graph: Graph) -> None:
    """Give every use of a slice, or of a tuple of them, one of its own.

    s = slice(2, 4)
    y = x[s] + z[s]    →    y = x[2:4] + z[2:4]
    """
    body: list[Apply] = []
    for node in graph.body:
        for region in node.regions:
            _spread_indices(region)
        place = _INDEXED.get(node.op)
        if place is not None:
            index = _own_index(node.args[place], graph, body)
            node.args = (*node.args[:place], index, *node.args[place + 1 :])
        body.append(node)
    graph.body = body


def _regions(graph: Graph) -> list[Graph]:
    found = [graph]
    for node in walk(graph):
        found += node.regions
    return found


def _own_index(index: Node, graph: Graph, body: list[Apply]) -> Node:
    if not isinstance(index, Apply) or not _is_index(index):
        return index
    args = tuple(_own_index(a, graph, body) for a in index.args)
    made = Apply(index.op, args, index.type, span=index.span)
    made.graph = graph
    body.append(made)
    return made


def _is_index(node: Apply) -> bool:
    if node.name is not None:
        return False
    if node.op is ops.SLICE:
        return True
    return node.op is ops.TUPLE and any(
        isinstance(a, Apply) and a.op is ops.SLICE for a in node.args
    )


# Loops ------------------------------------------------------------------------------


def _run_over_items(graph: Graph) -> None:
    """Let loops run over what they only count to read.

    for k in range(len(xs)):          for x in xs:
        x = xs[k]               →         …
    """
    for node in list(walk(graph)):
        if node.op is ops.FOR:
            _run_over(node)


def _forget_counts(graph: Graph) -> list[Apply]:
    """Let loops that run over values without counting not know how many there are."""
    found = []
    for node in walk(graph):
        if node.op is not ops.FOR or not node.shape.stacks:
            continue
        if not _is_read(node.regions[-1], _index(node)):
            node.args = (Constant(0, INT), Constant(0, INT), *node.args[2:])
            found.append(node)
    return found


def _index(loop: Apply) -> Node:
    return loop.regions[-1].params[0]


def _run_over(loop: Apply) -> None:
    shape, body = loop.shape, loop.regions[-1]
    index = _index(loop)
    start, stop, step = loop.args[:3]
    if index.name is not None or not _is(start, 0) or not _is(step, 1):
        return
    sequences = _counted(stop)
    reads = [_reads(body, w, index) for w in sequences]
    if not reads or not all(reads) or (shape.reverse and len(sequences) > 1):
        # Of several lists the shortest ends the loop, and backwards they do not align.
        return
    if len(sequences) > 1 and _is_read_otherwise(body, index, reads):
        return
    for sequence, found in zip(sequences, reads):
        _add_stack(loop, sequence, found)


def _reads(body: Graph, sequence: Node, index: Node) -> list[Apply]:
    """The statements that read an item of a value at the index of a loop."""
    return [
        n
        for n in walk(body)
        if n.op is ops.GETITEM and n.args[0] is sequence and n.args[1] is index
    ]


def _is_read_otherwise(body: Graph, index: Node, reads: list[list[Apply]]) -> bool:
    items = {id(n) for found in reads for n in found}
    return any(
        n is index for s in walk(body) if id(s) not in items for n in s.inputs
    ) or any(r is index for g in _regions(body) for r in g.results)


def _add_stack(loop: Apply, sequence: Node, reads: list[Apply]) -> None:
    """Let a loop run over the items of a value too, in place of reading them."""
    shape, body = loop.shape, loop.regions[-1]
    name = next((n.name for n in reads if n.name is not None), None)
    item = Parameter(body, reads[0].type, name, reads[0].span)
    at = 1 + shape.stacks
    body.params.insert(at, item)
    loop.args = (*loop.args[: 3 + shape.stacks], sequence, *loop.args[2 + at :])
    loop.shape = dataclasses.replace(shape, stacks=shape.stacks + 1)
    _remove(body, {id(n) for n in reads})
    replace(body, {id(n): item for n in reads})


def _is(node: Node, value: int) -> bool:
    return isinstance(node, Constant) and node.value == value


def _counted(stop: Node) -> list[Node]:
    """The values of which `stop` is the length, or the shortest length.

    None are found if the items of one may change.
    """
    if not isinstance(stop, Apply):
        return []
    if stop.op is ops.LENGTH:
        return _unchanging(stop.args[0])
    if stop.op is ops.GETITEM and _is(stop.args[1], 0):
        shape = stop.args[0]
        if isinstance(shape, Apply) and isinstance(shape.op, Primitive):
            return _unchanging(shape.args[0]) if shape.op.name == "shape" else []
    if stop.op is ops.PYCALL and getattr(stop.args[0], "value", None) is min:
        parts = [_counted(a) for a in stop.args[1:]]
        return [w for p in parts for w in p] if all(parts) else []
    return []


def _unchanging(node: Node) -> list[Node]:
    t = deref(node.type)
    if isinstance(node, Constant):
        return []
    if isinstance(t, Num):
        return [node] if t.ndim and not is_stored(t) else []
    if isinstance(t, List):
        return [] if t.stored else [node]
    return [node] if isinstance(t, VarTuple) else []


def _is_read(graph: Graph, node: Node) -> bool:
    return any(n is node for s in walk(graph) for n in s.inputs) or any(
        r is node for g in _regions(graph) for r in g.results
    )


def _remove(graph: Graph, gone: set[int]) -> None:
    for region in _regions(graph):
        region.body = [n for n in region.body if id(n) not in gone]
