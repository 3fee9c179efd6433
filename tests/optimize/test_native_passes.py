"""Passes for native code: what each does, and what it must leave alone."""

from __future__ import annotations

import numpy as np
import pytest
from gradient_graphs import after, gradient, leaves

from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.ir.cloning import clone_graph
from anadrome.ir.printer import print_graph
from anadrome.optimize.linear.contractions import canonicalise_contractions
from anadrome.optimize.linear.hoist_products import hoist_everything, hoist_products
from anadrome.optimize.linear.scaling import scale_products
from anadrome.optimize.linear.sums_over_iterations import sum_over_iterations
from anadrome.optimize.lists.concatenate import join_parts
from anadrome.optimize.lists.list_to_array import lists_to_arrays
from anadrome.optimize.lists.scalar_replacement import take_lists_apart
from anadrome.optimize.passes import NATIVE, optimize
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.optimize.simplify.fold_queries import fold_queries
from anadrome.optimize.speculation.equal_shapes import assume_shapes


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


XS, W, U, H = normal(0, 6, 2, 3), normal(1, 3, 4), normal(2, 4, 4), normal(3, 2, 4)


def rnn(xs, W, U, h):
    for t in range(len(xs)):
        h = np.tanh(xs[t] @ W + h @ U)
    return np.sum(h * h)


def gates(z, c):
    k = c.shape[1]
    for _ in range(3):
        c = z[:, :k] * c + z[:, k:] * z[:, :k]
    return np.sum(c)


def loops(text):
    """The parts of a printed graph that stand in loops."""
    return "\n".join(line for line in text.splitlines() if line.startswith("      "))


def primal(function, args):
    return optimize(read(function, args, {}).graph)


def test_clones_share_no_nodes():
    graph = gradient(rnn, (XS, W, U, H))
    before = print_graph(graph)
    clone = clone_graph(graph)
    assert print_graph(clone) == before
    optimize(clone, NATIVE, check=True)
    assert print_graph(graph) == before
    assert print_graph(clone) != before


def test_products_of_inputs_leave_the_loop():
    text = after(primal(rnn, (XS, W, U, H)), (XS, W, U, H), hoist_products)
    assert loops(text).count("matmul") == 1
    assert text.count("matmul") == 2


def test_products_of_looked_up_rows_leave_the_loop():
    def looked_up(table, ids, W, h):
        for t in range(len(ids)):
            h = np.tanh(table[ids[t]] @ W + h)
        return np.sum(h)

    args = (normal(4, 5, 3), np.array([[0, 1], [4, 4], [2, 0]]), W, H)
    text = after(primal(looked_up, args), args, hoist_products)
    assert "matmul" not in loops(text)


def test_products_with_vectors_leave_the_loop():
    def unbatched(xs, W, h):
        for t in range(len(xs)):
            h = np.tanh(W @ xs[t] + h)
        return np.sum(h)

    args = (normal(5, 4, 3), normal(6, 2, 3), normal(7, 2))
    text = after(primal(unbatched, args), args, hoist_products)
    assert "matmul" not in loops(text)


def test_products_of_the_state_stay():
    def powers(W, h):
        for _ in range(3):
            h = h @ W
        return np.sum(h)

    text = after(primal(powers, (U, H)), (U, H), hoist_products)
    assert loops(text).count("matmul") == 1


def test_products_stay_in_loops_that_may_end_early():
    def stops(xs, W):
        total = 0.0
        for t in range(len(xs)):
            total = total + np.sum(xs[t] @ W)
            if total > 3.0:
                break
        return total

    text = after(primal(stops, (XS, W)), (XS, W), hoist_products)
    assert "matmul" in loops(text)


def test_only_the_first_items_are_multiplied_if_the_loop_is_shorter():
    def some(xs, W, h):
        for t in range(2):
            h = h + xs[t] @ W
        return np.sum(h)

    text = after(primal(some, (XS, W, H)), (XS, W, H), hoist_products)
    assert "slice(None, 2, None)" in text
    assert "matmul" not in loops(text)


def test_gradients_of_weights_leave_the_reverse_loop():
    args = (XS, W, U, H)
    text = after(
        gradient(rnn, args), args, hoist_products, sum_over_iterations, remove_dead_code
    )
    # What is left is one product in each direction.
    assert loops(text).count("matmul") == 2
    assert "stack(" in text


