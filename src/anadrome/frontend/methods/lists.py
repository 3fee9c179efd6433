"""The methods of lists."""

from __future__ import annotations

from collections.abc import Callable

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls.opaque import Keywords
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values import item_reads, item_writes, iteration, sequences
from anadrome.frontend.values.functions import unpack
from anadrome.frontend.values.iterated import check_size, keep_size, size_to_keep
from anadrome.frontend.values.iteration import iterate
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.list_indices import check_list_index
from anadrome.ir import operations as ops
from anadrome.ir.graph import Node
from anadrome.ir.types import (
    INT,
    NEVER,
    Dict,
    List,
    Num,
    Object,
    Other,
    deref,
    strip_optional,
)

Method = Callable[[Interpreter, Node, list[Node], Keywords], Node]


def _append(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    item_writes.append(it, node, args[0])
    return it.constant(None)


def _extend(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    item_writes.extend(it, node, args[0])
    return it.constant(None)


def _insert(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    check_list_index(it, args[0])
    where = sequences.make_slice(it, [args[0], args[0], it.constant(None)])
    item_writes.set_item(it, node, where, sequences.make_list(it, [args[1]]))
    return it.constant(None)


def _pop(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    node = it.concrete(node)
    t = strip_optional(node.type)
    if not isinstance(t, List):
        raise it.fail(
            UnsupportedSyntax,
            "'pop' of a list whose items are not known here",
            "make the list of items of one kind",
        )
    if not args or (is_known(args[0]) and static_value(args[0]) == -1):
        items = it.known_items.get(node)
        item_writes.note_resize(it, node)
        made: Node = it.emit(ops.POP, (node,), t.item)
        if items:
            it.known_items[node] = items[:-1]
        return unpack(it, made)
    found = item_reads.get_item(it, node, args[0])
    delete_item(it, node, args[0])
    return found


def delete_item(it: Interpreter, node: Node, index: Node) -> None:
    """`del node[index]`."""
    dictionary = isinstance(strip_optional(node.type), Dict)
    if dictionary:
        item_reads.check_key(it, index)
    if dictionary and it.is_virtual(node) and is_known(index):
        key = static_value(index)
        keep_size(it, node, index, deletes=True)
        if it.env.pop((node, key), None) is None:
            raise item_reads.no_key(it, index, "test with 'in' first")
        return
    node = it.concrete(node)
    t = strip_optional(node.type)
    if isinstance(t, Object):
        from anadrome.frontend.calls.calls import call_method

        call_method(it, node, "__delitem__", [index], {})
        return
    if not isinstance(t, List | Dict):
        raise it.fail(
            TypeMismatch,
            f"items of {t!r} cannot be deleted",
            "delete items of lists and dictionaries only",
            python=ValueError if isinstance(t, Num) and t.ndim else TypeError,
            given=node,
        )
    if isinstance(t, Dict):
        from anadrome.ir.joins import generalise_dict

        generalise_dict(t)
    elif deref(index.type) != Other(slice):
        check_list_index(it, index)
    item_writes.note_resize(it, node)
    size = size_to_keep(it, node)
    it.emit(ops.DELITEM, (node, index), NEVER)
    check_size(it, node, size)


def _clear(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    none = it.constant(None)
    delete_item(it, node, sequences.make_slice(it, [none, none, none]))
    return none


def _reverse(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    over = iteration.backwards(it, iterate(it, node))
    _replace_items(it, node, sequences.from_iteration(it, over))
    return it.constant(None)


def _sort(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    from anadrome.frontend.calls.builtins import FUNCTIONS

    _replace_items(it, node, FUNCTIONS[sorted](it, [node], keywords))
    return it.constant(None)


def _replace_items(it: Interpreter, node: Node, items: Node) -> None:
    none = it.constant(None)
    whole = sequences.make_slice(it, [none, none, none])
    item_writes.set_item(it, node, whole, items)


def _copy_list(
    it: Interpreter, node: Node, args: list[Node], keywords: Keywords
) -> Node:
    return sequences.as_list(it, node)


def _search(find: Callable[..., int]) -> Method:
    def run(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
        for a in args[:1]:
            item_reads.refuse_method(it, a)
        items = sequences.as_list(it, node)
        found = (it.constant(find), items, *(it.concrete(a) for a in args))
        return it.emit(ops.OBSERVE, found, INT, target=True)

    return run


def _remove(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    delete_item(it, node, _search(list.index)(it, node, args, keywords))
    return it.constant(None)


LIST: dict[str, Method] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "remove": _remove,
    "clear": _clear,
    "reverse": _reverse,
    "sort": _sort,
    "copy": _copy_list,
    "index": _search(list.index),
    "count": _search(list.count),
}
