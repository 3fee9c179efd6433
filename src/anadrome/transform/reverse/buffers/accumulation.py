"""Cotangents that accumulate in shadows: reading them, adding to them, handing on.

A shadow that others hold is added to in place. A slot that holds something else is
given a new sum: see `shared_parts`.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from anadrome.errors import MutationError
from anadrome.frontend.numpy.indexing import index_parts, is_basic
from anadrome.frontend.syntax.expressions import numeric
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Node,
    called_graphs,
    walk,
)
from anadrome.ir.types import (
    NEVER,
    NONE,
    AliasClass,
    Cell,
    List,
    Num,
    Object,
    Optional,
    Tuple,
    Type,
    deref,
    holds_itself,
    is_differentiable,
    parts,
    strip_optional,
)
from anadrome.primitives.cotangents import add_cotangents
from anadrome.primitives.registry import Primitive
from anadrome.transform.reverse.buffers.shared_parts import (
    Layout,
    accumulate_into,
    accumulate_shared,
    accumulate_slice,
    flowing,
    layout_of,
)
from anadrome.transform.reverse.buffers.slots import (
    add_fields,
    add_items,
    add_slice,
    deposit,
)
from anadrome.transform.reverse.cotangents import (
    Cotangent,
    Parts,
    as_node,
    cotangent_type,
    may_be_integer,
    part_keys,
    part_of,
    part_or_none,
    part_type,
)

if TYPE_CHECKING:
    from anadrome.transform.reverse.walk import Reverse


class Accumulation:
    """The cotangents that arrive for objects with shadows, and for their parts."""

    def __init__(self, reverse: Reverse) -> None:
        self.r = reverse
        self.shadows = reverse.shadows
        self.layouts: dict[int, Layout] = {}
        self.overlapping: set[AliasClass | None] | None = None

    def read(self, node: Node) -> Node | None:
        """What has accumulated in a value's shadow and in no other; None if nothing.

        What is added to the shadow of an object inside it has arrived there.
        """
        t = strip_optional(node.type)
        if isinstance(t, Num) or not any(map(self.r.activity.shadowed, parts(t))):
            return self.shadows.of(node)
        if not any(map(self.r.activity.flows, parts(t))):
            return None
        opened = self.layout(t).opened()
        return self._call(flowing, (self.shadows.of(node),), opened, cotangent_type(t))

    def layout(self, t: Type) -> Layout:
        """Which parts of the shadows of a type's values are shared."""
        try:
            return layout_of(t, self.r.activity, self.layouts)
        except MutationError as error:
            error.span = error.span or self.r.it.span
            raise

    def _call(
        self, helper: Any, args: tuple[Node, ...], layout: Layout, t: Type
    ) -> Node:
        """A call of a helper that looks at the layout of a shadow."""
        it = self.r.it
        given = (it.constant(helper), *args, it.constant(layout))
        pure = True if helper is flowing else None
        return it.emit(ops.PYCALL, given, t, target=pure)

    def sums(self, slot: Node, t: Type) -> Cotangent | None:
        """What a container's shadow has accumulated for a value beside its own."""
        it, active = self.r.it, self.r.activity
        if not active.shadowed(t):
            return slot
        if not active.flows(t):
            return None
        keys = part_keys(t)
        if keys is None or holds_itself(t):
            return self._call(flowing, (slot,), self.layout(t), cotangent_type(t))
        found: dict[Any, Cotangent] = {}
        for key in keys:
            kind = part_type(t, key)
            if active.flows(kind) and is_differentiable(kind):
                args = it.constant(part_or_none), slot, it.constant(key)
                read = it.emit(
                    ops.PYCALL, args, self.shadows.slot_type(kind), target=True
                )
                part = self.sums(read, kind)
                if part is not None:
                    found[key] = part
        return Parts(found) if found else None

    def added(self, slot: Node, d: Cotangent, t: Type, like: Node) -> Node:
        """A slot of a container's shadow, with the cotangent of its value added."""
        it, active = self.r.it, self.r.activity
        kind = deref(t)
        if not active.shadowed(kind):
            return self._sum(slot, as_node(it, d, kind, like), kind)
        if isinstance(kind, Tuple):
            items: list[Node] = []
            for k, p in enumerate(kind.items):
                args = (slot, it.constant(k))
                part: Node = it.emit(ops.GETITEM, args, self.shadows.slot_type(p))
                more = d.items.get(k) if isinstance(d, Parts) else take(it, d, k)
                if more is not None and is_differentiable(p):
                    part = self.added(part, more, p, take(it, like, k))
                items.append(part)
            return make_tuple(it, items, kind.cls)
        arrived = self.arrived(d, kind, like)
        return self._call(
            accumulate_into, (slot, arrived), self.layout(kind), slot.type
        )

    def arrived(self, d: Cotangent, t: Type, like: Node) -> Node:
        """A cotangent as one node, with nothing where nothing has arrived."""
        it, t = self.r.it, strip_optional(t)
        if isinstance(d, Node) or not self.r.activity.shadowed(t):
            return as_node(it, d, t, like)
        found = {
            k: self.arrived(part, part_type(t, k), part_of(it, like, t, k))
            for k, part in d.items.items()
        }
        if isinstance(t, Tuple):
            none = it.constant(None)
            items = [found.get(k, none) for k in range(len(t.items))]
            return make_tuple(it, items, t.cls)
        if isinstance(t, Object):
            head = it.constant(t.cls), it.constant(tuple(found))
            kind = cotangent_type(t)
            return it.emit(ops.RECORD, (*head, *found.values()), kind)
        args = [n for k, part in found.items() for n in (it.constant(k), part)]
        return it.emit(ops.DICT, tuple(args), cotangent_type(t))

    def place(self, node: Node) -> Node:
        """The shadow of a value, to which something is added."""
        shadow = self.shadows.of(node)
        if isinstance(shadow, Constant):
            raise MutationError(
                "what is changed in place cannot be followed to here",
                self.r.it.span,
                "copy it before with .copy()",
            )
        return shadow

    def accumulate_shared(
        self, shadow: Node, t: Type, d: Cotangent, present: bool = True
    ) -> Cotangent | None:
        """Add to the objects in a value what is for them; what is left of it.

        The objects may change between the making of a container and its use, so that
        what arrives at the container's use cannot wait until its making.  A part of a
        container need not be `present`.
        """
        it, active = self.r.it, self.r.activity
        present = present and not isinstance(deref(t), Optional)
        t = strip_optional(t)
        if not active.shadowed(t):
            return d
        if not active.flows(t) and isinstance(d, Node):
            if present:
                self._deposit(shadow, d, t)
            else:
                self._deposit_anything(shadow, d, t)
            return None
        keys = part_keys(t)
        if keys is None or (isinstance(d, Node) and holds_itself(t)):
            assert isinstance(d, Node)
            return self._call(
                accumulate_shared, (shadow, d), self.layout(t), cotangent_type(t)
            )

        def read(whole: Node, key: Any, kind: Type) -> Node:
            args = it.constant(part_or_none), whole, it.constant(key)
            return it.emit(ops.PYCALL, args, kind, target=True)

        if isinstance(d, Node):
            whole = d
            d = Parts(
                {k: read(whole, k, cotangent_type(part_type(t, k))) for k in keys}
            )
        rest: dict[Any, Cotangent] = {}
        for key, part in d.items.items():
            kind = part_type(t, key)
            if active.shadowed(kind):
                slot = read(shadow, key, self.shadows.slot_type(kind))
                part = self.accumulate_shared(slot, kind, part, present=False)
            if part is not None:
                rest[key] = part
        return Parts(rest) if rest else None

    def accumulate(self, node: Node, d: Node) -> None:
        """Add a cotangent to all of an object's shadow."""
        it = self.r.it
        shadow = self.place(node)
        t = deref(node.type)
        if isinstance(t, Num):
            self._add_in_place(shadow, d, t)
        elif any(self.r.activity.shadowed(p) for p in parts(t)):
            self._deposit(shadow, d, t)
        elif isinstance(t, List):
            it.emit(ops.PYCALL, (it.constant(add_items), shadow, d), NONE)
        else:
            it.emit(ops.PYCALL, (it.constant(add_fields), shadow, d), NONE)

    def _add_in_place(self, shadow: Node, d: Node, t: Num) -> None:
        """Add to an array's shadow."""
        it, whole = self.r.it, self.r.it.constant(Ellipsis)
        if self._overlaps(t):
            it.emit(ops.PYCALL, (it.constant(np.add.at), shadow, whole, d), NONE)
            return
        new = numeric(it, operator.add, shadow, d)
        it.emit(ops.SETITEM, (shadow, whole, new), NEVER)

    def _deposit(self, shadow: Node, d: Node, t: Type) -> None:
        """Add to the objects that a shadow holds, which others hold as well."""
        it, whole, given = self.r.it, deref(t), deref(d.type)
        if isinstance(whole, Num) and isinstance(given, Num):
            self._add_in_place(shadow, d, whole)
        elif (
            isinstance(whole, Tuple)
            and isinstance(given, Tuple)
            and not self._flows_somewhere(whole)
        ):
            for k, kind in enumerate(whole.items):
                if self.r.activity.shadowed(kind):
                    part = it.emit(
                        ops.GETITEM,
                        (shadow, it.constant(k)),
                        self.shadows.slot_type(kind),
                    )
                    self._deposit(part, take(it, d, k), kind)
        else:
            self._deposit_anything(shadow, d, t)

    def _deposit_anything(self, shadow: Node, d: Node, t: Type) -> None:
        """The same for values that may also be None, found out when they are there."""
        it, t = self.r.it, strip_optional(t)
        if self._flows_somewhere(t):
            self._call(accumulate_into, (shadow, d), self.layout(t), NONE)
        else:
            it.emit(ops.PYCALL, (it.constant(deposit), shadow, d), NONE)

    def _refuse_partly(self) -> NoReturn:
        raise MutationError(
            "a container of which only a part is changed in place is used whole",
            self.r.it.span,
            "use its parts one by one",
        )

    def _flows_somewhere(self, t: Type, seen: frozenset[int] = frozenset()) -> bool:
        """Whether something in a value is a number outside of what has a shadow."""
        t = deref(t)
        if id(t) in seen:
            return False
        inner = parts(t)
        if isinstance(t, Cell) or inner:
            return any(self._flows_somewhere(p, seen | {id(t)}) for p in inner)
        return is_differentiable(t) and not self.r.activity.buffer(t)

    def accumulate_at(self, base: Node, index: Node, ct: Cotangent, at: Apply) -> None:
        """Add what `at` has accumulated to one place of an object's shadow."""
        it = self.r.it
        shadow, where = self.place(base), self.r.saved(index, at)
        t = strip_optional(base.type)
        kinds = parts(t)
        if isinstance(t, Cell) and t.fields is not None and isinstance(index, Constant):
            kinds = (part_type(t, index.value),)
        if any(map(self.r.activity.shadowed, kinds)):
            if not all(map(self.r.activity.shadowed, kinds)):
                self._refuse_partly()
            self._add_to_slot(shadow, index, where, ct, kinds[0], at)
            return
        d = self.r.node_of(ct, at)
        if isinstance(t, Num):
            if repeats(index) or self._overlaps(t):
                add_at = it.constant(np.add.at)
                it.emit(ops.PYCALL, (add_at, shadow, where, d), NONE)
                return
            old = it.emit(ops.GETITEM, (shadow, where), d.type)
            new = numeric(it, operator.add, old, d)
            it.emit(ops.SETITEM, (shadow, where, new), NEVER)
            return
        is_slice = getattr(deref(index.type), "cls", None) is slice
        if is_slice:
            it.emit(ops.PYCALL, (it.constant(add_slice), shadow, where, d), NONE)
            return
        old = it.emit(ops.GETITEM, (shadow, where), d.type)
        it.emit(ops.SETITEM, (shadow, where, self._sum(old, d, at.type)), NEVER)

    def _add_to_slot(
        self,
        shadow: Node,
        index: Node,
        where: Node,
        d: Cotangent,
        kind: Type,
        at: Apply,
    ) -> None:
        """Add to a slot that holds the shadow of something, or to several of them."""
        it = self.r.it
        if getattr(deref(index.type), "cls", None) is slice:
            assert isinstance(d, Node)
            self._call(accumulate_slice, (shadow, where, d), self.layout(kind), NONE)
            return
        slot = it.emit(ops.GETITEM, (shadow, where), self.shadows.slot_type(kind))
        if not self.r.activity.flows(kind):
            self._deposit(slot, self.r.node_of(d, at), kind)
            return
        new = self.added(slot, d, kind, self.r.value(at))
        it.emit(ops.SETITEM, (shadow, where, new), NEVER)

    def _overlaps(self, t: Num) -> bool:
        """Whether some view of an array holds one of its places twice."""
        if self.overlapping is None:
            self.overlapping = {
                self.r.activity.alias(node.type)
                for g in called_graphs(self.r.old)
                for node in walk(g)
                if isinstance(node.op, Primitive) and node.op.name == "broadcast_to"
            }
        return self.r.activity.alias(t) in self.overlapping

    def _sum(self, a: Node, d: Node, kind: Type) -> Node:
        kind = deref(kind)
        # What may be an integer has no place of its own yet: None.
        unsure = isinstance(kind, Num) and may_be_integer(kind)
        if isinstance(deref(d.type), Num) and not unsure:
            return numeric(self.r.it, operator.add, a, d)
        return self.r.it.apply(add_cotangents, (a, d))

    def accumulate_attribute(
        self, base: Node, name: Constant, ct: Cotangent, at: Apply
    ) -> None:
        """Add what `at` has accumulated to one attribute of an object's shadow."""
        it = self.r.it
        shadow = self.place(base)
        kind = part_type(strip_optional(base.type), name.value)
        if self.r.activity.shadowed(kind) and not self.r.activity.flows(kind):
            old = it.emit(ops.GETATTR, (shadow, name), self.shadows.slot_type(kind))
            self._deposit(old, self.r.node_of(ct, at), kind)
            return
        if self.r.activity.shadowed(kind):
            old = it.emit(ops.GETATTR, (shadow, name), self.shadows.slot_type(kind))
            new = self.added(old, ct, kind, self.r.value(at))
        else:
            d = self.r.node_of(ct, at)
            old = it.emit(ops.GETATTR, (shadow, name), d.type)
            new = self._sum(old, d, kind)
        it.emit(ops.SETATTR, (shadow, name, new), NEVER)

    def distribute(self, node: Apply, keys: list[Any], values: list[Node]) -> None:
        """Hand what accumulated in a container's shadow to what it was made of."""
        it = self.r.it
        shadow = self.shadows.of(node)
        t = deref(node.type)
        for key, value in zip(keys, values):
            if value not in self.r.activity or not self.r.activity.flows(value.type):
                continue
            op = ops.GETATTR if isinstance(t, Object) else ops.GETITEM
            self.hand_over(value, op, (shadow, it.constant(key)))

    def hand_over(self, value: Node, op: ops.Op, args: tuple[Node, ...]) -> None:
        """Give a value what has accumulated in the slot that a read yields."""
        if value in self.r.activity and self.r.activity.flows(value.type):
            pure = True if op is ops.PYCALL else None
            slot = self.r.it.emit(
                op, args, self.shadows.slot_type(value.type), target=pure
            )
            self.r.contribute(value, self.sums(slot, value.type))


def repeats(index: Node) -> bool:
    """Whether an index may name one place twice."""
    if is_basic(index):
        return False
    for part in index_parts(index):
        t = deref(part.type)
        if isinstance(t, Num) and t.dtype is not None and t.dtype.kind == "b":
            continue
        if isinstance(t, Num) and t.ndim == 0:
            continue
        if getattr(t, "cls", None) is slice or isinstance(part, Constant):
            continue
        return True
    return False


__all__ = ["Accumulation", "repeats"]
