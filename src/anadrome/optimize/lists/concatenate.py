"""Arrays that are put together from parts, without zeros to begin with."""

from __future__ import annotations

import operator

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import INT, NONE, STR, Num, Tuple, deref, same_form
from anadrome.optimize.analysis.iterations import count_uses, is_primitive, primitive
from anadrome.optimize.rewriting import holds_stored

_BOOL = Num(np.dtype(bool), 0, True)


def join_parts(graph: Graph) -> Graph:
    """The graph with sums of slices that follow each other replaced by joining them.

    dz = np.zeros((n, 2 * k))
    dz[:, k:] += db              →    dz = np.concatenate((da, db), 1)
    dz[:, :k] += da

    That the parts fill their slices is taken for granted, and checked.
    """
    for g in called_graphs(graph):
        uses = count_uses(g)
        for region in [g, *(r for n in walk(g) for r in n.regions)]:
            _region(region, uses)
    return graph


def _region(region: Graph, uses: dict[int, int]) -> None:
    body: list[Apply] = []
    gone: set[int] = set()
    own = {id(n) for n in region.body}
    for node in region.body:
        chain = _chain(node, uses, own)
        parts = _parts(chain) if len(chain) > 1 else None
        if parts is not None:
            gone.update(id(n) for n in chain[1:])
            made = _joined(node, chain[-1].args[0], parts)
            for m in made:
                m.graph, m.span = region, node.span
            body += made
        body.append(node)
    region.body = [n for n in body if id(n) not in gone]


def _chain(node: Apply, uses: dict[int, int], own: set[int]) -> list[Apply]:
    """Sums into one array of zeros, the last first; nothing reads it in between."""
    chain: list[Apply] = []
    current: Node = node
    while isinstance(current, Apply) and current.op is ops.INDEX_ADD:
        if id(current) not in own or (chain and uses.get(id(current)) != 1):
            return []
        chain.append(current)
        current = current.args[0]
    zeros = is_primitive(current, "zeros") and uses.get(id(current)) == 1
    return chain if zeros and not holds_stored(node.type) else []


def _parts(chain: list[Apply]) -> list[tuple[Node, Node | None]] | None:
    """(part, where it ends) in the order of the last axis, if slices fill it."""
    t = deref(chain[0].type)
    if not isinstance(t, Num) or not t.ndim or t.dtype is None:
        return None
    found: list[tuple[Node | None, Node | None, Node]] = []
    for node in chain:
        ends = _last_slice(node.args[1], t.ndim)
        part = deref(node.args[2].type)
        same = isinstance(part, Num) and same_form(part, t)
        if ends is None or not same:
            return None
        found.append((*ends, node.args[2]))
    ordered: list[tuple[Node, Node | None]] = []
    at: Node | None = None
    while found:
        following = [f for f in found if _same_bound(f[0], at)]
        if len(following) != 1:
            return None
        found.remove(following[0])
        at = following[0][1]
        ordered.append((following[0][2], at))
        if at is None:
            break
    return ordered if not found and at is None else None


def _same_bound(a: Node | None, b: Node | None) -> bool:
    if isinstance(a, Constant) and isinstance(b, Constant):
        return type(a.value) is type(b.value) is int and bool(a.value == b.value)
    return a is b


def _last_slice(index: Node, ndim: int) -> tuple[Node | None, Node | None] | None:
    """The bounds of a slice of the last axis, all others being taken whole."""
    parts: list[Node] = [index]
    if isinstance(index, Apply) and index.op is ops.TUPLE:
        parts = list(index.args)
    elif isinstance(index, Constant) and isinstance(index.value, tuple):
        parts = [Constant(v, index.type) for v in index.value]
    bounds = [_bounds(p) for p in parts]
    if len(parts) != ndim or any(b is None for b in bounds):
        return None
    if any(b != (None, None) for b in bounds[:-1]):
        return None
    return bounds[-1]


def _bounds(part: Node) -> tuple[Node | None, Node | None] | None:
    if isinstance(part, Constant):
        if not isinstance(part.value, slice) or part.value.step is not None:
            return None
        ends = (part.value.start, part.value.stop)
        if any(v is not None and (type(v) is not int or v < 0) for v in ends):
            return None
        low, high = (None if v in (None, 0) else Constant(v, INT) for v in ends)
        return low, high
    if not isinstance(part, Apply) or part.op is not ops.SLICE:
        return None
    start, stop, step = (_none_or(a) for a in part.args)
    return (start, stop) if step is None else None


def _none_or(node: Node) -> Node | None:
    return None if isinstance(node, Constant) and node.value is None else node


def _joined(
    node: Apply, zeros: Node, parts: list[tuple[Node, Node | None]]
) -> list[Apply]:
    """What must be computed before; the node itself becomes the joined array."""
    assert isinstance(zeros, Apply)
    t = deref(node.type)
    assert isinstance(t, Num)
    assert t.ndim is not None
    made: list[Apply] = []

    def add(new: Apply) -> Apply:
        made.append(new)
        return new

    def item(sizes: Node, k: int) -> Node:
        if isinstance(sizes, Apply) and sizes.op is ops.TUPLE:
            return sizes.args[k]
        return add(Apply(ops.GETITEM, (sizes, Constant(k, INT)), INT))

    def check(a: Node, b: Node) -> None:
        equal = add(primitive(operator.eq, a, b, type=_BOOL))
        message = Constant("parts that were taken to fill an array do not", STR)
        add(Apply(ops.ASSERT, (equal, message), NONE))

    total: Node | None = None
    for part, end in parts:
        sizes = add(primitive(np.shape, part, type=Tuple((INT,) * t.ndim)))
        for k in range(t.ndim - 1):
            check(item(sizes, k), item(zeros.args[0], k))
        width = item(sizes, t.ndim - 1)
        if total is not None:
            width = add(primitive(operator.add, total, width, type=INT))
        total = width
        check(total, end if end is not None else item(zeros.args[0], t.ndim - 1))
    values = tuple(part for part, _ in parts)
    together = add(Apply(ops.TUPLE, values, Tuple(tuple(v.type for v in values))))
    joined = primitive(
        np.concatenate, together, Constant(t.ndim - 1, INT), type=node.type
    )
    node.op, node.target = joined.op, joined.target
    node.args, node.keywords = joined.args, {}
    return made
