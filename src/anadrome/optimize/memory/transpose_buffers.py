"""Buffers transposed for one loop that walks along their last axis.

A buffer that some loops take by rows and others by columns suits one kind only. A loop
from one end of it to the other that takes each part several times is better off with a
copy whose parts have their elements side by side; what it stored there is copied back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import (
    INT,
    NEVER,
    AliasClass,
    Num,
    Other,
    Tuple,
    alias_of,
    deref,
    is_stored,
)
from anadrome.optimize.analysis.iterations import is_primitive, primitive
from anadrome.optimize.analysis.memory import is_view
from anadrome.optimize.analysis.shapes import Dim
from anadrome.optimize.simplify.broadcasts import ShapeWalk
from anadrome.primitives.registry import Primitive

_MAKING = ("copy", "zeros_like", "empty_like", "ones_like", "zeros", "empty", "ones")
# Parts that are taken in one iteration for which a copy, there and back, is worth it.
_OFTEN = 3
# A range that begins or ends so many items from an end of an axis goes along it.
_NEAR = 4


_ELLIPSIS = Constant(Ellipsis, Other(type(Ellipsis)))


def transpose_buffers(graph: Graph) -> Graph:
    """The graph with buffers transposed for loops that read or fill their columns.

    for k in range(u.shape[1]):          t = u.T.copy().T
        u[:, k] = f(u[:, k])             for k in range(u.shape[1]):
        u[:, k] += g(u[:, k])      →         t[:, k] = f(t[:, k])
                                             t[:, k] += g(t[:, k])
                                         u[...] = t
    """
    for g in called_graphs(graph):
        if any(_may_be_transposed(n) for n in g.body):
            walk = _Walk()
            for p in g.params:
                walk.shapes.give(p)
            walk.region(g)
            _apply(g, walk.found)
    return graph


def _may_be_transposed(node: Node) -> bool:
    """Whether a statement makes a buffer of several axes, row by row."""
    t = deref(node.type)
    if not isinstance(node, Apply) or not isinstance(t, Num) or (t.ndim or 0) < 2:
        return False
    made = node.op is ops.COPY or is_primitive(node, *_MAKING)
    return made and is_stored(t) and not node.keywords.keys() - {"dtype"}


def _seen(node: Node) -> tuple[Node, list[int] | None]:
    """The array that is seen through views, and which axes of it they have in which
    order; None if they show only a part."""
    t = deref(node.type)
    axes = list(range(t.ndim or 0)) if isinstance(t, Num) else None
    while is_view(node):
        assert isinstance(node, Apply)
        if axes is not None:
            order = _order(node, len(axes))
            # The axis at a place of a view is one of the array below.
            axes = None if order is None else [order[k] for k in axes]
        node = node.args[0]
    return node, axes


def _order(view: Apply, rank: int) -> list[int] | None:
    """Which axis of the array below each axis of a transposed one is."""
    if is_primitive(view, "transpose_all"):
        return list(range(rank))[::-1]
    if is_primitive(view, "transpose") and len(view.args) == 2:
        axes = view.args[1]
        if isinstance(axes, Constant) and isinstance(axes.value, tuple):
            if all(type(k) is int for k in axes.value) and len(axes.value) == rank:
                return [k % rank for k in axes.value]
    return None


@dataclass
class _Use:
    """What a loop does with a buffer."""

    parts: int = 0
    stores: int = 0
    good: bool = True
    # The numbers at which parts are taken along the last axis.
    at: list[Node] = field(default_factory=list)


class _Walk(ShapeWalk):
    """A walk that finds loops, and the buffers that are to be transposed for them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[int, list[tuple[Apply, bool]]] = {}
        self._careful = 0

    def rewrite(self, node: Apply) -> None:
        """Leave everything as it is."""

    def statement(self, node: Apply) -> None:
        careful = node.op is ops.TRY
        self._careful += careful
        if node.op is ops.FOR and not self.looking and not self._careful:
            self._loop_found(node)
        super().statement(node)
        self._careful -= careful

    def _loop_found(self, loop: Apply) -> None:
        length = self._spanned(loop)
        if length is None:
            return
        for buffer, use in _uses(loop):
            dims = self.shapes.of(buffer)
            if not dims or dims[-1].find() is not length.find():
                continue
            if use.good and use.parts + use.stores >= _OFTEN and use.at:
                self.found.setdefault(id(loop), []).append((buffer, use.stores > 0))

    def _spanned(self, loop: Apply) -> Dim | None:
        """The length of an axis along which a loop goes from end to end, if it does."""
        start, stop, step = loop.args[:3]
        if not isinstance(step, Constant) or step.value not in (1, -1):
            return None
        low, high = (start, stop) if step.value == 1 else (stop, start)
        if not isinstance(low, Constant) or type(low.value) is not int:
            return None
        if not -1 <= low.value <= _NEAR:
            return None
        less = 0
        while is_primitive(high, "add", "subtract"):
            assert isinstance(high, Apply)
            sign = 1 if high.op.name == "subtract" else -1
            high, by = high.args
            if not isinstance(by, Constant) or type(by.value) is not int:
                return None
            less += sign * by.value
        if not 0 <= less <= _NEAR:
            return None
        return self.shapes.lengths.get(id(high))


