"""Parts of arrays that were split, read as slices, for native code."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import BOOL, INT, NONE, STR, Num, Other, Tuple, deref
from anadrome.optimize.analysis.iterations import is_primitive, primitive
from anadrome.optimize.rewriting import (
    fixed_items,
    holds_stored,
    regions_within,
    replace,
)
from anadrome.primitives.numpy.joining import join_points

Add = Callable[[Apply], Apply]


def slice_splits(graph: Graph) -> bool:
    """Whether a graph now reads slices where it took arrays apart into lists.

    r, u, n = np.split(z, 3, axis=1)    →    k = z.shape[1] // 3
                                             r, u = z[:, :k], z[:, k : 2 * k]
                                             n = z[:, 2 * k :]

    That the parts are equal is asserted, so the program may fail where it would have
    raised another error: this is for programs that can fall back to what they were.
    """
    changed = False
    for g in called_graphs(graph):
        items = _Readers(g)
        for region in regions_within(g):
            for node in list(region.body):
                found = items.of(node)
                if found is not None and _slice(node, found, region, g):
                    changed = True
    return changed


class _Readers:
    """Who reads the lists of a graph, and whether that is all that is done to them."""

    def __init__(self, graph: Graph) -> None:
        self.readers: dict[int, list[Apply]] = {}
        self.escaped: set[int] = set()
        for region in regions_within(graph):
            self.escaped.update(id(r) for r in region.results)
            for node in region.body:
                for n in node.inputs:
                    self.readers.setdefault(id(n), []).append(node)

    def of(self, node: Apply) -> list[Apply] | None:
        """The items and lengths that are read of a split, if nothing else is."""
        if not is_primitive(node, "split", "hsplit", "vsplit"):
            return None
        if id(node) in self.escaped or holds_stored(node.args[0].type):
            return None
        found = self.readers.get(id(node), [])
        known = all(
            n.op is ops.LENGTH
            or (n.op is ops.GETITEM and n.args[0] is node and _is_int(n.args[1]))
            for n in found
        )
        return found if known else None


def _is_int(node: Node) -> bool:
    return isinstance(node, Constant) and type(node.value) is int


def _slice(split: Apply, readers: list[Apply], region: Graph, graph: Graph) -> bool:
    t, at = deref(split.args[0].type), _axis(split)
    if not isinstance(t, Num) or not t.ndim or at is None or not -t.ndim <= at < t.ndim:
        return False
    made: list[Apply] = []

    def add(new: Apply) -> Apply:
        new.graph, new.span = region, split.span
        made.append(new)
        return new

    ends = _ends(split, at % t.ndim, add)
    if ends is None:
        return False
    count = len(ends) - 1
    items = [n for n in readers if n.op is ops.GETITEM]
    if not all(-count <= n.args[1].value < count for n in items):  # type: ignore[attr-defined]
        return False
    replaced: dict[int, Node] = {}
    for node in readers:
        if node.op is ops.LENGTH:
            replaced[id(node)] = Constant(count, INT)
            continue
        k = node.args[1].value % count  # type: ignore[attr-defined]
        index = _index(at % t.ndim, ends[k], ends[k + 1], add)
        node.args = (split.args[0], index)
    place = next(k for k, n in enumerate(region.body) if n is split)
    region.body[place : place + 1] = made
    for inner in regions_within(graph):
        inner.body = [n for n in inner.body if id(n) not in replaced]
    replace(graph, replaced)
    return True


def _axis(split: Apply) -> int | None:
    """The axis along which something is split, if that is known."""
    t = deref(split.args[0].type)
    rank = t.ndim if isinstance(t, Num) else None
    if is_primitive(split, "vsplit"):
        return 0 if rank != 1 else None
    if is_primitive(split, "hsplit"):
        return int(rank != 1)
    axis = split.args[2] if len(split.args) == 3 else split.keywords.get("axis")
    if axis is None:
        return 0
    return axis.value if _is_int(axis) else None  # type: ignore[attr-defined]


def _ends(split: Apply, at: int, add: Add) -> list[Node] | None:
    """Where the parts of a split begin and end."""
    if len(split.args) < 2:
        return None
    array, where = split.args[:2]
    none = Constant(None, NONE)
    if _is_int(where) and where.value > 0:  # type: ignore[attr-defined]
        count = where.value  # type: ignore[attr-defined]
        size = _size(array, at, add)
        rest = add(primitive(operator.mod, size, where, type=INT))
        even = add(primitive(operator.eq, rest, Constant(0, INT), type=BOOL))
        why = Constant("parts that were taken to be equal differ", STR)
        add(Apply(ops.ASSERT, (even, why), NONE))
        part = add(primitive(operator.floordiv, size, where, type=INT))
        inner: list[Node] = [part]
        for k in range(2, count):
            factor = Constant(k, INT)
            inner.append(add(primitive(operator.mul, factor, part, type=INT)))
        return [none, *inner[: count - 1], none]
    points = fixed_items(where)
    if points is None:
        return None
    numbers = [deref(n.type) for n in points]
    if all(isinstance(n, Num) and n.scalar and n.python for n in numbers):
        return [none, *points, none]
    return None


def _size(array: Node, at: int, add: Add) -> Apply:
    t = deref(array.type)
    assert isinstance(t, Num)
    sizes = add(primitive(np.shape, array, type=Tuple((INT,) * (t.ndim or 0))))
    return add(Apply(ops.GETITEM, (sizes, Constant(at, INT)), INT))


def _index(at: int, start: Node, stop: Node, add: Add) -> Apply:
    """The index of a part along one axis."""
    none = Constant(None, NONE)
    slices = [add(Apply(ops.SLICE, (none, none, none), Other(slice)))] if at else []
    part = add(Apply(ops.SLICE, (start, stop, none), Other(slice)))
    parts = (*slices * at, part)
    return add(Apply(ops.TUPLE, parts, Tuple((Other(slice),) * len(parts))))


# Where a concatenation is taken apart again -----------------------------------------


def slice_joined(graph: Graph) -> None:
    """np.split(x, join_points([a.shape, b.shape], 1), 1)[0] → x[:, :a.shape[1]]."""
    for region in regions_within(graph):
        body: list[Apply] = []
        for node in region.body:
            made = _part(node)
            for m in made:
                m.graph, m.span = region, node.span
            body += [*made, node]
        region.body = body


def _part(node: Apply) -> list[Apply]:
    """What must be computed before an item of a split becomes a slice."""
    if node.op is not ops.GETITEM or not is_primitive(node.args[0], "split"):
        return []
    split, index = node.args
    assert isinstance(split, Apply)
    if not isinstance(index, Constant) or type(index.value) is not int:
        return []
    if len(split.args) != 3 or split.keywords:
        return []
    x, points, axis = split.args
    t = deref(x.type)
    if not isinstance(t, Num) or not t.ndim or not isinstance(axis, Constant):
        return []
    shapes = _joined_shapes(points, axis.value)
    if shapes is None or not 0 <= index.value < len(shapes):
        return []
    made: list[Apply] = []

    def add(new: Apply) -> Apply:
        made.append(new)
        return new

    at, ends = axis.value % t.ndim, [Constant(None, NONE)]
    total: Node | None = None
    for shape in shapes[:-1]:
        size: Node = add(Apply(ops.GETITEM, (shape, Constant(at, INT)), INT))
        if total is not None:
            size = add(primitive(operator.add, total, size, type=INT))
        total = size
        ends.append(size)  # type: ignore[arg-type]
    ends.append(Constant(None, NONE))
    node.args = (x, _index(at, ends[index.value], ends[index.value + 1], add))
    return made


def _joined_shapes(points: Node, axis: object) -> tuple[Node, ...] | None:
    if not isinstance(points, Apply) or points.op is not ops.PYCALL:
        return None
    callee = points.args[0]
    if not isinstance(callee, Constant) or callee.value is not join_points:
        return None
    shapes, along = points.args[1:]
    same = isinstance(along, Constant) and along.value == axis
    return fixed_items(shapes) if same else None
