"""Which axes `np.squeeze` takes away when nobody says so, where a program may assume.

How many axes are left depends on sizes. Some are known to be one from how an array was
made; of the others it is assumed that they are not, unless an argument of the program
says otherwise, and asserted: such programs can deoptimise.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node, Parameter
from anadrome.ir.types import INT, NEVER, Num, Tuple, deref
from anadrome.primitives.registry import Primitive, find_primitive

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter

_KEEPING = ("sum", "mean", "max", "min", "prod", "logsumexp", "norm", "var", "std")


def squeezed_axes(it: Interpreter, node: Node) -> tuple[int, ...] | None:
    """The axes of an array that have one element; None if that cannot be assumed."""
    from anadrome.frontend.syntax.exits import innermost_try
    from anadrome.frontend.syntax.expressions import numeric

    t = deref(node.type)
    if it.prepare is None or innermost_try(it) is not None:
        return None
    if not isinstance(t, Num) or not t.ndim:
        return None
    ones = known_ones(node)
    if isinstance(node, Parameter) and node.facts:
        long = node.facts.get((), (True,) * t.ndim)
        ones = ones | {k for k, other in enumerate(long) if not other}
    rest = [k for k in range(t.ndim) if k not in ones]
    if rest:
        shape = find_primitive(np.shape)
        assert shape is not None
        sizes = it.apply(shape, (node,))
        why = it.constant("an axis that was taken to be longer has one element")
        for k in rest:
            size = it.emit(ops.GETITEM, (sizes, it.constant(k)), INT)
            other = numeric(it, operator.ne, size, it.constant(1))
            it.emit(ops.ASSERT, (other, why), NEVER)
        it.prepare.changed = True
    if isinstance(node, Parameter):
        it.prepare.changed = True
    return tuple(sorted(ones))


def known_ones(node: Node) -> frozenset[int]:
    """The axes of which it is known from how an array was made that they are one."""
    rank = _rank(node)
    if not rank or not isinstance(node, Apply):
        return frozenset()
    if isinstance(node.op, Primitive):
        if node.op.name in _KEEPING:
            return _kept(node, rank)
        if node.op.broadcasts and not node.keywords:
            return _common(list(node.args), rank)
    if node.op is ops.GETITEM and _rank(node.args[0]) is not None:
        return _inserted(node.args[1])
    return frozenset()


def _rank(node: Node) -> int | None:
    t = deref(node.type)
    return t.ndim if isinstance(t, Num) else None


def _kept(node: Apply, rank: int) -> frozenset[int]:
    """Axes that a reduction was made along, and kept."""
    given = node.op.signature.bind(*node.args, **node.keywords).arguments
    keep, axis = given.get("keepdims"), given.get("axis", Constant(None, INT))
    if not isinstance(keep, Constant) or keep.value is not True:
        return frozenset()
    if not isinstance(axis, Constant):
        return frozenset()
    if axis.value is None:
        return frozenset(range(rank))
    axes = axis.value if isinstance(axis.value, tuple) else (axis.value,)
    found = frozenset(k % rank for k in axes)
    # Weights and the like may be longer along the others.
    alone = set(given) <= {"a", "x", "axis", "keepdims", "dtype", "ord"}
    return found | known_ones(node.args[0]) if alone else found


def _common(args: list[Node], rank: int) -> frozenset[int]:
    """Axes along which no operand is longer."""
    found = frozenset(range(rank))
    for a in args:
        own = _rank(a)
        if own is None:
            return frozenset()
        missing = rank - own
        found &= {*range(missing), *(missing + k for k in known_ones(a))}
    return found


def _inserted(index: Node) -> frozenset[int]:
    """New axes of an index of whole slices."""
    parts = [index]
    if isinstance(index, Apply) and index.op is ops.TUPLE:
        parts = list(index.args)
    elif isinstance(deref(index.type), Tuple):
        return frozenset()
    new = [isinstance(p, Constant) and p.value is None for p in parts]
    slices = [isinstance(p, Apply) and p.op is ops.SLICE for p in parts]
    if not all(n or s for n, s in zip(new, slices)):
        return frozenset()
    return frozenset(k for k, n in enumerate(new) if n)
