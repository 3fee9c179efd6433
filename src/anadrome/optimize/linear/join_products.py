"""Products that read the same large matrix, as one."""

from __future__ import annotations

import operator

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, called_graphs, walk
from anadrome.ir.types import BOOL, INT, NEVER, NONE, Num, Other, Tuple, same_dtype
from anadrome.optimize.analysis.iterations import (
    array_type,
    is_primitive,
    primitive,
    transposed,
)
from anadrome.optimize.linear.scaling import is_column
from anadrome.optimize.linear.transposes import transposed_matrix
from anadrome.optimize.rewriting import is_movable, replace
from anadrome.primitives.registry import Primitive

_WIDER = 4
"""A matrix that is so many times as wide as the other factor is worth a copy of it."""


def join_products(graph: Graph) -> Graph:
    """The graph in which a weighted sum of rows is part of another product.

    q = e.T @ y      →      j = e.T @ np.concatenate((y, c), 1)
    p = c.T @ e             q, p = j[:, :k], j[:, k:].T

    c is a column, so p does little with each of the elements of e that it reads. This
    is what the gradients by the weights and by the bias of a softmax over many classes
    are. Both are read element by element only: how they lie in memory does not show.
    If e turns out to be narrow, the products are left apart.
    """
    for g in called_graphs(graph):
        for row in [n for n in g.body if _weighted_rows(n) is not None]:
            _join(g, row)
    return graph


def _join(graph: Graph, row: Apply) -> None:
    found = _weighted_rows(row)
    if found is None:
        return
    column, e = found
    readers = _readers(graph)
    if not _is_read_by_element(row, readers):
        return
    for other in graph.body:
        if not _is_transposed_product(other, e) or not _is_read_by_element(
            other, readers
        ):
            continue
        both = _side_by_side(graph, row, other)
        if both is not None:
            _write(graph, both, row, other, column)
            return


def _weighted_rows(node: Apply) -> tuple[Node, Node] | None:
    """(column, matrix) of a product `column.T @ matrix`."""
    if not _is_product(node):
        return None
    column = transposed_matrix(node.args[0])
    if column is None or not is_column(column):
        return None
    return column, node.args[1]


def _is_transposed_product(node: Apply, matrix: Node) -> bool:
    """Whether a statement is `matrix.T @ something`."""
    return _is_product(node) and transposed_matrix(node.args[0]) is matrix


def _is_product(node: Node) -> bool:
    """Whether a value is a product of two matrices of its own type."""
    if not is_primitive(node, "matmul"):
        return False
    assert isinstance(node, Apply)
    t = array_type(node)
    if t is None or node.keywords or len(node.args) != 2:
        return False
    types = [array_type(a) for a in node.args]
    return all(
        u is not None and same_dtype(u.dtype, t.dtype) and u.ndim == 2 for u in types
    )


def _readers(graph: Graph) -> dict[int, list[Apply | None]]:
    """Who reads each value; None stands for those who get it as a result."""
    found: dict[int, list[Apply | None]] = {}
    for region in [graph, *(r for n in walk(graph) for r in n.regions)]:
        for result in region.results:
            found.setdefault(id(result), []).append(None)
    for node in walk(graph):
        for n in node.inputs:
            found.setdefault(id(n), []).append(node)
    return found


def _is_read_by_element(node: Node, readers: dict[int, list[Apply | None]]) -> bool:
    """Whether a value, or the rows that are taken from it, are only computed with."""
    for reader in readers.get(id(node), []):
        if reader is None:
            return False
        if reader.op is ops.GETITEM and _is_number(reader.args[1]):
            if not _is_read_by_element(reader, readers):
                return False
        elif not is_primitive(reader, "shape") and not _is_elementwise(reader):
            return False
    return True


def _is_elementwise(node: Apply) -> bool:
    return isinstance(node.op, Primitive) and node.op.broadcasts


def _is_number(node: Node) -> bool:
    return isinstance(node, Constant) and type(node.value) is int


def _side_by_side(graph: Graph, a: Apply, b: Apply) -> int | None:
    """Move what the later statement reads before the earlier one, and return where."""
    places = {id(n): k for k, n in enumerate(graph.body)}
    first, last = sorted((places[id(a)], places[id(b)]))
    needed: set[int] = set()
    pending: list[Node] = list(graph.body[last].inputs)
    while pending:
        node = pending.pop()
        node = node.apply if isinstance(node, Output) else node
        place = places.get(id(node), -1)
        if place < first or place in needed:
            continue
        needed.add(place)
        if place == first or not is_movable(graph.body[place]):
            return None
        pending += graph.body[place].inputs
    before = [graph.body[k] for k in sorted(needed)]
    rest = [n for k, n in enumerate(graph.body[first:], first) if k not in needed]
    graph.body[first:] = [*before, *rest]
    return first + len(before)


def _write(graph: Graph, at: int, row: Apply, other: Apply, column: Node) -> None:
    """Put both products, or the joint one, where they are needed first."""
    transpose, y = other.args
    made: list[Apply] = []

    def size(array: Node, axis: int) -> Apply:
        shape = primitive(np.shape, array, type=Tuple((INT, INT)))
        found = Apply(ops.GETITEM, (shape, Constant(axis, INT)), INT)
        made.extend((shape, found))
        return found

    width = size(y, 1)
    most = primitive(operator.mul, width, Constant(_WIDER, INT), type=INT)
    wide = primitive(operator.ge, size(transpose, 0), most, type=BOOL)
    branch = Apply(ops.IF, (wide,), NEVER)
    branch.regions = (
        _joint(graph, transpose, y, column, width),
        _apart(graph, row, other),
    )
    made += [most, wide, branch]
    for node in (row, other):
        t = array_type(node)
        assert t is not None
        branch.add_output(Num(t.dtype, 2), node.name)
    for node in made:
        node.graph, node.span = graph, row.span
    for region in branch.regions:
        for node in region.body:
            node.graph, node.span = region, row.span
    gone = {id(row), id(other)}
    body = [*graph.body[:at], *made, *graph.body[at:]]
    graph.body = [n for n in body if id(n) not in gone]
    replace(graph, {id(n): out for n, out in zip((row, other), branch.outputs)})


def _joint(graph: Graph, transpose: Node, y: Node, column: Node, width: Node) -> Graph:
    region = Graph("then", graph)
    t = array_type(y)
    assert t is not None
    kind = Num(t.dtype, 2)
    pair = Apply(ops.TUPLE, (y, column), Tuple((y.type, column.type)))
    factor = primitive(np.concatenate, pair, Constant(1, INT), type=kind)
    joint = primitive(np.matmul, transpose, factor, type=Num(t.dtype, 2))
    nothing = Constant(None, NONE)
    part = Other(slice)
    rows = Apply(ops.SLICE, (nothing, nothing, nothing), part)
    ends = [
        Apply(ops.SLICE, bounds, part)
        for bounds in ((nothing, width, nothing), (width, nothing, nothing))
    ]
    places = [Apply(ops.TUPLE, (rows, end), Tuple((part, part))) for end in ends]
    views = [Apply(ops.GETITEM, (joint, p), Num(t.dtype, 2)) for p in places]
    result = transposed(views[1])
    region.body = [pair, factor, joint, rows, *ends, *places, *views, result]
    region.results = [result, views[0]]
    return region


def _apart(graph: Graph, row: Apply, other: Apply) -> Graph:
    region = Graph("else", graph)
    for node in (row, other):
        t = array_type(node)
        assert t is not None
        region.body.append(primitive(np.matmul, *node.args, type=Num(t.dtype, 2)))
    region.results = list(region.body)
    return region
