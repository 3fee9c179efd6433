"""Lists of weights that native code is given: read item by item, as tuples are.

`[(w, b), (v, c)]` as an argument has its length and the types of its items compiled in,
so that loops over it are written out. It is then a tuple to the reader, which is right
as long as nobody looks at its class, changes it, or gets it back. Where somebody does,
reading fails, and the function is read again with a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.values.iteration import has_function, holds_arrays
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.infer.values import is_fixed_list, type_of
from anadrome.ir import operations as ops
from anadrome.ir.graph import Node, called_graphs, walk
from anadrome.ir.joins import join, may_be_list
from anadrome.ir.types import (
    FixedList,
    List,
    Tuple,
    Type,
    deref,
    holds_stored,
    parts,
    same,
)
from anadrome.ir.untyped import becoming_objects, is_object
from anadrome.primitives.registry import Primitive

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter


def may_fix_lists(values: Any) -> bool:
    """Whether there is such a list among arguments."""
    return any(map(is_fixed_list, values))


def items_of_list(it: Interpreter, node: Node, value: list[Any]) -> Node:
    """A list that is given, as a tuple of its items."""
    items = [
        it.emit(ops.GETITEM, (node, it.constant(k)), type_of(v))
        for k, v in enumerate(value)
    ]
    kinds = FixedList(tuple(i.type for i in items))
    return it.emit(ops.TUPLE, tuple(items), kinds)


def part_of_tuple(it: Interpreter, node: Node, t: Tuple, part: slice) -> Node:
    """Some items of a tuple whose length is known; of a list, a list."""
    items = [take(it, node, k) for k in range(len(t.items))[part]]
    if not isinstance(t, FixedList):
        return make_tuple(it, items)
    kinds = FixedList(tuple(i.type for i in items))
    return it.emit(ops.TUPLE, tuple(items), kinds)


def is_list_of_functions(t: Type) -> bool:
    """Whether a value is a list of functions and other things, kept as a tuple."""
    t = deref(t)
    return isinstance(t, FixedList) and has_function(t)


def refuse_tuple(it: Interpreter, *types: Type) -> None:
    """Fail where something is done to a tuple that may be a list in truth."""
    if any(map(is_list_of_functions, types)):
        raise it.fail(
            UnsupportedSyntax,
            "a list that holds functions beside other things is changed, compared or "
            "joined",
            "make a tuple of it, or keep the functions in a list of their own",
        )
    if it.prepare is None or not it.prepare.fixes_lists:
        return
    for t in map(deref, types):
        if may_be_list(t) or (isinstance(t, Tuple) and holds_arrays(t)):
            raise it.fail(
                UnsupportedSyntax,
                "a list that is read item by item is used as a list",
                "call the function without ad.jit",
            )


def as_gradient(it: Interpreter, node: Node, source: Type) -> Node:
    """The gradient with respect to a list, as the fresh list that it is."""
    if not isinstance(deref(source), FixedList):
        return node
    t = deref(node.type)
    if not isinstance(t, Tuple):
        refuse_tuple(it, source)
    assert isinstance(t, Tuple)
    return it.emit(ops.CAST, (node,), FixedList(t.items, tuple, True))


def with_lists(it: Interpreter, node: Node, given: list[Type]) -> Node:
    """A result with lists where they are fresh; fails if one is that was given."""
    lists = [t for t in map(deref, given) if isinstance(t, FixedList)]
    for t in lists:
        if holds_stored(t):
            # Whether other arguments share the memory is asked of lists only.
            refuse_tuple(it, t)
    return _with_lists(it, node, lists)


def _with_lists(it: Interpreter, node: Node, lists: list[FixedList]) -> Node:
    t = deref(node.type)
    if not isinstance(t, Tuple):
        for inner in (t, *_inside(t)):
            if may_be_list(inner):
                refuse_tuple(it, inner)
        return node
    fresh = isinstance(t, FixedList) and t.fresh
    if not fresh and any(_is_part(t, whole) for whole in lists):
        refuse_tuple(it, t)
    items = [take(it, node, k) for k in range(len(t.items))]
    made = [_with_lists(it, item, lists) for item in items]
    if fresh:
        kind: Type = made[0].type
        for item in made[1:]:
            kind = join(kind, item.type)
        return it.emit(ops.LIST, tuple(it.concrete(m) for m in made), List(kind))
    if all(a is b for a, b in zip(items, made)):
        return node
    return make_tuple(it, made, t.cls)


def refuse_lists_given_away(it: Interpreter) -> None:
    """Fail where a tuple that is a list in truth becomes an object."""
    for node in (*becoming_objects(it.root), *_given_to_python(it)):
        t = deref(node.type)
        if any(may_be_list(p) for p in (t, *_inside(t))):
            raise it.fail(
                UnsupportedSyntax,
                "a list that is read item by item is given away as an object",
                "call the function without ad.jit, or make a tuple of it",
                node.span,
            )


def _given_to_python(it: Interpreter) -> Iterator[Node]:
    """What calls are given that nothing is known of."""
    for g in called_graphs(it.root):
        for node in walk(g):
            called = node.op in (ops.PYCALL, ops.METHOD) and node.target is not True
            if called or (isinstance(node.op, Primitive) and is_object(node.type)):
                yield from node.inputs


def _is_part(t: Tuple, whole: FixedList) -> bool:
    """Whether a tuple may be a list that was given, or a part of one."""
    return isinstance(t, FixedList) or (
        bool(t.items) and all(any(same(i, k) for k in whole.items) for i in t.items)
    )


def _inside(t: Type) -> list[Type]:
    found: list[Type] = []
    pending, seen = [t], set()
    while pending:
        for p in map(deref, parts(pending.pop())):
            if id(p) not in seen:
                seen.add(id(p))
                found.append(p)
                pending.append(p)
    return found
