"""Objects of the library's classes, where they leave what is read.

The reader follows its own deque or Counter, which nobody else may see: see
`calls.library`.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.calls.library import REPLACED, Counter, Deque
from anadrome.frontend.values.tuples import make_tuple
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import ANY, Object, Type, deref, parts

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter


def with_originals(it: Interpreter, node: Node) -> Node:
    """A result with objects of the library's own classes in place of the reader's."""
    if not _holds_replaced(node.type):
        return node
    if isinstance(node, Apply) and node.op is ops.TUPLE:
        return make_tuple(it, [with_originals(it, a) for a in node.args])
    t = deref(node.type)
    cls = t.cls if isinstance(t, Object) else None
    if cls is Deque and not any(map(_holds_replaced, parts(t))):
        items = it.emit(ops.GETATTR, (node, it.constant("items")), t.fields["items"])  # type: ignore[attr-defined]
        most = it.emit(ops.GETATTR, (node, it.constant("maxlen")), t.fields["maxlen"])  # type: ignore[attr-defined]
        given = (it.constant(collections.deque), items, most)
        return it.emit(ops.PYCALL, given, ANY, target=True)
    if cls is Counter:
        table = it.emit(ops.GETATTR, (node, it.constant("table")), t.fields["table"])  # type: ignore[attr-defined]
        given = (it.constant(collections.Counter), table)
        return it.emit(ops.PYCALL, given, ANY, target=True)
    raise it.fail(
        UnsupportedSyntax,
        "a deque, a Counter or a defaultdict is returned inside of something else",
        "return a list or a dictionary made of it",
    )


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
    if isinstance(t, Object) and t.cls in REPLACED.values():
        return True
    return id(t) not in seen and any(
        _holds_replaced(p, seen | {id(t)}) for p in parts(t)
    )
