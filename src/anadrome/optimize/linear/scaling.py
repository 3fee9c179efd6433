"""Products with matrices whose rows are scaled, without the scaled matrix."""

from __future__ import annotations

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import INT, Num, same_dtype
from anadrome.optimize.analysis.iterations import (
    array_type,
    count_uses,
    is_primitive,
    primitive,
    transposed,
)
from anadrome.optimize.rewriting import regions_within
from anadrome.primitives.registry import Primitive, find_primitive


def scale_products(graph: Graph) -> Graph:
    """The graph with the rows of products scaled instead of those of their factors.

    p = np.broadcast_to(c, e.shape) * e          dx = c * (e @ w)
    dx, dw = p @ w, x.T @ p                →     dw = (x.T * c.T) @ e
    db = np.sum(p, axis=0)                       db = (c.T @ e)[0]

    c is a column. e is exp(a - max(a)), at most 1, so that nothing overflows that did
    not before; this is what a softmax over many classes leaves behind, and p would be
    another array of that size.
    """
    for g in called_graphs(graph):
        uses = count_uses(g)
        for region in regions_within(g):
            for node in list(region.body):
                _rewrite(region, node, uses)
    return graph


def _rewrite(region: Graph, node: Apply, uses: dict[int, int]) -> None:
    if not is_primitive(node, "multiply") or node.keywords:
        return
    for spread, e in (node.args, node.args[::-1]):
        if not _is_at_most_one(e):
            continue
        column = _spread_column(spread, e)
        if column is None:
            continue
        products = [n for n in region.body if any(a is node for a in n.inputs)]
        if len(products) != uses.get(id(node), 0):
            continue
        if all(_is_product(n, node) or _is_sum_of_rows(n) for n in products):
            for product in products:
                if _is_sum_of_rows(product):
                    _scale_sum(region, product, column, e)
                else:
                    _scale(region, product, node, column, e)
        return


def _spread_column(node: Node, e: Node) -> Node | None:
    """The column that is repeated to the shape of an exponential (or its exponent)."""
    if not is_primitive(node, "broadcast_to"):
        return None
    assert isinstance(node, Apply)
    if node.keywords or len(node.args) != 2:
        return None
    column, shape = node.args
    if not is_primitive(shape, "shape"):
        return None
    if shape.inputs[0] not in (e, *e.inputs):  # type: ignore[attr-defined]
        return None
    return column if is_column(column) else None


def is_column(node: Node) -> bool:
    """Whether a matrix certainly has one column."""
    t = array_type(node)
    if t is None or t.ndim != 2 or not isinstance(node, Apply):
        return False
    if is_primitive(node, "sum", "max", "min", "mean"):
        return _keeps_last_axis(node)
    if node.op is ops.INDEX_ADD or is_primitive(node, "zeros_like"):
        return is_column(node.args[0])
    if not isinstance(node.op, Primitive) or not node.op.broadcasts:
        return False
    ranks = [(a, array_type(a)) for a in node.inputs]
    if any(t is None for _, t in ranks):
        return False
    return all(t.ndim == 0 or is_column(a) for a, t in ranks if t is not None)


def _keeps_last_axis(node: Apply) -> bool:
    """Whether a matrix is reduced along its rows, which are then of length one."""
    if len(node.args) != 1 or set(node.keywords) != {"axis", "keepdims"}:
        return False
    axis, keeps = node.keywords["axis"], node.keywords["keepdims"]
    if not isinstance(axis, Constant) or not isinstance(keeps, Constant):
        return False
    return axis.value in (1, -1, (1,), (-1,)) and keeps.value is True


def _is_at_most_one(node: Node) -> bool:
    """Whether a value is exp(a - max(a)), the maximum perhaps rounded up."""
    if not is_primitive(node, "exp"):
        return False
    difference = node.args[0]  # type: ignore[attr-defined]
    if not is_primitive(difference, "subtract"):
        return False
    given, shift = difference.args
    if is_primitive(shift, "ceil"):
        shift = shift.args[0]
    return is_primitive(shift, "max") and shift.args[0] is given


def _is_product(node: Apply, factor: Node) -> bool:
    """Whether a statement multiplies two matrices of a type, one being the factor."""
    if not is_primitive(node, "matmul") or node.keywords or len(node.args) != 2:
        return False
    types = [array_type(n) for n in (*node.args, node)]
    first = types[0]
    if first is None or any(
        t is None or t.ndim != 2 or not same_dtype(t.dtype, first.dtype) for t in types
    ):
        return False
    return sum(a is factor for a in node.args) == 1


def _is_sum_of_rows(node: Apply) -> bool:
    """Whether a statement adds the rows of a matrix together.

    The gradient of a row that was added to each of them does; it adds all elements
    if that row turns out to have one.
    """
    t = array_type(node)
    if t is None or t.ndim != 1:
        return False
    if is_primitive(node, "unbroadcast"):
        return len(node.args) == 2 and not node.keywords
    if not is_primitive(node, "sum") or len(node.args) != 1:
        return False
    axis = node.keywords.get("axis")
    if set(node.keywords) != {"axis"} or not isinstance(axis, Constant):
        return False
    return axis.value in (0, (0,))


def _scale_sum(region: Graph, total: Apply, column: Node, e: Node) -> None:
    """Compute a sum of scaled rows as a product with the matrix that is not scaled."""
    t = array_type(total)
    assert t is not None
    transpose = transposed(column)
    row = primitive(np.matmul, transpose, e, type=Num(t.dtype, 2))
    made = [transpose, row]
    if is_primitive(total, "unbroadcast"):
        made.append(Apply(ops.GETITEM, (row, Constant(0, INT)), Num(t.dtype, 1)))
        total.args = (made[-1], *total.args[1:])
    else:
        total.op, total.target = ops.GETITEM, None
        total.args, total.keywords = (row, Constant(0, INT)), {}
    _insert_before(region, total, made)


def _scale(region: Graph, product: Apply, factor: Node, column: Node, e: Node) -> None:
    """Compute a product with the matrix that is not scaled."""
    x, y = product.args
    t = array_type(product)
    assert t is not None
    kind = Num(t.dtype, 2)
    if x is factor:
        whole = primitive(np.matmul, e, y, type=kind)
        made = [whole]
        product.op, product.target = find_primitive(np.multiply), np.multiply
        product.args = (column, whole)
    else:
        transpose = transposed(column)
        scaled = primitive(np.multiply, x, transpose, type=kind)
        made = [transpose, scaled]
        product.args = (scaled, e)
    _insert_before(region, product, made)


def _insert_before(region: Graph, node: Apply, made: list[Apply]) -> None:
    for n in made:
        n.graph, n.span = region, node.span
    at = next(k for k, n in enumerate(region.body) if n is node)
    region.body[at:at] = made
