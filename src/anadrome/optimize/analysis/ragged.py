"""Values of loops whose shapes differ between iterations because lists are uneven."""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import UNEVEN, Apply, Node, Output, Parameter, walk
from anadrome.ir.types import List, Num, deref


def uneven_values(loop: Apply) -> set[int]:
    """The values of an iteration whose shapes follow from items of uneven lists.

    Such are the weights of a network's layers, what a layer makes, and the residuals
    of that.
    """
    if loop.op is not ops.FOR:
        return set()
    body = loop.regions[0]
    stacks, carried = loop.shape.stacks, loop.shape.carried
    found = {
        id(p)
        for p, series in zip(body.params[1:], loop.args[3 : 3 + stacks])
        if _is_uneven(series)
    }
    states = body.params[len(body.params) - carried :]
    size = -1
    while size != len(found):
        size = len(found)
        for node in walk(body):
            if _is_item(node) or any(id(n) in found for n in node.inputs):
                made = [n for n in (node, *node.outputs) if not _is_number(n)]
                found.update(id(n) for n in made)
        for p, result in zip(states, body.results):
            if id(result) in found:
                found.add(id(p))
    return found


def _is_item(node: Apply) -> bool:
    """Whether a value is an item of an uneven list."""
    return node.op is ops.GETITEM and _is_uneven(node.args[0])


def _is_uneven(series: Node) -> bool:
    """Whether the items of a list or a stack differ in shape."""
    if isinstance(series, Output):
        loop = series.apply
        if loop.op is not ops.FOR or series.index < loop.shape.carried:
            return False
        result = loop.regions[0].results[series.index]
        return id(result) in uneven_values(loop)
    if not isinstance(deref(series.type), List):
        return False
    while isinstance(series, Apply) and series.op in (ops.GETITEM, ops.GETATTR):
        series = series.args[0]
    return isinstance(series, Parameter) and UNEVEN in (series.facts or {})


def _is_number(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0
