"""Objects of the library's classes, where they leave what is read.

The reader follows its own deque or Counter, which nobody else may see: see
`calls.library`.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.calls.library_containers import (
    ORIGINALS,
    Counter,
    Deque,
    OrderedDict,
)
from anadrome.frontend.speculation.fixed_lists import is_list_of_functions
from anadrome.frontend.values.tuples import make_tuple
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import ANY, List, Object, Packed, Type, deref, parts

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter


def with_originals(it: Interpreter, node: Node) -> Node:
    """A result with objects of the library's own classes in place of the reader's."""
    node = _with_functions(it, node)
    if not _holds_replaced(node.type):
        return node
    if isinstance(node, Apply) and node.op is ops.TUPLE:
        return make_tuple(it, [with_originals(it, a) for a in node.args])
    t = deref(node.type)
    cls = t.cls if isinstance(t, Object) else None
    if cls is Deque and not any(map(_holds_replaced, parts(t))):
        items, most = (_field(it, node, name) for name in ("items", "maxlen"))
        return _made(it, collections.deque, items, most)
    if cls is Counter:
        return _made(it, collections.Counter, _field(it, node, "table"))
    if cls is OrderedDict:
        return _made(it, collections.OrderedDict, _field(it, node, "table"))
    raise it.fail(
        UnsupportedSyntax,
        "a deque, a Counter or a defaultdict is returned inside of something else",
        "return a list or a dictionary made of it",
    )


def _with_functions(it: Interpreter, node: Node) -> Node:
    """A result with functions, and lists that hold some, as Python has them."""
    t = deref(node.type)
    if not any(map(_is_hidden_function, _within(t))):
        return node
    items = it.known_items.get(node)
    listed = items is not None or is_list_of_functions(t)
    if items is None and isinstance(node, Apply) and node.op is ops.TUPLE:
        items = list(node.args)
    if items is None or isinstance(t, Packed):
        raise it.fail(
            UnsupportedSyntax,
            "a function is returned inside of something else",
            "return the function itself, or a list or a tuple of it and others",
        )
    made = [_with_functions(it, i) for i in items]
    if listed:
        return it.emit(ops.LIST, tuple(made), List(ANY))
    return make_tuple(it, made)


def _within(t: Type) -> list[Type]:
    """The types of all that a value holds."""
    found: list[Type] = []
    pending, seen = [t], set()
    while pending:
        t = deref(pending.pop())
        if id(t) not in seen:
            seen.add(id(t))
            found.append(t)
            pending += parts(t)
    return found


def _is_hidden_function(t: Type) -> bool:
    """Whether a value stands for functions, or for a list that holds some."""
    return isinstance(t, Packed) or is_list_of_functions(t)


def _field(it: Interpreter, node: Node, name: str) -> Node:
    t = deref(node.type)
    assert isinstance(t, Object)
    assert t.fields is not None
    return it.emit(ops.GETATTR, (node, it.constant(name)), t.fields[name])


def _made(it: Interpreter, cls: type, *given: Node) -> Node:
    return it.emit(ops.PYCALL, (it.constant(cls), *given), ANY, target=True)


def refuse_replaced(it: Interpreter, node: Node) -> None:
    """Refuse to give such an object to a function that is not looked into."""
    if _holds_replaced(node.type):
        raise it.fail(
            UnsupportedSyntax,
            "a deque, a Counter or a defaultdict is passed to a function that cannot "
            "be looked into",
            "pass a list or a dictionary made of it",
        )


def _holds_replaced(t: Type, seen: frozenset[int] = frozenset()) -> bool:
    t = deref(t)
    if isinstance(t, Object) and t.cls in ORIGINALS:
        return True
    return id(t) not in seen and any(
        _holds_replaced(p, seen | {id(t)}) for p in parts(t)
    )
