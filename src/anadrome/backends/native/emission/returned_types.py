"""Numbers that are returned as what they are on the path that was taken.

Where paths meet, native code has one type for a number: `n if test else 1.0` is a
float. What is computed from it is the same, but who gets the number itself sees an int
become a float, or a float32 a float64. So a number that leaves the program comes out of
its branch as an object of Python's.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.cloning import clone_graph
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, walk
from anadrome.ir.types import (
    ANY,
    INT,
    NEVER,
    AnyType,
    Function,
    Num,
    Optional,
    Type,
    deref,
    is_stored,
)
from anadrome.primitives.registry import Primitive, find_primitive

_BUILDERS = (ops.TUPLE, ops.LIST, ops.DICT, ops.NAMEDTUPLE, ops.RECORD)
_AS_IT_IS = Num(None, 0)


def keep_returned_types(graph: Graph) -> Graph:
    """The graph with numbers that it returns as they are on each path."""
    if not any(map(_is_mixed, (*_returned(graph), *_shown(graph)))):
        return graph
    graph = clone_graph(graph)
    for shows in [n for n in walk(graph) if _shows(n)]:
        shows.args = tuple(map(_as_it_is, shows.args))
    graph.results = [_as_it_is(n) for n in graph.results]
    for node in _returned(graph):
        if isinstance(node, Apply):
            node.args = tuple(_as_it_is(a) for a in node.args)
    return graph


def _returned(graph: Graph) -> list[Node]:
    """What a graph returns, and what that is built of."""
    found: list[Node] = []
    pending = list(graph.results)
    while pending:
        node = pending.pop()
        found.append(node)
        if isinstance(node, Apply) and node.op in _BUILDERS:
            pending += node.args
    return found


def _shown(graph: Graph) -> list[Node]:
    """What functions of Python's are given, and what is made text."""
    return [a for n in walk(graph) if _shows(n) for a in n.args]


def _shows(node: Apply) -> bool:
    """Whether a statement lets somebody see the types of numbers."""
    t = deref(node.type)
    if isinstance(node.op, Primitive) and isinstance(t, Num):
        # The dtype of an array may follow from them.
        return node.op.broadcasts and t.dtype is None and t.ndim != 0
    return node.op in (ops.OBSERVE, ops.FORMAT, ops.METHOD) or (
        node.op is ops.PYCALL and node.target is not True
    )


def _is_mixed(node: Node) -> bool:
    """Whether a number has another type on some path that leads to it."""
    if _is_operation(node):
        return any(map(_is_mixed, node.args))  # type: ignore[attr-defined]
    if not isinstance(node, Output):
        return False
    if node.apply.op in (ops.FOR, ops.WHILE):
        return _may_stay(node)
    if node.apply.op not in (ops.IF, ops.TRY):
        return False
    given = [region.results[node.index] for region in node.apply.regions]
    if isinstance(deref(node.type), AnyType | Optional):
        # What is no number on one path may be one of two on another.
        return any(map(_is_mixed, given))
    kinds = [t for n in (node, *given) if isinstance(t := deref(n.type), Num)]
    if len(kinds) <= len(given) or not all(map(_is_as_good_as_a_number, kinds)):
        return False
    if any(isinstance(n, Constant) and not _is_number(n.value) for n in given):
        return False
    # As an object it comes out as what it is, but for a number that is an array.
    tells = kinds[0].dtype is not None or any(t.boxed for t in kinds[1:])
    differ = tells and len({*map(_kind, kinds)}) > 1
    return differ or any(map(_is_mixed, given))


def _is_operation(node: Node) -> bool:
    """Whether a number is computed from others by an operator."""
    if not isinstance(node, Apply) or not isinstance(node.op, Primitive):
        return False
    t = deref(node.type)
    if not node.op.broadcasts or node.keywords or node.target is None:
        return False
    operator = getattr(node.target, "__module__", "") == "_operator"
    operator = operator or isinstance(node.target, np.ufunc)
    return operator and isinstance(t, Num) and t.scalar


