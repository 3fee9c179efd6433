"""What is made of numbers whose type depends on the path that was taken.

Native code has one type for `n if test else 1.0`, a float. An array that is made of it,
`np.full(3, x)`, has another dtype on the other path: the program looks there which
number it is, and starts over in Python if its types do not hold.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from anadrome import runtime
from anadrome.infer.examples import result_type
from anadrome.infer.kinds import Kind, kind_of
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, Parameter, walk
from anadrome.ir.joins import join
from anadrome.ir.types import (
    ANY,
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    Function,
    List,
    Num,
    Tuple,
    Type,
    VarTuple,
    deref,
    is_stored,
    parts,
    same_form,
)
from anadrome.primitives.registry import Primitive

from .number_kinds import Kinds, code_of, is_operation, reached

_PYTHON = {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}
# What the item of a container may be.
_ITEMS: tuple[Kind, ...] = (
    *_PYTHON,
    *(np.dtype(c).type for c in "?bhilBHILefdFD"),
)


def mixed_operands(
    graph: Graph, kinds: Kinds, items: set[int]
) -> Iterator[tuple[Apply, Node, tuple[str, ...]]]:
    """Statements, numbers that they take, and the classes that their types hold for.

    `items` are the numbers that are read from containers that hold others beside them.
    """
    if graph.derived:
        return
    for node in walk(graph):
        if not _makes_array(node):
            continue
        found = {}
        for number in _numbers_of(node):
            some = _kinds_of(number, kinds, items)
            if some and some != {kind_of(number)}:
                found[id(number)] = number, some
        numbers = list(found.values())
        others = [dict(zip(found, nodes)) for nodes in zip(*map(_extremes, numbers))]
        for number, some in numbers:
            fitting = {
                k
                for k in some
                if all(
                    _holds_for(node, {**chosen, id(number): _as(number, k)})
                    for chosen in ({}, *others)
                )
            }
            if fitting != some:
                yield node, number, tuple(sorted({k.__name__ for k in fitting}))


def _kinds_of(number: Node, kinds: Kinds, items: set[int]) -> frozenset[Kind]:
    """What a number may be where paths have met; nothing where none have."""
    if id(number) in items:
        return frozenset(_ITEMS)
    if not _may_vary(number) and kinds.calls.sources(number) is None:
        return frozenset()
    found = kinds.of(number)
    if object in found:
        return frozenset(_ITEMS)
    if kind_of(number) in found or _is_of_mixed(number, kinds):
        return found
    return frozenset()


def _is_of_mixed(number: Node, kinds: Kinds) -> bool:
    """Whether paths have met in what a number is computed from.

    The types of what a derivative computes are of its own making.
    """
    operands = reached(number, {}, lambda n: n.args if is_operation(n) else ())  # type: ignore[attr-defined]
    met = (n for n in operands if not is_operation(n) and not isinstance(n, Constant))
    return any(kinds.of(n) - {kind_of(n)} for n in met)


def mixed_lists(graph: Graph) -> Iterator[tuple[Apply, Node, np.dtype]]:
    """Statements, lists that they take, and the dtype that their types hold for.

    A list of an int and a float makes an array of floats, the int alone one of ints.
    """
    if graph.derived:
        return
    for node in walk(graph):
        if _makes_array(node):
            for a in node.args:
                item = _item_of(a.type)
                if item is not None and item.varied and item.dtype is not None:
                    built = isinstance(a, Apply) and a.op is ops.LIST
                    built = built and not is_stored(a.type)  # others may be put in
                    if not (built and item is deref(parts(a.type)[0])):
                        yield node, a, item.dtype


def _item_of(t: Type) -> Num | None:
    """The numbers in a list, or in lists of them."""
    t = deref(t)
    while isinstance(t, List | VarTuple):
        t = deref(t.item)
        if isinstance(t, Num):
            return t
    return None


def _may_vary(number: Node) -> bool:
    """Whether paths may have met in a number, or in what it was computed from."""
    if isinstance(number, Parameter):
        return number.graph.parent is not None
    return isinstance(number, Output) or is_operation(number)


def look_at(graph: Graph, number: Node, names: tuple[str, ...]) -> Apply:
    """The statement that looks at the class of a number."""
    given = Constant(runtime.expect_class, Function(runtime.expect_class))
    made = Apply(ops.PYCALL, (given, number, Constant(names, ANY)), NONE)
    made.graph = graph
    return made


def look_at_items(graph: Graph, items: Node, dtype: np.dtype) -> Apply:
    """The statement that looks at the dtype of an array that a list makes."""
    given = Constant(runtime.expect_dtype, Function(runtime.expect_dtype))
    made = Apply(ops.PYCALL, (given, items, Constant(dtype, ANY)), NONE)
    made.graph = graph
    return made


def _makes_array(node: Apply) -> bool:
    if not isinstance(node.op, Primitive) or node.target is None:
        return False
    t = deref(node.type)
    known = isinstance(t, Num) and t.ndim is not None and t.dtype is not None
    return known and not is_operation(node)


def _numbers_of(node: Apply) -> Iterator[Node]:
    """The numbers that a function is given, also in lists and tuples."""
    for a in node.args:
        if isinstance(a, Apply) and a.op in (ops.LIST, ops.TUPLE):
            yield from _numbers_of(a)
        elif kind_of(a) is not None:
            yield a


def _holds_for(node: Apply, others: dict[int, Node]) -> bool:
    """Whether a result has its type with other numbers in the place of some."""
    args = tuple(_with(a, others) for a in node.args)
    elementwise = node.op.broadcasts
    found = deref(result_type(node.target, args, node.keywords, elementwise))
    own = deref(node.type)
    assert isinstance(own, Num)
    return isinstance(found, Num) and same_form(found, own)


def _as(number: Node, kind: Kind) -> Node:
    """A number as one of a kind."""
    if kind is np.ndarray:
        return number  # an array without axes has the dtype of the number
    return Node(_PYTHON.get(kind) or Num(np.dtype(kind), 0))


def _extremes(mixed: tuple[Node, frozenset[Kind]]) -> list[Node]:
    """A number as those of its kinds that decide least on the type of a result."""
    number, kinds = mixed
    python = sorted((k for k in kinds if k in _PYTHON), key=code_of)
    numpy = sorted((k for k in kinds if k not in _PYTHON), key=code_of)
    return [_as(number, (*python, *numpy)[0]), _as(number, (*numpy, *python)[0])]


def _with(node: Node, others: dict[int, Node]) -> Node:
    """An argument with other numbers in the place of some."""
    if id(node) in others:
        return others[id(node)]
    if not isinstance(node, Apply) or node.op not in (ops.LIST, ops.TUPLE):
        return node
    items = [_with(a, others) for a in node.args]
    if all(a is b for a, b in zip(items, node.args)):
        return node
    types = [item.type for item in items]
    if node.op is ops.TUPLE:
        return Node(Tuple(tuple(types)))
    return Node(List(functools.reduce(join, types)))


__all__ = ["look_at", "look_at_items", "mixed_lists", "mixed_operands"]
