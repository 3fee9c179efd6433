"""Whole programs in native code give what the Python backend gives."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from anadrome.backends.native.speculation import NativeFunction
from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.ir.types import is_differentiable
from anadrome.optimize.passes import optimize
from anadrome.transform.reverse.walk import reverse


def scalar_loop(x):
    while x < 100.0:
        x = x + 1.0
    return x


def fused(x, y):
    return np.sum(np.tanh(x * y) + np.exp(-x) / (1.0 + y * y))


def rnn(x, W, U, h):
    for t in range(len(x)):
        h = np.tanh(x[t] @ W + h @ U)
    return np.sum(h * h)


def in_place(x):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = x[i] * x[i - 1] + 0.5 * y[i - 1]
        if y[i] > 10.0:
            break
    return np.sum(y * y)


def factorial(n, x):
    return x if n <= 1 else x * n * factorial(n - 1, x)


def early(x):
    for v in x:
        if v > 0.5:
            return v * v
    return x[0]


def rows(x, ids):
    return np.sum(x[ids] ** 2)


def _vector(n, *shape):
    return np.random.default_rng(n).normal(size=shape)


def read_before_it_changes(x):
    old = np.sin(np.where(np.array([True, False, True]), x[:], 1.0))
    for _ in range(2):
        x -= x * 0.5
    return np.sum(np.sin(old)) + np.sum(x)


def replaced_in_nested_loops(x):
    kept = [x * 1.5, x * 2.0]
    for _ in range(2):
        for _ in range(2):
            kept[-1] = kept[0]
    return np.sum(kept[1] * x)


PROGRAMS = [
    (replaced_in_nested_loops, (_vector(10, 3),)),
    (read_before_it_changes, (_vector(9, 3),)),
    (scalar_loop, (0.25,)),
    (fused, (_vector(0, 3, 5), _vector(1, 5))),
    (fused, (_vector(0, 4, 1), _vector(1, 1, 3))),
    (rnn, (_vector(2, 6, 2, 3), _vector(3, 3, 4), _vector(4, 4, 4), _vector(5, 2, 4))),
    (in_place, (_vector(6, 8),)),
    (factorial, (5, 1.5)),
    (early, (_vector(7, 6),)),
    (rows, (_vector(8, 5, 3), np.array([0, 2, 2]))),
]


def graphs_of(function, args):
    program = read(function, args, {})
    primal = optimize(program.graph)
    sources = [p for _, p in program.arguments if is_differentiable(p.type)]
    name = f"grad_{function.__name__}"
    yield "primal", primal
    yield "gradient", optimize(reverse(primal, sources, name, seeded=False, value=True))


def flat(value):
    if isinstance(value, tuple):
        return [leaf for v in value for leaf in flat(v)]
    return [value]


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_agrees_with_the_python_backend(function, args):
    for what, graph in graphs_of(function, args):
        reference, _ = compile_graph(graph, "program")
        native = NativeFunction(graph)
        expected = flat(reference(*copy.deepcopy(args)))
        for _ in range(2):
            found = flat(native(*copy.deepcopy(args)))
            assert len(found) == len(expected), what
            for a, b in zip(found, expected):
                assert np.shape(a) == np.shape(b)
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def test_one_program_serves_all_sizes():
    graph = optimize(read(fused, (np.ones((2, 2)), np.ones(2)), {}).graph)
    native = NativeFunction(graph)
    for shape in ((1, 1), (3, 7), (64, 33), (0, 4)):
        x, y = _vector(1, *shape), _vector(2, shape[1])
        np.testing.assert_allclose(native(x, y), fused(x, y), rtol=1e-12)


def test_strides_of_any_kind():
    graph = optimize(read(fused, (np.ones((2, 2)), np.ones(2)), {}).graph)
    native = NativeFunction(graph)
    x, y = _vector(1, 9, 6).T[::2, ::-1], _vector(2, 18)[::2]
    np.testing.assert_allclose(native(x, y), fused(x, y), rtol=1e-12)


def test_an_index_out_of_bounds_is_an_exception_at_the_users_line():
    def reads(x, i):
        return x[i] * 2.0

    graph = optimize(read(reads, (np.ones(3), 1), {}).graph)
    native = NativeFunction(graph)
    assert native(np.arange(3.0), -1) == 4.0
    with pytest.raises(IndexError, match="out of bounds") as caught:
        native(np.arange(3.0), 3)
    assert "x[i] * 2.0" in caught.value.__notes__[0]
    assert native(np.arange(3.0), 2) == 4.0


def test_shapes_that_do_not_fit_are_an_exception():
    graph = optimize(read(fused, (np.ones((2, 2)), np.ones(2)), {}).graph)
    native = NativeFunction(graph)
    with pytest.raises(ValueError, match="broadcast"):
        native(np.ones((2, 3)), np.ones(4))


def test_a_function_without_lowering_runs_in_python():
    def sorts(x):
        return np.sum(np.sort(x) * np.arange(3.0))

    graph = optimize(read(sorts, (np.ones(3),), {}).graph)
    x = np.array([3.0, 1.0, 2.0])
    assert NativeFunction(graph)(x) == sorts(x)


def test_exceptions_are_caught_by_the_users_handler():
    def tries(x):
        try:
            y = float("nan" if x > 0 else "text")
        except ValueError:
            y = x * 2.0
        return y

    native = NativeFunction(optimize(read(tries, (1.0,), {}).graph))
    assert np.isnan(native(1.0))
    assert native(-1.0) == -2.0


class Branch:
    def __init__(self, left, right, value):
        self.left, self.right, self.value = left, right, value


def grown(depth):
    if depth == 0:
        return Branch(None, None, 0.5)
    return Branch(grown(depth - 1), grown(depth // 2), 0.1 * depth)


def folded(tree, w):
    if tree.left is None:
        return np.tanh(w * tree.value)
    return np.sin(folded(tree.left, w) * w + folded(tree.right, w)) + tree.value


def test_recursion_over_trees_of_any_shape():
    def total(w, tree):
        return np.sum(folded(tree, w))

    w = _vector(3, 4)
    program = read(total, (w, grown(3)), {})
    primal = optimize(program.graph)
    sources = [p for k, p in program.arguments if k == 0]
    graph = optimize(reverse(primal, sources, "grad", seeded=False, value=True))
    reference, _ = compile_graph(graph, "program")
    native = NativeFunction(graph)
    for depth in (0, 1, 3, 6):
        expected, found = reference(w, grown(depth)), native(w, grown(depth))
        for a, b in zip(flat(found), flat(expected)):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
