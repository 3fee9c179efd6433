"""Sums in which what the iteration before has just stored is added last."""

from __future__ import annotations

import operator
from dataclasses import dataclass

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import Num, Type, deref
from anadrome.optimize.analysis.iterations import count_uses, is_primitive, primitive
from anadrome.optimize.analysis.memory import memory_of
from anadrome.optimize.rewriting import regions_within


def reassociate_sums(graph: Graph) -> Graph:
    """The graph with sums of numbers in loops ordered by when their terms are known.

    for j in range(1, n):                        for j in range(1, n):
        x[j] = x[j - 1] + a[j] + b[j]      →         x[j] = (a[j] + b[j]) + x[j - 1]

    Every iteration waits for what the one before stored, and then for one addition
    only. Terms are elements of arrays and products: differences, which may be what was
    lost in rounding, are left where they are.
    """
    for g in called_graphs(graph):
        uses = count_uses(g)
        for region in regions_within(g):
            for node in region.body:
                if node.op is ops.FOR:
                    _order_in(node, uses)
    return graph


@dataclass(frozen=True)
class _Term:
    """A term of a sum, and how many additions it passes through."""

    node: Node
    depth: int


def _order_in(loop: Apply, uses: dict[int, int]) -> None:
    body, step = loop.regions[-1], loop.args[2]
    if not isinstance(step, Constant) or type(step.value) is not int:
        return
    behind = step.value if loop.shape.reverse else -step.value
    stores = [n for n in body.body if n.op is ops.SETITEM]
    own = {id(n) for n in body.body}
    inner = {id(a) for n in body.body if _is_sum(n) for a in n.args if _is_sum(a)}
    for node in list(body.body):
        if not _is_sum(node) or (id(node) in inner and uses[id(node)] == 1):
            continue
        terms = _terms(node, own, uses)
        recent = [
            t for t in terms if _is_recent(t.node, stores, body.params[0], behind)
        ]
        rest = [t for t in terms if not any(t is other for other in recent)]
        if not recent or not rest or max(t.depth for t in recent) <= len(recent):
            continue
        if all(_is_plain(t.node) for t in terms):
            _order(body, node, [t.node for t in (*rest, *recent)])


def _is_sum(node: Node) -> bool:
    """Whether a value is the sum of two fractional numbers of its own type."""
    if not isinstance(node, Apply) or not is_primitive(node, "add") or node.keywords:
        return False
    kinds = {_kind(n.type) for n in (node, *node.args)}
    return len(kinds) == 1 and None not in kinds


def _kind(type: Type) -> tuple[str, bool] | None:
    """What kind of fractional number a type is of."""
    t = deref(type)
    if not isinstance(t, Num) or not t.scalar or t.dtype is None:
        return None
    return (t.dtype.char, t.python) if t.dtype.kind == "f" else None


def _terms(node: Apply, own: set[int], uses: dict[int, int]) -> list[_Term]:
    found: list[_Term] = []

    def visit(part: Node, depth: int) -> None:
        inside = id(part) in own and uses.get(id(part)) == 1
        if part is node or (_is_sum(part) and inside):
            for a in part.args:  # type: ignore[attr-defined]
                visit(a, depth + 1)
        else:
            found.append(_Term(part, depth))

    visit(node, 0)
    return found


def _is_plain(node: Node) -> bool:
    """Whether a term is an element or a product."""
    read = isinstance(node, Apply) and node.op is ops.GETITEM
    return read or is_primitive(node, "multiply")


def _is_recent(node: Node, stores: list[Apply], iteration: Node, behind: int) -> bool:
    """Whether an element is read where the iteration before has stored something."""
    if not isinstance(node, Apply) or node.op is not ops.GETITEM:
        return False
    base, index = node.args
    if memory_of(base) is None:
        return False
    return any(
        s.args[0] is base and _is_behind(index, s.args[1], iteration, behind)
        for s in stores
    )


def _is_behind(read: Node, stored: Node, iteration: Node, behind: int) -> bool:
    mine, theirs = _parts(read), _parts(stored)
    if len(mine) != len(theirs):
        return False
    moves = False
    for a, b in zip(mine, theirs):
        first, second = _offset(a, iteration), _offset(b, iteration)
        if first is not None and second is not None and first - second == behind:
            moves = True
        elif a is not b or first is not None:
            return False
    return moves


def _parts(index: Node) -> tuple[Node, ...]:
    is_tuple = isinstance(index, Apply) and index.op is ops.TUPLE
    return index.args if is_tuple else (index,)  # type: ignore[attr-defined]


def _offset(node: Node, iteration: Node) -> int | None:
    """How far a number is from that of the iteration, if that is known."""
    if node is iteration:
        return 0
    if not is_primitive(node, "add", "subtract"):
        return None
    first, second = node.args  # type: ignore[attr-defined]
    sign = 1 if is_primitive(node, "add") else -1
    if first is not iteration or not isinstance(second, Constant):
        return None
    return sign * second.value if type(second.value) is int else None


def _order(body: Graph, root: Apply, terms: list[Node]) -> None:
    """Make a sum one of terms in order, one after the other."""
    made: list[Apply] = []
    total = terms[0]
    for term in terms[1:-1]:
        total = primitive(operator.add, total, term, type=root.type)
        total.span = root.span
        made.append(total)
    root.args = (total, terms[-1])
    at = next(k for k, n in enumerate(body.body) if n is root)
    body.body[at:at] = made
