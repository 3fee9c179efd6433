"""Comprehensions of lists and dictionaries: loops with a scope of their own."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.branches import branch
from anadrome.frontend.syntax.loop_fixpoint import Loop, run_loop
from anadrome.frontend.values.compile_time import Frame, Scope
from anadrome.frontend.values.iteration import Iteration, iterate, mapped
from anadrome.frontend.values.iterators import (
    Cursor,
    Generator,
    is_fresh,
    iterator_of,
    make_cursor,
)
from anadrome.frontend.values.own_iterators import opened
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import NeverType, deref


def comprehension(
    it: Interpreter, generators: list[ast.comprehension], element: Callable[[], Node]
) -> Node:
    """The list that a comprehension makes."""
    from anadrome.frontend.syntax.expressions import evaluate

    # The first iterable belongs to the scope around the comprehension.
    with it.at(generators[0].iter):
        given = opened(it, evaluate(it, generators[0].iter))
        over = given if _is_generator(given) else iterate(it, given)
    scope = _comprehension_scope(it, generators)
    frame, it.frames[-1] = it.frame, _with_scope(it, scope)
    try:
        return _comprehend(it, generators, element, over)
    finally:
        it.frames[-1] = frame
        it.drop_scope(scope)


def generator(it: Interpreter, node: ast.GeneratorExp) -> Node:
    """A generator expression: an iterator that makes each item when it is asked."""
    from anadrome.frontend.syntax.generators import generator_expression

    first, *more = node.generators
    if more or first.ifs or first.is_async:
        return generator_expression(it, node)
    from anadrome.frontend.syntax.expressions import evaluate

    with it.at(first.iter):
        given = opened(it, evaluate(it, first.iter))
    if not is_fresh(it, given):
        return generator_expression(it, node, given)
    iterate_lazily = lazily(it, given)
    scope = _comprehension_scope(it, node.generators)
    source = it.frame.source
    it.frame.scope.captured = True

    def element(items: list[Node]) -> Node:
        from anadrome.frontend.syntax.assignment import bind

        frame = Frame(scope, source, it.span)
        frame.ends = made.value.position
        it.frames.append(frame)
        try:
            bind(it, first.target, items[0])
            return evaluate(it, node.elt)
        finally:
            it.frames.pop()

    made = make_cursor(it, lambda taken: mapped(it, [iterate_lazily(taken)], element))
    return made


def lazily(it: Interpreter, node: Node) -> Callable[[Node], Iteration]:
    """How to run over a value that nobody else runs over, when it is asked for."""
    found = iterator_of(node)
    if isinstance(found, Cursor):
        return found.make
    over = iterate(it, node)
    if over.size is not None and not over.lists:
        return lambda taken: over
    return lambda taken: iterate(it, node)


def _with_scope(it: Interpreter, scope: Scope) -> Any:
    from dataclasses import replace

    return replace(it.frame, scope=scope)


def _comprehension_scope(it: Interpreter, generators: list[ast.comprehension]) -> Scope:
    from anadrome.frontend.syntax.liveness import bound

    names: frozenset[str] = frozenset()
    for g in generators:
        names |= bound(g.target)
    scope = Scope(it.frame.source, it.frame.scope, locals=names)
    scope.is_comprehension = True
    return scope


def _comprehend(
    it: Interpreter,
    generators: list[ast.comprehension],
    element: Callable[[], Node],
    over: Iteration | Node | None = None,
) -> Node:
    from anadrome.frontend.syntax.assignment import bind
    from anadrome.frontend.syntax.expressions import evaluate, tested
    from anadrome.frontend.values.item_writes import append, extend
    from anadrome.frontend.values.sequences import _loop_list, make_list

    first = generators[0]
    if first.is_async:
        raise it.fail(
            UnsupportedSyntax,
            "'async for' cannot be differentiated",
            "make it an ordinary loop",
        )
    if over is None:
        with it.at(first.iter):
            given = opened(it, evaluate(it, first.iter))
            over = given if _is_generator(given) else iterate(it, given)
    if isinstance(over, Node):
        return _of_generator(it, generators, element, over)
    simple = len(generators) == 1 and not first.ifs
    if over.items is not None:
        return _unrolled(it, generators, element, over.items)
    if simple:

        def value(item: Node) -> Node:
            bind(it, first.target, item)
            return element()

        return _loop_list(it, over, value)
    out = make_list(it, [])

    def body(index: Node | None) -> None:
        assert index is not None
        assert over.item is not None
        bind(it, first.target, over.item(index))
        nested(list(first.ifs))

    def nested(tests: list[ast.expr]) -> None:
        if tests:
            test = tested(it, tests[0])
            if isinstance(test, Constant):
                if test.value:
                    nested(tests[1:])
                return
            branch(it, test, lambda: nested(tests[1:]), lambda: None, it.frame_live())
        elif len(generators) > 1:
            inner = _comprehend(it, generators[1:], element)
            extend(it, out, inner)
        else:
            append(it, out, element())

    assert over.bounds is not None
    run_loop(it, Loop(over.bounds, None, body, [], it.frame_live()))
    return out


def _is_generator(node: Node) -> bool:
    return isinstance(iterator_of(node), Generator)


def _of_generator(
    it: Interpreter,
    generators: list[ast.comprehension],
    element: Callable[[], Node],
    over: Node,
) -> Node:
    """A comprehension over a generator, which runs as the list grows."""
    from anadrome.frontend.syntax.assignment import bind
    from anadrome.frontend.syntax.expressions import choose_statement, tested
    from anadrome.frontend.syntax.generators import consume
    from anadrome.frontend.values.item_writes import append, extend
    from anadrome.frontend.values.sequences import make_list

    first, *more = generators
    out = make_list(it, [])

    def nested(tests: list[ast.expr]) -> None:
        if tests:
            choose_statement(
                it,
                tested(it, tests[0]),
                lambda: nested(tests[1:]),
                lambda: None,
                it.frame_live(),
            )
        elif more:
            extend(it, out, _comprehend(it, more, element))
        else:
            append(it, out, element())

    def visit(value: Node) -> Node:
        bind(it, first.target, value)
        nested(list(first.ifs))
        return it.constant(False)

    consume(it, over, visit)
    return out


def _unrolled(
    it: Interpreter,
    generators: list[ast.comprehension],
    element: Callable[[], Node],
    items: list[Node],
) -> Node:
    from anadrome.frontend.syntax.assignment import bind
    from anadrome.frontend.syntax.expressions import tested
    from anadrome.frontend.values.item_writes import append, extend
    from anadrome.frontend.values.sequences import known, make_list

    first = generators[0]
    made: list[Node] = []
    out: list[Node | None] = [None]

    def add(value: Node) -> None:
        if out[0] is None:
            made.append(value)
        else:
            append(it, out[0], value)

    def nested(tests: list[ast.expr]) -> None:
        if tests:
            test = tested(it, tests[0])
            if isinstance(test, Constant):
                if test.value:
                    nested(tests[1:])
                return
            if out[0] is None:
                out[0] = make_list(it, list(made))
            branch(it, test, lambda: nested(tests[1:]), lambda: None, it.frame_live())
        elif len(generators) > 1:
            inner = _comprehend(it, generators[1:], element)
            found = known(it, inner)
            if found is not None and out[0] is None:
                made.extend(found)
            else:
                whole = out[0] if out[0] is not None else make_list(it, list(made))
                out[0] = whole
                extend(it, whole, inner)
        else:
            add(element())

    for item in items:
        bind(it, first.target, item)
        nested(list(first.ifs))
    return out[0] if out[0] is not None else make_list(it, made)


def summed(it: Interpreter, node: ast.ListComp | ast.GeneratorExp, start: Node) -> Node:
    """`sum` of a comprehension without conditions, added up as it goes."""
    from anadrome.frontend.syntax.expressions import evaluate

    generators = node.generators
    with it.at(generators[0].iter):
        over = iterate(it, evaluate(it, generators[0].iter))
    scope = _comprehension_scope(it, generators)
    frame, it.frames[-1] = it.frame, _with_scope(it, scope)
    try:
        return _added_up(it, generators, node.elt, start, over)
    finally:
        it.frames[-1] = frame
        it.drop_scope(scope)


def _added_up(
    it: Interpreter,
    generators: list[ast.comprehension],
    element: ast.expr,
    start: Node,
    over: Iteration,
) -> Node:
    from anadrome.frontend.calls.builtins import accumulate
    from anadrome.frontend.syntax.assignment import bind
    from anadrome.frontend.syntax.expressions import binary, evaluate

    first, *rest = generators

    def step(total: Node, item: Node) -> Node:
        bind(it, first.target, item)
        if not rest:
            return binary(it, operator.add, total, evaluate(it, element))
        with it.at(rest[0].iter):
            inner = iterate(it, evaluate(it, rest[0].iter))
        return _added_up(it, rest, element, total, inner)

    return accumulate(it, over, start, step)


def dict_comprehension(
    it: Interpreter,
    generators: list[ast.comprehension],
    key: Callable[[], Node],
    value: Callable[[], Node],
) -> Node:
    """The dictionary that a comprehension makes."""

    from anadrome.frontend.values.item_writes import new_dict, set_item
    from anadrome.frontend.values.sequences import known

    pairs = comprehension(it, generators, lambda: make_tuple(it, [key(), value()]))
    made = new_dict(it)
    items = known(it, pairs)
    if items is not None:
        for pair in items:
            set_item(it, made, take(it, pair, 0), take(it, pair, 1))
        return made
    heap = it.concrete(made)
    over = iterate(it, pairs)
    assert over.bounds is not None
    assert over.item is not None

    def body(index: Node | None) -> None:
        assert index is not None
        assert over.item is not None
        pair = over.item(index)
        if not isinstance(deref(pair.type), NeverType):  # there are none
            set_item(it, heap, take(it, pair, 0), take(it, pair, 1))

    run_loop(it, Loop(over.bounds, None, body, [], it.frame_live()))
    return heap
