"""Buffer promotion: buffers that are only ever fully overwritten, as values.

What is stored into all of a buffer could be read where it was computed. So a program
that fills its result in place, and the cotangent of that result, which is taken out,
cleared and added to, need neither the buffers nor the copies.
"""

from __future__ import annotations

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Parameter,
    called_graphs,
    free_inputs,
)
from anadrome.ir.types import INT, Num, Tuple, deref, is_stored, same_form
from anadrome.optimize.analysis.iterations import (
    checks_of_lengths,
    is_primitive,
    primitive,
)
from anadrome.optimize.analysis.memory import is_view, memory_of
from anadrome.optimize.analysis.shapes import Dim
from anadrome.optimize.rewriting import holds_stored, regions_within, replace
from anadrome.optimize.simplify.broadcasts import ShapeWalk
from anadrome.primitives.registry import Primitive

_MAKING = ("zeros", "zeros_like", "empty", "empty_like", "ones", "ones_like")


def promote_buffers(graph: Graph) -> Graph:
    """The graph with buffers that are fully overwritten replaced by the values.

    out = np.empty_like(x)             assert y.shape == x.shape
    out[:] = y                  →      z = y + y
    z = out + out

    Every use of such a buffer is in sight, and no part of it is looked at by itself.
    Shapes that are only taken to be equal are checked.
    """
    for g in called_graphs(graph):
        candidates = [
            (region, node)
            for region in regions_within(g)
            for node in region.body
            if _makes(node) and any(_overwrites(n, node) for n in region.body)
        ]
        if not candidates:
            continue
        walk = _Comparing(g)
        users = _users(g)
        for region, node in candidates:
            buffer = _Buffer(g, region, node, users, walk.fits)
            if buffer.is_replaceable():
                buffer.replace()
                users = _users(g)
    return graph


def _makes(node: Apply) -> bool:
    """Whether a statement makes a buffer."""
    t = deref(node.type)
    if not isinstance(t, Num) or not t.ndim or t.dtype is None or not is_stored(t):
        return False
    return _is_copy(node) or is_primitive(node, *_MAKING)


def _is_copy(node: Apply) -> bool:
    if is_primitive(node, "copy"):
        return len(node.args) == 1 and not node.keywords
    return node.op is ops.COPY


def _overwrites(node: Apply, buffer: Apply) -> bool:
    return node.op is ops.SETITEM and _seen(node.args[0]) is buffer


def _seen(node: Node) -> Node:
    """The array that all of is seen through views."""
    while _is_full_view(node):
        assert isinstance(node, Apply)
        node = node.args[0]
    return node


def _is_full_view(node: Node) -> bool:
    if not isinstance(node, Apply) or node.op is not ops.GETITEM:
        return False
    return _is_everything(node.args[1], node.args[0])


def _is_everything(index: Node, array: Node) -> bool:
    """Whether an index takes all of an array, axis by axis."""
    if not isinstance(deref(array.type), Num):
        return False
    if isinstance(index, Constant):
        return index.value is Ellipsis
    if not isinstance(index, Apply):
        return False
    parts = index.args if index.op is ops.TUPLE else (index,)
    return all(
        isinstance(p, Apply)
        and p.op is ops.SLICE
        and all(isinstance(a, Constant) and a.value is None for a in p.args)
        for p in parts
    )


def _is_zero(node: Constant) -> bool:
    """Whether a constant is what `zeros_like` gives."""
    if not isinstance(node.value, bool | int | float | np.floating):
        return False
    return bool(node.value == 0 and not np.signbit(node.value))


def _is_new(node: Node) -> bool:
    """Whether a value is computed into memory of its own."""
    if not isinstance(node, Apply):
        return False
    if isinstance(node.op, Primitive):
        return bool(node.op.pure and node.op.fresh)
    return node.op in (ops.COPY, ops.INDEX_ADD)


def _only_looks(node: Apply) -> bool:
    """Whether a statement computes from a value without handing it on."""
    if node.regions:
        return False
    asks = is_primitive(node, "shape", "size", "ndim")
    return asks or (isinstance(node.op, Primitive) and _is_new(node))


Uses = dict[int, list[tuple[Graph, Apply | None]]]


def _users(graph: Graph) -> Uses:
    """Where each value is read: the region, and the statement unless it is a result."""
    found: Uses = {}
    for region in regions_within(graph):
        for node in region.body:
            for n in {id(n): n for n in node.inputs}.values():
                found.setdefault(id(n), []).append((region, node))
        for n in region.results:
            found.setdefault(id(n), []).append((region, None))
    return found


