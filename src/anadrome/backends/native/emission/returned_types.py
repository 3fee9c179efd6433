"""Numbers that are returned as what they are on the path that was taken.

Where paths meet, native code has one type for a number: `n if test else 1.0` is a
float, and so is `s` after `s = 0`, `for x in xs: s += x`. What is computed from it is
the same, but who gets the number itself sees an int become a float, or a float32 a
float64. So a number that leaves the program comes out of its branch, or of a choice
between what was there before a loop and what the loop made, as an object of Python's;
and what is computed from such a number on the way out is computed with the object.
A program that can start over takes it that such loops iterate.
"""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.cloning import clone_graph
from anadrome.ir.graph import UNDEFINED, Apply, Constant, Graph, Node, Output, walk
from anadrome.ir.types import BOOL, NEVER, STR, Num, deref
from anadrome.primitives.registry import Primitive, find_primitive

_BUILDERS = (ops.TUPLE, ops.LIST, ops.DICT, ops.NAMEDTUPLE, ops.RECORD)
_LOOPS = (ops.FOR, ops.WHILE)
_AS_IT_IS = Num(None, 0)
_LONGEST = 4
"""So many steps are followed from a number to what is returned."""
_ARITHMETIC = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.neg,
    operator.pos,
    abs,
)


def keep_returned_types(graph: Graph, assumes: bool = False) -> Graph:
    """The graph with numbers that it returns as they are on each path.

    If it `assumes`, it may fail where at a lower speculation level it would not.
    """
    found = _Keeping(assumes)
    # All are asked, as asking finds the loops.
    mixed = [found.is_mixed(n) for n in (*_returned(graph), *_shown(graph))]
    if not any(mixed) and not found.nonempty:
        return graph
    graph = clone_graph(graph)
    keeping = _Keeping(assumes)
    for shows in [n for n in walk(graph) if _shows(n)]:
        shows.args = tuple(keeping.as_it_is(a) for a in shows.args)
    graph.results = [keeping.as_it_is(n) for n in graph.results]
    for node in _returned(graph):
        if isinstance(node, Apply) and node.op in _BUILDERS:
            node.args = tuple(keeping.as_it_is(a) for a in node.args)
    for loop in keeping.nonempty.values():
        _require_iterations(loop)
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
    return node.op in (ops.OBSERVE, ops.FORMAT, ops.METHOD) or (
        node.op is ops.PYCALL and node.target is not True
    )


class _Keeping:
    """Which numbers are objects, and which loops are taken to iterate."""

    def __init__(self, assumes: bool) -> None:
        self.assumes = assumes
        self.nonempty: dict[int, Apply] = {}
        self.known: dict[int, bool] = {}

    def is_mixed(self, node: Node, steps: int = _LONGEST) -> bool:
        """Whether a number has another type on some path that leads to it."""
        t = deref(node.type)
        if not isinstance(t, Num) or t.ndim != 0:
            return False
        if isinstance(node, Apply):
            if not steps or not _is_arithmetic(node):
                return False
            return any(self.is_mixed(a, steps - 1) for a in node.args)
        if not isinstance(node, Output):
            return False
        found = self.known.get(id(node))
        if found is None:
            given = self._given(node, t)
            found = bool(given) and all(map(_is_number, given))
            found = found and any(
                _differs(n, t) or self.is_mixed(n, steps) for n in given
            )
            self.known[id(node)] = found
        return found

    def _given(self, node: Output, t: Num) -> list[Node]:
        """What a number is on the paths that lead to it."""
        statement = node.apply
        if statement.op in (ops.IF, ops.TRY):
            given = [region.results[node.index] for region in statement.regions]
            # A side that raises has nothing to say.
            return [n for n in given if n is not UNDEFINED]
        if statement.op not in _LOOPS or node.index >= statement.shape.carried:
            return []
        before, after = _around(node)
        if t.boxed or before is UNDEFINED or after in statement.regions[-1].params:
            # What an iteration hands on unchanged may be what was there before.
            return []
        given = [before, after]
        if not all(map(_is_number, given)) or not any(_differs(n, t) for n in given):
            return given
        if statement.op is ops.FOR:
            ran = _is_known_to_run(statement)
            if ran is not None:
                return [after] if ran else [before]
            if not _is_counted(statement):
                return []
            if self.assumes and not _differs(after, t):
                self.nonempty[id(statement)] = statement
                return []
        return given

    def as_it_is(self, node: Node) -> Node:
        """A number as an object, if it has another type on some path."""
        if not self.is_mixed(node):
            return node
        if isinstance(node, Apply):
            given = tuple(self.as_it_is(a) for a in node.args)
            made = Apply(node.op, given, _AS_IT_IS, span=node.span)
            made.target = node.target
            return _put(made, node)
        assert isinstance(node, Output)
        statement = node.apply
        if statement.op in _LOOPS:
            return self._after_loop(node)
        for region in statement.regions:
            region.results.append(self.as_it_is(region.results[node.index]))
        return statement.add_output(_AS_IT_IS)

    def _after_loop(self, node: Output) -> Node:
        """What a loop has made, or what was there before if it has no iterations."""
        loop = node.apply
        before, after = _around(node)
        graph = loop.graph
        assert graph is not None
        known = _is_known_to_run(loop) if loop.op is ops.FOR else None
        if known is not None:
            return _put(_typed(node, after), loop) if known else self.as_it_is(before)
        ran = _has_run(loop)
        choice = Apply(ops.IF, (ran,), NEVER, span=loop.span)
        choice.regions = Graph("then", graph), Graph("else", graph)
        made, kept = choice.regions
        made.results.append(made.append(_typed(node, after)))
        # Whatever it is before the loop is an object there, if it has to be one.
        kept.results.append(self.as_it_is(before))
        _put(choice, ran if isinstance(ran, Apply) else loop)
        return choice.add_output(_AS_IT_IS)


