"""Where values are computed to, so that they need not be copied there later.

Residuals are computed in their place in the stack, and what is only a part of a joined
array in that part. A place is used where the shapes turn out as they should;
whoever would copy looks whether the value is there already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node
from anadrome.ir.types import AliasClass, Num, Tuple, Type, alias_of, deref, same_form
from anadrome.primitives.registry import Primitive

from .values import I64, POINTER, Array, Pack, Value

if TYPE_CHECKING:
    from .function import Emitter
    from .residuals import StackBuilder


@dataclass
class Join:
    """A `concatenate` of parts of one shape along the last axis.

    The slots hold the block and the data of the joined array once there is one.
    """

    node: Apply
    parts: tuple[Node, ...]
    block: ir.Value
    data: ir.Value


class Places:
    """The places that are known while a function is written."""

    def __init__(self) -> None:
        self.kept: dict[int, tuple[StackBuilder, ir.Value]] = {}
        self.joins: dict[int, Join] = {}

    def arrays(
        self,
        e: Emitter,
        nodes: list[Any],
        dtypes: list[np.dtype[Any]],
        shape: list[ir.Value],
    ) -> list[Array]:
        """Arrays of one shape for some values, in their places if they have any."""
        found: dict[int, Array] = {}
        wanted = {id(n) for n in nodes}
        for join in self.joins.values():
            if all(id(p) in wanted and id(p) not in found for p in join.parts):
                found.update(self._joined(e, join, shape))
        for node, dtype in zip(nodes, dtypes):
            if id(node) in self.kept and id(node) not in found:
                builder, ordinal = self.kept[id(node)]
                if builder.template.dtype == dtype and builder.template.ndim == len(
                    shape
                ):
                    found[id(node)] = builder.take(ordinal, shape)
        rest = [k for k, n in enumerate(nodes) if id(n) not in found]
        made = e.allocate_all([dtypes[k] for k in rest], shape)
        for k, array in zip(rest, made):
            found[id(nodes[k])] = array
        return [found[id(n)] for n in nodes]

    def knows(self, node: Node) -> bool:
        """Whether a value has a place."""
        joined = any(node is p for join in self.joins.values() for p in join.parts)
        return joined or id(node) in self.kept

    def _joined(
        self, e: Emitter, join: Join, shape: list[ir.Value]
    ) -> dict[int, Array]:
        b, count = e.builder, len(join.parts)
        t = deref(join.node.type)
        assert isinstance(t, Num)
        assert t.dtype is not None
        width = shape[-1]
        sizes = [*shape[:-1], b.mul(width, I64(count))]
        (whole,) = self.arrays(e, [join.node], [t.dtype], sizes)
        b.store(whole.block, join.block)
        b.store(whole.data, join.data)
        found: dict[int, Array] = {}
        for k, part in enumerate(join.parts):
            e.retain(whole)
            data = b.gep(whole.data, [b.mul(width, I64(k))])
            strides = list(whole.strides)
            view = Array(t.dtype, whole.block, data, list(shape), strides)
            found[id(part)] = view
        return found

    def find_joins(self, e: Emitter, graph: Graph) -> None:
        """Note the joined arrays of a region, none of which is there yet."""
        b = e.builder
        own = {id(n) for n in graph.body}
        for node in graph.body:
            parts = _parts(node)
            if parts is None or not all(id(p) in own for p in parts):
                continue
            if len({id(p) for p in parts}) != len(parts):
                continue
            template = e.template(node.type)
            if not isinstance(template, Array):
                continue  # of a dtype that native code leaves to Python
            null = ir.Constant(template.data.type, None)
            with b.goto_entry_block():
                block, data = b.alloca(POINTER), b.alloca(template.data.type)
            b.store(ir.Constant(POINTER, None), block)
            b.store(null, data)
            self.joins[id(node)] = Join(node, parts, block, data)


def set_apart(
    e: Emitter,
    value: Value,
    t: Type,
    seen: list[tuple[AliasClass | None, Array]],
) -> Value:
    """Results with memory of their own where Python's would have it.

    One may have been computed in its place in another.
    """
    t = deref(t)
    if isinstance(value, Pack) and isinstance(t, Tuple):
        items = [set_apart(e, v, p, seen) for v, p in zip(value.items, t.items)]
        return Pack(items, value.names, value.cls)
    if isinstance(value, Array):
        own = alias_of(t)
        for other, array in seen:
            if other is not own:
                value = _copied_from(e, value, array)
        seen.append((own, value))
    return value


def _copied_from(e: Emitter, value: Array, other: Array) -> Array:
    """A copy of an array that lies in the memory of another, or else itself."""
    from ..fusion.expressions import Leaf
    from ..lowering.elementwise import materialise

    b = e.builder
    mine, theirs = (b.ptrtoint(a.block, I64) for a in (value, other))
    owned = b.icmp_unsigned("!=", mine, I64(0))
    shared = b.and_(owned, b.icmp_unsigned("==", mine, theirs))
    before = b.block
    copy, done = b.append_basic_block("copy"), b.append_basic_block("apart")
    b.cbranch(shared, copy, done)
    b.position_at_end(copy)
    made = materialise(e, Leaf(value, value.dtype), value.ndim, value.dtype)
    e.release(value)
    after = b.block
    b.branch(done)
    b.position_at_end(done)
    registers: list[ir.Value] = []
    for kept, copied in zip(value.flatten(), made.flatten()):
        phi = b.phi(kept.type)
        phi.add_incoming(kept, before)
        phi.add_incoming(copied, after)
        registers.append(phi)
    found = made.rebuild(registers)
    assert isinstance(found, Array)
    return Array(found.dtype, found.block, found.data, found.shape, found.strides)


def _parts(node: Apply) -> tuple[Node, ...] | None:
    if not isinstance(node.op, Primitive) or node.op.name != "concatenate":
        return None
    if len(node.args) != 2 or node.keywords:
        return None
    together, axis = node.args
    t = deref(node.type)
    if not isinstance(t, Num) or not t.ndim or t.dtype is None:
        return None
    if getattr(axis, "value", None) != t.ndim - 1:
        return None
    if not isinstance(together, Apply) or together.op is not ops.TUPLE:
        return None
    for part in together.args:
        s = deref(part.type)
        if not isinstance(s, Num) or not same_form(s, t):
            return None
    return together.args
