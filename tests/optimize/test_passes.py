"""Each pass on a program that shows what it is for, and on one it must not touch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.ir.verify import verify
from anadrome.optimize.simplify.algebra import simplify_algebra
from anadrome.optimize.simplify.broadcasts import remove_broadcasts
from anadrome.optimize.simplify.common_subexpressions import share_expressions
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.optimize.simplify.fields import forward_fields, read_fields_once
from anadrome.optimize.simplify.loop_invariants import (
    drop_constant_carries,
    hoist_invariants,
)
from anadrome.primitives.indexing import unbroadcast

X = np.array([0.5, -1.5, 2.0])
M = np.arange(6.0).reshape(2, 3)


@dataclass
class Pair:
    left: np.ndarray
    right: np.ndarray


def after(function, args, *passes):
    """The source and the value of a function after some passes."""
    graph = read(function, args, {}).graph
    for run in (remove_dead_code, *passes, remove_dead_code):
        verify(run(graph))
    compiled, source = compile_graph(graph, "f")
    np.testing.assert_allclose(compiled(*args), function(*args), rtol=1e-15)
    return source.text


def test_algebra_takes_ones_away():
    text = after(lambda x: np.sum(1.0 * x * 1.0), (X,), simplify_algebra)
    assert "1.0" not in text


def test_algebra_keeps_what_changes_the_type():
    text = after(lambda x: np.sum(1.0 * x), (np.arange(3),), simplify_algebra)
    assert "1.0 * x" in text


def test_algebra_keeps_sums_with_zero():
    text = after(lambda x: x + 0.0, (-0.0,), simplify_algebra)
    assert "0.0" in text


def test_sharing_computes_once():
    def twice(x):
        return np.sum(np.exp(x) * np.exp(x))

    assert after(twice, (X,), share_expressions).count("np.exp") == 1


def test_sharing_keeps_what_is_changed_in_between():
    def changed(x):
        y = x * 1.0
        a = np.sum(np.exp(y))
        y[0] = 3.0
        return a + np.sum(np.exp(y))

    assert after(changed, (X,), share_expressions).count("np.exp") == 2


def test_fields_of_what_was_built_are_known():
    def pair(x):
        p = (x * 2.0, x)
        q = [p, p]
        return np.sum(q[0][0]) + np.sum(p[1])

    assert "[1]" not in after(pair, (X,), forward_fields)


def test_fields_are_read_once():
    def repeated(p):
        s = 0.0
        for _ in range(3):
            s = s * np.sum(p.left) + np.sum(p.right)
        return s

    text = after(repeated, (Pair(X, X + 1),), read_fields_once)
    assert text.index("p.left") < text.index("for ")


def test_fields_that_change_are_read_every_time():
    def changed(p):
        s = 0.0
        for _ in range(3):
            s = s + np.sum(p.left)
            p.left = p.left * 2.0
        return s

    graph = read(changed, (Pair(X, X),), {}).graph
    verify(read_fields_once(graph))
    compiled, _ = compile_graph(graph, "f")
    assert compiled(Pair(X, X)) == changed(Pair(X, X))


def test_constant_loop_variables_go():
    def constant(x):
        s, c = 0.0, x * 2.0
        for _ in range(3):
            s, c = s + np.sum(c), c
        return s

    graph = read(constant, (X,), {}).graph
    verify(drop_constant_carries(graph))
    loop = next(n for n in graph.body if n.regions)
    assert loop.shape.carried == 1


def test_invariants_leave_the_loop_only_if_they_cannot_fail():
    def loop(x, n):
        s = 0.0
        for _ in range(n):
            s = s + x.T.shape[0] + 1.0 / x[7]
        return s

    text = after(loop, (X, 0), hoist_invariants)
    assert text.index("x.T") < text.index("for ")
    assert text.index("x[7]") > text.index("for ")


def test_broadcasts_go_where_shapes_are_shown_to_agree():
    def summed(x, y, m):
        z = m @ y + x
        return np.sum(unbroadcast(z, np.shape(x)))

    text = after(summed, (X[:2], X, M), remove_broadcasts)
    assert "unbroadcast" not in text


def test_broadcasts_stay_where_an_axis_may_be_one():
    def summed(x, y):
        z = x + y
        return np.sum(unbroadcast(z, np.shape(x)) ** 2)

    assert "unbroadcast" in after(summed, (X[:1], X), remove_broadcasts)


def test_what_a_branch_shows_does_not_hold_outside():
    def summed(x, y, flag):
        a = x[1:]
        z = a * 2.0
        if flag > 0:
            z = a + y
        w = unbroadcast(np.ones(3) * y, np.shape(y)) * 1.0
        return np.sum(z) + np.sum(unbroadcast(a * w, np.shape(a)))

    text = after(summed, (X[:2], X, -1.0), remove_broadcasts)
    assert "unbroadcast(" in text
