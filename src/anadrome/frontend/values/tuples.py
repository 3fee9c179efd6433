"""Tuples as separate values: taking apart and putting together."""

from __future__ import annotations

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.functions import (
    FunctionSet,
    flatten_function,
    rebuild_function,
    set_leaves,
)
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Apply, Constant, Node, Output
from anadrome.ir.joins import may_be_list
from anadrome.ir.types import (
    NEVER,
    FixedList,
    NeverType,
    Tuple,
    Type,
    deref,
    strip_optional,
)

# What a variable of the reader's own holds while it is not set.
ABSENT = Constant(None, NEVER)


def make_tuple(
    it: Interpreter, items: list[Node], cls: type = tuple, listed: bool = False
) -> Node:
    """A tuple of nodes; `listed` if it may be a list in truth, which is read as one."""
    items = [it.concrete(i) for i in items]
    kinds = tuple(i.type for i in items)
    t = FixedList(kinds) if listed else Tuple(kinds, cls)
    if cls is not tuple:
        return it.emit(ops.NAMEDTUPLE, (it.constant(cls), *items), t)
    if all(isinstance(i, Constant) for i in items):
        values = tuple(i.value for i in items)  # type: ignore[attr-defined]
        if all(isinstance(v, int | str | bool | type(None)) for v in values):
            return Constant(values, t)
    return it.emit(ops.TUPLE, tuple(items), t)


def take(it: Interpreter, node: Node, index: int) -> Node:
    """An item of a tuple whose length is known."""
    t = strip_optional(node.type)
    if isinstance(node, Constant):
        if node is UNDEFINED:
            return UNDEFINED
        return it.constant(node.value[index])
    if isinstance(node, Apply) and node.op is ops.TUPLE:
        return node.args[index]
    if isinstance(node, Apply) and node.op is ops.NAMEDTUPLE:
        return node.args[index + 1]
    assert isinstance(t, Tuple)
    if isinstance(node, Output) and node.apply.op is ops.IF:
        if any(r.results[node.index] is UNDEFINED for r in node.apply.regions):
            return _take_where_bound(it, node, index, t.items[index])
    return it.emit(ops.GETITEM, (node, it.constant(index)), t.items[index])


def _take_where_bound(it: Interpreter, node: Output, index: int, t: Type) -> Node:
    """An item of a tuple that a branch leaves unbound on one side: so is the item."""
    for region in node.apply.regions:
        with it.region(region):
            region.results.append(take(it, region.results[node.index], index))
    return node.apply.add_output(t)


def flatten(it: Interpreter, node: Node, t: Type) -> list[Node]:
    """The leaves of a value under a type's tuples."""
    t = deref(t)
    if isinstance(t, FunctionSet | Tuple) and isinstance(deref(node.type), NeverType):
        # What an earlier iteration or call leaves is not known in this reading.
        node = ABSENT if node is ABSENT else UNDEFINED
    if isinstance(t, FunctionSet):
        if node is ABSENT:
            node = UNDEFINED
        return [it.concrete(n) for n in flatten_function(it, node, t)]
    if isinstance(t, Tuple):
        found = []
        for i, inner in enumerate(t.items):
            item = node if node in (UNDEFINED, ABSENT) else take(it, node, i)
            found += flatten(it, item, inner)
        return found
    return [it.concrete(node)]


def leaves(t: Type) -> list[Type]:
    """The types of the leaves under a type's tuples."""
    t = deref(t)
    if isinstance(t, FunctionSet):
        return set_leaves(t)
    if isinstance(t, Tuple):
        return [leaf for inner in t.items for leaf in leaves(inner)]
    return [t]


def rebuild(it: Interpreter, t: Type, given: list[Node]) -> Node:
    """A value of type `t` from its leaves, which are taken off the list."""
    t = deref(t)
    if isinstance(t, FunctionSet):
        return rebuild_function(it, t, given)
    if isinstance(t, Tuple):
        items = [rebuild(it, i, given) for i in t.items]
        return make_tuple(it, items, t.cls, may_be_list(t))
    return given.pop(0)
