"""Values of loops whose shapes differ between iterations.

Such are what is made of items of uneven lists, and the residuals of a loop inside that
does not always run as often.
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import UNEVEN, Apply, Node, Output, Parameter, walk
from anadrome.ir.types import List, Num, Stack, deref
from anadrome.primitives.registry import Primitive


def uneven_values(loop: Apply) -> set[int]:
    """The values of an iteration whose shapes follow from items of uneven lists.

    Such are the weights of a network's layers, what a layer makes, and the residuals
    of that; and the residuals of loops over sequences of different lengths.
    """
    return _Uneven().values(loop)


class _Uneven:
    """What has been found out of some loops."""

    def __init__(self) -> None:
        self.loops: dict[int, set[int]] = {}

    def values(self, loop: Apply) -> set[int]:
        if loop.op is not ops.FOR:
            return set()
        known = self.loops.get(id(loop))
        if known is not None:
            return known
        body = loop.regions[0]
        stacks, carried = loop.shape.stacks, loop.shape.carried
        series = list(zip(body.params[1:], loop.args[3 : 3 + stacks]))
        found = {id(p) for p, s in series if self._is_uneven(s)}
        states = body.params[len(body.params) - carried :]
        size = -1
        while size != len(found):
            size = len(found)
            varying = {id(p) for p in body.params}
            for node in walk(body):
                for region in node.regions:
                    varying.update(id(p) for p in region.params)
                if self._is_item(node) or any(id(n) in found for n in node.inputs):
                    made = [n for n in (node, *node.outputs) if not _is_number(n)]
                    found.update(id(n) for n in made)
                if _runs_unevenly(node, varying):
                    kept = [o for o in node.outputs if isinstance(o.type, Stack)]
                    found.update(id(o) for o in kept)
                if _varies(node, varying, found):
                    varying.update(id(n) for n in (node, *node.outputs))
            for p, result in zip(states, body.results):
                if id(result) in found:
                    found.add(id(p))
        self.loops[id(loop)] = found
        return found

    def _is_item(self, node: Apply) -> bool:
        """Whether a value is an item of an uneven list."""
        return node.op is ops.GETITEM and self._is_uneven(node.args[0])

    def _is_uneven(self, series: Node) -> bool:
        """Whether the items of a list or a stack differ in shape."""
        if isinstance(series, Output):
            loop = series.apply
            if loop.op is not ops.FOR or series.index < loop.shape.carried:
                return False
            result = loop.regions[0].results[series.index]
            return id(result) in self.values(loop)
        if not isinstance(deref(series.type), List):
            return False
        while isinstance(series, Apply) and series.op in (ops.GETITEM, ops.GETATTR):
            series = series.args[0]
        return isinstance(series, Parameter) and UNEVEN in (series.facts or {})


def _runs_unevenly(node: Apply, varying: set[int]) -> bool:
    """Whether a loop does not run as often in every iteration of the one around it."""
    if node.op is ops.WHILE:
        return True
    if node.op is not ops.FOR:
        return False
    return node.shape.breaks or any(id(n) in varying for n in node.args[:3])


def _varies(node: Apply, varying: set[int], uneven: set[int]) -> bool:
    """Whether a value changes between iterations; sizes of arrays seldom do."""
    sizes = isinstance(node.op, Primitive) and node.op.name in ("shape", "size", "ndim")
    if sizes or node.op is ops.LENGTH:
        array = node.args[0]
        return id(array) in uneven or (id(array) in varying and _is_of_list(array))
    if node.regions:
        return True
    return any(id(n) in varying for n in node.inputs)


def _is_of_list(node: Node) -> bool:
    """Whether a value is a list, or an item of one, which is as long as it likes."""
    if isinstance(deref(node.type), List):
        return True
    if not isinstance(node, Apply) or node.op is not ops.GETITEM:
        return False
    return isinstance(deref(node.args[0].type), List)


def _is_number(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0
