"""Operations on lists that grow: appending, taking off, slices, copies."""

from __future__ import annotations

from llvmlite import ir

from anadrome.ir.graph import Apply

from ..emission.containers import (
    append,
    copied,
    copy_items,
    fitting,
    item_bytes,
    items_of,
    length_of,
    made_list,
    new_list,
    word,
)
from ..emission.control_flow import for_range
from ..emission.function import Emitter
from ..emission.native_containers import Growing, NotNative
from ..emission.templates import same_template
from ..emission.values import (
    I32,
    I64,
    POINTER,
    Pack,
    Series,
    SliceValue,
    Static,
    Value,
)
from ..runtime.containers import LENGTH, SPLICE
from .basic_indexing import checked_index, slice_range
from .registry import lowers


def is_slice(index: Value) -> bool:
    """Whether an index is a slice."""
    known = isinstance(index, Static) and isinstance(index.value, slice)
    return known or isinstance(index, SliceValue)


def growing_of(e: Emitter, like: Value, values: list[Value]) -> Value:
    """A new list of values."""
    assert isinstance(like, Growing)
    made = new_list(e, like, I64(len(values)))
    if values:
        items = items_of(e, made)
        for k, value in enumerate(values):
            e.store_item(items, I64(k), fitting(e, value, like.item, like.key))
    return made


def sliced(e: Emitter, items: Series | Growing, index: Value, like: Value) -> Value:
    """`items[start:stop:step]`: a new list."""
    if not isinstance(like, Series | Growing):
        raise _unfit(e, items, like)
    if not same_template(items.item, like.item):
        raise _unfit(e, items, like)
    b = e.builder
    source = items_of(e, items)
    start, count, step = slice_range(e, index, source.length)
    made, target = made_list(e, like, count)
    if isinstance(step, ir.Constant) and step.constant == 1:
        copy_items(e, source, start, count, target, I64(0))
        return made
    with for_range(b, 0, count) as k:
        item = e.series_item(source, b.add(start, b.mul(k, step)))
        e.retain(item)
        e.store_item(target, k, item)
    return made


def _unfit(e: Emitter, items: Value, like: Value) -> Exception:
    """What is raised where one of two lists has to be Python's."""
    for value in (like, items):
        if isinstance(value, Growing):
            return NotNative(value.key)
    return e.refuse("a list of other things")


def store_in_list(e: Emitter, items: Growing, index: Value, value: Value) -> None:
    """`items[index] = value`."""
    if is_slice(index):
        _replace(e, items, index, value)
        return
    new = fitting(e, value, items.item, items.key)
    held = items_of(e, items)
    message = "list assignment index out of range"
    k = checked_index(e, e.integer(index), held.length, message)
    old = e.series_item(held, k)
    e.store_item(held, k, new)
    e.release(old)


def _replace(e: Emitter, items: Growing, index: Value, value: Value) -> None:
    """`items[start:stop] = values`."""
    if isinstance(value, Pack):
        value = growing_of(e, items, value.items)
    elif isinstance(value, Growing | Series):
        if not same_template(value.item, items.item):
            raise NotNative(items.key)
        exact = items.key in e.owner.visible
        if exact and not _is_exact(value.item, items.item):
            raise NotNative(items.key)
        # It may be the list itself.
        value = copied(e, value, items)
    else:
        raise NotNative(items.key)
    assert isinstance(value, Growing)
    b = e.builder
    start, count, step = slice_range(e, index, length_of(e, items))
    if not (isinstance(step, ir.Constant) and step.constant == 1):
        raise NotNative(items.key)
    given = items_of(e, value)
    _splice(e, items, start, b.add(start, count), given.length)
    held = items_of(e, items)
    copy_items(e, given, I64(0), given.length, held, start)
    e.release(value)


def _is_exact(value: Value, like: Value) -> bool:
    """Whether numbers that lie in the same way are Python's, or NumPy's, in both."""
    if isinstance(like, Pack) and isinstance(value, Pack):
        return all(map(_is_exact, value.items, like.items))
    return getattr(value, "weak", None) == getattr(like, "weak", None)


def _splice(
    e: Emitter, items: Growing, start: ir.Value, stop: ir.Value, count: ir.Value
) -> None:
    """Give up some items and make room for others."""
    b = e.builder
    if items.item.blocks():
        held = items_of(e, items)
        with for_range(b, start, stop) as k:
            e.release(e.series_item(held, k))
    function = e.owner.runtime(SPLICE, I32, POINTER, POINTER, I64, I64, I64, I64)
    size = I64(item_bytes(e, items))
    given = [e.context, items.block, size, start, stop, count]
    status = b.call(function, given)
    fine = b.icmp_signed("==", status, I32(0))
    e.fail_unless(fine, MemoryError, "not enough memory for a list")


def delete_from_list(e: Emitter, items: Growing, index: Value) -> None:
    """`del items[index]`."""
    b = e.builder
    if is_slice(index):
        start, count, step = slice_range(e, index, length_of(e, items))
        if not (isinstance(step, ir.Constant) and step.constant == 1):
            raise NotNative(items.key)
        _splice(e, items, start, b.add(start, count), I64(0))
        return
    message = "list assignment index out of range"
    k = checked_index(e, e.integer(index), length_of(e, items), message)
    _splice(e, items, k, b.add(k, I64(1)), I64(0))


def append_to_list(e: Emitter, items: Growing, value: Value) -> None:
    """`items.append(value)`."""
    append(e, items, fitting(e, value, items.item, items.key))


def pop_from_list(e: Emitter, items: Growing) -> Value:
    """`items.pop()`; the item is owned by whoever asks."""
    b = e.builder
    held = items_of(e, items)
    some = b.icmp_signed(">", held.length, I64(0))
    e.fail_unless(some, IndexError, "pop from empty list")
    k = b.sub(held.length, I64(1))
    item = e.series_item(held, k)
    b.store(k, word(e, items.block, LENGTH))
    return item


@lowers("copy_list")
def _lower_copy(e: Emitter, node: Apply) -> Value:
    items, like = e.value(node.args[0]), e.template(node.type)
    if isinstance(items, Pack) and isinstance(like, Growing):
        return growing_of(e, like, items.items)
    if not isinstance(items, Series | Growing) or not isinstance(
        like, Series | Growing
    ):
        raise e.refuse("a copy of this list", node.span)
    if not same_template(items.item, like.item) or (
        isinstance(like, Growing)
        and like.key in e.owner.visible
        and not _is_exact(items.item, like.item)
    ):
        raise _unfit(e, items, like)
    return copied(e, items, like)


@lowers("concatenate_lists", operands=2)
def _lower_concatenation(e: Emitter, node: Apply) -> Value:
    parts, like = [e.value(a) for a in node.args], e.template(node.type)
    if not isinstance(like, Series | Growing):
        raise e.refuse("a concatenation of these", node.span)
    b = e.builder
    lists: list[Series] = []
    for part in parts:
        if not isinstance(part, Series | Growing):
            raise e.refuse("a concatenation of these", node.span)
        if not same_template(part.item, like.item) or not _is_exact(
            part.item, like.item
        ):
            raise _unfit(e, part, like)
        lists.append(items_of(e, part))
    first, second = lists
    count = b.add(first.length, second.length)
    made, target = made_list(e, like, count)
    copy_items(e, first, I64(0), first.length, target, I64(0))
    copy_items(e, second, I64(0), second.length, target, first.length)
    return made
