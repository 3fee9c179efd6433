"""Values that the program goes on with as objects of which nothing is known.

What a list is made of follows from its type, and may lie in memory in another form
than Python's. Where the type is lost, the object has to be the one that Python has.
"""

from __future__ import annotations

from collections.abc import Iterator

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node, called_graphs, walk
from anadrome.ir.types import ANY, AnyType, NoneType_, Num, Str, Type, deref, parts

_BUILDING = (ops.TUPLE, ops.LIST, ops.DICT, ops.SET, ops.NAMEDTUPLE, ops.RECORD)
_HOLDING = (*_BUILDING, ops.APPEND, ops.SETITEM, ops.SETATTR)
_SHOWN = (Str, NoneType_, AnyType)  # what types are to be seen in


def is_object(t: Type) -> bool:
    """Whether nothing is known of a value, or of a number."""
    t = deref(t)
    return t is ANY or (isinstance(t, Num) and t.dtype is None)


def becoming_objects(graph: Graph) -> Iterator[Node]:
    """Values whose types are lost in a statement, or that are shown by it."""
    for g in called_graphs(graph):
        for node in walk(g):
            holds = node.op in _HOLDING and any(map(is_object, _places(node)))
            if holds or (node.op is ops.OBSERVE and isinstance(node.type, _SHOWN)):
                yield from node.args
            for region in node.regions:
                for out, result in zip(node.outputs, region.results):
                    if is_object(out.type):
                        yield result
            if node.op in (ops.FOR, ops.WHILE):
                carried = node.shape.carried
                for out, first in zip(node.outputs, node.args[-carried:]):
                    if carried and is_object(out.type):
                        yield first


def _places(node: Apply) -> tuple[Type, ...]:
    """The types of what a statement puts its arguments into."""
    return parts((node if node.op in _BUILDING else node.args[0]).type)
