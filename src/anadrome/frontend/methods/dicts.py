"""The methods of dictionaries."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.calls.opaque import Keywords
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.methods.lists import Method, delete_item
from anadrome.frontend.values import item_reads, item_writes
from anadrome.frontend.values.compile_time import Virtual
from anadrome.frontend.values.iteration import (
    Iteration,
    View,
    as_node,
    counted,
    iterate,
    length_of,
)
from anadrome.frontend.values.iterators import Generator, iterator_of
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.tuples import make_tuple
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.joins import join
from anadrome.ir.types import ANY, NEVER, AnyType, Dict, List, strip_optional


def _keys_of(it: Interpreter, node: Node) -> list[Any] | None:
    if it.is_virtual(node):
        assert isinstance(node, Virtual)
        return list(it.fields_of(node))
    t = strip_optional(node.type)
    if isinstance(t, Dict) and t.fields is not None and not t.stored:
        return list(t.fields)
    return None


def _dict_iteration(it: Interpreter, node: Node, pick: Callable[[Node], Node]) -> Node:
    return as_node(View(lambda: _dict_items(it, node, pick)))


def _dict_items(it: Interpreter, node: Node, pick: Callable[[Node], Node]) -> Iteration:
    keys = _keys_of(it, node)
    if keys is not None:
        found = Iteration.lazily(len(keys), lambda k: pick(it.constant(keys[k])))
        found.sized = (node,)
        return found
    node = it.concrete(node)
    t = strip_optional(node.type)
    assert isinstance(t, Dict)
    key: Any = t.key
    if t.fields is not None:
        from anadrome.ir.joins import type_of_key

        key = NEVER
        for k in t.fields:
            key = join(key, type_of_key(k))
    listed = it.emit(ops.OBSERVE, (it.constant(list), node), List(key))
    found = counted(
        it, length_of(it, listed), lambda i: pick(item_reads.get_item(it, listed, i))
    )
    found.sized = (node,)
    return found


def _items(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    return _dict_iteration(
        it, node, lambda k: make_tuple(it, [k, item_reads.get_item(it, node, k)])
    )


def _keys(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    return _dict_iteration(it, node, lambda k: k)


def _values(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    return _dict_iteration(it, node, lambda k: item_reads.get_item(it, node, k))


def _get(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    from anadrome.frontend.syntax.expressions import choose, truth

    default = args[1] if len(args) > 1 else it.constant(None)
    test = truth(it, item_reads.contains(it, node, args[0]))
    if isinstance(test, Constant):
        return item_reads.get_item(it, node, args[0]) if test.value else default
    node = it.concrete(node)
    return choose(
        it, test, lambda: item_reads.get_item(it, node, args[0]), lambda: default
    )


def _setdefault(
    it: Interpreter, node: Node, args: list[Node], keywords: Keywords
) -> Node:
    from anadrome.frontend.syntax.expressions import choose_statement, truth

    default = args[1] if len(args) > 1 else it.constant(None)
    test = truth(it, item_reads.contains(it, node, args[0]))
    if not isinstance(test, Constant):
        node = it.concrete(node)
    choose_statement(
        it,
        test,
        lambda: None,
        lambda: item_writes.set_item(it, node, args[0], default),
        it.frame_live(),
    )
    return item_reads.get_item(it, node, args[0])


def _update(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    for other in args:
        if isinstance(strip_optional(other.type), AnyType):
            # Python knows whether it is a dictionary or pairs.
            other = it.emit(
                ops.PYCALL,
                (it.constant(dict), other),
                Dict(None, ANY, ANY),
                target=True,
            )
        if isinstance(iterator_of(other), Generator):
            from anadrome.frontend.calls import calls, library

            node = it.concrete(node)
            calls.call_value(it, library.put_each, [node, other], {})
        elif _keys_of(it, other) is not None:
            syntax = ast.Constant(None)
            for k, v in item_reads.static_mapping(it, other, syntax).items():
                item_writes.set_item(it, node, it.constant(k), v)
        else:
            from anadrome.frontend.calls.builtins import each

            node = it.concrete(node)
            maps = isinstance(strip_optional(other.type), Dict)
            pairs = _items(it, other, [], {}) if maps else other
            each(
                it,
                iterate(it, pairs),
                lambda p, node=node: item_writes.set_pair(it, node, p),  # type: ignore[misc]
            )
    for name, v in keywords.items():
        item_writes.set_item(it, node, it.constant(name), v)
    return it.constant(None)


def _dict_pop(
    it: Interpreter, node: Node, args: list[Node], keywords: Keywords
) -> Node:
    if len(args) > 1 and not (it.is_virtual(node) and is_known(args[0])):
        from anadrome.frontend.calls import calls, library

        return calls.call_value(it, library.pop_or_default, [node, *args], {})
    if len(args) > 1:
        found = _get(it, node, args, {})
        if (node, static_value(args[0])) not in it.env:
            return found
    else:
        found = item_reads.get_item(it, node, args[0])
    delete_item(it, node, args[0])
    return found


def _popitem(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    keys = _keys_of(it, node)
    if not keys or not it.is_virtual(node):
        raise it.fail(
            UnsupportedSyntax,
            "which key 'popitem' takes is known only at run time",
            "name the key: write d.pop(key)",
        )
    key = it.constant(keys[-1])
    found = item_reads.get_item(it, node, key)
    delete_item(it, node, key)
    return make_tuple(it, [key, found])


def _copy_dict(
    it: Interpreter, node: Node, args: list[Node], keywords: Keywords
) -> Node:
    from anadrome.frontend.calls.builtins import FUNCTIONS

    return FUNCTIONS[dict](it, [node], {})


DICT: dict[str, Method] = {
    "items": _items,
    "keys": _keys,
    "values": _values,
    "get": _get,
    "setdefault": _setdefault,
    "update": _update,
    "pop": _dict_pop,
    "popitem": _popitem,
    "copy": _copy_dict,
}
