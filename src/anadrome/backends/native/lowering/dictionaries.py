"""Operations on dictionaries in native memory, and what lists have in common with them.

Keys are integers or tuples of integers: see `native_containers`.
"""

from __future__ import annotations

from llvmlite import ir

from anadrome.ir.graph import Apply

from ..emission.boxing import constant_object, drop, object_of, python
from ..emission.containers import (
    check_kind,
    entry_bytes,
    find,
    fitting,
    key_words,
    live_count,
    live_entries,
    load_key,
    load_value,
    made_list,
    new_table,
    put,
)
from ..emission.function import Emitter
from ..emission.native_containers import Growing, Mapping, NotNative
from ..emission.templates import same_template
from ..emission.values import I64, POINTER, Series, Value
from ..runtime.containers import LIST_KEYS, REMOVE

VOID = ir.VoidType()


def table_of(e: Emitter, like: Value, keys: list[Value], values: list[Value]) -> Value:
    """A new dictionary."""
    assert isinstance(like, Mapping)
    made = new_table(e, like)
    for key, value in zip(keys, values, strict=True):
        store_in_table(e, made, key, value)
    return made


def _words(e: Emitter, table: Mapping, key: Value, exact: bool) -> list[ir.Value]:
    """The words of a key, which must be of the kind of the others."""
    check_kind(e, key, table.keys, table.key, exact)
    return key_words(e, table, e.adopt(key, table.keys))


def entry_of(e: Emitter, table: Mapping, key: Value) -> ir.Value:
    """The number of the entry of a key, or -1."""
    return find(e, table, _words(e, table, key, False))


def store_in_table(e: Emitter, table: Mapping, key: Value, value: Value) -> None:
    """`table[key] = value`."""
    words = _words(e, table, key, table.key in e.owner.visible)
    put(e, table, words, fitting(e, value, table.item, table.key))


def item_of_table(e: Emitter, table: Mapping, key: Value) -> Value:
    """`table[key]`."""
    entry = entry_of(e, table, key)
    _check_key(e, entry, key)
    item = load_value(e, table, entry)
    e.retain(item)
    return item


def delete_from_table(e: Emitter, table: Mapping, key: Value) -> None:
    """`del table[key]`."""
    entry = entry_of(e, table, key)
    _check_key(e, entry, key)
    if table.item.blocks():
        e.release(load_value(e, table, entry))
    remove = e.owner.runtime(REMOVE, VOID, POINTER, I64, I64)
    e.builder.call(remove, [table.block, I64(entry_bytes(e, table)), entry])


def _check_key(e: Emitter, entry: ir.Value, key: Value) -> None:
    """Fail as Python does if there is no entry: with the key itself."""
    b = e.builder
    there = b.icmp_signed(">=", entry, I64(0))
    if e.owner.assumes:
        e.fail_unless(there, KeyError, "a key that is not there")
        return
    with b.if_then(b.not_(there), likely=False):
        named = object_of(e, key)
        kind = constant_object(e, KeyError)
        # A tuple would be taken for all arguments of the exception.
        error = python(e, "PyObject_CallOneArg", POINTER, kind, named)
        drop(e, named)
        python(e, "PyErr_SetObject", VOID, kind, error)
        drop(e, error)
        e.fail_in_python_unless(ir.Constant(ir.IntType(1), 0))


def _copy_keys(e: Emitter, table: Mapping, target: Series) -> None:
    """Put keys that are not whole words into a list, in their order."""
    b = e.builder
    place = e.local(I64)
    b.store(I64(0), place)
    with live_entries(e, table) as entry:
        k = b.load(place)
        e.store_item(target, k, load_key(e, table, entry))
        b.store(b.add(k, I64(1)), place)


def keys_of_table(e: Emitter, node: Apply) -> Value:
    """`list(table)`."""
    table, like = e.value(node.args[1]), e.template(node.type)
    if not isinstance(table, Mapping):
        raise e.refuse("a list of these", node.span)
    if not isinstance(like, Series | Growing) or not same_template(
        like.item, table.keys
    ):
        raise NotNative(table.key)
    made, target = made_list(e, like, live_count(e, table))
    if any(r.type != I64 for r in table.keys.flatten()):
        _copy_keys(e, table, target)
        return made
    keys = e.owner.runtime(LIST_KEYS, VOID, POINTER, I64, I64, POINTER)
    count = I64(len(table.keys.flatten()))
    place = e.builder.bitcast(e.series_pointer(target, I64(0)), POINTER)
    size = I64(entry_bytes(e, table))
    e.builder.call(keys, [table.block, size, count, place])
    return made
