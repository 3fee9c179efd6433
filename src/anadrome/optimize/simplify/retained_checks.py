"""Statements whose success is relied on, and what is left of them when they are dead.

Where Python would fail so does a program, whether or not somebody reads the result:
`retain_statements` marks what may fail.

That `a * b` succeeds shows that the two have axes of equal length, and derivatives are
simplified by that: `np.sum(a * b)` has the gradients `b` and `a`. Nobody reads the
product then, but where it fails so must the gradient.

    c = a * b          fit_together(a, b)
    da = b.copy()  →   da = b.copy()
"""

from __future__ import annotations

from anadrome.frontend.syntax.may_raise import integers_fail
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import INT, NONE, AnyType, Num, deref
from anadrome.primitives.checks import fit_together, same_length
from anadrome.primitives.registry import Primitive

# Products whose derivatives have the lengths of the other operand.
_PRODUCTS = frozenset(("matmul", "dot", "inner", "vecdot"))


def is_relied_on(node: Apply) -> bool:
    """Whether a program may be wrong, and not only fail later, without a statement."""
    if node.retained:
        return True
    if node.regions:
        return any(is_relied_on(n) for r in node.regions for n in r.body)
    return _is_number_of_arrays(node)


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
    if isinstance(deref(node.type), AnyType):
        return node  # the types of its operands are what may make it fail
    if not all(isinstance(deref(a.type), Num) for a in node.args):
        return node  # so are those of what may be None
    if node.op.broadcasts and not integers_fail(node):
        arrays = tuple(a for a in node.args if _rank(a) != 0)
        return check(fit_together, *arrays, near=node) if arrays else node
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
