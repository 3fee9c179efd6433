"""Arrays computed with numbers whose type depends on the path that was taken.

Where paths meet, `2 if test else 1.5` is a float, and what numbers are computed from it
are the same as Python's. But integers times it are integers on one path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anadrome.ir import operations as ops
from anadrome.ir.graph import Node, Output
from anadrome.ir.types import Num, Type, deref, same_dtype


def settled(
    t: Type, args: tuple[Node, ...], infer: Callable[[tuple[Node, ...]], Type]
) -> Type:
    """The type of a result, without a dtype where that depends on the path."""
    if not isinstance(t, Num) or t.dtype is None or t.ndim == 0:
        return t
    for k, a in enumerate(args):
        for kind in _kinds(a):
            found = deref(infer((*args[:k], Node(kind), *args[k + 1 :])))
            if not isinstance(found, Num) or not same_dtype(found.dtype, t.dtype):
                return Num(None, t.ndim)
    return t


def _kinds(node: Node) -> Iterator[Num]:
    """The types of a number on the paths that lead to it, where they are others."""
    own = deref(node.type)
    if not isinstance(node, Output) or not isinstance(own, Num) or not own.scalar:
        return
    if node.apply.op is not ops.IF:
        return
    for region in node.apply.regions:
        given = region.results[node.index]
        t = deref(given.type)
        if isinstance(t, Num) and t.scalar and t.dtype is not None:
            if not same_dtype(t.dtype, own.dtype) or t.python != own.python:
                yield t
        yield from _kinds(given)


__all__ = ["settled"]
