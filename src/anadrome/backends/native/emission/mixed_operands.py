"""What is made of numbers whose type depends on the path that was taken.

Native code has one type for `n if test else 1.0`, a float. An array that is made of it,
`np.full(3, x)`, has another dtype on the other path: the program looks there which
number it is, and starts over in Python if its types do not hold.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anadrome import runtime
from anadrome.infer.examples import result_type
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
    parts,
    same_form,
)
from anadrome.primitives.registry import Primitive

from .number_kinds import Kind, Kinds, is_operation, kind_of

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
    # A handler would take it for an exception of Python's.
    tries = (n for n in walk(graph) if n.op is ops.TRY)
    tried = {id(n) for t in tries for n in walk(t.regions[0])}
    for node in walk(graph):
        if not _makes_array(node) or id(node) in tried:
            continue
        for number in _numbers_of(node):
            own = kind_of(number)
            if id(number) in items:
                found = frozenset(_ITEMS)
            elif _may_vary(number) or kinds.calls.sources(number) is not None:
                found = kinds.of(number)
            else:
                continue
            found = frozenset(_ITEMS) if object in found else found
            if own not in found or found == {own}:
                # Where its kinds leave out its own, they are not known.
                continue
            fitting = [k for k in found if k is own or _holds_for(node, number, k)]
            if len(fitting) < len(found):
                names = sorted({k.__name__ for k in fitting})
                yield node, number, tuple(names)


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
            yield from (item for item in a.args if kind_of(item) is not None)
        elif kind_of(a) is not None:
            yield a


def _holds_for(node: Apply, number: Node, kind: Kind) -> bool:
    """Whether a result has its type for a number of another kind."""
    if kind is np.ndarray:
        return True  # an array without axes has the dtype of the number
    other = Node(_PYTHON.get(kind) or Num(np.dtype(kind), 0))
    args = tuple(_with(a, number, other) for a in node.args)
    elementwise = node.op.broadcasts
    found = deref(result_type(node.target, args, node.keywords, elementwise))
    own = deref(node.type)
    assert isinstance(own, Num)
    return isinstance(found, Num) and same_form(found, own)


def _with(node: Node, number: Node, other: Node) -> Node:
    """An argument with another number in the place of one."""
    if node is number:
        return other
    if not isinstance(node, Apply) or node.op not in (ops.LIST, ops.TUPLE):
        return node
    if not any(a is number for a in node.args):
        return node
    types = [other.type if a is number else a.type for a in node.args]
    if node.op is ops.TUPLE:
        return Node(Tuple(tuple(types)))
    item: Type = types[0]
    for t in types[1:]:
        item = join(item, t)
    return Node(List(item))


__all__ = ["look_at", "look_at_items", "mixed_lists", "mixed_operands"]