def _uses(loop: Apply) -> list[tuple[Apply, _Use]]:
    """The buffers that a loop takes parts of, and how."""
    found: dict[int, tuple[Apply, _Use]] = {}
    classes: dict[int, set[int]] = {}
    inside = list(_within(loop))
    if any(_is_unknown(n) for n in inside):
        return []

    def use_of(node: Node) -> _Use | None:
        root, _ = _seen(node)
        kind = alias_of(root.type)
        if kind is not None:
            classes.setdefault(id(kind), set()).add(id(root))
        if not _may_be_transposed(root):
            return None
        assert isinstance(root, Apply)
        return found.setdefault(id(root), (root, _Use()))[1]

    handed = [
        *loop.args,
        *(r for n in (loop, *inside) for g in n.regions for r in g.results),
    ]
    for node in handed:
        use = use_of(node)
        if use is not None:
            use.good = False
    for node in inside:
        for k, n in enumerate(node.inputs):
            use = use_of(n)
            if use is not None and not _understand(node, k, n, use):
                use.good = False
    own = {id(n) for n in inside}
    return [
        (buffer, use)
        for buffer, use in found.values()
        if id(buffer) not in own and len(classes[id(alias_of(buffer.type))]) == 1
    ]


def _understand(node: Apply, k: int, array: Node, use: _Use) -> bool:
    """Whether a statement takes or uses a part of a buffer along its last axis."""
    _, axes = _seen(array)
    if node.op in (ops.GETITEM, ops.SETITEM) and k == 0:
        index = node.args[1]
        stores = node.op is ops.SETITEM
        use.stores += stores
        if axes is None:
            # It is a part already.
            whole = isinstance(index, Constant) and index.value is Ellipsis
            return whole and stores
        parts = index.args if _is_tuple(index) else (index,)  # type: ignore[attr-defined]
        taken = [_is_number(p) for p in parts]
        if len(parts) != len(axes) or not all(map(_is_basic, parts)):
            return False
        where = [p for p, axis in zip(parts, axes) if axis == len(axes) - 1]
        if sum(taken) != 1 or not _is_number(where[0]):
            return False
        use.at.append(where[0])
        use.parts += not stores
        return True
    if is_primitive(node, "shape", "size", "ndim"):
        return True
    if is_view(node):
        return axes is not None and _order(node, len(axes)) is not None
    # Whole buffers are not to be walked through in every iteration.
    computes = isinstance(node.op, Primitive) and node.op.pure and node.op.fresh
    return axes is None and (computes or node.op in (ops.COPY, ops.SETITEM))


def _is_tuple(node: Node) -> bool:
    return isinstance(node, Apply) and node.op is ops.TUPLE


def _is_number(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0


def _is_basic(node: Node) -> bool:
    return _is_number(node) or (isinstance(node, Apply) and node.op is ops.SLICE)


def _is_unknown(node: Apply) -> bool:
    """Whether a statement may use buffers in ways that cannot be seen."""
    if isinstance(node.op, Primitive):
        return not node.op.pure
    return node.op in _UNKNOWN


_UNKNOWN = (
    *(ops.CALL, ops.PYCALL, ops.METHOD, ops.OBSERVE, ops.SETATTR, ops.TRY),
    *(ops.INSERT, ops.APPEND, ops.POP, ops.DELITEM, ops.ADD_PRODUCT),
)


def _within(node: Apply) -> Iterator[Apply]:
    """Every statement in the regions of one."""
    for region in node.regions:
        for inner in region.body:
            yield inner
            yield from _within(inner)


def _apply(graph: Graph, found: dict[int, list[tuple[Apply, bool]]]) -> None:
    """Transpose the buffers that were found for loops."""
    body: list[Apply] = []
    for node in graph.body:
        after: list[Apply] = []
        for buffer, stores in found.get(id(node), ()):
            before, whole = _transposed_copy(buffer)
            body += before
            body += _redirect(node, buffer, whole)
            if stores:
                back = (buffer, _ELLIPSIS, whole)
                after.append(Apply(ops.SETITEM, back, NEVER, span=node.span))
        body.append(node)
        body += after
        if id(node) not in found:
            for region in node.regions:
                _apply(region, found)
    for node in body:
        node.graph = graph
    graph.body = body


def _transposed_copy(buffer: Apply) -> tuple[list[Apply], Apply]:
    """Statements that copy a buffer, its last axis outermost, and it as it was."""
    t = deref(buffer.type)
    assert isinstance(t, Num)
    rank = t.ndim or 0
    alias = AliasClass()
    alias.store()
    kind = Num(t.dtype, t.ndim, alias=alias)
    given = _transposed(buffer, [rank - 1, *range(rank - 1)], t)
    made = primitive(np.copy, given, type=kind)
    made.name, made.span = buffer.name, buffer.span
    whole = _transposed(made, [*range(1, rank), 0], kind)
    return [given, made, whole], whole


def _transposed(node: Node, order: list[int], t: Num) -> Apply:
    axes = Constant(tuple(order), Tuple((INT,) * len(order)))
    return primitive(np.transpose, node, axes, type=t)


def _redirect(loop: Apply, buffer: Apply, whole: Apply) -> list[Apply]:
    """Let a loop use another buffer; the views of it that are made before the loop."""
    inside = list(_within(loop))
    own = {id(n) for n in inside}
    replaced: dict[int, Node] = {id(buffer): whole}
    made: list[Apply] = []

    def new(node: Node) -> Node:
        found = replaced.get(id(node))
        if found is not None:
            return found
        if id(node) in own or not is_view(node) or _seen(node)[0] is not buffer:
            return node
        assert isinstance(node, Apply)
        below = new(node.args[0])
        t = deref(node.type)
        assert isinstance(t, Num)
        kind = Num(t.dtype, t.ndim, alias=whole.type.alias)  # type: ignore[attr-defined]
        view = Apply(node.op, (below, *node.args[1:]), kind, keywords=node.keywords)
        view.target, view.span = node.target, node.span
        replaced[id(node)] = view
        made.append(view)
        return view

    for node in inside:
        node.args = tuple(map(new, node.args))
        node.keywords = {k: new(v) for k, v in node.keywords.items()}
    return made
