"""Elementwise statements that wait, so that many of them become one loop.

A region's elementwise statements are not written one by one: they wait until something
needs one of their values, or changes memory.  Then those that hang together are
written as one kernel, which reads every array once, keeps in registers what only they
use, and stores the rest.

That takes arrays of one shape, which is only known when the program runs: it is
tested there, and where it does not hold the statements run by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import (
    AnyType,
    Num,
    Union,
    classes_of,
    deref,
    is_stored,
    same_dtype,
)
from anadrome.optimize.analysis.iterations import is_primitive
from anadrome.optimize.analysis.memory import (
    RESHAPING,
    extents_at,
    extents_of,
    is_view,
    may_convert,
    memory_of,
    order_of,
    place_of,
)

from ..emission.function import Emitter
from ..emission.values import (
    I64,
    Array,
    Pack,
    Scalar,
    SliceValue,
    Static,
    Value,
    element_type,
    is_one,
)
from ..kernels.plan import operand_key
from ..lowering.basic_indexing import index_parts, view_of
from ..lowering.elementwise import is_elementwise, joint_shape
from ..lowering.language import own
from ..lowering.narrow_integers import touches_narrow
from ..lowering.reductions import RowShape, row_shape_of
from ..lowering.shaping import sizes_of
from .fused_loops import FusedLoop, Place, is_unbroadcast, operands_of
from .row_reductions import (
    FusedRowLoop,
    adds_last_axis,
    is_broadcast,
    is_row_view,
    lower_all,
    numbers_last,
    rank_of,
)
from .stores import Store, overwrites, update_of

_MOST = 48
"""More statements that hang together are several loops: kernels are not to grow
without bounds."""
_WAITING = 512
"""When so many statements wait they are written."""


class Group:
    """The statements of a region that wait."""

    def __init__(self, e: Emitter, uses: dict[int, int]) -> None:
        self.e, self.uses = e, uses
        self.waiting: dict[int, Apply] = {}
        self.holds: set[int] = set()
        """What must not be given up or changed while the statements wait."""
        self.places: dict[int, Place] = {}
        """The arrays that `index_add`s add to, and the parts of them."""
        self.stores: dict[int, Store] = {}
        self.row_shapes: dict[int, RowShape] = {}
        """How the values of what waits lie along rows."""
        self.sizes: dict[int, list[ir.Value] | None] = {}
        """The shapes that were asked for."""

    def takes(self, node: Apply) -> bool:
        """Whether a statement may wait; if not, see `needed`."""
        if touches_narrow(node):
            return False
        if node.op is ops.SETITEM:
            return self.e.owner.assumes and self._takes_store(node)
        if row_shape_of(self.e, node) is not None:
            return self._takes_reduction(node)
        t = deref(node.type)
        if not isinstance(t, Num) or not t.ndim or not _is_native(t):
            return False
        if self._reads_stored(node.inputs):
            return False
        if node.op is ops.INDEX_ADD:
            return self._takes_addition(node, t)
        if node.op is ops.COPY:
            return self.e.owner.assumes and self._takes_copy(node)
        if is_unbroadcast(node):
            return self._takes_unbroadcast(node, t)
        if is_broadcast(node):
            return self._takes_broadcast(node, t)
        if is_row_view(node):
            return self._takes_view(node)
        if not is_elementwise(node):
            return False
        return all(self._is_plain(a, t) for a in node.args)

    def _is_plain(self, node: Node, t: Num) -> bool:
        """Whether an operand can be part of a group of results of a type."""
        if isinstance(node, Constant):
            return isinstance(node.value, bool | int | float | np.generic)
        if id(node) in self.places:
            return False
        if id(node) in self.waiting:
            # A smaller array would be computed once for every row.
            return self._rank_here(node) == t.ndim
        return isinstance(self.e.values.get(id(node)), Scalar | Array)

    def _rank_here(self, node: Node) -> int | None:
        """The axes of something that waits; None if others cannot be part of it."""
        if self.row_shapes[id(node)] in (RowShape.DROPPED, RowShape.TOTAL):
            return None
        rank: int | None = deref(node.type).ndim  # type: ignore[attr-defined]
        return rank

    def _takes_reduction(self, node: Apply) -> bool:
        """Whether a reduction along rows can be part of the loop of its operands."""
        if self.stores or self.places:
            return False
        operands = operands_of(self.e, node)
        t = deref(node.args[0].type)
        assert isinstance(t, Num)
        if not all(self._is_plain(a, t) for a in operands):
            return False
        if row_shape_of(self.e, node) is not RowShape.TOTAL:
            return True
        return any(id(a) in self.waiting for a in operands)

    def _takes_broadcast(self, node: Apply, t: Num) -> bool:
        """Whether numbers of rows are repeated along them."""
        given, wanted = node.args
        if self.stores or self.places or id(wanted) in self.waiting:
            return False
        if not _is_shape(self.e.value(wanted)):
            return False
        return self.row_shapes.get(id(given)) is RowShape.KEPT and self._is_plain(
            given, t
        )

    def _takes_view(self, node: Apply) -> bool:
        """Whether the numbers of rows get their axis back."""
        if self.stores or self.places or not node.args:
            return False
        dropped = self.row_shapes.get(id(node.args[0])) is RowShape.DROPPED
        return dropped and adds_last_axis(self.e, node)

    def _takes_unbroadcast(self, node: Apply, t: Num) -> bool:
        given, wanted = node.args
        if id(given) not in self.waiting or id(given) in self.places:
            return False
        if id(wanted) in self.waiting:
            return False
        u = deref(given.type)
        if (
            not isinstance(u, Num)
            or u.ndim != t.ndim
            or not same_dtype(u.dtype, t.dtype)
        ):
            return False
        shape = self.e.value(wanted)
        if not _is_shape(shape):
            return False
        return not any(is_one(n) for n in sizes_of(self.e, shape))

    def _takes_addition(self, node: Apply, t: Num) -> bool:
        """Whether an `index_add` at slices can be part of the loop of its operand."""
        base, index, value = node.args
        if id(value) not in self.waiting or id(value) in self.places or self._by_rows:
            return False
        if id(index) in self.waiting:
            return False
        if is_stored(node.type):
            return False
        if id(base) in self.waiting:
            if id(base) not in self.places or self.uses.get(id(base)) != 1:
                return False
        elif not isinstance(self.e.values.get(id(base)), Array):
            return False
        parts, u = self._parts(index), deref(value.type)
        rank = (t.ndim or 0) - sum(map(_is_index, parts))
        return all(map(_is_basic, parts)) and isinstance(u, Num) and u.ndim == rank > 0

    def _takes_copy(self, node: Apply) -> bool:
        """Whether a snapshot is read where it is taken: it is never changed."""
        source = node.args[0]
        value = self.e.values.get(id(source))
        return isinstance(value, Array) and memory_of(source) is not None

    def _reads_stored(self, nodes: Iterable[Node]) -> bool:
        """Whether something is read that waits to be stored, be it in a container."""
        if not self.stores:
            return False
        kinds = {id(s.kind) for s in self.stores.values()}
        given = [n for n in nodes if not isinstance(n, Constant)]
        if any(map(_is_unknown, given)):
            return True
        found = [memory_of(n) for n in given]
        found += classes_of(n.type for n in given if not _is_array(n))
        return any(id(kind) in kinds for kind in found)

    @property
    def _by_rows(self) -> bool:
        """Whether something waits that cannot wait together with stores."""
        nodes = self.waiting.values()
        return any(
            is_broadcast(n) or row_shape_of(self.e, n) is not None for n in nodes
        )

    def _needs_rows(self, node: Apply) -> bool:
        row_shape = row_shape_of(self.e, node)
        return is_broadcast(node) or row_shape in (RowShape.KEPT, RowShape.DROPPED)

    def _takes_store(self, node: Apply) -> bool:
        """Whether a store can be part of the loop that computes its value."""
        if self._by_rows:
            return False
        base, index, value = node.args
        kind, target = memory_of(base), self.e.values.get(id(base))
        if kind is None or not isinstance(target, Array) or id(index) in self.waiting:
            return False
        t = deref(base.type)
        if not isinstance(t, Num) or not _is_native(t):
            return False
        rank = target.ndim - sum(map(_is_index, self._parts(index)))
        if not rank or not all(map(_is_basic, self._parts(index))):
            return False
        adds = self._update(node)
        stored = value if adds is None else adds
        if not self._is_stored_here(stored, rank) or not _is_safe(stored, t):
            return False
        place = place_of(base, index)
        others = [n for n in self.waiting.values() if id(n) not in self.stores]
        if overwrites(kind, place, others):
            return False
        return all(
            place.aligned(s.place) or (s.adds and adds is not None)
            for s in self.stores.values()
            if s.kind is kind
        )

    def _parts(self, index: Node) -> list[Value]:
        return index_parts(self.e.value(index))

    def _is_stored_here(self, node: Node, rank: int) -> bool:
        """Whether a value can be stored element by element into so many axes."""
        if isinstance(node, Constant):
            return isinstance(node.value, bool | int | float | np.generic)
        if id(node) in self.places:
            return False
        t = deref(node.type)
        if id(node) in self.waiting:
            return isinstance(t, Num) and t.ndim == rank
        value = self.e.values.get(id(node))
        if isinstance(value, Array):
            # What lies in memory is stored by itself unless it joins something.
            return value.ndim == rank and memory_of(node) is None
        return isinstance(value, Scalar)

    def needed(self, node: Apply, operands: list[Node], writes: bool) -> bool:
        """Whether a statement cannot be written before those that wait."""
        if not self.waiting:
            return False
        if node.op is ops.ASSERT and self.e.owner.assumes:
            # If it fails, nobody sees what was or was not stored.
            writes = False
        if writes or node.regions or len(self.waiting) >= _WAITING:
            return True
        if self._reads_stored(operands) and not self._looks_only(node):
            return True
        return any(id(n) in self.waiting for n in operands)

    def _looks_only(self, node: Apply) -> bool:
        """Whether a statement reads no elements."""
        if is_primitive(node, *RESHAPING):
            # Of what does not lie in order it is a copy.
            value = self.e.values.get(id(node.args[0]))
            ordered = order_of(node) == "C" and "copy" not in node.keywords
            return ordered and isinstance(value, Array) and value.contiguous
        if node.op is ops.GETITEM and not _is_array(node.args[0]):
            # A container gives the array that it holds.
            return not _is_unknown(node.args[0])
        return (
            (is_view(node) and not may_convert(node))
            or node.op in _HOLDING
            or is_primitive(node, "shape", "size", "ndim", "dtype_of")
        )

    def add(self, node: Apply) -> None:
        """Let a statement wait."""
        if node.op is ops.INDEX_ADD:
            self.places[id(node)] = self._place(node)
            self.holds.add(id(node.args[2]))
        elif node.op is ops.SETITEM:
            self.stores[id(node)] = found = self._store(node)
            self.holds.update((id(node.args[0]), id(found.value)))
        else:
            self.holds.update(id(a) for a in operands_of(self.e, node))
        self.row_shapes[id(node)] = self._row_shape(node)
        self.waiting[id(node)] = node

    def _row_shape(self, node: Apply) -> RowShape:
        row_shape = row_shape_of(self.e, node)
        if row_shape is not None:
            return row_shape
        if is_row_view(node):
            return RowShape.WIDE if is_broadcast(node) else RowShape.KEPT
        if is_elementwise(node) or node.op is ops.COPY:
            if all(map(self._is_narrow, node.args)):
                return RowShape.KEPT
        return RowShape.WIDE

    def _is_narrow(self, node: Node) -> bool:
        """Whether something is known to be one number for each row."""
        if id(node) in self.row_shapes:
            return self.row_shapes[id(node)] is RowShape.KEPT
        value = self.e.values.get(id(node))
        if isinstance(value, Array) and value.ndim:
            return is_one(value.shape[-1])
        return True

    def _place(self, node: Apply) -> Place:
        """The array that is added to, which is nobody else's now."""
        e, base = self.e, node.args[0]
        if id(base) in self.places:
            whole = self.places[id(base)].whole
            e.retain(whole)
        else:
            value = e.value(base)
            assert isinstance(value, Array)
            whole = own(e, value, id(base) in e.dying and id(base) not in self.holds)
        return Place(whole, view_of(e, whole, index_parts(e.value(node.args[1]))))

    def _store(self, node: Apply) -> Store:
        e, (base, index, value) = self.e, node.args
        target, kind = e.value(base), memory_of(base)
        assert isinstance(target, Array)
        assert kind is not None
        part = view_of(e, target, self._parts(index))
        adds, place = self._update(node), place_of(base, index)
        stored = value if adds is None else adds
        return Store(node, kind, place, part, stored, adds is not None)

    def _update(self, node: Apply) -> Node | None:
        """What a store adds, if the sum is part of it."""
        fused = id(node.args[2]) in self.e.fused
        return update_of(node, self.uses) if fused else None

    def write(self) -> list[Apply]:
        """Write what waits; the statements whose values are in memory now."""
        nodes = list(self.waiting.values())
        places, stores = self.places, self.stores
        row_shapes = self.row_shapes
        self.waiting, self.holds = {}, set()
        self.places, self.stores, self.row_shapes, self.sizes = {}, {}, {}, {}
        made: list[Apply] = []
        for component in _connected(self.e, nodes, places, stores):
            for first in range(0, len(component), _MOST):
                some = component[first : first + _MOST]
                some = self._write_views(some, made)
                if any(map(self._needs_rows, some)):
                    along, some = numbers_last(self.e, some, row_shapes)
                    elsewhere = self._read_by(nodes, {id(n) for n in along})
                    made += FusedRowLoop(
                        self.e, along, self.uses, row_shapes, elsewhere
                    ).write()
                    some = self._write_views(some, made)
                rest = [n for n in some if row_shapes[id(n)] is not RowShape.TOTAL]
                if rest:
                    made += FusedLoop(self.e, rest, self.uses, places, stores).write()
                totals = [n for n in some if row_shapes[id(n)] is RowShape.TOTAL]
                made += lower_all(self.e, totals)
        return made

    def _read_by(self, nodes: list[Apply], without: set[int]) -> set[int]:
        """What statements read, without some of them."""
        others = [n for n in nodes if id(n) not in without]
        return {id(a) for n in others for a in (*n.inputs, *operands_of(self.e, n))}

    def _write_views(self, nodes: list[Apply], made: list[Apply]) -> list[Apply]:
        """Write the views of what is there already; what is left."""
        own = {id(n) for n in nodes}
        ready = [n for n in nodes if is_row_view(n) and id(n.args[0]) not in own]
        made += lower_all(self.e, ready)
        there = {id(n) for n in ready}
        return [n for n in nodes if id(n) not in there]

    def shape(self, node: Apply) -> Value | None:
        """The value of a statement that asks for the shape of something that waits."""
        if not is_primitive(node, "shape") or id(node.args[0]) not in self.waiting:
            return None
        sizes = self._sizes(node.args[0])
        if sizes is None:
            return None
        return Pack([Scalar(np.dtype(np.int64), n, True) for n in sizes])

    def _sizes(self, node: Node) -> list[ir.Value] | None:
        """The shape that an operand has, or will have, if it follows from others."""
        if id(node) not in self.waiting and id(node) not in self.e.fused:
            value = self.e.values.get(id(node))
            return value.shape if isinstance(value, Array) else []
        if id(node) not in self.sizes:
            assert isinstance(node, Apply)
            self.sizes[id(node)] = self._find_sizes(node)
        return self.sizes[id(node)]

    def _find_sizes(self, node: Apply) -> list[ir.Value] | None:
        e = self.e
        if id(node) in self.places or id(node) in self.stores:
            return None
        if is_broadcast(node) or is_unbroadcast(node):
            return sizes_of(e, e.value(node.args[1]))
        if is_row_view(node):
            below = self._sizes(node.args[0])
            return None if below is None else [*below, I64(1)]
        row_shape = row_shape_of(e, node)
        rank = rank_of(e, node)
        assert rank is not None
        args = node.args if row_shape is None else node.args[:1]
        given = [s for s in map(self._sizes, args) if s is not None]
        if len(given) < len(args):
            return None
        sizes, _ = joint_shape(e, given, rank)
        if row_shape is RowShape.KEPT:
            return [*sizes[:-1], I64(1)]
        return sizes if row_shape is None else sizes[:-1]


