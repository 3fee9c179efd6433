"""Lists and tuples: making them, and making one of another."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

import numpy as np

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.speculation.fixed_lists import is_list_of_functions, refuse_tuple
from anadrome.frontend.syntax.loop_fixpoint import Loop, run_loop
from anadrome.frontend.values.functions import is_function, pack
from anadrome.frontend.values.iteration import (
    Iteration,
    has_function,
    iterate,
    looked_at,
)
from anadrome.frontend.values.iterators import (
    Cursor,
    Generator,
    is_range,
    iterator_of,
    refuse_iterator,
    remaining,
    take_rest,
)
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.joins import join_members
from anadrome.ir.types import (
    NEVER,
    Dict,
    List,
    Num,
    NumericSlice,
    Other,
    Packed,
    Stack,
    Tuple,
    Type,
    VarTuple,
    deref,
    strip_optional,
)
from anadrome.primitives.containers import (
    concatenate_lists,
    copy_list,
    copy_tuple,
    repeat_list,
)
from anadrome.primitives.registry import find_primitive


def make_list(it: Interpreter, items: list[Node]) -> Node:
    """A list of nodes; its items are known one by one until it is changed."""
    if any(has_function(i.type) for i in items):
        return _list_of_functions(it, items)
    items = [it.concrete(i) for i in items]
    item: Type = NEVER
    for i in items:
        item = join_members(item, i.type)
    node = it.emit(ops.LIST, tuple(items), List(item))
    it.known_items[node] = items
    return node


def _list_of_functions(it: Interpreter, items: list[Node]) -> Node:
    """A list with functions; where they cannot be stored, the reader alone has it."""
    if not all(is_function(i) and not _is_iteration(i) for i in items):
        return make_tuple(it, items, listed=True)
    stored = [pack(it, i) for i in items]
    item: Type = NEVER
    for i in stored:
        item = join_members(item, i.type)
    if not isinstance(item, Packed):
        return make_tuple(it, items, listed=True)
    node = it.emit(ops.LIST, tuple(stored), List(item))
    it.known_items[node] = items
    return node


def _is_iteration(node: Node) -> bool:
    return isinstance(node, Constant) and isinstance(
        node.value, Iteration | Cursor | Generator
    )


def known(it: Interpreter, node: Node) -> list[Node] | None:
    """The items of a sequence if they are known one by one."""
    node = looked_at(node)
    if isinstance(node, Constant):
        if isinstance(node.value, Iteration):
            return node.value.items
        if isinstance(node.value, Cursor):
            over = remaining(it, node.value)
            if over.size is None:
                return None
            return take_rest(it, node.value).items
        if isinstance(node.value, tuple | list | str):
            return [it.constant(v) for v in node.value]
        return None
    found = it.known_items.get(node)
    if found is not None:
        return found
    t = deref(node.type)
    if isinstance(t, Tuple):
        return [take(it, node, i) for i in range(len(t.items))]
    if it.is_virtual(node) and isinstance(t, Dict):
        return [it.constant(k) for k in it.fields_of(node)]  # type: ignore[arg-type]
    return None


def static_items(it: Interpreter, node: Node, syntax: ast.AST) -> list[Node]:
    """The items that a star unpacks into a call or a tuple."""
    from anadrome.frontend.values.own_iterators import opened

    node = opened(it, node)
    if iterator_of(node) is not None:
        node = as_list(it, node)
    found = known(it, node)
    if found is None:
        found = iterate(it, node).items
    if found is None:
        raise it.fail(
            UnsupportedSyntax,
            "how many items the star unpacks is not known",
            "unpack a tuple or a list literal, or pass the list itself",
            it.frame.source.span(syntax),
        )
    return found


def as_list(it: Interpreter, node: Node) -> Node:
    """`list(node)`: always a new list."""
    node = looked_at(node)
    items = known(it, node)
    if items is not None:
        return make_list(it, items)
    if isinstance(node, Constant) and isinstance(node.value, Iteration):
        return from_iteration(it, node.value)
    if isinstance(node, Constant) and isinstance(node.value, Generator):
        from anadrome.frontend.syntax.generators import collected

        return collected(it, node)
    t = strip_optional(node.type)
    if isinstance(t, List | VarTuple | Stack):
        return it.apply(copy_list, (node,))
    return from_iteration(it, iterate(it, node))


def as_tuple(it: Interpreter, node: Node) -> Node:
    """`tuple(node)`."""
    items = known(it, node)
    if items is not None:
        return make_tuple(it, items)
    t = deref(node.type)
    if isinstance(t, VarTuple):
        return node
    made = node if isinstance(t, List) else as_list(it, node)
    return it.apply(copy_tuple, (made,))


def from_iteration(it: Interpreter, over: Iteration) -> Node:
    """A list of everything that an iteration gives."""
    if over.items is not None:
        return make_list(it, list(over.items))
    return _loop_list(it, over, lambda item: item)


def _loop_list(it: Interpreter, over: Iteration, value: Callable[[Node], Node]) -> Node:
    assert over.bounds is not None
    assert over.item is not None
    found: list[Node] = []

    def body(index: Node | None) -> None:
        assert index is not None
        assert over.item is not None
        found.append(it.stored_form(value(over.item(index))))

    kept = run_loop(
        it, Loop(over.bounds, None, body, [], it.frame_live(), keep=lambda: found[-1])
    )
    assert kept is not None
    return kept


def as_array(it: Interpreter, node: Node) -> Node:
    """A list, tuple or range of numbers as an array, as NumPy's operators make it."""
    if isinstance(deref(node.type), Num):
        return node
    refuse_iterator(it, node)
    if is_range(node):
        assert isinstance(node, Constant)
        arange = find_primitive(np.arange)
        assert arange is not None
        return it.apply(arange, node.value.bounds)
    primitive = find_primitive(np.asarray)
    assert primitive is not None
    return it.apply(primitive, (node,))


