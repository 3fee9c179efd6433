"""Whether results lie in memory in the order in which NumPy would have put them.

NumPy's elementwise results follow the order of their operands, ours lie row by row.
That shows only where another shape of one is changed in place: in one order it is a
view, in another a copy. There operands must lie row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from llvmlite import ir

from anadrome.errors import MutationError
from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import is_stored
from anadrome.optimize.memory import RESHAPING, is_view
from anadrome.optimize.turns import is_primitive

from .complexes import is_complex_operation
from .elementwise import is_elementwise
from .emitter import Emitter
from .values import I1, I64, Array

_LIKE = ("zeros_like", "ones_like", "empty_like", "full_like", "astype")


def check_order(e: Emitter, node: Apply) -> None:
    """Fail if another shape that is changed in place would be of another kind."""
    if not is_primitive(node, *RESHAPING) or not is_stored(node.type):
        return
    b = e.builder
    for operand in _operands(node.args[0], set()):
        value = e.values.get(id(operand))
        if not isinstance(value, Array) or value.ndim < 2 or value.contiguous:
            continue
        good: ir.Value = I1(1)
        pairs = list(zip(value.shape, value.strides))
        for (n, outer), (m, inner) in pairwise(pairs):
            single = b.or_(*(b.icmp_signed("<=", k, I64(1)) for k in (n, m)))
            ordered = b.icmp_signed(">=", outer, inner)
            good = b.and_(good, b.or_(single, ordered))
        e.fail_unless(
            good,
            MutationError,
            "another shape of a result that is changed in place: whether it is a view "
            "depends on an operand that does not lie row by row",
        )


def _operands(node: Node, seen: set[int]) -> Iterator[Node]:
    """What the result that a value is part of has its order from."""
    while is_view(node):
        assert isinstance(node, Apply)
        node = node.args[0]
    if not isinstance(node, Apply) or id(node) in seen or not _follows(node):
        return
    seen.add(id(node))
    for a in node.args:
        yield a
        yield from _operands(a, seen)


def _follows(node: Apply) -> bool:
    """Whether NumPy gives a result the order of its operands."""
    elementwise = is_elementwise(node) or is_complex_operation(node)
    return elementwise or is_primitive(node, *_LIKE)