_HOLDING = (
    *(ops.LENGTH, ops.IS, ops.TUPLE, ops.NAMEDTUPLE, ops.RECORD, ops.LIST, ops.DICT),
    *(ops.GETATTR, ops.CAST),
)
"""Operations that put arrays into containers, or look at those."""


def _is_unknown(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, AnyType) and not isinstance(t, Union)


def _is_array(node: Node) -> bool:
    return isinstance(deref(node.type), Num)


def _is_slice(p: Value) -> bool:
    if isinstance(p, Static):
        return p.value is Ellipsis or isinstance(p.value, slice)
    return isinstance(p, SliceValue)


def _is_safe(stored: Node, t: Num) -> bool:
    """Whether a value needs no check, and not NumPy, to be stored into an array."""
    s = deref(stored.type)
    if not isinstance(s, Num) or s.dtype is None or t.dtype is None:
        return True
    if s.dtype.kind == "c":
        return t.dtype.kind == "c"
    if s.scalar and s.dtype.kind == "f" and t.dtype.kind in "iu":
        return False
    return s.ndim != 0 or s.dtype.kind != "i" or s.dtype.itemsize <= t.dtype.itemsize


def _is_index(p: Value) -> bool:
    if isinstance(p, Static):
        return type(p.value) is int
    return isinstance(p, Scalar) and p.dtype.kind == "i"