def test_products_with_columns_leave_both_loops():
    def by_columns(xs, W, U, h):
        for t in range(len(xs)):
            h = np.tanh(W @ xs[t] + U @ h)
        return np.sum(h * h)

    args = (normal(5, 6, 3, 2), normal(6, 4, 3), U, normal(7, 4, 2))
    text = after(
        gradient(by_columns, args),
        args,
        hoist_products,
        sum_over_iterations,
        remove_dead_code,
    )
    # The gradient of xs is summed iteration by iteration, too.
    assert loops(text).count("matmul") == 3


def test_gradients_of_weights_of_states_in_a_buffer_are_right():
    def buffered(xs, W, U):
        hs = np.zeros((len(xs) + 1, 2, 4))
        for t in range(len(xs)):
            hs[t + 1] = np.tanh(xs[t] @ W + hs[t] @ U)
        return np.sum(hs * hs)

    args = (XS, W, U)
    graph = gradient(buffered, args)
    expected = leaves(compile_graph(graph, "before")[0](*args))
    made = optimize(clone_graph(graph), NATIVE, check=True)
    found = leaves(compile_graph(made, "after")[0](*args))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_sums_of_rows_leave_the_reverse_loop():
    def biased(xs, b):
        h = np.zeros((2, 3))
        for t in range(len(xs)):
            h = np.tanh(xs[t] + h + b)
        return np.sum(h * h)

    args = (XS, normal(8, 3))
    text = after(gradient(biased, args), args, sum_over_iterations, remove_dead_code)
    assert "sum(" not in loops(text)


def test_sums_that_the_loop_reads_stay():
    def reads(xs, S):
        for t in range(len(xs)):
            S = S + xs[t].T @ xs[t] * np.sum(S)
        return np.sum(S)

    args = (XS, normal(9, 3, 3))
    text = after(primal(reads, args), args, sum_over_iterations)
    assert "matmul" in loops(text)


def test_unchanging_slices_leave_the_loop():
    def sliced(W, h):
        for _ in range(3):
            half = W[:, 2:]
            h = np.tanh(h[:, :2] + h @ half)
            h = np.concatenate([h, h], 1)
        return np.sum(h)

    text = after(primal(sliced, (U, H)), (U, H), hoist_everything)
    assert "half" in text
    assert "half: " not in loops(text)


def test_shapes_of_arrays_that_change_leave_the_loop():
    def halved(a, steps):
        a = a.copy()
        for _ in range(steps):
            b = a.T
            for k in range(b.shape[0]):
                b[k] *= 0.5
        return a

    args = normal(0, 3, 4), 2
    text = after(primal(halved, args), args, hoist_everything)
    for word in ("transpose_all", "shape"):
        assert word in text
        assert word not in loops(text)


def test_shapes_that_fit_are_taken_to_be_equal():
    args = (normal(10, 3, 8), normal(11, 3, 4))
    graph = gradient(gates, args)
    assert "unbroadcast" in print_graph(graph)
    text = after(graph, args, assume_shapes, remove_dead_code)
    assert "unbroadcast" not in text
    assert "assert" in text


def test_shapes_that_do_not_fit_are_noticed():
    args = (normal(10, 3, 8), normal(11, 3, 4))
    graph = clone_graph(gradient(gates, args))
    assume_shapes(graph)
    compiled = compile_graph(graph, "assuming")[0]
    with pytest.raises(AssertionError):
        compiled(normal(10, 3, 5), normal(11, 3, 4))


def test_slices_that_follow_each_other_are_joined():
    def gated(W, h):
        k = h.shape[1]
        for _ in range(3):
            z = h @ W
            h = np.tanh(z[:, :k]) * z[:, k:]
        return np.sum(h)

    args = (normal(10, 4, 8), normal(11, 3, 4))
    graph = gradient(gated, args)
    text = after(graph, args, assume_shapes, join_parts, remove_dead_code)
    assert "index_add" not in text
    assert "concatenate" in text


def test_slices_that_overlap_are_not_joined():
    def overlapping(x):
        y = x * 2.0
        return np.sum(y[:, :3] * y[:, 2:5])

    args = (normal(12, 2, 5),)
    text = after(gradient(overlapping, args), args, join_parts)
    assert "concatenate" not in text


def test_lists_of_joined_arrays_are_taken_apart():
    def joined(xs, W, h):
        for t in range(len(xs)):
            h = np.tanh(np.concatenate([xs[t], h], 1) @ W)
        return np.sum(h)

    args = (XS, normal(13, 7, 4), H)
    text = after(gradient(joined, args), args, take_lists_apart, remove_dead_code)
    for gone in ("split", "list(", "join_points"):
        assert gone not in text