class _Comparing(ShapeWalk):
    """A walk that looks which values have the shape of what they are stored into."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        # The axes of a store that are not known to be of one length; None if they
        # are likely to differ.
        self.fits: dict[int, list[int] | None] = {}
        self._single: set[Dim] = set()
        for p in graph.params:
            self.shapes.give(p)
            dims = self.shapes.of(p) or ()
            self._single.update(d.find() for d in dims if not d.find().long)
        self.region(graph)

    def rewrite(self, node: Apply) -> None:
        if node.op is not ops.SETITEM or isinstance(node.args[2], Constant):
            return
        target, _, value = node.args
        a, b = self.shapes.of(_seen(target)), self.shapes.of(value)
        self.fits[id(node)] = None
        if a is None or b is None or len(a) != len(b):
            return
        pairs = [(x.find(), y.find()) for x, y in zip(a, b)]
        differing = [k for k, (x, y) in enumerate(pairs) if x is not y]
        if not any(self._may_be_one(d) for k in differing for d in pairs[k]):
            self.fits[id(node)] = differing

    def _may_be_one(self, dim: Dim) -> bool:
        return dim.size is not None or dim in self._single


class _Buffer:
    """A buffer, the views that show all of it, and the statements that use them."""

    def __init__(
        self,
        graph: Graph,
        region: Graph,
        node: Apply,
        users: Uses,
        fits: dict[int, list[int] | None],
    ) -> None:
        self.graph, self.region, self.node = graph, region, node
        self.users, self.fits = users, fits
        self.views: dict[int, Node] = {}

    def is_replaceable(self) -> bool:
        """Whether all that is done to the buffer is to fill it and to read it."""
        pending: list[Node] = [self.node]
        while pending:
            view = pending.pop()
            self.views[id(view)] = view
            for region, user in self.users.get(id(view), ()):
                if user is None:
                    return False
                if _is_full_view(user):
                    pending.append(user)
                elif not self._is_understood(region, user):
                    return False
        return True

    def _is_understood(self, region: Graph, user: Apply) -> bool:
        if user.op is ops.SETITEM and id(user.args[0]) in self.views:
            return region is self.region and self._is_filled(user)
        return user.op in (ops.COPY, ops.SETITEM) or _only_looks(user)

    def _is_filled(self, store: Apply) -> bool:
        """Whether a store gives the buffer a value of its own type and shape."""
        target, index, value = store.args
        if not _is_everything(index, target):
            return False
        if isinstance(value, Constant):
            return _is_zero(value) or self._holds(value)
        s, t = deref(self.node.type), deref(value.type)
        if not isinstance(s, Num) or not isinstance(t, Num):
            return False
        return same_form(s, t) and self.fits[id(store)] is not None

    def _holds(self, number: Constant) -> bool:
        """Whether the buffer is of real numbers, and a constant one of them."""
        t = deref(self.node.type)
        assert isinstance(t, Num)
        if t.dtype is None or t.dtype.kind != "f":
            return False
        if not isinstance(number.value, bool | int | float | np.floating):
            return False
        return bool(abs(number.value) <= np.finfo(t.dtype).max)

    def replace(self) -> None:
        """Read what was stored last in place of the buffer."""
        t = deref(self.node.type)
        assert isinstance(t, Num)
        kind = Num(t.dtype, t.ndim)
        current: Node = self.node
        body: list[Apply] = []
        copies: dict[int, Node] = {}
        for node in self.region.body:
            if node is self.node:
                made = Apply(node.op, node.args, kind, keywords=node.keywords)
                made.target, made.span, made.name = node.target, node.span, node.name
                body.append(made)
                current = made
                if _is_copy(node) and self._lasts(node.args[0]):
                    current = node.args[0]
            elif id(node) in self.views:
                pass
            elif node.op is ops.SETITEM and id(node.args[0]) in self.views:
                current = self._stored(node, current, body, kind)
            elif self._is_spare(node):
                copies[id(node)] = current
            else:
                if any(id(n) in self.views for n in free_inputs(node)):
                    self._read(node, current)
                body.append(node)
        for node in body:
            node.graph = self.region
        self.region.body = body
        replace(self.graph, copies)

    def _is_spare(self, node: Apply) -> bool:
        """Whether a copy of what the buffer holds is only read."""
        if not _is_copy(node) or id(node.args[0]) not in self.views:
            return False
        return not is_stored(node.type) and self._is_only_read(node)

    def _is_only_read(self, node: Node) -> bool:
        """Whether a value is not handed on, also not by what may be part of it."""
        for _, user in self.users.get(id(node), ()):
            if user is None or holds_stored(user.type):
                return False
            passes = is_view(user) or is_primitive(user, "unbroadcast")
            if not (self._is_only_read(user) if passes else _only_looks(user)):
                return False
        return True

    def _lasts(self, node: Node) -> bool:
        """Whether nothing that is done in this function changes a value."""
        if isinstance(node, Parameter):
            own = any(node is p for p in self.graph.params)
            return own and not any(holds_stored(p.type) for p in self.graph.params)
        return _is_new(node) and memory_of(node) is None

    def _stored(
        self, store: Apply, current: Node, body: list[Apply], kind: Num
    ) -> Node:
        """What a store makes the value of the buffer."""
        value = store.args[2]
        if id(value) in self.views:
            return current
        sizes = Tuple((INT,) * (kind.ndim or 0))

        def add(node: Apply) -> Apply:
            node.span = store.span
            body.append(node)
            return node

        if isinstance(value, Constant) and _is_zero(value):
            return add(primitive(np.zeros_like, current, type=kind))
        if isinstance(value, Constant):
            shape = add(primitive(np.shape, current, type=sizes))
            assert kind.dtype is not None
            number = Constant(kind.dtype.type(value.value), Num(kind.dtype, 0))
            return add(primitive(np.broadcast_to, number, shape, type=kind))
        message = "shapes that were taken to be equal differ"
        axes = self.fits[id(store)] or []
        for check in checks_of_lengths(value, current, axes, message):
            add(check)
        if not self._lasts(value):
            return add(Apply(ops.COPY, (value,), kind, name=self.node.name))
        return value

    def _read(self, node: Apply, current: Node) -> None:
        """Let a statement, and what it runs, read the value of now."""

        def new(n: Node) -> Node:
            return current if id(n) in self.views else n

        node.args = tuple(map(new, node.args))
        node.keywords = {k: new(v) for k, v in node.keywords.items()}
        for region in node.regions:
            region.body = [n for n in region.body if id(n) not in self.views]
            for inner in region.body:
                self._read(inner, current)
