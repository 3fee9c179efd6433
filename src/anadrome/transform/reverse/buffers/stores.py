"""Stores into objects that have shadows, forwards and in the backward pass.

Forwards the shadow of a container is changed as the container is. In the backward
pass a store hands over what has accumulated in the stored place and clears it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anadrome import runtime
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Node,
)
from anadrome.ir.types import (
    ANY,
    NEVER,
    NONE,
    List,
    Num,
    deref,
    strip_optional,
)
from anadrome.transform.reverse.buffers.accumulation import repeats
from anadrome.transform.reverse.buffers.slots import (
    attribute_or_none,
    empty_slots,
    put_back,
    restore,
    slot_or_none,
    snapshot,
    stored_slice,
    undelete,
)
from anadrome.transform.reverse.cotangents import zero
from anadrome.transform.rules import fitted

if TYPE_CHECKING:
    from anadrome.transform.reverse.walk import Reverse


def mirror_setitem(r: Reverse, node: Apply) -> None:
    target, index, value = node.args
    it, t = r.it, strip_optional(target.type)
    if isinstance(t, Num):
        if t.dtype is None and value in r.activity:
            check = it.constant(runtime.refuse_cutting)
            it.emit(ops.OBSERVE, (check, r.value(target)), NONE)
        return
    shadow, where = r.shadows.of(target), r.value(index)
    if getattr(deref(index.type), "cls", None) is slice:
        if r.activity.shadowed(value.type):
            new: Node = r.shadows.of(value)
        else:
            new = it.emit(
                ops.PYCALL,
                (it.constant(empty_slots), r.value(value)),
                deref(shadow.type),
                target=True,
            )
        old = it.emit(ops.PYCALL, (it.constant(list), shadow), deref(shadow.type))
        r.shadows.before_stores[id(node)] = old
        it.emit(ops.SETITEM, (shadow, where, new), NEVER)
        return
    if isinstance(t, List) and r.shadows.holds_arrays(t):
        # Nothing has accumulated in the place so far: its zeros can be made anew.
        old = it.emit(ops.GETITEM, (r.value(target), where), t.item)
    elif isinstance(t, List):
        old = it.emit(ops.GETITEM, (shadow, where), r.shadows.slot_type(t.item))
    else:
        # It may be a mark that there is nothing.
        read = it.constant(slot_or_none), shadow, where
        old = it.emit(ops.PYCALL, read, ANY)
    r.shadows.before_stores[id(node)] = old
    it.emit(ops.SETITEM, (shadow, where, r.shadows.slot(value)), NEVER)


def undo_setitem(r: Reverse, node: Apply) -> None:
    """The backward pass through `x[i] = v`."""
    target, index, value = node.args
    it = r.it
    if not r.activity.buffer(target.type):
        return
    shadow, where = r.shadows.of(target), r.saved(index, node)
    t = strip_optional(target.type)
    if isinstance(t, Num):
        _undo_array_store(r, shadow, where, index, value, t)
        return
    if getattr(deref(index.type), "cls", None) is slice:
        old = r.shadows.before_stores[id(node)]
        given = shadow, old, where, r.saved(value, node)
        args = (it.constant(stored_slice), *given)
        r.accumulation.hand_over(value, ops.PYCALL, args)
        it.emit(
            ops.PYCALL,
            (it.constant(restore), shadow, old, where, r.saved(value, node)),
            NONE,
        )
        return
    r.accumulation.hand_over(value, ops.GETITEM, (shadow, where))
    kept = r.shadows.before_stores[id(node)]
    if isinstance(t, List):
        if r.shadows.holds_arrays(t):
            kept = zero(it, t.item, kept)
        it.emit(ops.SETITEM, (shadow, where, kept), NEVER)
    else:
        it.emit(ops.PYCALL, (it.constant(put_back), shadow, where, kept), NONE)


def _undo_array_store(
    r: Reverse, shadow: Node, where: Node, index: Node, value: Node, t: Num
) -> None:
    it = r.it
    if value in r.activity:
        from anadrome.frontend.numpy.indexing import array_item

        taken: Node
        if repeats(index):
            kind = array_item(it, shadow, where, t).type
            taken = it.emit(
                ops.PYCALL, (it.constant(runtime.take_stored), shadow, where), kind
            )
        else:
            taken = array_item(it, shadow, where, Num(t.dtype, t.ndim, boxed=t.boxed))
            s = deref(taken.type)
            if isinstance(s, Num) and not s.scalar:
                taken = it.emit(ops.COPY, (taken,), Num(s.dtype, s.ndim, boxed=s.boxed))
        it.emit(ops.SETITEM, (shadow, where, it.constant(0.0)), NEVER)
        r.contribute(value, fitted(it, taken, r.value(value), lone=False))
        return
    it.emit(ops.SETITEM, (shadow, where, it.constant(0.0)), NEVER)


def mirror_setattr(r: Reverse, node: Apply) -> None:
    target, name, value = node.args
    it = r.it
    shadow = r.shadows.of(target)
    kept = it.emit(
        ops.PYCALL,
        (it.constant(attribute_or_none), shadow, name),
        ANY,
    )
    r.shadows.before_stores[id(node)] = kept
    it.emit(ops.SETATTR, (shadow, name, r.shadows.slot(value)), NEVER)


def undo_setattr(r: Reverse, node: Apply) -> None:
    """The backward pass through `x.a = v`."""
    target, name, value = node.args
    it = r.it
    if not r.activity.buffer(target.type):
        return
    shadow = r.shadows.of(target)
    r.accumulation.hand_over(value, ops.GETATTR, (shadow, name))
    it.emit(ops.SETATTR, (shadow, name, r.shadows.before_stores[id(node)]), NEVER)


def undo_append(r: Reverse, node: Apply) -> None:
    """The backward pass through `xs.append(v)`."""
    target, value = node.args
    it = r.it
    if not r.activity.buffer(target.type):
        return
    popped = it.emit(ops.POP, (r.shadows.of(target),), r.shadows.slot_type(value.type))
    if value in r.activity and r.activity.flows(value.type):
        r.contribute(value, r.accumulation.sums(popped, value.type))


def _zero_item(r: Reverse, node: Apply) -> Node:
    """The cotangent of something that was taken off a list and never read."""
    t = deref(node.type)
    if isinstance(t, Num) and t.ndim == 0:
        return r.it.constant(0.0)
    return zero(r.it, t, r.value(node))


def undo_pop(r: Reverse, node: Apply) -> None:
    """The backward pass through `v = xs.pop()`."""
    it = r.it
    target = node.args[0]
    if not r.activity.buffer(target.type):
        return
    if r.activity.shadowed(node.type):
        item: Node = r.shadows.of(node)
        d = r.take(node) if r.activity.flows(node.type) else None
        if d is not None:
            item = r.accumulation.added(item, d, node.type, r.value(node))
    else:
        whole = r.take_node(node) if node in r.activity else None
        item = whole if whole is not None else _zero_item(r, node)
    it.emit(ops.APPEND, (r.shadows.of(target), item), NEVER)


def mirror_delitem(r: Reverse, node: Apply) -> None:
    target, index = node.args
    it = r.it
    shadow = r.shadows.of(target)
    kept = it.emit(ops.PYCALL, (it.constant(snapshot), shadow), deref(shadow.type))
    r.shadows.before_stores[id(node)] = kept
    it.emit(ops.DELITEM, (shadow, r.value(index)), NEVER)


def undo_delitem(r: Reverse, node: Apply) -> None:
    """The backward pass through `del xs[i]`."""
    target, index = node.args
    it = r.it
    if not r.activity.buffer(target.type):
        return
    it.emit(
        ops.PYCALL,
        (
            it.constant(undelete),
            r.shadows.of(target),
            r.shadows.before_stores[id(node)],
            r.value(index),
        ),
        NONE,
    )


__all__ = [
    "mirror_delitem",
    "mirror_setattr",
    "mirror_setitem",
    "undo_append",
    "undo_delitem",
    "undo_pop",
    "undo_setattr",
    "undo_setitem",
]
