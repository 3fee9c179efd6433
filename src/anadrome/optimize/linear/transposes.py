"""Transposed products, computed as products of transposed factors.

The gradient of `x @ w.T` with respect to w is a product that is transposed. As a view
of the product it would be read across its rows wherever it is used.
"""

from __future__ import annotations

import operator

import numpy as np

from anadrome.ir.graph import Apply, Graph, Node, called_graphs, walk
from anadrome.ir.types import Num, deref, is_stored
from anadrome.optimize.analysis.iterations import (
    array_type,
    count_uses,
    is_primitive,
    primitive,
    transposed,
)
from anadrome.optimize.analysis.memory import RESHAPING
from anadrome.optimize.rewriting import holds_stored, regions_within


def transpose_products(graph: Graph) -> Graph:
    """The graph with factors transposed in place of their product.

    p = a @ b      →      t = b.T @ a.T
    t = p.T

    The product is used nowhere else. That t lies in memory row by row shows where
    another shape of an array is changed in place: then everything stays as it is.
    """
    for g in called_graphs(graph):
        if any(is_primitive(n, *RESHAPING) and is_stored(n.type) for n in walk(g)):
            continue
        uses = count_uses(g)
        for region in regions_within(g):
            body: list[Apply] = []
            for node in region.body:
                body += _transposed_product(node, uses)
                body.append(node)
            for node in body:
                node.graph = region
            region.body = body
    return graph


def _transposed_product(node: Apply, uses: dict[int, int]) -> list[Apply]:
    """What to compute before; a transposed product becomes that of the factors."""
    product = transposed_matrix(node)
    if product is None or not is_primitive(product, "matmul"):
        return []
    assert isinstance(product, Apply)
    if uses.get(id(product)) != 1 or product.keywords or len(product.args) != 2:
        return []
    if any(_rank(a) != 2 or array_type(a) is None for a in product.args):
        return []
    made: list[Apply] = []
    factors = [_factor(f, uses, made) for f in product.args[::-1]]
    transpose = primitive(np.matmul, *factors, type=node.type)
    node.op, node.target, node.args = transpose.op, transpose.target, transpose.args
    node.keywords, node.span = {}, product.span
    return made


def _factor(node: Node, uses: dict[int, int], made: list[Apply]) -> Node:
    """A factor transposed; what must be computed for it is added to a list."""
    below = transposed_matrix(node)
    if below is not None:
        return below
    new = transposed(node)
    if is_primitive(node, "multiply") and uses.get(id(node)) == 1:
        assert isinstance(node, Apply)
        # The scaled rows of a transposed matrix: its columns before.
        parts = [transposed_matrix(part) for part in node.inputs]
        if len(parts) == 2 and None not in parts:
            t = deref(node.type)
            assert isinstance(t, Num)
            kept = [part for part in parts if part is not None]
            new = primitive(operator.mul, *kept, type=Num(t.dtype, t.ndim))
    new.span = node.span
    made.append(new)
    return new


def transposed_matrix(node: Node) -> Node | None:
    """What a value is the transpose of, if it is one of a matrix."""
    if not is_primitive(node, "transpose", "transpose_all") or _rank(node) != 2:
        return None
    assert isinstance(node, Apply)
    alone = len(node.args) == 1 and not node.keywords
    return node.args[0] if alone and not holds_stored(node.type) else None


def _rank(node: Node) -> int | None:
    t = deref(node.type)
    return t.ndim if isinstance(t, Num) else None
