"""Lowerings of what changes lists and dictionaries, or looks for something in them."""

from __future__ import annotations

from llvmlite import ir

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply

from ..emission.containers import items_of
from ..emission.function import Emitter
from ..emission.native_containers import Growing, Mapping
from ..emission.values import BOOL, I1, I64, INT64, Scalar, Series, Static, Value
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
    if isinstance(items, Growing | Series):
        return Scalar(BOOL, _is_among(e, key, items_of(e, items)), True)
    if not isinstance(items, Mapping):
        raise e.refuse("'in' this", node.span)
    entry = entry_of(e, items, key)
    return Scalar(BOOL, e.builder.icmp_signed(">=", entry, I64(0)), True)


def _is_among(e: Emitter, value: Value, items: Series) -> ir.Value:
    """Whether a list of integers has an item."""
    b = e.builder
    kinds = [v.dtype if isinstance(v, Scalar) else None for v in (value, items.item)]
    if isinstance(value, Static) and type(value.value) is int:
        kinds[0] = INT64
    if kinds != [INT64, INT64]:
        raise e.refuse("'in' this list")
    wanted = e.integer(value)
    before, look = b.block, b.append_basic_block("look")
    test, done = b.append_basic_block("test"), b.append_basic_block("looked")
    b.branch(look)
    b.position_at_end(look)
    k = b.phi(I64)
    k.add_incoming(I64(0), before)
    b.cbranch(b.icmp_signed("<", k, items.length), test, done)
    b.position_at_end(test)
    (found,) = e.series_item(items, k).flatten()
    k.add_incoming(b.add(k, I64(1)), test)
    b.cbranch(b.icmp_signed("==", found, wanted), done, look)
    b.position_at_end(done)
    answer = b.phi(I1)
    answer.add_incoming(I1(0), look)
    answer.add_incoming(I1(1), test)
    return answer