def _is_tuple(it: Interpreter, node: Node) -> bool:
    """Whether a sequence is a tuple, and no list that is kept as one."""
    if is_list_of_functions(node.type):
        return False
    refuse_tuple(it, node.type)
    return isinstance(deref(node.type), Tuple | VarTuple)


def concatenate(it: Interpreter, x: Node, y: Node) -> Node:
    """`x + y` of lists or tuples."""
    a, b = known(it, x), known(it, y)
    tuples = _is_tuple(it, x)
    if tuples != _is_tuple(it, y):
        raise it.fail(
            TypeMismatch,
            f"a {'tuple' if tuples else 'list'} and a "
            f"{'list' if tuples else 'tuple'} cannot be concatenated",
            "convert one of them with list(…) or tuple(…)",
            python=TypeError,
        )
    if a is not None and b is not None:
        return make_tuple(it, a + b) if tuples else make_list(it, a + b)
    return it.apply(concatenate_lists, (x, y))


def repeat(it: Interpreter, x: Node, count: Node) -> Node:
    """`x * count` of a list or tuple."""
    a = known(it, x)
    tuples = _is_tuple(it, x)
    whole = tuples or is_list_of_functions(x.type)
    t = deref(count.type)
    if is_known(count):
        it.by_python(operator.mul, (), static_value(count))
    elif isinstance(t, Num) and t.dtype is not None and t.dtype.kind in "fc":
        it.by_python(operator.mul, (), t.dtype.type(1))
    if (
        a is not None
        and is_known(count)
        and (whole or len(a) * static_value(count) <= 8)
    ):
        items = a * static_value(count)
        return make_tuple(it, items) if tuples else make_list(it, items)
    return it.apply(repeat_list, (x, count))


def make_slice(it: Interpreter, parts: list[Node]) -> Node:
    """A slice of nodes."""
    kinds = [deref(p.type) for p in parts]
    numeric = any(
        isinstance(t, Num) and t.dtype is not None and t.inexact for t in kinds
    )
    kind = NumericSlice(slice) if numeric else Other(slice)
    return it.emit(ops.SLICE, tuple(parts), kind)
