"""Lists that grow and dictionaries in native memory.

A list is a block that says how many items it has and where they lie; so whoever has the
block sees what others append. The items lie one after the other, as in a `Series`. See
`runtime.containers` for the layout, `native_containers` for which values are such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from ..runtime.containers import (
    ENTRIES,
    FIND,
    GROW_LIST,
    INDEX,
    INSERT,
    ITEMS,
    LENGTH,
    LIST_WORDS,
    LIVE,
    ROOM,
    TABLE_WORDS,
    USED,
)
from ..runtime.memory import GIVE_BACK, HEADER, OBJECT, RELEASE
from .control_flow import for_range
from .function import Emitter
from .marshalling import as_word, count_words, from_word
from .native_containers import Growing, Mapping, NotNative
from .templates import same_template
from .values import I1, I32, I64, POINTER, Scalar, Series, Static, Value

VOID = ir.VoidType()
_NULL = ir.Constant(POINTER, None)
_MEMORY = "not enough memory for a list or a dictionary"


def word(e: Emitter, block: ir.Value, k: int) -> ir.Value:
    """The address of a word of a block."""
    return e.builder.gep(e.builder.bitcast(block, I64.as_pointer()), [I64(k)])


def pointer_word(e: Emitter, block: ir.Value, k: int) -> ir.Value:
    """The address of a word of a block that is the address of another block."""
    return e.builder.gep(e.builder.bitcast(block, POINTER.as_pointer()), [I64(k)])


# Lists --------------------------------------------------------------------------------


def length_of(e: Emitter, items: Growing) -> ir.Value:
    """How many items a list has."""
    return e.builder.load(word(e, items.block, LENGTH))


def items_of(e: Emitter, items: Growing | Series) -> Series:
    """The items as they are now, still owned by the list."""
    if isinstance(items, Series):
        return items
    block = e.builder.load(pointer_word(e, items.block, ITEMS))
    return Series(items.item, block, length_of(e, items))


def item_bytes(e: Emitter, items: Growing | Series) -> int:
    """How many bytes an item takes, in the layout of structures in C."""
    at, widest = 0, 1
    for kind in e.item_struct(items.item).elements:
        size = _SIZES.get(str(kind), 8)
        at, widest = -(-at // size) * size + size, max(widest, size)
    return max(1, -(-at // widest) * widest)


_SIZES = {"i8": 1, "i16": 2, "i32": 4, "float": 4}


def new_list(e: Emitter, like: Growing, count: ir.Value) -> Growing:
    """A list of so many items, which are not there yet."""
    b = e.builder
    block = e.allocate_bytes(I64(8 * LIST_WORDS))
    made = Growing(like.item, block, like.key)
    for k in (LENGTH, ROOM):
        b.store(I64(0), word(e, block, k))
    b.store(_NULL, pointer_word(e, block, ITEMS))
    if isinstance(count, ir.Constant) and count.constant == 0:
        return made
    reserve(e, made, count)
    b.store(count, word(e, block, LENGTH))
    return made


def reserve(e: Emitter, items: Growing, need: ir.Value) -> None:
    """Make room for so many items."""
    grow = e.owner.runtime(GROW_LIST, I32, POINTER, POINTER, I64, I64)
    given = [e.context, items.block, I64(item_bytes(e, items)), need]
    status = e.builder.call(grow, given)
    e.fail_unless(e.builder.icmp_signed("==", status, I32(0)), MemoryError, _MEMORY)


def append(e: Emitter, items: Growing, value: Value) -> None:
    """Put an item, with its ownership, at the end."""
    b = e.builder
    lengthp = word(e, items.block, LENGTH)
    n = b.load(lengthp)
    full = b.icmp_signed("==", n, b.load(word(e, items.block, ROOM)))
    with b.if_then(full, likely=False):
        reserve(e, items, b.add(n, I64(1)))
    block = b.load(pointer_word(e, items.block, ITEMS))
    e.store_item(Series(items.item, block, n), n, value)
    b.store(b.add(n, I64(1)), lengthp)


def copy_items(
    e: Emitter,
    source: Series,
    start: ir.Value,
    count: ir.Value,
    target: Series,
    place: ir.Value,
) -> None:
    """Copy items to another list, which comes to own them too."""
    b = e.builder
    if source.item.blocks():
        with for_range(b, 0, count) as k:
            item = e.series_item(source, b.add(start, k))
            e.retain(item)
            e.store_item(target, b.add(place, k), item)
        return
    size = b.mul(count, I64(item_bytes(e, source)))
    copy = e.module.declare_intrinsic("llvm.memmove", [POINTER, POINTER, I64])
    at = [
        b.bitcast(e.series_pointer(s, k), POINTER)
        for s, k in ((target, place), (source, start))
    ]
    b.call(copy, [*at, size, I1(0)])


def made_list(e: Emitter, like: Value, count: ir.Value) -> tuple[Value, Series]:
    """A list of so many items, and where they go."""
    if isinstance(like, Growing):
        made = new_list(e, like, count)
        return made, items_of(e, made)
    assert isinstance(like, Series)
    block = e.allocate_bytes(e.series_bytes(like.item, count))
    found = Series(like.item, block, count)
    return found, found


def copied(e: Emitter, items: Growing | Series, like: Value) -> Value:
    """A new list of the same items."""
    source = items_of(e, items)
    made, target = made_list(e, like, source.length)
    copy_items(e, source, I64(0), source.length, target, I64(0))
    return made


# Dictionaries -------------------------------------------------------------------------


def entry_bytes(e: Emitter, table: Mapping) -> int:
    """How many bytes an entry takes: its hash, the key, the value."""
    words = count_words(table.keys.flatten()) + count_words(table.item.flatten())
    return 8 * (1 + words)


def new_table(e: Emitter, like: Mapping) -> Mapping:
    """A dictionary without keys."""
    block = e.allocate_bytes(I64(8 * TABLE_WORDS))
    for k in range(TABLE_WORDS):
        e.builder.store(I64(0), word(e, block, 8 + k))
    return Mapping(like.keys, like.item, block, like.key)


def key_words(e: Emitter, table: Mapping, key: Value) -> list[ir.Value]:
    """The words of a key."""
    return [as_word(e.builder, r) for r in key.flatten()]


def find(e: Emitter, table: Mapping, words: list[ir.Value]) -> ir.Value:
    """The number of the entry of a key, or -1."""
    kinds = [I64] * (1 + len(words))
    function = e.owner.runtime(f"{FIND}{len(words)}", I64, POINTER, *kinds)
    # What was found before is not looked for again where nothing was written since.
    for attribute in ("readonly", "nounwind"):
        function.attributes.add(attribute)
    given = [table.block, I64(entry_bytes(e, table)), *words]
    return e.builder.call(function, given)


def values_of(e: Emitter, table: Mapping) -> Series:
    """The entries as a series of their values, each behind its hash and its key."""
    block = e.builder.load(pointer_word(e, table.block, ENTRIES))
    return Series(table.item, block, I64(0))


def value_place(e: Emitter, table: Mapping, entry: ir.Value) -> ir.Value:
    """The address of the value of an entry."""
    b = e.builder
    block = b.load(pointer_word(e, table.block, ENTRIES))
    before = HEADER + 8 * (1 + count_words(table.keys.flatten()))
    at = b.add(b.mul(entry, I64(entry_bytes(e, table))), I64(before))
    kind = e.item_struct(table.item).as_pointer()
    return b.bitcast(b.gep(block, [at]), kind)


def load_key(e: Emitter, table: Mapping, entry: ir.Value) -> Value:
    """The key of an entry."""
    b = e.builder
    block = b.load(pointer_word(e, table.block, ENTRIES))
    at = b.add(b.mul(entry, I64(entry_bytes(e, table))), I64(HEADER))
    words = b.bitcast(b.gep(block, [at]), I64.as_pointer())
    registers = [
        from_word(b, b.load(b.gep(words, [I64(1 + j)])), r.type)
        for j, r in enumerate(table.keys.flatten())
    ]
    return table.keys.rebuild(registers)


def load_value(e: Emitter, table: Mapping, entry: ir.Value) -> Value:
    """The value of an entry, still owned by the dictionary."""
    b = e.builder
    place = value_place(e, table, entry)
    registers = []
    for j, r in enumerate(table.item.flatten()):
        loaded = b.load(b.gep(place, [I32(0), I32(j)]))
        registers.append(b.trunc(loaded, I1) if r.type == I1 else loaded)
    return table.item.rebuild(registers)


def store_value(e: Emitter, table: Mapping, entry: ir.Value, value: Value) -> None:
    """Put a value, with its ownership, into an entry."""
    b = e.builder
    place = value_place(e, table, entry)
    for j, r in enumerate(value.flatten()):
        r = b.zext(r, I64) if r.type == I1 else r
        b.store(r, b.gep(place, [I32(0), I32(j)]))


def put(e: Emitter, table: Mapping, words: list[ir.Value], value: Value) -> None:
    """`table[key] = value`, with the ownership of the value."""
    b = e.builder
    entry = find(e, table, words)
    missing, there, done = (
        b.append_basic_block(n) for n in ("missing", "there", "stored")
    )
    b.cbranch(b.icmp_signed("<", entry, I64(0)), missing, there)
    b.position_at_end(there)
    if table.item.blocks():
        e.release(load_value(e, table, entry))
    last = b.block
    b.branch(done)
    b.position_at_end(missing)
    kinds = [I64] * (1 + len(words))
    insert = e.owner.runtime(f"{INSERT}{len(words)}", I64, POINTER, POINTER, *kinds)
    size = I64(entry_bytes(e, table))
    new = b.call(insert, [e.context, table.block, size, *words])
    e.fail_unless(b.icmp_signed(">=", new, I64(0)), MemoryError, _MEMORY)
    made = b.block
    b.branch(done)
    b.position_at_end(done)
    place = b.phi(I64)
    place.add_incoming(entry, last)
    place.add_incoming(new, made)
    store_value(e, table, place, value)


@contextmanager
def live_entries(e: Emitter, table: Mapping) -> Iterator[ir.Value]:
    """The numbers of the entries that were not taken out, in their order."""
    b = e.builder
    used = b.load(word(e, table.block, USED))
    block = b.load(pointer_word(e, table.block, ENTRIES))
    size = I64(entry_bytes(e, table))
    with for_range(b, 0, used) as k:
        place = b.gep(block, [b.add(b.mul(k, size), I64(HEADER))])
        hash_ = b.load(b.bitcast(place, I64.as_pointer()))
        with b.if_then(b.icmp_signed("!=", hash_, I64(0))):
            yield k


def live_count(e: Emitter, table: Mapping) -> ir.Value:
    """How many keys a dictionary has."""
    return e.builder.load(word(e, table.block, LIVE))


# Giving up ----------------------------------------------------------------------------


def release_container(e: Emitter, value: Growing | Mapping) -> None:
    """One owner less; the last one gives up what it holds."""
    b = e.builder
    count, there = e.count_of(value.block)
    left = b.sub(b.load(count), I64(1))
    b.store(left, count)
    last = b.and_(there, b.icmp_signed("==", left, I64(0)))
    with b.if_then(last):
        function = _releaser(e, value)
        b.call(function, [e.context, value.block])


def _releaser(e: Emitter, value: Growing | Mapping) -> ir.Function:
    """A function that gives up what a container holds, and itself."""
    owner = e.owner
    found = owner.releasers.get(value.key)
    if found is not None:
        return found
    signature = ir.FunctionType(VOID, [POINTER, POINTER])
    name = f"anadrome.release.{len(owner.releasers)}"
    function = ir.Function(owner.module, signature, name)
    function.linkage = "internal"
    function.attributes.add("noinline")
    owner.releasers[value.key] = function
    inner = Emitter(owner, function, function.args[0])
    b = inner.builder
    (own,) = (value.rebuild([function.args[1]]),)
    release = owner.runtime(RELEASE, VOID, POINTER, POINTER)
    if isinstance(own, Growing):
        items = items_of(inner, own)
        if own.item.blocks():
            with for_range(b, 0, items.length) as k:
                inner.release(inner.series_item(items, k))
        b.call(release, [inner.context, items.block])
    else:
        assert isinstance(own, Mapping)
        if own.item.blocks():
            with live_entries(inner, own) as k:
                inner.release(load_value(inner, own, k))
        for k in (ENTRIES, INDEX):
            block = b.load(pointer_word(inner, own.block, k))
            b.call(release, [inner.context, block])
    give_back = owner.runtime(GIVE_BACK, VOID, POINTER, POINTER)
    b.call(give_back, [inner.context, own.block])
    b.ret_void()
    return function


# What is put in -----------------------------------------------------------------------


def fitting(e: Emitter, value: Value, like: Value, key: int) -> Value:
    """A value in the form that a container holds, owned.

    What Python will see must be exactly what was put in: not an int made a float, nor a
    number of Python's made one of NumPy's.
    """
    check_kind(e, value, like, key, key in e.owner.visible)
    return e.adopt(value, like)


def check_kind(e: Emitter, value: Value, like: Value, key: int, exact: bool) -> None:
    """Refuse a container that a value does not fit into."""
    from .values import Nothing, Pack

    if isinstance(like, Pack):
        if isinstance(value, Static) and type(value.value) is tuple:
            value = Pack([Static(v) for v in value.value])
        if not isinstance(value, Pack) or len(value.items) != len(like.items):
            raise NotNative(key)
        for v, l in zip(value.items, like.items):
            check_kind(e, v, l, key, exact)
    elif isinstance(like, Scalar):
        if not _is_number_for(value, like, exact):
            raise NotNative(key)
    elif isinstance(like, Nothing):
        if not isinstance(value, Nothing | Static):
            raise NotNative(key)
    elif type(value) is not type(like) or not same_template(value, like):
        raise NotNative(key)


def _is_number_for(value: Value, like: Scalar, exact: bool) -> bool:
    if isinstance(value, Scalar):
        if value.dtype == like.dtype:
            return value.weak == like.weak or not exact
        # A wider number holds the same value.
        wider = value.dtype.kind in "bi" and like.dtype.name == "int64"
        return wider and not exact
    if not isinstance(value, Static):
        return False
    number = value.value
    if type(number) not in (bool, int, float):
        return False
    kind = {bool: "b", int: "i", float: "f"}[type(number)]
    if isinstance(number, int) and not -(2**63) <= number < 2**63:
        return False
    if kind == like.dtype.kind and like.dtype.itemsize in (1, 8):
        return like.weak or not exact
    widens = kind == "b" and like.dtype.name == "int64"
    return (widens or (kind == "i" and like.dtype.name == "float64")) and not exact


# On the way out -----------------------------------------------------------------------


def once(
    e: Emitter, block: ir.Value, make: Callable[[], ir.Value], hold: Any
) -> ir.Value:
    """The Python object of a container: one, however often it is returned."""
    b = e.builder
    place = pointer_word(e, block, OBJECT)
    before = b.load(place)
    first, done = b.append_basic_block("first"), b.append_basic_block("made")
    known = b.block
    b.cbranch(b.icmp_unsigned("==", before, _NULL), first, done)
    b.position_at_end(first)
    made = make()
    b.store(made, place)
    end = b.block
    b.branch(done)
    b.position_at_end(done)
    found = b.phi(POINTER)
    found.add_incoming(before, known)
    found.add_incoming(made, end)
    hold(found)
    return found
