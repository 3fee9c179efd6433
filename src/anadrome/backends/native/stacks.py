"""What a loop keeps of arrays of one shape: one array, its first axis the turns."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node, walk
from anadrome.ir.types import Num, Tuple, deref, is_stored
from anadrome.optimize.turns import is_primitive
from anadrome.primitives.registry import Primitive

from .elementwise import fill
from .emitter import Emitter
from .memory import HEADER
from .trees import Leaf
from .values import I1, I64, POINTER, Array, Value, element_type


@dataclass
class ArrayStack(Value):
    """The arrays that a loop kept, one after the other in one array.

    Its items are `dense` unless only some of their columns are meant.
    """

    whole: Array
    dense: bool = True

    def flatten(self) -> list[ir.Value]:
        return self.whole.flatten()

    def rebuild(self, registers: list[ir.Value]) -> Value:
        whole = self.whole.rebuild(registers)
        assert isinstance(whole, Array)
        return ArrayStack(whole, self.dense)

    def blocks(self) -> list[ir.Value]:
        return self.whole.blocks()

    def item(self, e: Emitter, k: ir.Value) -> Array:
        """What was kept of a turn; the stack still owns it."""
        whole = self.whole
        data = e.builder.gep(whole.data, [e.builder.mul(k, whole.strides[0])])
        shape, strides = whole.shape[1:], whole.strides[1:]
        return Array(whole.dtype, whole.block, data, shape, strides, self.dense)


def joined_stacks(graph: Graph) -> set[int]:
    """The stacks of a function that may be one array each.

    Only loops and `np.stack` read them, and the number of turns is known when the
    loop that fills them starts.
    """
    found: dict[int, Node] = {}
    for node in walk(graph):
        shape = node.shape
        if node.op is ops.FOR and not shape.breaks and not shape.frees:
            body = node.regions[0]
            own = {id(n) for n in (*body.params, *body.body)}
            own.update(id(o) for n in body.body for o in n.outputs)
            ragged = _ragged(body, own)
            for k in range(shape.carried, shape.carried + shape.kept):
                t = deref(body.results[k].type)
                if not isinstance(t, Num) or not t.ndim or t.dtype is None:
                    continue
                # A buffer is kept itself: what is written to it later counts.
                if is_stored(t):
                    continue
                if element_type(t.dtype) is None or id(body.results[k]) in ragged:
                    continue
                # The same array on every turn is better kept once.
                if id(body.results[k]) in own:
                    found[id(node.outputs[k])] = node.outputs[k]
    regions = [graph, *(r for n in walk(graph) for r in n.regions)]
    for region in regions:
        for r in region.results:
            found.pop(id(r), None)
        for node in region.body:
            for place, n in enumerate(node.args):
                if id(n) in found and not _takes_joined(node, place):
                    del found[id(n)]
            for n in node.keywords.values():
                found.pop(id(n), None)
    return set(found)


def _ragged(body: Graph, own: set[int]) -> set[int]:
    """The arrays of a turn that are probably of another shape on every turn.

    These are slices up to numbers that change from turn to turn, and what is made of
    them. Sizes are numbers that do not change, unless they are those of such a slice.
    """
    found: set[int] = set()
    sizes: set[int] = set()

    def changes(node: Node) -> bool:
        return id(node) in own and id(node) not in sizes

    for node in body.body:
        t = deref(node.type)
        if is_primitive(node, "shape"):
            if id(node.args[0]) not in found:
                sizes.add(id(node))
        elif isinstance(t, Tuple) or (isinstance(t, Num) and t.ndim == 0):
            if not node.regions and not any(changes(n) for n in node.inputs):
                sizes.add(id(node))
        if node.op is ops.SLICE:
            first, last, _ = node.args
            moves = is_primitive(last, "add") and any(a is first for a in last.args)  # type: ignore[attr-defined]
            if not moves and (changes(first) or changes(last)):
                found.add(id(node))
        elif any(id(n) in found for n in node.inputs):
            if not isinstance(t, Num) or t.ndim:
                found.add(id(node))
    return found


def _takes_joined(node: Apply, place: int) -> bool:
    if node.op is ops.FOR:
        return 3 <= place < 3 + node.shape.stacks
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
    """An array that the turns of a loop fill; the first one shows how large it is.

    `slots` are the places of its block and its sizes, null and anything at first.
    """

    def __init__(
        self,
        e: Emitter,
        item: Array,
        count: ir.Value,
        slots: list[ir.Value] | None = None,
        window: Window | None = None,
    ) -> None:
        self.e, self.form, self.count, self.window = e, item, count, window
        # The address that what is kept was written to at once.
        self.claimed: ir.Value | None = None
        b = e.builder
        if slots is None:
            with b.goto_entry_block():
                slots = [b.alloca(POINTER), *(b.alloca(I64) for _ in range(item.ndim))]
            b.store(ir.Constant(POINTER, None), slots[0])
            for size in slots[1:]:
                b.store(I64(0), size)
        self.block, self.sizes = slots[0], slots[1:]

    def whole(self, count: ir.Value) -> Array:
        """The array with the turns so far."""
        e, b = self.e, self.e.builder
        block = b.load(self.block)
        shape = [count, *(b.load(s) for s in self.sizes)]
        data = b.bitcast(b.gep(block, [I64(HEADER)]), self.form.data.type)
        return Array(self.form.dtype, block, data, shape, e.row_major(shape), True)

    def take(self, ordinal: ir.Value, shape: list[ir.Value]) -> Array:
        """The place of a turn for an array of a shape, which will be computed there."""
        e, b = self.e, self.e.builder
        first = b.icmp_unsigned("==", b.load(self.block), ir.Constant(POINTER, None))
        with b.if_then(first, likely=False):
            made = e.allocate(self.form.dtype, [self.count, *shape])
            b.store(made.block, self.block)
            for n, size in zip(shape, self.sizes):
                b.store(n, size)
        place = self.place(ordinal)
        same: ir.Value = I1(1)
        for n, m in zip(shape, place.shape):
            same = b.and_(same, b.icmp_signed("==", n, m))
        e.fail_unless(same, ValueError, "a loop keeps arrays of different shapes")
        # Counts are not for several threads; the stack outlives the loop.
        block = place.block if self.window is None else ir.Constant(POINTER, None)
        strides, dense = place.strides, place.contiguous
        view = Array(place.dtype, block, place.data, list(shape), strides, dense)
        e.retain(view)
        self.claimed = place.data
        return view

    def store(self, ordinal: ir.Value, item: Array) -> None:
        """Copy what a turn keeps to its place if it is not there, and give it up."""
        e, b = self.e, self.e.builder
        if item.data is self.claimed:
            e.release(item)
            return
        place = self.take(ordinal, item.shape)
        with b.if_then(b.icmp_unsigned("!=", place.data, item.data)):
            fill(e, place, Leaf(item, item.dtype))
        e.release(place)
        e.release(item)

    def place(self, ordinal: ir.Value) -> Array:
        """Where what a turn keeps belongs."""
        item = ArrayStack(self.whole(self.count)).item(self.e, ordinal)
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
