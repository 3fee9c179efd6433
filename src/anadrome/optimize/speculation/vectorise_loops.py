"""Loops whose iterations do not touch each other's data, as statements on whole arrays.

The iterations of a loop may be done side by side if what one writes no other one reads
or writes. Then each statement of the body stands for all iterations at once: an array
that an iteration takes a part of at the loop's number is read and written as a whole,
and every value of an iteration has one more axis, the one of the iterations.

What cannot be told from the program is asserted. So the result may fail where the loop
would not have: programs that are vectorised are those that can fall back.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs
from anadrome.ir.types import (
    INT,
    NONE,
    AliasClass,
    Num,
    Other,
    Tuple,
    alias_of,
    deref,
    same_dtype,
)
from anadrome.optimize.analysis.dependence import (
    Access,
    Index,
    Range,
    Stays,
    check,
    independent,
    read_index,
)
from anadrome.optimize.analysis.iterations import is_primitive, primitive
from anadrome.optimize.rewriting import holds_stored
from anadrome.primitives.numpy.products import summed_axes
from anadrome.primitives.numpy.windows import windows
from anadrome.primitives.registry import Primitive

_REDUCTIONS = ("sum", "mean", "max", "min", "prod")
_MOST = 1 << 22
"""Iterations whose values together would have more elements stay a loop."""


def vectorise_loops(graph: Graph) -> bool:
    """Whether loops over independent iterations were replaced by what they do together.

    for j in range(B.shape[1]):
        B[i, j] += a @ B[i + 1 :, j]    →    B[i, :] += a @ B[i + 1 :, :]
    """
    changed = False
    for g in called_graphs(graph):
        changed |= _vectorise(g)
    return changed


def _vectorise(graph: Graph) -> bool:
    changed = False
    body: list[Apply] = []
    for node in graph.body:
        for region in node.regions:
            changed |= _vectorise(region)
        found = _vectorised(node) if node.op is ops.FOR else None
        changed |= found is not None
        body += [node] if found is None else found
    for node in body:
        node.graph = graph
    graph.body = body
    return changed


def _vectorised(loop: Apply) -> list[Apply] | None:
    """What replaces a loop, or None if it stays."""
    shape = loop.shape
    if shape.stacks or shape.carried or shape.kept or shape.breaks or shape.counts:
        return None
    step = loop.args[2]
    if shape.reverse or not (isinstance(step, Constant) and step.value == 1):
        return None
    try:
        return _Loop(loop).run()
    except Stays:
        return None


@dataclass
class _Wide:
    """The values of all iterations: one array, with the axes of one iteration's value
    and one more, which `after` of them follow."""

    node: Node
    rank: int
    after: int


class _Loop:
    """The statements of one loop, vectorised one by one."""

    def __init__(self, loop: Apply) -> None:
        self.loop, self.body = loop, loop.regions[0]
        self.index = self.body.params[0]
        self.range = Range(self.index, loop.args[0], loop.args[1])
        self.wide: dict[int, _Wide] = {}
        # What depends on the iteration and is no array: parts of indices.
        self.symbols: set[int] = {id(self.index)}
        self.inside = {id(n) for n in self.body.body}
        # What is the same in every iteration, of which the checks speak, comes first.
        self.first: list[Apply] = []
        self.checks: list[Apply] = []
        self.made: list[Apply] = []
        self.accesses: list[Access] = []
        self.written: set[AliasClass | None] = set()
        for node in self.body.body:
            if node.op is ops.SETITEM:
                self.written.add(_class(node.args[0]))
        self.last_use = {
            id(n): k for k, s in enumerate(self.body.body) for n in s.inputs
        }
        self.at = 0

    def run(self) -> list[Apply]:
        """The statements in the place of the loop."""
        if not self.written:
            raise Stays
        for k, node in enumerate(self.body.body):
            self.at = k
            self._statement(node)
        self.checks += independent(self.accesses, self.written, self.range)
        for node in (*self.checks, *self.made):
            node.span = node.span or self.loop.span
        return [*self.first, *self.checks, *self.made]

    def add(self, node: Apply, like: Apply | None = None) -> Apply:
        """One more statement outside the loop."""
        if like is not None:
            node.span, node.name, node.comment = like.span, like.name, like.comment
        self.made.append(node)
        return node

    # Statements ---------------------------------------------------------------------

    def _statement(self, node: Apply) -> None:
        if node.regions or node.outputs:
            raise Stays
        varies = any(id(n) in self.wide or id(n) in self.symbols for n in node.inputs)
        if node.op is ops.SETITEM:
            self._store(node)
        elif not varies:
            self._same_every_iteration(node)
        elif node.op in (ops.TUPLE, ops.SLICE) or is_primitive(node, "add", "subtract"):
            self._symbol_or_value(node)
        elif node.op is ops.GETITEM:
            self._part(node)
        elif isinstance(node.op, Primitive) and node.op.pure and not node.op.custom:
            self._primitive(node)
        else:
            raise Stays

    def _same_every_iteration(self, node: Apply) -> None:
        """A statement that does the same in every iteration is done once."""
        if node.op is ops.GETITEM:
            base = node.args[0]
            if isinstance(deref(base.type), Num) and _class(base) in self.written:
                self._note(node, read_index(node.args[1], self.range, self.symbols))
        elif node.op in (ops.TUPLE, ops.SLICE, ops.LENGTH, ops.ASSERT):
            pass
        elif not isinstance(node.op, Primitive) or not node.op.pure or node.op.custom:
            raise Stays
        elif not is_primitive(node, "shape", "size", "ndim", "dtype_of"):
            for n in node.inputs:
                if id(n) not in self.inside and _class(n) in self.written:
                    raise Stays
        self.first.append(node)

    def _symbol_or_value(self, node: Apply) -> None:
        if node.op in (ops.TUPLE, ops.SLICE):
            if any(id(n) in self.wide for n in node.inputs):
                raise Stays
            self.symbols.add(id(node))
        elif any(id(n) in self.symbols for n in node.inputs):
            self.symbols.add(id(node))
        else:
            self._elementwise(node)

    # Reading and writing ------------------------------------------------------------

    def _note(self, node: Apply, index: Index) -> Access:
        base = node.args[0]
        if id(base) in self.inside or id(base) in self.wide:
            raise Stays
        writes = node.op is ops.SETITEM
        found = Access(base, _class(base), index, writes)
        self.accesses.append(found)
        return found

    def _part(self, node: Apply) -> None:
        """A part of an array at the number of the iteration."""
        base, t = node.args[0], _number(node)
        index = read_index(node.args[1], self.range, self.symbols)
        given = _number(base)
        if id(base) in self.inside and _class(base) in self.written:
            raise Stays
        # An index that was itself read from an array is not of one stretch.
        if id(base) in self.wide or index.iteration_axis is None:
            raise Stays
        if index.is_window:
            self._window(node, index)
            return
        if _class(base) in self.written:
            self._note(node, index)
        self.checks += self.range.inside(base, index)
        view, after = self._batched_part(base, given, index)
        copies = t.ndim == 0 and self._changes_before_use(node, _class(base))
        if copies:
            # A number is read before it is overwritten; a view would see the store.
            fresh = Num(t.dtype, 1)
            view = self.add(Apply(ops.COPY, (view,), fresh), node)
        assert t.ndim is not None
        self.wide[id(node)] = _Wide(view, t.ndim, after)

    def _window(self, node: Apply, index: Index) -> None:
        """A part of an array that moves with the iterations."""
        base, t = node.args[0], _number(node)
        ends = [n for o in (index.offset, index.end) if o is not None for n in o[1:]]
        if holds_stored(base.type) or any(id(n) in self.inside for n in ends):
            raise Stays
        place = index.iteration_axis
        assert place is not None
        assert t.ndim is not None
        numbers, checks = self.range.window(base, index)
        self.checks += checks
        parts = [
            self._everything() if k == place else p for k, p in enumerate(index.parts)
        ]
        where = Tuple(tuple(p.type for p in parts))
        indices = self.add(Apply(ops.TUPLE, tuple(parts), where))
        kind = Num(t.dtype, t.ndim)
        part = self.add(Apply(ops.GETITEM, (base, indices), kind))
        axis = sum(index.is_slice(k) for k in range(place))
        self._note_size(base, numbers[0])
        self._moving(node, part, axis, numbers, t.ndim - axis)

    def _moving(
        self,
        node: Apply,
        array: Node,
        axis: int,
        numbers: tuple[Node, ...],
        after: int,
    ) -> None:
        """Note the windows of an array."""
        t = _number(array)
        assert t.ndim is not None
        given = (array, Constant(axis, INT), *numbers)
        made = primitive(windows, *given, type=Num(t.dtype, t.ndim + 1))
        self._result(node, made, after)

    def _windows(self, node: Apply) -> None:
        """The windows of an array of each iteration."""
        x, place, *numbers = node.args
        wide = self.wide.get(id(x))
        if wide is None or not isinstance(place, Constant):
            raise Stays
        before = wide.rank - wide.after
        behind = place.value >= before
        self._note_size(wide.node, numbers[0])
        self._moving(
            node,
            wide.node,
            place.value + behind,
            tuple(numbers),
            wide.after + behind,
        )

    def _note_size(self, array: Node, size: Node) -> None:
        """Assert that windows of a size have not too many elements together."""
        count = self.add(primitive(np.size, array, type=INT))
        total = self.add(primitive(operator.mul, count, size, type=INT))
        self.made += check("<=", total, Constant(_MOST, INT))

    def _batched_part(self, base: Node, given: Num, index: Index) -> tuple[Apply, int]:
        """An array at an index for all iterations, and how many axes follow theirs."""
        assert given.ndim is not None
        assert index.iteration_axis is not None
        place, rank, after = index.iteration_axis, 0, 0
        parts: list[Node] = []
        for k in range(given.ndim):
            if k == place:
                parts.append(self._iterations(base, k, index))
                rank += 1
                continue
            part = index.parts[k] if k < len(index.parts) else None
            if part is None or index.is_slice(k):
                rank += 1
                after += k > place
            parts.append(part if part is not None else self._everything())
        kinds = Tuple(tuple(p.type for p in parts))
        where = self.add(Apply(ops.TUPLE, tuple(parts), kinds))
        t = Num(given.dtype, rank, alias=given.alias)
        return self.add(Apply(ops.GETITEM, (base, where), t)), after

    def _everything(self) -> Apply:
        none = Constant(None, NONE)
        return self.add(Apply(ops.SLICE, (none, none, none), Other(slice)))

    def _iterations(self, base: Node, axis: int, index: Index) -> Apply:
        if index.offset is None and self.range.covers(base, axis):
            return self._everything()
        ends = [self.range.start, self.range.stop]
        if index.offset is not None:
            op, by = index.offset
            ends = [self.add(primitive(op, e, by, type=INT)) for e in ends]
        none = Constant(None, NONE)
        return self.add(Apply(ops.SLICE, (*ends, none), Other(slice)))

    def _changes_before_use(self, node: Apply, kind: AliasClass | None) -> bool:
        last = self.last_use.get(id(node), -1)
        return any(
            s.op is ops.SETITEM and _class(s.args[0]) is kind
            for s in self.body.body[self.at + 1 : last]
        )

    def _store(self, node: Apply) -> None:
        base, where, value = node.args
        given = _number(base)
        index = read_index(where, self.range, self.symbols)
        if index.iteration_axis is None or index.offset is not None or index.is_window:
            raise Stays
        self._note(node, index)
        self.checks += self.range.inside(base, index)
        view, after = self._batched_part(base, given, index)
        rank = _number(view).ndim
        assert rank is not None
        if id(value) in self.symbols:
            raise Stays
        found = self._arranged(value, rank - 1, after)
        place = view.args[1]
        self.made.remove(view)
        made = Apply(ops.SETITEM, (base, place, found), node.type)
        self.add(made, node).target = node.target

    # Values -------------------------------------------------------------------------

    def _arranged(self, node: Node, rank: int, after: int) -> Node:
        """A value so that it is broadcast along the axis of the iterations, or has it.

        It takes part in an operation on values of `rank` axes, of which `after` follow
        the axis of the iterations.
        """
        wide = self.wide.get(id(node))
        if wide is None:
            t = deref(node.type)
            if not isinstance(t, Num) or t.ndim is None or t.ndim <= after:
                return node
            return self._with_axis(node, t.ndim - after)
        found, behind = wide.node, min(wide.rank, after)
        if wide.after != behind:
            found = self._moved(found, wide.rank, wide.after, behind)
        for _ in range(after - behind):
            found = self._with_axis(found, 1)
        return found

    def _with_axis(self, node: Node, place: int) -> Apply:
        t = _number(node)
        assert t.ndim is not None
        made = Num(t.dtype, t.ndim + 1, alias=t.alias)
        return self.add(
            primitive(np.expand_dims, node, Constant(place, INT), type=made)
        )

    def _moved(self, node: Node, rank: int, before: int, after: int) -> Apply:
        """An array whose axis of iterations comes before `after` axes, not `before`."""
        own = [k for k in range(rank + 1) if k != rank - before]
        own.insert(rank - after, rank - before)
        t = _number(node)
        order = Constant(tuple(own), Tuple((INT,) * len(own)))
        made = Num(t.dtype, t.ndim, alias=t.alias)
        return self.add(primitive(np.transpose, node, order, type=made))

    def _primitive(self, node: Apply) -> None:
        if any(id(n) in self.symbols for n in node.inputs):
            raise Stays
        name = node.op.name
        if node.op.broadcasts and not node.keywords:
            self._elementwise(node)
        elif name in ("matmul", "dot") and not node.keywords:
            self._product(node)
        elif name == "tensordot":
            self._contraction(node)
        elif name == "windows":
            self._windows(node)
        elif name in _REDUCTIONS:
            self._reduction(node)
        else:
            raise Stays

    def _result(self, node: Apply, made: Apply, after: int) -> None:
        """Note what a statement gives in all iterations."""
        t = _number(node)
        assert t.ndim is not None
        made.target = made.target or node.target
        self.wide[id(node)] = _Wide(self.add(made, node), t.ndim, after)

    def _elementwise(self, node: Apply) -> None:
        t = _number(node)
        rank = t.ndim
        # The numbers of an iteration must have the type that its arrays have.
        if rank is None or t.dtype is None or t.python:
            raise Stays
        for a in node.args:
            _number(a)
        operands = [self.wide[id(a)] for a in node.args if id(a) in self.wide]
        after = next((w.after for w in operands if w.rank == rank), 0)
        parts = tuple(self._arranged(a, rank, after) for a in node.args)
        if not any(w.rank == rank for w in operands):
            self._bound(parts)
        self._result(node, Apply(node.op, parts, Num(t.dtype, rank + 1)), after)

    def _bound(self, parts: tuple[Node, ...]) -> None:
        """Assert that what arrays are broadcast to is of a bearable size."""
        total: Node = Constant(1, INT)
        for p in parts:
            if _number(p).ndim:
                size = self.add(primitive(np.size, p, type=INT))
                total = self.add(primitive(operator.mul, total, size, type=INT))
        most = Constant(_MOST, INT)
        self.made += check("<=", total, most)

    def _reduction(self, node: Apply) -> None:
        bound = node.op.signature.bind(*node.args, **node.keywords).arguments
        over = bound.pop(next(iter(bound)))
        axis = bound.pop("axis", None)
        wide, t = self.wide.get(id(over)), _number(node)
        if bound or wide is None or (axis and not isinstance(axis, Constant)):
            raise Stays
        axes = axis.value if isinstance(axis, Constant) else None
        if axes is None:
            axes = range(wide.rank)
        axes = (axes,) if isinstance(axes, int) else tuple(axes)
        if not axes or t.ndim != wide.rank - len(axes):
            raise Stays
        before = wide.rank - wide.after
        own = [a % wide.rank for a in axes]
        places = tuple(a if a < before else a + 1 for a in own)
        after = wide.after - sum(a >= before for a in own)
        where = Constant(
            places if len(places) > 1 else places[0],
            INT if len(places) == 1 else Tuple((INT,) * len(places)),
        )
        made = Apply(
            node.op,
            (wide.node,),
            Num(t.dtype, t.ndim + 1),
            keywords={"axis": where},
        )
        self._result(node, made, after)

    # Products -----------------------------------------------------------------------

    def _contraction(self, node: Apply) -> None:
        """A sum over pairs of axes of an array of each iteration and one that stays."""
        bound = node.op.signature.bind(*node.args, **node.keywords).arguments
        a, b, axes = bound["a"], bound["b"], bound.get("axes")
        t, ranks = _number(node), [_number(x).ndim for x in (a, b)]
        left, right = self.wide.get(id(a)), self.wide.get(id(b))
        if (left is None) == (right is None) or None in ranks:
            raise Stays
        given = 2 if axes is None else _literal(axes)
        pairs = [
            list(summed_axes(given, n or 0, second))
            for n, second in zip(ranks, (False, True))
        ]
        wide, own = (left, pairs[0]) if left is not None else (right, pairs[1])
        assert wide is not None
        assert t.ndim is not None
        before = wide.rank - wide.after
        free = before - sum(k < before for k in own)
        if left is None:
            free += (ranks[0] or 0) - len(pairs[0])
        own[:] = [k + (k >= before) for k in own]
        both = tuple(tuple(p) for p in pairs)
        kinds = Tuple(tuple(Tuple((INT,) * len(p)) for p in pairs))
        operands = [w.node if w else x for w, x in ((left, a), (right, b))]
        kind = Num(t.dtype, t.ndim + 1)
        made = primitive(np.tensordot, *operands, Constant(both, kinds), type=kind)
        self._result(node, made, t.ndim - free)

    def _product(self, node: Apply) -> None:
        x, w = node.args
        t, a, b = _number(node), _number(x), _number(w)
        if (
            a.ndim not in (1, 2)
            or b.ndim not in (1, 2)
            or not same_dtype(a.dtype, b.dtype)
        ):
            raise Stays
        kind = Num(t.dtype, (t.ndim or 0) + 1)
        left, right = self.wide.get(id(x)), self.wide.get(id(w))
        if left is not None and right is not None:
            self._product_over_iterations(node, left, right)
        elif left is not None and left.rank == 1:
            self._rows(node, left, w, b, kind)
        elif right is not None and right.rank == 1:
            self._columns(node, right, x, a, kind)
        elif left is not None and left.after == 2:
            if b.ndim == 1:
                raise Stays
            self._result(node, primitive(np.matmul, left.node, w, type=kind), 2)
        elif right is not None and right.after == 2:
            if a.ndim == 1:
                raise Stays
            self._result(node, primitive(np.matmul, x, right.node, type=kind), 2)
        else:
            raise Stays

    def _rows(self, node: Apply, left: _Wide, w: Node, b: Num, kind: Num) -> None:
        """A vector of each iteration times something that stays."""
        if left.after == 1:
            made = primitive(np.matmul, left.node, w, type=kind)
            self._result(node, made, 0 if b.ndim == 1 else 1)
        else:
            factor = w if b.ndim == 1 else self._transposed(w)
            made = primitive(np.matmul, factor, left.node, type=kind)
            self._result(node, made, 0)

    def _columns(self, node: Apply, right: _Wide, x: Node, a: Num, kind: Num) -> None:
        """Something that stays times a vector of each iteration."""
        if right.after == 0:
            made = primitive(np.matmul, x, right.node, type=kind)
            self._result(node, made, 0)
        else:
            factor = x if a.ndim == 1 else self._transposed(x)
            made = primitive(np.matmul, right.node, factor, type=kind)
            self._result(node, made, 0 if a.ndim == 1 else 1)

    def _transposed(self, node: Node) -> Apply:
        t = _number(node)
        made = Num(t.dtype, t.ndim, alias=t.alias)
        return self.add(primitive(np.transpose, node, type=made))

    def _product_over_iterations(self, node: Apply, left: _Wide, right: _Wide) -> None:
        """A product of two values of each iteration: summed element by element."""
        t = _number(node)
        if left.rank == right.rank == 2:
            if left.after != 2 or right.after != 2:
                raise Stays
            kind = Num(t.dtype, 3)
            made = primitive(np.matmul, left.node, right.node, type=kind)
            self._result(node, made, 2)
            return
        x, w = node.args
        rank = max(left.rank, right.rank)
        whole = Num(t.dtype, rank + 1)
        if rank == 1:
            after = left.after
            parts = [self._arranged(n, 1, after) for n in (x, w)]
            axis = 1 - after
        else:
            # Vectors of all iterations side by side, so that these are neighbours.
            after = 0
            parts = [self._arranged(n, 2, 0) for n in (x, w)]
            if left.rank == 1:
                parts[0] = self._with_axis(parts[0], 1)
                axis = 0
            else:
                axis = 1
        product = self.add(primitive(np.multiply, *parts, type=whole))
        made = primitive(
            np.sum, product, type=Num(t.dtype, rank), axis=Constant(axis, INT)
        )
        self._result(node, made, 0)


def _literal(node: Node) -> Any:
    """The value of a constant, or of a tuple of them."""
    if isinstance(node, Constant):
        return node.value
    if isinstance(node, Apply) and node.op is ops.TUPLE:
        return tuple(_literal(a) for a in node.args)
    raise Stays


def _number(node: Node) -> Num:
    t = deref(node.type)
    if not isinstance(t, Num) or t.ndim is None or t.dtype is None or t.boxed:
        raise Stays
    return t


def _class(node: Node) -> AliasClass | None:
    return alias_of(node.type)
