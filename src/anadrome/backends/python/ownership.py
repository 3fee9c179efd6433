"""Which values nobody else holds, so that they may be updated in place."""

from __future__ import annotations

from anadrome.backends.python.positions import Layout, exclusive
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, walk
from anadrome.ir.types import Dict, List, Num, Stack, deref, same_dtype
from anadrome.primitives.registry import Primitive


def owned_values(graph: Graph, layout: Layout) -> set[int]:
    """Values that are surely new arrays or lists that only one reader sees."""
    owned: set[int] = set()
    statements = list(walk(graph))
    uncertain = _uncertain_dtypes(statements)
    for node in statements:
        fresh = isinstance(node.op, Primitive) and _is_fresh(node.op, node)
        if fresh or node.op in (ops.INDEX_ADD, ops.COPY):
            owned.add(id(node))
    # Loops and branches pass ownership on if everything that flows in is owned.
    candidates = _merged(statements)
    owned.update(id(c) for c, _ in candidates)
    changed = True
    while changed:
        changed = False
        for candidate, flows in candidates:
            if id(candidate) in owned and not all(
                (_is_number(f) and not _is_boxed(f))
                or (id(f) in owned and _sole(f, layout))
                for f in flows
            ):
                owned.discard(id(candidate))
                changed = True
    return owned - uncertain


def lent_numbers(graph: Graph) -> set[int]:
    """Numbers that may be 0-d arrays, which others hold or may not change."""
    statements = list(walk(graph))
    lent = {
        id(node)
        for node in statements
        if isinstance(node.op, Primitive) and not node.op.fresh and _is_number(node)
    }
    for g in (graph, *(r for node in statements for r in node.regions)):
        inner = [n for node in g.body for n in (*node.inputs, *node.outputs)]
        lent.update(id(n) for n in (*g.params, *g.results, *inner) if _is_boxed(n))
    # Tangents may be given as arrays.
    lent.update(
        id(p)
        for p in graph.params
        if _is_number(p) and not getattr(deref(p.type), "python", True)
    )
    merged = _merged(statements) if lent else []
    size = -1
    while size != len(lent):
        size = len(lent)
        lent.update(id(m) for m, flows in merged if any(id(f) in lent for f in flows))
    return lent


def _merged(statements: list[Apply]) -> list[tuple[Node, list[Node]]]:
    """The values of branches and loops, each with all that it may be."""
    found: list[tuple[Node, list[Node]]] = []
    for node in statements:
        if node.op is ops.IF:
            for k, out in enumerate(node.outputs):
                found.append((out, [r.results[k] for r in node.regions]))
        elif node.op in (ops.FOR, ops.WHILE):
            shape, body = node.shape, node.regions[-1]
            offset = len(body.params) - shape.carried
            first = len(node.args) - shape.carried
            for k in range(shape.carried):
                flows = [node.args[first + k], body.results[k]]
                found.append((body.params[offset + k], flows))
                found.append((node.outputs[k], flows))
    return found


def _uncertain_dtypes(statements: list[Apply]) -> set[int]:
    """Arrays that may have another dtype than their type says, on some path.

    One that begins a loop with another dtype has it in the first iteration, and so has
    what is computed from it; an update in place would keep it.
    """
    merged = _merged(statements)
    found = {id(m) for m, flows in merged if any(_differ(m, f) for f in flows)}
    size = -1 if found else 0
    while size != len(found):
        size = len(found)
        found.update(id(m) for m, flows in merged if any(id(f) in found for f in flows))
        for node in statements:
            if isinstance(node.op, Primitive) and any(
                id(a) in found for a in node.args
            ):
                found.add(id(node))
    return found


def _differ(a: Node, b: Node) -> bool:
    """Whether values are arrays, or numbers of NumPy's, of two dtypes."""
    t, u = deref(a.type), deref(b.type)
    if not isinstance(t, Num) or not isinstance(u, Num) or u.python:
        return False
    return not same_dtype(t.dtype, u.dtype)


def _sole(node: Node, layout: Layout) -> bool:
    value = layout.values.get(id(node))
    return value is None or exclusive(value)


def _is_number(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0 and not isinstance(node, Constant)


def _is_boxed(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.boxed and not isinstance(node, Constant)


def _is_fresh(primitive: Primitive, node: Node) -> bool:
    t = deref(node.type)
    if isinstance(t, Num):
        return primitive.fresh and t.ndim != 0
    return primitive.fresh and isinstance(t, List | Stack | Dict)
