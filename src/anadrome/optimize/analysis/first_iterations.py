"""Arrays that have one dtype before a loop and another after its first iteration.

Native code gives them the dtype that they come to have before the loop begins. Nobody
sees that if every iteration computes with them in this dtype. Where iterations leave
them with a narrower one than they began with, it shows as soon as there is one.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node, called_graphs, walk
from anadrome.ir.types import Num, deref, same_dtype
from anadrome.primitives.registry import Primitive


def changes_dtype(loop: Apply, k: int) -> bool:
    """Whether a variable of a loop is an array that begins with another dtype."""
    return _differ(loop.args[len(loop.args) - loop.shape.carried + k], loop.outputs[k])


def loses_dtype(loop: Apply, k: int) -> bool:
    """Whether an iteration leaves an array of another dtype than the variable has."""
    return _differ(loop.regions[-1].results[k], loop.outputs[k])


def _differ(given: Node, variable: Node) -> bool:
    before, after = deref(given.type), deref(variable.type)
    if not isinstance(before, Num) or not isinstance(after, Num):
        return False
    if before.scalar or after.scalar or before.dtype is None or after.dtype is None:
        return False
    return not same_dtype(before.dtype, after.dtype)


def any_changes_dtype(graph: Graph) -> bool:
    """Whether an array begins a loop with another dtype than it leaves it with."""
    return any(
        changes_dtype(node, k) or loses_dtype(node, k)
        for g in called_graphs(graph)
        for node in walk(g)
        if node.op in (ops.FOR, ops.WHILE)
        for k in range(node.shape.carried)
    )


def shows_dtype(loop: Apply, k: int) -> bool:
    """Whether the first iteration may see the dtype that such an array begins with."""
    first = deref(loop.args[len(loop.args) - loop.shape.carried + k].type)
    after = deref(loop.outputs[k].type)
    assert isinstance(first, Num)
    assert isinstance(after, Num)
    for region in loop.regions:
        p = region.params[len(region.params) - loop.shape.carried + k]
        graphs = [region, *(r for n in walk(region) for r in n.regions)]
        if any(p in g.results for g in graphs):
            return True
        for node in walk(region):
            if p in node.inputs and not _computes_in(node, p, first, after):
                return True
    return False


def _computes_in(node: Apply, array: Node, first: Num, after: Num) -> bool:
    """Whether a function of arrays converts one to the dtype that it comes to have."""
    if not isinstance(node.op, Primitive) or not node.op.broadcasts or node.keywords:
        return False
    samples = [_sample(first if a is array else a.type) for a in node.args]
    if not callable(node.target) or any(s is None for s in samples):
        return False
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = node.target(*samples)
    except Exception:
        return False
    return same_dtype(getattr(found, "dtype", None), after.dtype)


def _sample(t: Any) -> Any:
    """A value of a type, or None if that is not known."""
    t = deref(t)
    if not isinstance(t, Num) or t.dtype is None or t.varied:
        return None
    if t.python:
        return t.dtype.type(1).item()
    return t.dtype.type(1) if t.scalar else np.ones(1, t.dtype)
