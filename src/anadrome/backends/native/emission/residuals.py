"""Residuals of a loop that have one shape: one array, its first axis the iterations.

Those of a loop inside a loop are part of one array too, with an axis for each of them,
if the inner one runs equally often in all iterations of the outer one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node, Output, walk
from anadrome.ir.types import Num, Tuple, Type, deref, is_stored
from anadrome.optimize.analysis.iterations import is_primitive
from anadrome.optimize.analysis.memory import is_view
from anadrome.optimize.analysis.ragged import uneven_values
from anadrome.primitives.registry import Primitive

from ..fusion.expressions import Leaf
from ..lowering.elementwise import fill
from ..runtime.memory import HEADER
from .function import Emitter
from .values import I1, I64, POINTER, Array, Pack, Value, element_type


@dataclass
class ArrayStack(Value):
    """The residuals of a loop, one after the other in one array.

    Its items are `dense` unless only some of their columns are meant. They are stacks
    themselves if its `depth` is more than one; and numbers, alone or several, if it is
    told what they are `like`.
    """

    whole: Array
    dense: bool = True
    depth: int = 1
    like: Value | None = None

    def flatten(self) -> list[ir.Value]:
        return self.whole.flatten()

    def rebuild(self, registers: list[ir.Value]) -> Value:
        whole = self.whole.rebuild(registers)
        assert isinstance(whole, Array)
        return ArrayStack(whole, self.dense, self.depth, self.like)

    def blocks(self) -> list[ir.Value]:
        return self.whole.blocks()

    def item(self, e: Emitter, k: ir.Value) -> Value:
        """The residual of an iteration; the stack still owns it."""
        found = self.array(e, k)
        if self.depth > 1:
            return ArrayStack(found, self.dense, self.depth - 1, self.like)
        if self.like is None:
            return found
        numbers = [e.load(found, place) for place in _places_of(self.like)]
        return self.like.rebuild(numbers)

    def array(self, e: Emitter, k: ir.Value) -> Array:
        """The residual of an iteration as an array."""
        whole = self.whole
        data = e.builder.gep(whole.data, [e.builder.mul(k, whole.strides[0])])
        shape, strides = whole.shape[1:], whole.strides[1:]
        return Array(whole.dtype, whole.block, data, shape, strides, self.dense)


def _places_of(like: Value) -> list[list[ir.Value]]:
    """The indices of the numbers of an item in the array that they are kept in."""
    if isinstance(like, Pack):
        return [[I64(k)] for k in range(len(like.items))]
    return [[]]


def joined_stacks(graph: Graph) -> dict[int, int]:
    """The residuals of a function that may be one array each, and their depths.

    Only loops and `np.stack` read them, and the number of iterations is known when the
    loop that fills them starts.
    """
    return _Joining(graph).found


class _Joining:
    """The residuals of a function that may be one array each."""

    def __init__(self, graph: Graph) -> None:
        self.found: dict[int, int] = {}
        # Stacks of numbers are as good as they are, unless they are part of others.
        self.numbers: set[int] = set()
        self.uses: dict[int, list[tuple[Apply, int]]] = {}
        # Where regions yield values: the statement, the region's and the value's place.
        self.yields: dict[int, list[tuple[Apply | None, int, int]]] = {}
        self._note(graph, None, 0)
        loops = [n for n in walk(graph) if n.op is ops.FOR]
        for node in loops:
            if not node.shape.breaks and not node.shape.frees:
                self._add_arrays(node)
        # Inner loops first: `walk` meets them after those around them.
        for node in reversed(loops):
            if not node.shape.breaks and not node.shape.frees:
                self._add_stacks(node)
        while self._remove():
            pass
        within = {
            id(n.regions[0].results[k])
            for n, k, o in self._outputs()
            if self.found.get(id(o), 1) > 1
        }
        for key in self.numbers - within:
            self.found.pop(key, None)

    def _note(self, region: Graph, owner: Apply | None, place: int) -> None:
        for k, r in enumerate(region.results):
            self.yields.setdefault(id(r), []).append((owner, place, k))
        for node in region.body:
            for k, n in enumerate(node.args):
                self.uses.setdefault(id(n), []).append((node, k))
            for n in node.keywords.values():
                self.uses.setdefault(id(n), []).append((node, -1))
            for k, inner in enumerate(node.regions):
                self._note(inner, node, k)

    def _add_arrays(self, node: Apply) -> None:
        """The residuals of a loop that are arrays."""
        shape, body = node.shape, node.regions[0]
        own = _own(body)
        ragged = _ragged(node)
        for k in range(shape.carried, shape.carried + shape.kept):
            t = deref(body.results[k].type)
            if numbers_of(t) is not None and id(body.results[k]) in own:
                self.found[id(node.outputs[k])] = 1
                self.numbers.add(id(node.outputs[k]))
                continue
            if not isinstance(t, Num) or not t.ndim or t.dtype is None:
                continue
            # A buffer is kept itself: what is written to it later counts.
            if is_stored(t):
                continue
            if element_type(t.dtype) is None or id(body.results[k]) in ragged:
                continue
            # The same array in every iteration is better kept once.
            if id(body.results[k]) in own:
                self.found[id(node.outputs[k])] = 1

    def _add_stacks(self, node: Apply) -> None:
        """The residuals of a loop that are residuals of loops inside it."""
        shape, body = node.shape, node.regions[0]
        inside = _inside(body)
        ragged: set[int] | None = None
        for k in range(shape.carried, shape.carried + shape.kept):
            r = body.results[k]
            if id(r) not in self.found or not any(n is _loop_of(r) for n in body.body):
                continue
            counts, array = self._chain(r)
            # A part of another array costs nothing to keep.
            if any(id(n) in inside for n in counts) or is_view(array):
                continue
            if ragged is None:
                ragged = _ragged(node)
            if id(array) not in ragged:
                self.found[id(node.outputs[k])] = self.found[id(r)] + 1

    def _chain(self, stack: Node) -> tuple[list[Node], Node]:
        """The numbers that say how often loops run, and what the last of them keeps.

        That may be what a loop has found itself, which is no residual.
        """
        counts: list[Node] = []
        while id(stack) in self.found and (loop := _loop_of(stack)) is not None:
            counts += loop.args[:3]
            assert isinstance(stack, Output)
            stack = loop.regions[0].results[stack.index]
        return counts, stack

    def _remove(self) -> bool:
        """Forget the stacks that somebody reads in another way; whether there are."""
        outputs = {id(o): (n, k) for n, k, o in self._outputs()}
        wrong = [key for key in self.found if not self._is_read_by_loops(key)]
        # A residual of an outer loop must itself be one array.
        for key, (node, k) in outputs.items():
            if key in self.found and self.found[key] > 1:
                if id(node.regions[0].results[k]) not in self.found:
                    wrong.append(key)
        for key in set(wrong):
            del self.found[key]
        return bool(wrong)

    def _outputs(self) -> list[tuple[Apply, int, Node]]:
        loops = {id(n): n for uses in self.uses.values() for n, _ in uses}
        return [
            (n, k, o)
            for n in loops.values()
            if n.op is ops.FOR
            for k, o in enumerate(n.outputs)
        ]

    def _is_read_by_loops(self, key: int) -> bool:
        depth = self.found[key]
        for owner, place, k in self.yields.get(key, ()):
            # A stack may be kept by the loop around it.
            if owner is None or owner.op is not ops.FOR or place != 0:
                return False
            if self.found.get(id(owner.outputs[k])) != depth + 1:
                return False
        return self._is_taken(key, depth)

    def _is_taken(self, key: int, depth: int) -> bool:
        """Whether statements read a stack as joined, and so what loops take from it."""
        for node, place in self.uses.get(key, ()):
            if node.op is ops.FOR and 3 <= place < 3 + node.shape.stacks:
                if depth > 1:
                    p = node.regions[0].params[1 + place - 3]
                    if id(p) in self.yields or not self._is_taken(id(p), depth - 1):
                        return False
            elif depth > 1 or not _is_stacking(node):
                return False
        return True


def numbers_of(t: Type) -> tuple[np.dtype[Any], int | None] | None:
    """Of what dtype numbers are, and how many in a tuple, if that is all a value is."""
    t = deref(t)
    if isinstance(t, Num):
        plain = t.ndim == 0 and t.dtype is not None and not t.boxed
        if not plain or element_type(t.dtype) is None:  # type: ignore[arg-type]
            return None
        return t.dtype, None  # type: ignore[return-value]
    if not isinstance(t, Tuple) or t.cls is not tuple or not t.items:
        return None
    kinds = {numbers_of(i) for i in t.items}
    if len(kinds) != 1 or None in kinds:
        return None
    ((dtype, count),) = kinds  # type: ignore[misc]
    return (dtype, len(t.items)) if count is None else None


def _loop_of(node: Node) -> Apply | None:
    return node.apply if isinstance(node, Output) else None


def _own(body: Graph) -> set[int]:
    own = {id(n) for n in (*body.params, *body.body)}
    own.update(id(o) for n in body.body for o in n.outputs)
    return own


def _inside(body: Graph) -> set[int]:
    """All that is given or made in a region and in those inside it."""
    found = _own(body)
    for node in walk(body):
        for region in node.regions:
            found |= _own(region)
    return found


def _ragged(loop: Apply) -> set[int]:
    """The arrays that are probably of another shape in every iteration.

    Those are the ones whose size is a number that changes between iterations; sizes of
    arrays do not, unless the arrays are such themselves or items of uneven lists.
    """
    body = loop.regions[0]
    found = uneven_values(loop)
    varying = {id(p) for p in body.params}

    def varies(n: Node) -> bool:
        return id(n) in varying

    for node in walk(body):
        for region in node.regions:
            varying.update(id(p) for p in region.params)
        varying.update(id(o) for o in node.outputs)
        from_ragged = any(id(n) in found for n in node.inputs)
        if node.op is ops.SLICE:
            first, last, _ = node.args
            moves = is_primitive(last, "add") and any(a is first for a in last.args)  # type: ignore[attr-defined]
            if not moves and (varies(first) or varies(last)):
                found.add(id(node))
        elif from_ragged or _is_sized_by(node, varies):
            t = deref(node.type)
            if not isinstance(t, Num) or t.ndim:
                found.add(id(node))
        sizes = is_primitive(node, "shape") or node.op is ops.LENGTH
        if from_ragged if sizes else any(map(varies, node.inputs)):
            varying.add(id(node))
    return found


_SIZED = ("zeros", "ones", "full", "empty", "arange", "eye", "repeat", "tile")


def _is_sized_by(node: Apply, varies: Callable[[Node], bool]) -> bool:
    """Whether the size of an array follows from numbers that change."""
    if is_primitive(node, *_SIZED, "reshape", "broadcast_to"):
        return any(varies(n) and not _is_array(n) for n in node.inputs)
    if node.op is ops.GETITEM:
        t = deref(node.args[1].type)
        return isinstance(t, Num) and bool(t.ndim) and t.dtype == np.dtype(bool)
    return False


def _is_array(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and bool(t.ndim)


def _is_stacking(node: Apply) -> bool:
    if isinstance(node.op, Primitive) and node.op.name == "stack":
        return len(node.args) == 1 and not node.keywords
    return False


@dataclass(frozen=True)
class Window:
    """The rows that one thread fills: an axis of the items, the first, how many."""

    axis: int
    first: ir.Value
    count: ir.Value


class StackBuilder:
    """An array that the iterations of a loop fill; the first shows how large it is.

    `slots` are the places of its block and its sizes, null and anything at first. What
    is a residual of the loop around it as well is in the place of that loop's
    iteration, `around`.
    """

    def __init__(
        self,
        e: Emitter,
        item: Array,
        count: ir.Value,
        slots: list[ir.Value] | None = None,
        window: Window | None = None,
        around: tuple[StackBuilder, ir.Value] | None = None,
        depth: int = 1,
        like: Value | None = None,
    ) -> None:
        self.e, self.template, self.count, self.window = e, item, count, window
        self.around, self.depth, self.like = around, depth, like
        # The address that the residual was written to at once.
        self.claimed: ir.Value | None = None
        b = e.builder
        if slots is None:
            with b.goto_entry_block():
                slots = [b.alloca(POINTER), *(b.alloca(I64) for _ in range(item.ndim))]
            b.store(ir.Constant(POINTER, None), slots[0])
            for size in slots[1:]:
                b.store(I64(0), size)
        self.block, self.sizes = slots[0], slots[1:]
        if around is not None:
            with b.goto_entry_block():
                self.data = b.alloca(item.data.type)
            b.store(ir.Constant(item.data.type, None), self.data)

    def whole(self, count: ir.Value) -> Array:
        """The array with the iterations so far."""
        e, b = self.e, self.e.builder
        block = b.load(self.block)
        shape = [count, *(b.load(s) for s in self.sizes)]
        if self.around is not None:
            data = b.load(self.data)
        else:
            data = b.bitcast(b.gep(block, [I64(HEADER)]), self.template.data.type)
        return Array(self.template.dtype, block, data, shape, e.row_major(shape), True)

    def _make(self, shape: list[ir.Value]) -> None:
        """Get the array that the iterations fill."""
        e, b = self.e, self.e.builder
        sizes = [self.count, *shape]
        if self.around is not None:
            builder, ordinal = self.around
            made = builder.take(ordinal, sizes)
            b.store(made.data, self.data)
        else:
            made = e.allocate(self.template.dtype, sizes)
        b.store(made.block, self.block)
        for n, size in zip(shape, self.sizes):
            b.store(n, size)

    def take(self, ordinal: ir.Value, shape: list[ir.Value]) -> Array:
        """The place of an iteration for an array of a shape, to be computed there."""
        view = self._lend(ordinal, shape)
        self.e.retain(view)
        self.claimed = view.data
        return view

    def _lend(self, ordinal: ir.Value, shape: list[ir.Value]) -> Array:
        """The place of an iteration, which the stack alone owns."""
        e, b = self.e, self.e.builder
        first = b.icmp_unsigned("==", b.load(self.block), ir.Constant(POINTER, None))
        with b.if_then(first, likely=False):
            self._make(shape)
        place = self.place(ordinal)
        same: ir.Value = I1(1)
        for n, m in zip(shape, place.shape):
            same = b.and_(same, b.icmp_signed("==", n, m))
        e.fail_unless(same, ValueError, "a loop keeps arrays of different shapes")
        # Counts are not for several threads; the stack outlives the loop.
        block = place.block if self.window is None else ir.Constant(POINTER, None)
        strides, dense = place.strides, place.contiguous
        return Array(place.dtype, block, place.data, list(shape), strides, dense)

    def store_numbers(self, ordinal: ir.Value, item: Value) -> None:
        """Put numbers that are the residual of an iteration into their place."""
        shape = [I64(len(item.items))] if isinstance(item, Pack) else []
        place = self._lend(ordinal, shape)
        for index, r in zip(_places_of(item), item.flatten(), strict=True):
            self.e.store(place, index, r)

    def store(self, ordinal: ir.Value, item: Array) -> None:
        """Copy a residual to its place if it is not there, and give it up."""
        e, b = self.e, self.e.builder
        if item.data is self.claimed:
            e.release(item)
            return
        place = self._lend(ordinal, item.shape)
        with b.if_then(b.icmp_unsigned("!=", place.data, item.data)):
            fill(e, place, Leaf(item, item.dtype))
        e.release(item)

    def place(self, ordinal: ir.Value) -> Array:
        """Where the residual of an iteration belongs."""
        item = ArrayStack(self.whole(self.count)).array(self.e, ordinal)
        if self.window is None:
            return item
        return rows_of(self.e, item, self.window)


def rows_of(e: Emitter, array: Array, window: Window) -> Array:
    """Some rows of an array."""
    b, axis = e.builder, window.axis
    data = b.gep(array.data, [b.mul(window.first, array.strides[axis])])
    shape = list(array.shape)
    shape[axis] = window.count
    whole = array.contiguous and axis == 0
    return Array(array.dtype, array.block, data, shape, array.strides, whole)
