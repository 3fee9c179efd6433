"""Loops as a whole: what their iterations read and make, all of them at once."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, Parameter, walk
from anadrome.ir.types import (
    BOOL,
    INT,
    NONE,
    STR,
    Num,
    Other,
    Stack,
    Tuple,
    Type,
    deref,
)
from anadrome.optimize.analysis.ragged import uneven_values
from anadrome.optimize.rewriting import holds_stored
from anadrome.primitives.registry import Primitive, find_primitive


def is_counted(loop: Apply) -> bool:
    """Whether a loop is `for t in range(n)` without a way out."""
    if loop.op is not ops.FOR or loop.shape.breaks:
        return False
    start, _, step = loop.args[:3]
    return _is_int(start, 0) and _is_int(step, 1)


def _is_int(node: Node, value: int) -> bool:
    if not isinstance(node, Constant) or type(node.value) is not int:
        return False
    return bool(node.value == value)


def primitive(function: Any, *args: Node, type: Type, **keywords: Node) -> Apply:
    """An application of the primitive behind a callable."""
    found = find_primitive(function)
    assert found is not None
    node = Apply(found, args, type, keywords=keywords)
    node.target = function
    return node


def is_primitive(node: Node, *names: str) -> bool:
    """Whether a value is made by one of some primitives."""
    return (
        isinstance(node, Apply)
        and isinstance(node.op, Primitive)
        and node.op.name in names
    )


def array_type(node: Node) -> Num | None:
    """The type of an array of known rank and dtype that nothing is stored into."""
    t = deref(node.type)
    if not isinstance(t, Num) or t.dtype is None or t.ndim is None:
        return None
    return None if holds_stored(t) else t


def count_uses(graph: Graph) -> dict[int, int]:
    """How often each value is read in a graph, its regions included."""
    uses: dict[int, int] = {}
    regions = [graph, *(r for n in walk(graph) for r in n.regions)]
    for region in regions:
        for n in (*region.results, *(n for s in region.body for n in s.inputs)):
            uses[id(n)] = uses.get(id(n), 0) + 1
    return uses


class Iterations:
    """The values of one loop's iterations as arrays with one more axis, the first.

    New statements are collected in `made`; they belong before the loop, unless they
    read residuals of the loop itself.
    """

    def __init__(self, loop: Apply) -> None:
        self.loop, self.body = loop, loop.regions[-1]
        self.inside = {id(p) for r in loop.regions for p in r.params}
        for node in (n for r in loop.regions for n in walk(r)):
            self.inside.update(id(n) for n in (node, *node.outputs))
            for region in node.regions:
                self.inside.update(id(p) for p in region.params)
        self.uneven = uneven_values(loop)
        self.made: list[Apply] = []
        self.known: dict[int, Node] = {}

    @property
    def index(self) -> Parameter:
        """The number of the iteration."""
        return self.body.params[0]

    def is_invariant(self, node: Node) -> bool:
        """Whether a value is loop-invariant: the same in every iteration."""
        return isinstance(node, Constant) or id(node) not in self.inside

    def all(self, node: Node) -> Node | None:
        """A value of every iteration, stacked along a new first axis, or None."""
        found = self.known.get(id(node))
        if found is None and id(node) in self.inside:
            found = self._stacked(node)
            if found is not None:
                self.known[id(node)] = found
        return found

    def add(self, node: Apply) -> Apply:
        """One more statement outside the loop."""
        node.span = node.span or self.loop.span
        self.made.append(node)
        return node

    def _stacked(self, node: Node) -> Node | None:
        t = array_type(node)
        if t is None or id(node) in self.uneven:
            return None
        assert t.ndim is not None
        whole = Num(t.dtype, t.ndim + 1)
        if isinstance(node, Parameter):
            return self._stack_of_items(node, whole)
        if not isinstance(node, Apply) or node.regions:
            return None
        if node.op is ops.GETITEM:
            return self._items(node, whole)
        if is_primitive(node, "matmul") and not node.keywords:
            x, w = node.args
            return self._product(x, w, whole)
        if isinstance(node.op, Primitive) and node.op.broadcasts and node.op.pure:
            return self._elementwise(node, t.ndim, whole)
        return None

    def _stack_of_items(self, node: Parameter, whole: Num) -> Node | None:
        place = next(k for k, p in enumerate(self.body.params) if p is node)
        if not 1 <= place <= self.loop.shape.stacks:
            return None
        return self.stack(self.loop.args[2 + place], whole)

    def stack(self, series: Node, whole: Num) -> Node | None:
        """The items of a stack as one array."""
        if not isinstance(deref(series.type), Stack) or whole.ndim == 1:
            return None
        return self.add(primitive(np.stack, series, type=whole))

    def _items(self, node: Apply, whole: Num) -> Node | None:
        base, index = node.args
        t = array_type(base)
        if t is None or not t.ndim or not self.is_invariant(base):
            return None
        if index is self.index:
            return self._first_items(base, t)
        picked = array_type(index)
        if picked is None or picked.dtype is None or picked.dtype.kind != "i":
            return None
        where = self.all(index)
        if where is None:
            return None
        return self.add(Apply(ops.GETITEM, (base, where), whole))

    def _first_items(self, base: Node, t: Num) -> Node:
        stop = self.loop.args[1]
        if _is_length(stop, base):
            return base
        none = Constant(None, NONE)
        part = self.add(Apply(ops.SLICE, (none, stop, none), Other(slice)))
        return self.add(Apply(ops.GETITEM, (base, part), Num(t.dtype, t.ndim)))

    def _product(self, x: Node, w: Node, whole: Num) -> Node | None:
        left, right = array_type(x), array_type(w)
        if left is None or right is None:
            return None
        if self.is_invariant(w) and right.ndim == 2:
            rows = self.all(x)
            if rows is None:
                return None
            return self.add(primitive(np.matmul, rows, w, type=whole))
        if self.is_invariant(x) and left.ndim == 2 and right.ndim == 1:
            rows = self.all(w)
            if rows is None:
                return None
            transpose = self.add(transposed(x))
            return self.add(primitive(np.matmul, rows, transpose, type=whole))
        if self.is_invariant(x) and left.ndim == right.ndim == 2:
            matrices = self.all(w)
            if matrices is None:
                return None
            return self._product_of_columns(x, matrices, whole)
        return None

    def _product_of_columns(self, x: Node, matrices: Node, whole: Num) -> Node:
        """x @ w for the w of every iteration, as one product."""
        flat = Num(whole.dtype, 2)
        columns = self.columns(matrices)
        product = self.add(primitive(np.matmul, x, columns, type=flat))
        iterations, _, count = self._sizes(matrices)
        rows, _ = self._sizes(product)
        apart = self._reshaped(product, (rows, iterations, count))
        return self.add(_exchanged(apart, whole))

    def rows(self, whole: Node) -> Node:
        """The rows of a matrix of every iteration, below each other."""
        iterations, rows, columns = self._sizes(whole)
        count = self.add(primitive(operator.mul, iterations, rows, type=INT))
        return self._reshaped(whole, (count, columns))

    def columns(self, whole: Node) -> Node:
        """The columns of a matrix of every iteration, beside each other."""
        iterations, rows, columns = self._sizes(whole)
        t = array_type(whole)
        assert t is not None
        exchanged = self.add(_exchanged(whole, Num(t.dtype, t.ndim)))
        count = self.add(primitive(operator.mul, iterations, columns, type=INT))
        return self._reshaped(exchanged, (rows, count))

    def _sizes(self, array: Node) -> list[Apply]:
        t = array_type(array)
        assert t is not None
        assert t.ndim is not None
        sizes = self.add(primitive(np.shape, array, type=Tuple((INT,) * t.ndim)))
        return [
            self.add(Apply(ops.GETITEM, (sizes, Constant(k, INT)), INT))
            for k in range(t.ndim)
        ]

    def _reshaped(self, array: Node, sizes: tuple[Node, ...]) -> Apply:
        t = array_type(array)
        assert t is not None
        shape = self.add(Apply(ops.TUPLE, sizes, Tuple((INT,) * len(sizes))))
        kind = Num(t.dtype, len(sizes))
        return self.add(primitive(np.reshape, array, shape, type=kind))

    def _elementwise(self, node: Apply, ndim: int, whole: Num) -> Node | None:
        if node.keywords:
            return None
        parts: list[Node] = []
        for a in node.args:
            t = deref(a.type)
            if not isinstance(t, Num) or t.ndim is None:
                return None
            if self.is_invariant(a):
                parts.append(a)
                continue
            part = self.all(a) if t.ndim == ndim else None
            if part is None:
                return None
            parts.append(part)
        made = Apply(node.op, tuple(parts), whole, span=node.span)
        made.target = node.target
        return self.add(made)


def checks_of_lengths(a: Node, b: Node, axes: list[int], message: str) -> list[Apply]:
    """Statements that fail unless two arrays of one rank are of equal length there."""
    if not axes:
        return []
    t = deref(b.type)
    assert isinstance(t, Num)
    sizes = Tuple((INT,) * (t.ndim or 0))
    pair = [primitive(np.shape, n, type=sizes) for n in (a, b)]
    made = list(pair)
    for k in axes:
        lengths = [Apply(ops.GETITEM, (s, Constant(k, INT)), INT) for s in pair]
        equal = primitive(operator.eq, *lengths, type=BOOL)
        test = Apply(ops.ASSERT, (equal, Constant(message, STR)), NONE)
        made += [*lengths, equal, test]
    return made


def transposed(node: Node) -> Apply:
    """A matrix with its axes exchanged."""
    t = array_type(node)
    assert t is not None
    return primitive(np.transpose, node, type=Num(t.dtype, t.ndim))


def _exchanged(array: Node, kind: Num) -> Apply:
    """An array of three axes with the first two exchanged."""
    axes = Constant((1, 0, 2), Tuple((INT,) * 3))
    return primitive(np.transpose, array, axes, type=kind)


def _is_length(stop: Node, base: Node) -> bool:
    """Whether a number is the length of an array."""
    if not isinstance(stop, Apply):
        return False
    if stop.op is ops.LENGTH:
        return stop.args[0] is base
    if stop.op is not ops.GETITEM or not _is_int(stop.args[1], 0):
        return False
    shape = stop.args[0]
    return (
        isinstance(shape, Apply)
        and is_primitive(shape, "shape")
        and shape.args[0] is base
    )


def drop_carried(loop: Apply, places: set[int]) -> None:
    """Take variables that nothing needs any more out of a loop."""
    shape, body = loop.shape, loop.regions[-1]
    n = shape.carried
    first = len(loop.args) - n
    loop.args = tuple(a for j, a in enumerate(loop.args) if j - first not in places)
    loop.outputs = [o for j, o in enumerate(loop.outputs) if j not in places]
    body.results = [r for j, r in enumerate(body.results) if j not in places]
    for region in loop.regions:
        start = len(region.params) - n
        region.params = [
            p for j, p in enumerate(region.params) if j - start not in places
        ]
    loop.shape = dataclasses.replace(shape, carried=n - len(places))
    _number(loop)


def keep(loop: Apply, node: Node) -> Output:
    """A value of every iteration as a residual: a further output of the loop."""
    shape, body = loop.shape, loop.regions[-1]
    end = shape.carried + shape.kept
    for k in range(shape.carried, end):
        if body.results[k] is node:
            return loop.outputs[k]
    body.results.insert(end, node)
    out = Output(loop, end, Stack(node.type))
    out.span = loop.span
    loop.outputs.insert(end, out)
    loop.shape = dataclasses.replace(shape, kept=shape.kept + 1)
    _number(loop)
    return out


def _number(loop: Apply) -> None:
    for k, o in enumerate(loop.outputs):
        o.index = k
