"""Weights that a loop multiplies by in every iteration, packed once before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir

from anadrome.ir.graph import Apply, Constant, Graph, Node, walk
from anadrome.ir.types import Num, deref
from anadrome.primitives.registry import Primitive

from ..emission.control_flow import divide_up
from ..emission.function import Emitter
from ..emission.values import I64, POINTER, Array, element_type
from ..runtime.memory import HEADER, RELEASE

# Iterations that repay the packing.
_ITERATIONS = 4


@dataclass(frozen=True)
class Packed:
    """A matrix in panels; the pointer is null if it was not worth it."""

    panels: ir.Value
    source: Array


@contextmanager
def packed_weights(e: Emitter, loop: Apply, count: ir.Value) -> Iterator[None]:
    """The loop inside has its unchanging right factors packed."""
    made: list[tuple[Node, ir.Value]] = []
    for node in _right_factors(loop):
        value = e.value(node)
        if id(node) in e.packed or not isinstance(value, Array):
            continue
        block, panels = _pack(e, value, count)
        e.packed[id(node)] = Packed(panels, value)
        made.append((node, block))
    yield
    release = e.owner.runtime(RELEASE, ir.VoidType(), POINTER, POINTER)
    for node, block in made:
        del e.packed[id(node)]
        e.builder.call(release, [e.context, block])


def _right_factors(loop: Apply) -> list[Node]:
    body: Graph = loop.regions[-1]
    inside = {id(p) for p in body.params}
    for node in walk(body):
        inside.update(id(n) for n in (node, *node.outputs))
        inside.update(id(p) for r in node.regions for p in r.params)
    found: dict[int, Node] = {}
    for node in walk(body):
        if not isinstance(node.op, Primitive) or node.op.name not in ("matmul", "dot"):
            continue
        x, w = node.args[:2]
        t = deref(w.type)
        if isinstance(w, Constant) or id(w) in inside or id(x) not in inside:
            continue
        if isinstance(t, Num) and t.ndim == 2 and t.dtype is not None:
            if t.dtype.name in ("float32", "float64"):
                found[id(w)] = w
    return list(found.values())


def _pack(e: Emitter, array: Array, count: ir.Value) -> tuple[ir.Value, ir.Value]:
    """(the block to give up, the panels), both null if there are few iterations."""
    # Only programs with products need it, and it takes a moment to import.
    from . import tile_shape

    b = e.builder
    element = element_type(array.dtype)
    assert element is not None
    pointer = element.as_pointer()
    e.owner.gemms.add(array.dtype.name)
    kind = "f32" if array.dtype.name == "float32" else "f64"
    function = e.owner.runtime(
        f"anadrome.pack_b.{kind}",
        ir.VoidType(),
        *(I64, I64, pointer, I64, I64, pointer),
    )
    width = tile_shape(element, e.owner.target).width
    rows, columns = array.shape
    before = b.block
    worth = b.append_basic_block("pack")
    done = b.append_basic_block("packed")
    b.cbranch(b.icmp_signed(">=", count, I64(_ITERATIONS)), worth, done)
    b.position_at_end(worth)
    number = divide_up(b, columns, width)
    size = b.mul(b.mul(number, I64(width)), rows)
    block = e.allocate_bytes(b.mul(size, I64(array.dtype.itemsize)))
    panels = b.bitcast(b.gep(block, [I64(HEADER)]), pointer)
    b.call(
        function,
        [rows, columns, array.data, *array.strides, panels],
    )
    inside = b.block
    b.branch(done)
    b.position_at_end(done)
    blocks, data = b.phi(POINTER), b.phi(pointer)
    blocks.add_incoming(ir.Constant(POINTER, None), before)
    blocks.add_incoming(block, inside)
    data.add_incoming(ir.Constant(pointer, None), before)
    data.add_incoming(panels, inside)
    return blocks, data