def _may_stay(node: Output) -> bool:
    """Whether a number has the type that it began with after no iteration."""
    loop, k = node.apply, node.index
    if k >= loop.shape.carried:
        return False
    first, after = _first(node), loop.regions[-1].results[k]
    kinds = [t for n in (node, first, after) if isinstance(t := deref(n.type), Num)]
    if len(kinds) < 3 or any(t.dtype is None for t in kinds):
        return False
    if not all(map(_is_as_good_as_a_number, kinds)):
        return False
    if isinstance(first, Constant) and not _is_number(first.value):
        return False
    return _kind(kinds[1]) != _kind(kinds[2]) and not _is_mixed(after)


def _first(node: Output) -> Node:
    """What a variable of a loop is before it."""
    loop = node.apply
    return loop.args[len(loop.args) - loop.shape.carried + node.index]


def _is_as_good_as_a_number(t: Num) -> bool:
    """Whether native code has a number for it: so it has for most 0-d arrays."""
    return t.ndim == 0 and not is_stored(t)


def _kind(t: Num) -> tuple[object, bool, bool]:
    return t.dtype, t.python, t.boxed


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | complex | np.generic)


def _as_it_is(node: Node) -> Node:
    """A number as an object, if it has another type on some path."""
    if not _is_mixed(node):
        return node
    if isinstance(node, Apply):
        return _computed(node)
    assert isinstance(node, Output)
    statement = node.apply
    if statement.op in (ops.FOR, ops.WHILE):
        return _after_loop(node)
    for region in statement.regions:
        given = _as_it_is(region.results[node.index])
        region.results.append(_as_array(region, given))
    whole = isinstance(deref(node.type), Num)
    return statement.add_output(_AS_IT_IS if whole else ANY)


def _computed(node: Apply) -> Node:
    """The result of an operator on numbers as they are."""
    args = tuple(map(_as_it_is, node.args))
    made = Apply(node.op, args, _AS_IT_IS, span=node.span)
    made.target = node.target
    return _insert(made, node)


def _after_loop(node: Output) -> Node:
    """What a loop leaves: what it began with if there was no iteration."""
    loop = node.apply
    graph = loop.graph
    assert graph is not None
    if not loop.shape.counts:
        loop.shape = dataclasses.replace(loop.shape, counts=True)
        loop.add_output(INT)
    sides = Graph("then", graph), Graph("else", graph)
    after = loop.regions[-1].results[node.index]
    sides[0].results = [_converted(sides[0], node, deref(after.type))]
    sides[1].results = [_as_array(sides[1], _as_it_is(_first(node)))]
    made = Apply(ops.IF, (loop.outputs[-1],), NEVER, regions=sides)
    return _insert(made, loop).add_output(_AS_IT_IS)


def _as_array(graph: Graph, node: Node, t: Type | None = None) -> Node:
    """A 0-d array, if it is one, as an object."""
    kind = deref(node.type if t is None else t)
    if not isinstance(kind, Num) or not kind.boxed or isinstance(node, Constant):
        return node
    made = Apply(ops.PYCALL, (Constant(np.array, Function(np.array)), node), _AS_IT_IS)
    made.target = True
    return graph.append(made)


def _insert(made: Apply, after: Apply) -> Apply:
    """Put a statement right after another one."""
    graph = after.graph
    assert graph is not None
    made.graph = graph
    graph.body.insert(graph.body.index(after) + 1, made)
    return made


def _converted(graph: Graph, node: Node, t: Type) -> Node:
    """A number in the type that an iteration gives it."""
    own = deref(node.type)
    assert isinstance(own, Num)
    assert isinstance(t, Num)
    assert t.dtype is not None
    if t.boxed:
        return _as_array(graph, node, t)
    if _kind(own) == _kind(t):
        return node
    if t.python:
        cls = {"b": bool, "i": int, "f": float, "c": complex}[t.dtype.kind]
        return graph.append(Apply(ops.CONVERT, (Constant(cls, ANY), node), t))
    convert = find_primitive(t.dtype.type)
    made = Apply(convert, (node,), t)
    made.target = t.dtype.type
    return graph.append(made)
