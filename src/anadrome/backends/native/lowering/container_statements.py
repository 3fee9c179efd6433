"""Lowerings of what changes lists and dictionaries, or looks for something in them."""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply

from ..emission.function import BOOL, Emitter
from ..emission.native_containers import Growing, Mapping
from ..emission.values import I64, Scalar, Value
from .dictionaries import delete_from_table, entry_of, table_of
from .growing_lists import append_to_list, delete_from_list, pop_from_list
from .language import runs


@runs(ops.APPEND)
def _append(e: Emitter, node: Apply) -> None:
    items = e.value(node.args[0])
    if not isinstance(items, Growing):
        raise e.refuse("appending to this", node.span)
    append_to_list(e, items, e.value(node.args[1]))


@runs(ops.POP)
def _pop(e: Emitter, node: Apply) -> Value:
    items = e.value(node.args[0])
    if not isinstance(items, Growing):
        raise e.refuse("taking an item off this", node.span)
    return pop_from_list(e, items)


@runs(ops.DELITEM)
def _delete(e: Emitter, node: Apply) -> None:
    items, index = (e.value(n) for n in node.args)
    if isinstance(items, Growing):
        delete_from_list(e, items, index)
    elif isinstance(items, Mapping):
        delete_from_table(e, items, index)
    else:
        raise e.refuse("deleting from this", node.span)


@runs(ops.DICT)
def _dict(e: Emitter, node: Apply) -> Value:
    like = e.template(node.type)
    if not isinstance(like, Mapping):
        raise e.refuse("a dictionary", node.span)
    values = [e.value(n) for n in node.args]
    return table_of(e, like, values[::2], values[1::2])


@runs(ops.CONTAINS)
def _contains(e: Emitter, node: Apply) -> Value:
    key, items = (e.value(n) for n in node.args)
    if not isinstance(items, Mapping):
        raise e.refuse("'in' this", node.span)
    entry = entry_of(e, items, key)
    return Scalar(BOOL, e.builder.icmp_signed(">=", entry, I64(0)), True)
