"""Tangents where NumPy has been told to raise floating-point errors.

    with np.errstate(divide="raise"):
        y = np.sqrt(x)

has a value for x = 0, whose tangent divides by zero. The function raises nothing there,
so its tangents are computed with such errors ignored.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from anadrome import runtime
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, called_graphs, walk
from anadrome.ir.types import ANY, NONE

if TYPE_CHECKING:
    from anadrome.transform.forward.walk import Forward


def raises_errors(graph: Graph) -> bool:
    """Whether a program has NumPy raise floating-point errors, or may."""
    return any(_tells_numpy(n) for g in called_graphs(graph) for n in walk(g))


def _tells_numpy(node: Apply) -> bool:
    if node.op is not ops.PYCALL or not isinstance(node.args[0], Constant):
        return False
    callee = node.args[0].value
    if callee is not np.errstate and callee is not np.seterr:
        return False
    given = (*node.args[1:], *node.keywords.values())
    return any(getattr(v, "value", None) not in ("ignore", "warn") for v in given)


@contextlib.contextmanager
def quietly(f: Forward) -> Iterator[None]:
    """Have what is written here raise no floating-point errors."""
    if not f.raising:
        yield
        return
    it = f.it
    body, ignore = it.graph.body, it.constant(runtime.ignore_errors)
    before = it.emit(ops.PYCALL, (ignore,), ANY)
    yield
    if body[-1] is before:
        body.pop()
    else:
        heed = it.constant(runtime.heed_errors)
        it.emit(ops.PYCALL, (heed, before), NONE)


__all__ = ["quietly", "raises_errors"]