def test_sums_of_losses_leave_the_loop_row_by_row():
    def losses(xs, h):
        total = 0.0
        for t in range(len(xs)):
            h = np.tanh(xs[t] + h)
            total = total + np.sum(h * h)
        return total

    args = (XS, normal(14, 2, 3))
    text = after(primal(losses, args), args, sum_over_iterations, remove_dead_code)
    assert "axis=(1,)" in loops(text)
    assert "total" not in loops(text)


def test_loops_that_only_add_up_stay():
    def adds(xs):
        total = 0.0
        for t in range(len(xs)):
            total = total + np.sum(xs[t])
        return total

    text = after(primal(adds, (XS,)), (XS,), sum_over_iterations, remove_dead_code)
    assert "stack" not in text


# Contractions -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "args", "wanted"),
    [
        (lambda a, b: np.einsum("bi,ij->bj", a, b), (H, U), "matmul(a, b)"),
        (lambda a, b: np.einsum("ij,bj->bi", b, a), (H, U), "matmul(a, "),
        (lambda a, b: np.tensordot(a, b, 1), (H, U), "matmul(a, b)"),
        (lambda a, b: np.inner(a, b), (H, U), "matmul(a, "),
        (lambda a, b: a @ b, (XS, normal(7, 6, 3, 2)), "einsum('aXS,aSY->aXY', a, b)"),
        (lambda a, b: np.vecdot(a, b), (H, H), "einsum('aS,aS->a', a, b)"),
    ],
)
def test_products_are_canonicalised(function, args, wanted):
    assert wanted in after(primal(function, args), args, canonicalise_contractions)


def test_three_factors_are_multiplied_in_turn():
    def chain(a, b, c):
        return np.einsum("ij,jk,kl->il", a, b, c)

    args = (H, U, U)
    text = after(primal(chain, args), args, canonicalise_contractions)
    assert text.count("matmul") == 2
    assert "einsum" not in text


def test_sums_of_products_of_letters_leave_the_loop():
    def attend(keys, h, W):
        for _ in range(4):
            h = np.tanh(np.einsum("bsh,bh->bs", keys, h) @ W)
        return np.sum(h)

    args = (normal(5, 2, 3, 4), H, W)
    passes = (canonicalise_contractions, hoist_everything, sum_over_iterations)
    text = after(gradient(attend, args), args, *passes, remove_dead_code)
    assert "->bsh" not in loops(text)
    assert "->bsh" in text


# Lists --------------------------------------------------------------------------------


def listed(xs, h):
    states = []
    for t in range(len(xs)):
        h = np.tanh(xs[t] + h)
        states.append(h)
    return np.sum(np.stack(states[::-1]) ** 2)


def test_lists_that_loops_append_to_are_kept():
    text = print_graph(primal(listed, (normal(6, 6, 2, 4), H)))
    assert "append" not in text
    assert "list(" not in text


def test_lists_between_loops_and_arrays_become_stacks():
    args = (normal(6, 6, 2, 4), H)
    passes = (fold_queries, lists_to_arrays, remove_dead_code)
    text = after(gradient(listed, args), args, *passes)
    assert "[float64" not in text.replace("[float64[:", "")
    assert "stack float64[:, :] = for" in text


def changed(xs):
    items = []
    for t in range(len(xs)):
        items.append(xs[t])
        if len(items) > 2:
            items.pop()
    return np.stack(items)


def read_inside(xs):
    items = []
    for t in range(len(xs)):
        items.append(xs[t] + len(items))
    return np.stack(items)


def sometimes(xs):
    items = []
    for t in range(len(xs)):
        if np.sum(xs[t]) > 0:
            items.append(xs[t])
    return np.stack(items)


def twice(xs):
    items = []
    for t in range(len(xs)):
        items.append(xs[t])
        items.append(-xs[t])
    return np.stack(items)


def appended_later(xs):
    items = []
    for t in range(len(xs)):
        items.append(xs[t])
    items.append(xs[0])
    return np.stack(items)


@pytest.mark.parametrize(
    "function", [changed, read_inside, sometimes, twice, appended_later]
)
def test_lists_that_change_otherwise_stay(function):
    xs = normal(8, 6, 2)
    graph = primal(function, (xs,))
    assert "append" in print_graph(graph)
    np.testing.assert_array_equal(
        compile_graph(graph, "kept")[0](xs), function(xs), strict=True
    )


