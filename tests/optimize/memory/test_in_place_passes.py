"""Passes for arrays that are changed in place: what each leaves of a gradient."""

from __future__ import annotations

import re

import numpy as np
import pytest
from gradient_graphs import after, gradient

from anadrome.backends.native.compile import Level
from anadrome.backends.native.speculation import NativeFunction
from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.ir.printer import print_graph
from anadrome.ir.verify import verify
from anadrome.optimize.memory.accumulate_products import accumulate_products
from anadrome.optimize.memory.clear_elision import elide_clears
from anadrome.optimize.memory.layout import lay_out_buffers
from anadrome.optimize.memory.rematerialise import rematerialise_views
from anadrome.optimize.passes import optimize
from anadrome.optimize.simplify.common_subexpressions import share_expressions
from anadrome.optimize.simplify.dead_code import remove_dead_code


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def smooth(a, steps):
    a = a.copy()
    b = np.zeros_like(a)
    for _ in range(steps):
        b[1:] = a[:-1] * 0.5
        a[1:] += b[1:]
    return np.sum(a * a)


def test_views_are_rematerialised():
    graph, args = gradient(smooth, (normal(0, 5), 3)), (normal(0, 5), 3)
    before = print_graph(graph)
    text = after(graph, args, rematerialise_views, remove_dead_code)
    stack = "stack float64[:]!"
    assert stack in before
    assert stack not in text
    back = text[text.index("back(") :]
    for array in ("∂a", "∂b"):
        assert f"[:]! = getitem({array}, " in back


def damped(x, w):
    for k in range(w.shape[1]):
        x = x * (0.5 * w[:, k] - 1.0)
    return np.sum(x)


def mixed(x, w):
    for k in range(w.shape[1]):
        x = x * (w[:, k] * w[:, k - 1])
    return np.sum(x)


@pytest.mark.parametrize(("function", "kept"), [(damped, 1), (mixed, 2)])
def test_multiples_of_parts_are_rematerialised(function, kept):
    args = normal(0, 4), normal(1, 4, 3)
    text = after(gradient(function, args), args, rematerialise_views, remove_dead_code)
    # What the loop carries is kept, and so is what comes from two parts.
    assert text.split("back(")[0].count("stack float64[:]") == kept


def test_snapshots_are_still_kept():
    def squares(a, steps):
        a = a.copy()
        for _ in range(steps):
            a[1:] *= a[:-1]
        return np.sum(a)

    args = (normal(1, 5), 3)
    text = after(gradient(squares, args), args, rematerialise_views, remove_dead_code)
    assert "stack float64[:]" in text
    assert "copy(" in text[text.index("body(") : text.index("back(")]


def test_numbers_that_change_are_not_rematerialised():
    def product(a, n):
        a = a.copy()
        for i in range(1, n):
            a[i] = a[i] * a[i - 1]
        return a[n - 1]

    args = (normal(2, 5), 5)
    text = after(gradient(product, args), args, rematerialise_views, remove_dead_code)
    assert "stack float64" in text


def test_cotangents_of_updates_stay_where_they_are():
    args = (normal(3, 5), 3)
    passes = (rematerialise_views, remove_dead_code, share_expressions)
    before = after(gradient(smooth, args), args, *passes)
    text = after(gradient(smooth, args), args, *passes, elide_clears)
    # `b` is overwritten, so its cotangent is cleared; `a` is only added to.
    assert before.count("0.0)") == 2
    assert text.count("0.0)") == 1
    assert re.search(r"setitem\(∂b, \w+, 0.0\)", text)


def test_what_is_read_in_between_is_cleared_first():
    def crossed(a, steps):
        a = a.copy()
        for _ in range(steps):
            a[1:] += a[:-1]
        return np.sum(a * a)

    args = (normal(4, 5), 3)
    passes = (rematerialise_views, remove_dead_code, share_expressions, elide_clears)
    after(gradient(crossed, args), args, *passes)


def test_several_updates_of_a_place_are_one():
    def thrice(a, w, steps):
        a = a.copy()
        b = np.zeros_like(a)
        for _ in range(steps):
            inner = a[1:-1]
            b[1:-1] = inner * w - 2 * inner + inner * 0.5 + a[2:] + a[:-2]
            a[1:-1] = b[1:-1]
        return np.sum(a)

    args = (normal(5, 6), normal(6, 4), 2)
    passes = (rematerialise_views, remove_dead_code, share_expressions)
    before = after(gradient(thrice, args), args, *passes)
    text = after(gradient(thrice, args), args, *passes, elide_clears)
    assert text.count("setitem(∂inner") == 1
    assert before.count("setitem(∂inner") == 3


