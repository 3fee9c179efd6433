"""Lists as values: concatenation, repetition and copies, with their derivatives."""

from __future__ import annotations

from typing import Any

from anadrome import runtime
from anadrome.ir.graph import Node
from anadrome.ir.joins import join_members
from anadrome.ir.types import List, Num, Tuple, VarTuple, deref, parts
from anadrome.primitives.registry import primitive


def _joined(*types: Any) -> List:
    item = None
    for t in types:
        for p in _items(t):
            item = p if item is None else join_members(item, p)
    return List(item) if item is not None else List()


def _items(t: Any) -> tuple[Any, ...]:
    t = deref(t)
    if isinstance(t, Num):
        ndim = None if t.ndim is None else max(t.ndim - 1, 0)
        return (Num(t.dtype, ndim),)
    return parts(t)


def _concatenation_type(a: Node, b: Node) -> Any:
    s = deref(a.type)
    if isinstance(s, Tuple | VarTuple):
        made = _joined(a.type, b.type)
        return VarTuple(made.item)
    return _joined(a.type, b.type)


@primitive(infer=_concatenation_type, sequences=("a", "b"))
def concatenate_lists(a, b):
    """The items of two lists, or of two tuples."""
    return a + b


@concatenate_lists.vjp
def concatenate_lists_vjp(z, a, b, *, dz):
    return dz[: len(a)], dz[len(a) :]


@concatenate_lists.jvp
def concatenate_lists_jvp(z, a, b, *, da, db):
    return concatenate_lists(da, db)


@primitive(infer=lambda items, count: _joined(items.type))
def repeat_list(items, count):
    """A list's items, `count` times over."""
    return items * count


@repeat_list.vjp
def repeat_list_vjp(z, items, count, *, dz):
    total = dz[: len(items)]
    for k in range(1, count):
        total = add_lists(total, dz[k * len(items) : (k + 1) * len(items)])
    return total


@repeat_list.jvp
def repeat_list_jvp(z, items, count, *, ditems):
    return repeat_list(ditems, count)


@primitive(infer=lambda a, b: _joined(a.type, b.type))
def add_lists(a, b):
    """The item-by-item sum of two lists; items without a derivative are None."""
    return [runtime.add(x, y) for x, y in zip(a, b)]


@add_lists.vjp
def add_lists_vjp(z, a, b, *, dz):
    return dz, dz


@add_lists.jvp
def add_lists_jvp(z, a, b, *, da, db):
    return add_lists(da, db)


@primitive(infer=lambda items: _joined(items.type))
def copy_list(items):
    """A list of the items of a sequence."""
    return list(items)


@copy_list.vjp
def copy_list_vjp(z, items, *, dz):
    return dz


@copy_list.jvp
def copy_list_jvp(z, items, *, ditems):
    return copy_list(ditems)


@primitive(infer=lambda items: VarTuple(_joined(items.type).item))
def copy_tuple(items):
    """A tuple of the items of a sequence."""
    return tuple(items)


@copy_tuple.vjp
def copy_tuple_vjp(z, items, *, dz):
    return copy_list(dz)


@copy_tuple.jvp
def copy_tuple_jvp(z, items, *, ditems):
    return copy_tuple(ditems)
