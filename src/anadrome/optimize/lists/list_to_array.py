"""Lists between loops and arrays that nobody needs as lists, for native code."""

from __future__ import annotations

import dataclasses
import operator

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, called_graphs
from anadrome.ir.types import INT, NONE, STR, List, Num, Stack, deref
from anadrome.optimize.analysis.iterations import (
    array_type,
    is_counted,
    is_primitive,
    primitive,
)
from anadrome.optimize.rewriting import holds_stored, regions_within, replace

_BOOL = Num(np.dtype(bool), 0, True)


def lists_to_arrays(graph: Graph) -> Graph:
    """The graph with lists of arrays that loops make and read as stacks or arrays.

    hs = [… for t in range(n)]           hs = stack for t in range(n): …
    ys = np.stack(hs)               →    ys = np.stack(hs)
    ds = list(dys)                       for t in range(n):
    for t, d in zip(range(n), ds): …         d = dys[t] …
    """
    for g in called_graphs(graph):
        _Lists(g).run()
    return graph


class _Lists:
    """The lists of one function."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def run(self) -> None:
        readers = self._readers()
        for region in list(regions_within(self.graph)):
            for node in region.body:
                if is_counted(node) and not node.shape.reverse:
                    self._take_items(node, readers)
        readers = self._readers()
        for region in list(regions_within(self.graph)):
            for node in list(region.body):
                if is_counted(node) and not node.shape.reverse:
                    self._keep_stacks(node, region, readers)

    def _readers(self) -> dict[int, list[Apply | None]]:
        """Who reads each value; None where it leaves a region."""
        found: dict[int, list[Apply | None]] = {}
        for region in regions_within(self.graph):
            for r in region.results:
                found.setdefault(id(r), []).append(None)
            for node in region.body:
                for n in node.inputs:
                    found.setdefault(id(n), []).append(node)
        return found

    # Lists of the items of an array -------------------------------------------------

    def _take_items(self, maker: Apply, readers: dict[int, list[Apply | None]]) -> None:
        """Loops that read a list of an array's items index the array."""
        array = _listed(maker)
        if array is None:
            return
        out = maker.outputs[0]
        loops = readers.get(id(out), [])
        if not all(_reads_stack(r, out) and is_counted(r) for r in loops):  # type: ignore[arg-type]
            return
        for loop in {id(r): r for r in loops}.values():
            assert loop is not None
            self._index(loop, out, array)

    def _index(self, loop: Apply, out: Output, array: Node) -> None:
        places = [k for k in range(loop.shape.stacks) if loop.args[3 + k] is out]
        body = loop.regions[0]
        t = array_type(array)
        assert t is not None
        assert t.ndim is not None
        replaced: dict[int, Node] = {}
        for k in reversed(places):
            p = body.params[1 + k]
            item = Apply(ops.GETITEM, (array, body.params[0]), Num(t.dtype, t.ndim - 1))
            item.graph, item.span, item.name = body, loop.span, p.name
            body.body.insert(0, item)
            replaced[id(p)] = item
            del body.params[1 + k]
        kept = [a for k, a in enumerate(loop.args) if k - 3 not in places]
        loop.args = tuple(kept)
        count = loop.shape.stacks - len(places)
        loop.shape = dataclasses.replace(loop.shape, stacks=count)
        replace(body, replaced)

    # Lists that loops make ----------------------------------------------------------

    def _keep_stacks(
        self, loop: Apply, region: Graph, readers: dict[int, list[Apply | None]]
    ) -> None:
        """Lists that are only joined, or read by loops, become stacks."""
        shape = loop.shape
        for k in range(shape.carried, shape.carried + shape.kept):
            out, item = loop.outputs[k], array_type(loop.regions[0].results[k])
            if not isinstance(deref(out.type), List) or item is None or not item.ndim:
                continue
            if holds_stored(out.type):
                continue
            users = readers.get(id(out), [])
            joins = [u for u in users if u is not None and _is_join(u)]
            others = [u for u in users if u is None or not _is_join(u)]
            if not all(_reads_stack(u, out) for u in others):
                continue
            out.type = Stack(item)
            if joins:
                self._check_iterations(loop, region)
        self._share_stacks(loop)

    def _share_stacks(self, loop: Apply) -> None:
        """Read one stack where a value is a residual several times."""
        shape, results = loop.shape, loop.regions[0].results
        first: dict[int, Output] = {}
        replaced: dict[int, Node] = {}
        for k in range(shape.carried, shape.carried + shape.kept):
            out = loop.outputs[k]
            if isinstance(deref(out.type), Stack):
                known = first.setdefault(id(results[k]), out)
                if known is not out:
                    replaced[id(out)] = known
        replace(self.graph, replaced)

    def _check_iterations(self, loop: Apply, region: Graph) -> None:
        """Make sure of an iteration: nothing can be joined of no arrays."""
        some = primitive(operator.gt, loop.args[1], Constant(0, INT), type=_BOOL)
        message = Constant("a loop that was taken to run does not", STR)
        check = Apply(ops.ASSERT, (some, message), NONE)
        at = next(k for k, n in enumerate(region.body) if n is loop)
        for new in (check, some):
            new.graph, new.span = region, loop.span
            region.body.insert(at, new)


def _listed(maker: Apply) -> Node | None:
    """The array whose items a loop only lists."""
    shape, body = maker.shape, maker.regions[0]
    if shape.carried or shape.stacks or shape.kept != 1 or len(maker.outputs) != 1:
        return None
    if len(body.body) != 1 or body.results != [body.body[0]]:
        return None
    (item,) = body.body
    if item.op is not ops.GETITEM or item.args[1] is not body.params[0]:
        return None
    array = item.args[0]
    t = array_type(array)
    if t is None or not t.ndim or t.ndim < 2:
        return None
    stop = maker.args[1]
    whole = isinstance(stop, Apply) and stop.op is ops.LENGTH and stop.args[0] is array
    return array if whole else None


def _reads_stack(node: Apply | None, stack: Node) -> bool:
    """Whether a loop reads a list as a stack, and in no other way."""
    if node is None or node.op is not ops.FOR or node.shape.breaks:
        return False
    inputs = [k for k, n in enumerate(node.inputs) if n is stack]
    return all(3 <= k < 3 + node.shape.stacks for k in inputs)


def _is_join(node: Apply) -> bool:
    return is_primitive(node, "stack") and len(node.inputs) == 1