def test_loops_over_the_last_axis_have_it_outermost():
    def columns(x):
        u = x.copy()
        for k in range(1, u.shape[1]):
            u[:, k] += 0.5 * u[:, k - 1]
        return np.sum(u * u)

    args = (normal(7, 3, 4),)
    text = after(gradient(columns, args), args, lay_out_buffers)
    lines = text.splitlines()
    assert lines[1].strip() == "t1: float64[:, :] = transpose(x, (1, 0))"
    assert lines[2].strip() == "u: float64[:, :]! = copy(t1)"
    assert lines[3].strip() == "t2: float64[:, :]! = transpose(u, (1, 0))"


def test_loops_over_the_first_axis_leave_buffers_as_they_are():
    def rows(x):
        u = x.copy()
        for k in range(1, u.shape[0]):
            u[k] += 0.5 * u[k - 1]
        return np.sum(u * u)

    args = (normal(8, 3, 4),)
    assert "transpose" not in after(gradient(rows, args), args, lay_out_buffers)


def filtered(x):
    """Columns of an argument, read several times, and added to in the backward pass."""
    y = np.zeros_like(x)
    for k in range(2, x.shape[1]):
        y[:, k] = x[:, k] + 0.5 * x[:, k - 1] + 0.1 * y[:, k - 2]
    return np.sum(y * y)


def test_arguments_that_loops_read_by_columns_are_copied_once():
    args = (normal(9, 3, 6),)
    graph = gradient(filtered, args)
    assert "transpose" not in print_graph(graph)
    text = after(graph, args, lay_out_buffers)
    lines = [line.strip() for line in text.splitlines()]
    assert lines[1] == "t1: float64[:, :] = transpose(x, (1, 0))"
    assert lines[2] == "x_1: float64[:, :] = copy(t1)"
    assert lines[3] == "t2: float64[:, :] = transpose(x_1, (1, 0))"
    loop = text[text.index("for(") : text.index("yield")]
    assert loop.count("getitem(t2, ") == 2
    assert "getitem(x, " not in loop
    # What is added up for the argument lies the same way.
    assert "t30: float64[:, :] = zeros_like(t29)" in lines
    assert "t31: float64[:, :] = transpose(t30, (1, 0))" in lines


def test_arguments_beside_the_one_that_a_loop_goes_along_are_copied_too():
    def carried(x, w):
        y = x.copy()
        for k in range(1, y.shape[1]):
            y[:, k] = y[:, k] * w[:, k] + w[:, k - 1] * y[:, k - 1]
        return np.sum(y * y)

    args = normal(9, 3, 6), normal(10, 3, 6)
    text = after(gradient(carried, args), args, lay_out_buffers)
    loop = text[text.index("for(") : text.index("yield")]
    assert "getitem(w, " not in loop


@pytest.mark.parametrize("columns", [2, 4])
def test_arguments_of_which_loops_may_read_little_stay(columns):
    def begun(x, n):
        y = np.zeros(x.shape[0])
        for k in range(2, n):
            y[:] = x[:, k] + 0.5 * x[:, k - 1] * x[:, k - 2] + y
        return np.sum(y * y)

    args = (normal(9, 3, 6), columns)
    text = after(gradient(begun, args), args, lay_out_buffers)
    assert "copy(t1)" not in text


def test_arguments_that_are_read_once_by_columns_stay():
    def scaled(x):
        y = np.zeros_like(x)
        for k in range(1, x.shape[1]):
            y[:, k] = x[:, k] + 0.5 * y[:, k - 1]
        return np.sum(y * y)

    args = (normal(9, 3, 6),)
    text = after(gradient(scaled, args), args, lay_out_buffers)
    assert "copy(t1)" not in text


def products_between_stores(w, x, y):
    """Two products that are added one after the other."""
    w = w.copy()
    v = np.zeros_like(w)
    for _ in range(3):
        s, t = np.outer(x, y), np.outer(y, x)
        v += s
        w += t
    return w, v


def product_of_what_is_stored(w, x):
    w, x = w.copy(), x.copy()
    for _ in range(3):
        t = np.outer(x, x)
        x[0] = 2.0
        w += t
    return w


def sum_before_a_store(w, x):
    w = w.copy()
    for _ in range(3):
        t = w + np.outer(x, x)
        w[0, 0] = 7.0
        w[...] = t
    return w


@pytest.mark.parametrize(
    ("function", "args", "found"),
    [
        (products_between_stores, (normal(1, 2, 2), normal(2, 2), normal(3, 2)), 2),
        (product_of_what_is_stored, (normal(1, 2, 2), normal(2, 2)), 0),
        (sum_before_a_store, (normal(1, 2, 2), normal(2, 2)), 0),
    ],
)
def test_products_are_added_in_place(function, args, found):
    graph = optimize(read(function, args, {}).graph)
    graph = verify(accumulate_products(graph))
    assert print_graph(graph).count("add_product") == found
    run = compile_graph(graph, "added")[0]
    np.testing.assert_allclose(run(*args), function(*args), rtol=1e-12)
    native = NativeFunction(graph, None, Level.SHAPES)
    np.testing.assert_allclose(native(*args), function(*args), rtol=1e-12)