def _is_shape(value: Value) -> bool:
    """Whether a value is a shape whose numbers are here, not in a Python object."""
    if isinstance(value, Pack):
        return all(isinstance(i, Scalar | Static) for i in value.items)
    return isinstance(value, Static) and isinstance(value.value, tuple)


def _is_basic(p: Value) -> bool:
    return _is_index(p) or _is_slice(p)


def _is_native(t: Num) -> bool:
    return t.dtype is not None and element_type(t.dtype) is not None


def _connected(
    e: Emitter,
    nodes: list[Apply],
    places: dict[int, Place],
    stores: dict[int, Store],
) -> list[list[Apply]]:
    """Statements in sets that share values or operands, each in order."""
    parent = list(range(len(nodes)))

    def find(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    seen: dict[Any, int] = {id(n): k for k, n in enumerate(nodes)}
    read = {
        id(memory_of(a))
        for n in nodes
        if id(n) not in stores
        for a in operands_of(e, n)
    }
    written = {id(s.kind) for s in stores.values()} & read
    # Where something is not only added to, the order of stores counts.
    mixed = {id(s.kind) for s in stores.values() if not s.adds}
    for k, node in enumerate(nodes):
        operands = operands_of(e, node)
        rank: int | None
        if id(node) in stores:
            rank = stores[id(node)].part.ndim
            operands = [stores[id(node)].value, node.args[0]]
            if id(stores[id(node)].kind) in mixed:
                other = seen.setdefault(("memory", id(stores[id(node)].kind)), k)
                parent[find(k)] = find(other)
        elif id(node) in places:
            rank = places[id(node)].part.ndim
        else:
            rank = rank_of(e, node)
        if id(node) in places:
            operands = [node.args[2]]
            # It does not matter in which order what is added to an array comes.
            block = id(places[id(node)].whole.block)
            other = seen.setdefault((block, extents_at(*node.args[:2])), k)
            parent[find(k)] = find(other)
        for a in operands:
            keys: list[Any] = [id(a)] if not isinstance(a, Constant) else []
            value = e.values.get(id(a))
            if isinstance(value, Scalar):
                continue
            if isinstance(value, Array):
                keys = [(operand_key(value), rank)]
                # Parts of one array that are of one shape are likely to meet.
                extents = extents_of(a)
                if not isinstance(value.block, ir.Constant) and extents is not None:
                    keys.append((id(value.block), rank, extents))
            if written and id(memory_of(a)) in written:
                keys.append(("memory", id(memory_of(a))))
            for key in keys:
                other = seen.setdefault(key, k)
                parent[find(k)] = find(other)
    found: dict[int, list[Apply]] = {}
    for k, node in enumerate(nodes):
        found.setdefault(find(k), []).append(node)
    return list(found.values())
