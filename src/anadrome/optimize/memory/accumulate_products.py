"""Products that are added to an array in place, without an array of their own."""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import NEVER, Num, alias_of, deref, same_dtype
from anadrome.optimize.analysis.iterations import count_uses, is_primitive
from anadrome.optimize.rewriting import holds_stored, regions_within


def accumulate_products(graph: Graph) -> Graph:
    """The graph with products added to arrays where they are computed.

    t = np.outer(x, y)      →      add_product(w, x, y)
    w += t

    The product is read nowhere else, neither factor can be a part of the array, and
    nothing that is stored in between is.
    """
    for g in called_graphs(graph):
        uses = count_uses(g)
        for region in regions_within(g):
            for store in [n for n in region.body if n.op is ops.SETITEM]:
                _rewrite(region, store, uses)
    return graph


def _rewrite(region: Graph, store: Apply, uses: dict[int, int]) -> None:
    target, index, total = store.args
    if not (isinstance(index, Constant) and index.value is Ellipsis):
        return
    if not is_primitive(total, "add"):
        return
    assert isinstance(total, Apply)
    old, product = total.args
    if old is not target or not _is_product(product):
        return
    assert isinstance(product, Apply)
    first, last = _place(region, product), _place(region, store)
    if first >= last or any(uses.get(id(n), 0) != 1 for n in (product, total)):
        return
    # What lies in memory of its own, nothing in between can change.
    kept = not any(holds_stored(a.type) for a in product.args)
    since = _place(region, total) if kept else first
    if any(_has_effects(n) for n in region.body[since:last]):
        return
    t, s = deref(target.type), deref(product.type)
    if (
        not isinstance(t, Num)
        or not isinstance(s, Num)
        or not same_dtype(t.dtype, s.dtype)
    ):
        return
    own = alias_of(t)
    if t.ndim != 2 or s.ndim != 2 or own is None:
        return
    if any(alias_of(a.type) is own for a in product.args):
        return
    made = Apply(ops.ADD_PRODUCT, (target, *product.args), NEVER, span=product.span)
    made.comment, made.graph = store.comment, region
    region.body[_place(region, store)] = made
    region.body = [n for n in region.body if n is not total and n is not product]


def _has_effects(node: Apply) -> bool:
    """Whether a statement may change an array."""
    if node.op is ops.ASSERT:
        return False
    return isinstance(node.op, ops.Op) and not node.op.pure


def _place(region: Graph, node: Node) -> int:
    return next((k for k, n in enumerate(region.body) if n is node), len(region.body))


def _is_product(node: Node) -> bool:
    """Whether a value is a product of vectors or of matrices of real numbers."""
    if not is_primitive(node, "outer", "matmul"):
        return False
    assert isinstance(node, Apply)
    if len(node.args) != 2 or node.keywords:
        return False
    rank = 1 if node.op.name == "outer" else 2
    kinds = [deref(n.type) for n in (*node.args, node)]
    ranks = [k.ndim for k in kinds if isinstance(k, Num)]
    if ranks != [rank, rank, 2]:
        return False
    dtypes = {k.dtype for k in kinds if isinstance(k, Num)}
    return len(dtypes) == 1 and all(d is not None and d.kind == "f" for d in dtypes)
