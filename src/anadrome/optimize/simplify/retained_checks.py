"""Statements whose success is relied on, and what is left of them when they are dead.

That `a * b` succeeds shows that the two have axes of equal length, and derivatives are
simplified by that: `np.sum(a * b)` has the gradients `b` and `a`. Nobody reads the
product then, but where it fails so must the gradient.

    c = a * b          fit_together(a, b)
    da = b.copy()  →   da = b.copy()
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, called_graphs, walk
from anadrome.ir.types import INT, NONE, Num, deref, is_stored
from anadrome.primitives.checks import fit_together, same_length
from anadrome.primitives.registry import Primitive

# Products whose derivatives have the lengths of the other operand.
_PRODUCTS = frozenset(("matmul", "dot", "inner", "vecdot"))


def is_relied_on(node: Apply) -> bool:
    """Whether a program may be wrong, and not only fail later, without a statement."""
    if node.regions:
        return any(is_relied_on(n) for r in node.regions for n in r.body)
    return node.retained or _is_number_of_arrays(node)


def _is_number_of_arrays(node: Apply) -> bool:
    """Whether a product sums over all axes, so that no shape of it is looked at."""
    if not isinstance(node.op, Primitive) or node.op.name not in _PRODUCTS:
        return False
    a, b = node.args[:2]
    return not _rank(node) and a is not b and _rank(a) != 0 and _rank(b) != 0


def _rank(node: Node) -> int | None:
    t = deref(node.type)
    return t.ndim if isinstance(t, Num) else None


def check_of(node: Apply) -> Apply:
    """What checks that a statement would succeed; the statement itself if need be."""
    if node.keywords or not isinstance(node.op, Primitive):
        return node
    if node.op.broadcasts:
        arrays = tuple(a for a in node.args if _rank(a) != 0)
        return check(fit_together, *arrays, near=node)
    if node.op.name in ("matmul", "dot", "inner", "vecdot"):
        a, b = node.args
        rank = _rank(b)
        if rank == 1 or (rank == 2 and node.op.name in ("matmul", "dot")):
            return check_lengths(a, -1, b, 0, near=node)
    return node


def check_lengths(a: Node, i: int, b: Node, j: int, *, near: Apply) -> Apply:
    """The check that two axes are equally long."""
    return check(same_length, a, Constant(i, INT), b, Constant(j, INT), near=near)


def check(op: Primitive, *args: Node, near: Apply) -> Apply:
    """A check in the place of a statement."""
    made = Apply(op, args, NONE, span=near.span)
    made.target, made.graph, made.retained = op.impl, near.graph, True
    return made


# Checks that say nothing new ----------------------------------------------------------


def remove_implied_checks(graph: Graph) -> Graph:
    """The graph without checks that a statement beside them, or a backward loop, makes.

    for t in range(n):            for t in range(n):
        fit_together(h, y[t])         …
        …
    for t in reversed(range(n)):  for t in reversed(range(n)):
        d = h - y[t]                  d = h - y[t]
    """
    for g in called_graphs(graph):
        loops = [n for n in walk(g) if n.op in (ops.FOR, ops.WHILE)]
        backward = {
            id(n.shape.mirrors): n for n in loops if n.shape.mirrors is not None
        }
        _without_implied(g, None)
        for loop in loops:
            _without_implied(loop.regions[-1], _LoopPair(loop, backward.get(id(loop))))
        if any(is_binding_check(n) for n in walk(g)):
            _without_known(g, frozenset())
    return graph


def is_binding_check(node: Apply) -> bool:
    """Whether this is the check that a name is bound."""
    return node.op is ops.ASSERT and len(node.args) > 2


def _without_known(region: Graph, known: frozenset[tuple[int, bool]]) -> None:
    """Leave out checks that names are bound where a branch or a check has shown it."""
    kept = []
    for node in region.body:
        if is_binding_check(node):
            fact = _fact(node.args[0], True)
            if fact in known:
                continue
            known |= {fact}
        shown = [_fact(node.args[0], w) for w in (True, False)] if node.args else []
        for k, inner in enumerate(node.regions):
            more = {shown[k]} if node.op is ops.IF else set()
            _without_known(inner, known | more)
        emptied = node.op is ops.IF and not node.outputs
        if emptied and not any(r.body for r in node.regions):
            continue
        kept.append(node)
    region.body = kept


def _fact(test: Node, holds: bool) -> tuple[int, bool]:
    """That a test holds or does not, by what it negates."""
    while isinstance(test, Apply) and test.op is ops.NOT:
        test, holds = test.args[0], not holds
    return id(test), holds


def _without_implied(region: Graph, pair: _LoopPair | None) -> None:
    if not any(n.op is fit_together for n in region.body):
        return
    beside = [n for n in region.body if _is_elementwise(n)]
    region.body = [
        n
        for n in region.body
        if n.op is not fit_together
        or not (
            any(_reads(m, n.args) for m in beside)
            or (pair is not None and pair.reads(n))
        )
    ]


def _is_elementwise(node: Apply) -> bool:
    return isinstance(node.op, Primitive) and node.op.broadcasts


def _reads(node: Apply, wanted: tuple[Node, ...]) -> bool:
    return all(any(a is w for a in node.args) for w in wanted)


class _LoopPair:
    """The iterations of a loop, and those of its backward loop."""

    def __init__(self, loop: Apply, backward: Apply | None) -> None:
        self.body = backward.regions[-1] if backward is not None else None
        # What stands in the loop for a value of the backward loop.
        self.there: dict[int, Node] = {}
        if backward is None or backward.op is not ops.FOR or loop.op is not ops.FOR:
            self.body = None
            return
        here, results = loop.regions[-1], loop.regions[-1].results
        params = backward.regions[-1].params
        self.there[id(params[0])] = here.params[0]
        for k in range(backward.shape.stacks):
            kept = backward.args[3 + k]
            if isinstance(kept, Output) and kept.apply is loop:
                if (
                    loop.shape.carried
                    <= kept.index
                    < loop.shape.carried + loop.shape.kept
                ):
                    self.there[id(params[1 + k])] = results[kept.index]

    def reads(self, check: Apply) -> bool:
        """Whether a statement of the backward loop has all operands of a check."""
        if self.body is None:
            return False
        return any(
            _is_elementwise(n)
            and all(any(self._same(a, w) for a in n.args) for w in check.args)
            for n in self.body.body
        )

    def _same(self, a: Node, b: Node) -> bool:
        if a is b or self.there.get(id(a)) is b:
            return True
        if isinstance(a, Constant) and isinstance(b, Constant):
            return type(a.value) is int and type(b.value) is int and a.value == b.value
        if not isinstance(a, Apply) or not isinstance(b, Apply) or a.regions:
            return False
        if a.op is not b.op or a.keywords or b.keywords or len(a.args) != len(b.args):
            return False
        if a.op is not ops.GETITEM or is_stored(a.args[0].type):
            return False
        return all(map(self._same, a.args, b.args))