def _around(node: Output) -> tuple[Node, Node]:
    """What a loop carries: at its start, and at the end of each iteration."""
    loop = node.apply
    carried = loop.args[len(loop.args) - loop.shape.carried :]
    return carried[node.index], loop.regions[-1].results[node.index]


def _is_counted(loop: Apply) -> bool:
    """Whether the bounds of a loop say if there is a first iteration."""
    step = loop.args[2].value if isinstance(loop.args[2], Constant) else None
    return type(step) is int and step != 0


def _is_known_to_run(loop: Apply) -> bool | None:
    """Whether a counted loop has a first iteration, if that is known now."""
    bounds: list[Any] = [
        a.value if isinstance(a, Constant) else None for a in loop.args[:3]
    ]
    if any(type(b) is not int for b in bounds) or bounds[2] == 0:
        return None
    return bool(range(*bounds))


def _is_number(node: Node) -> bool:
    if isinstance(node, Constant):
        return isinstance(node.value, int | float | complex | np.generic)
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0


def _differs(node: Node, t: Num) -> bool:
    s = deref(node.type)
    assert isinstance(s, Num)
    mine, its = (s.dtype, s.python, s.boxed), (t.dtype, t.python, t.boxed)
    return s.dtype is not None and t.dtype is not None and mine != its


def _is_arithmetic(node: Apply) -> bool:
    return (
        isinstance(node.op, Primitive)
        and node.target in _ARITHMETIC
        and not node.keywords
        and all(map(_is_number, node.args))
    )


def _put(made: Apply, after: Apply) -> Apply:
    """Write a statement down behind another one."""
    assert after.graph is not None
    made.graph = after.graph
    after.graph.body.insert(after.graph.body.index(after) + 1, made)
    return made


def _typed(node: Node, like: Node) -> Apply:
    """A number in the type of another one."""
    t = deref(like.type)
    assert isinstance(t, Num)
    assert t.dtype is not None
    kind = type(t.dtype.type(0).item()) if t.python else t.dtype.type
    return Apply(ops.CONVERT, (Constant(kind, NEVER), node), t, span=node.span)


def _has_run(loop: Apply) -> Node:
    """Whether a loop has had an iteration."""
    if loop.op is ops.FOR:
        start, stop, step = loop.args[:3]
        assert isinstance(step, Constant)
        compare = operator.lt if step.value > 0 else operator.gt
        primitive = find_primitive(compare)
        assert primitive is not None
        test = Apply(primitive, (start, stop), BOOL, span=loop.span)
        test.target = compare
        return _put(test, loop)
    place = loop.shape.carried
    loop.shape = dataclasses.replace(loop.shape, carried=place + 1)
    loop.args = (*loop.args, Constant(False, BOOL))
    for region in loop.regions:
        region.add_parameter(BOOL)
    loop.regions[-1].results.insert(place, Constant(True, BOOL))
    flag = Output(loop, place, BOOL)
    loop.outputs.insert(place, flag)
    for k, output in enumerate(loop.outputs):
        output.index = k
    return flag


def _require_iterations(loop: Apply) -> None:
    """Fail after a loop without iterations: a number is what it was before it."""
    test = _has_run(loop)
    assert isinstance(test, Apply)
    message = Constant("a loop that was taken to iterate does not", STR)
    _put(Apply(ops.ASSERT, (test, message), NEVER, span=loop.span), test)