def test_sizes_and_types_are_known_without_python():
    def mean(x):
        return np.sum(np.mean(x * x, axis=-1) * np.zeros(2, dtype=x.dtype))

    text = after(gradient(mean, (H,)), (H,), fold_queries, remove_dead_code)
    assert "pycall" not in text
    assert "dtype_of" not in text


def test_shapes_are_asked_of_the_array_that_elements_come_from():
    def one(x, y):
        z = 0.5 * (x * x) - 1.0
        return np.zeros(z.shape) + y

    def two(x, y):
        z = x * y
        return np.zeros((z * z).shape) + y

    passes = fold_queries, remove_dead_code
    assert "= shape(x)" in after(primal(one, (H, H)), (H, H), *passes)
    # Of two arrays it is not known which is the larger.
    assert "= shape(z)" in after(primal(two, (H, H)), (H, H), *passes)


def classes(x, w, k):
    a = x @ w.T
    shift = np.ceil(np.max(a, axis=-1, keepdims=True))
    total = shift + np.log(np.sum(np.exp(a - shift), axis=-1, keepdims=True))
    return np.sum(total[:, 0] * k)


CLASSES = normal(4, 5, 3), normal(5, 7, 3), normal(6, 5)


@pytest.mark.parametrize("earlier", [(), (fold_queries,)])
def test_rows_of_products_are_scaled_instead_of_a_large_factor(earlier):
    graph = gradient(classes, CLASSES)
    earlier = (*earlier, canonicalise_contractions)
    before = after(graph, CLASSES, *earlier, remove_dead_code)
    text = after(graph, CLASSES, *earlier, scale_products, remove_dead_code)
    assert "broadcast_to(" in before
    assert "broadcast_to(" not in text
    (exponential,) = [
        line.split(":")[0].strip() for line in text.splitlines() if "= exp(" in line
    ]
    products = [line for line in text.splitlines() if "= matmul(" in line]
    assert sum(exponential in line for line in products) == 2


def biased_classes(x, w, b, k):
    a = x @ w.T + b
    shift = np.ceil(np.max(a, axis=-1, keepdims=True))
    total = shift + np.log(np.sum(np.exp(a - shift), axis=-1, keepdims=True))
    return np.sum(total[:, 0] * k)


def summed_classes(x, w, b, k):
    a = x @ w.T + b
    e = np.exp(a - np.max(a, axis=1, keepdims=True))
    p = np.broadcast_to(1 / np.sum(e, axis=1, keepdims=True), e.shape) * e
    return np.sum((p @ w) * k[:, None]) + np.sum(np.sum(p, axis=0) * b)


@pytest.mark.parametrize("size", [7, 1])
def test_sums_of_scaled_rows_are_products(size):
    x, w, k = CLASSES
    args = x, w, normal(7, size), k
    passes = fold_queries, canonicalise_contractions, scale_products, remove_dead_code
    for graph in (gradient(biased_classes, args), primal(summed_classes, args)):
        before = after(graph, args, *passes[:2], remove_dead_code)
        text = after(graph, args, *passes)
        assert "broadcast_to(" in before
        assert "broadcast_to(" not in text
        assert text.count("= matmul(") == before.count("= matmul(") + 1


def unshifted(x, w, k):
    total = np.log(np.sum(np.exp(x @ w.T), axis=-1, keepdims=True))
    return np.sum(total[:, 0] * k)


def normalised(x, w, k):
    a = x @ w.T
    e = np.exp(a - np.max(a, axis=1, keepdims=True))
    p = np.broadcast_to(1 / np.sum(e, axis=1, keepdims=True), e.shape) * e
    return np.sum((p @ w) * k[:, None]) + np.sum(p)


def columns(x, w, k):
    a = x @ w.T
    e = np.exp(a - np.max(a, axis=0, keepdims=True))
    p = np.broadcast_to(1 / np.sum(e, axis=0, keepdims=True), e.shape) * e
    return np.sum((p @ w) * k[:, None])


@pytest.mark.parametrize("function", [unshifted, normalised, columns])
def test_factors_that_may_be_large_or_are_read_elsewhere_stay_scaled(function):
    graph = primal(function, CLASSES) if function is not unshifted else None
    graph = graph or gradient(function, CLASSES)
    before = after(graph, CLASSES, canonicalise_contractions, remove_dead_code)
    text = after(
        graph, CLASSES, canonicalise_contractions, scale_products, remove_dead_code
    )
    assert text == before
