"""Gradients of recursive functions are added up in arrays that are handed down."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from gradient_graphs import gradient, leaves

import anadrome as ad
from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.ir.cloning import clone_graph
from anadrome.ir.printer import print_graph
from anadrome.ir.verify import verify
from anadrome.optimize.linear.defer_rank1 import defer_products
from anadrome.optimize.memory.accumulate_products import accumulate_products
from anadrome.optimize.memory.accumulators import accumulate_through_calls
from anadrome.optimize.passes import optimize


@dataclass
class Tree:
    word: int
    children: list[Tree] = field(default_factory=list)


@dataclass
class Pair:
    word: int
    left: Pair | None = None
    right: Pair | None = None


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def binary(depth, word=0):
    if depth == 0:
        return Pair(word % 5)
    return Pair(-1, binary(depth - 1, 2 * word), binary(depth - 1, 2 * word + 1))


LEFT = Pair(-1, binary(2), Pair(3))
MANY = Tree(0, [Tree(1), Tree(2, [Tree(3), Tree(3), Tree(4)]), Tree(1)])
WORDS, W, B = normal(0, 5, 3), normal(1, 6, 3), normal(2, 3)


def encode(tree, words, W, b):
    if tree.left is None:
        return words[tree.word]
    left = encode(tree.left, words, W, b)
    right = encode(tree.right, words, W, b)
    return np.tanh(np.concatenate((left, right)) @ W + b)


def pairs(words, W, b, tree):
    return np.sum(encode(tree, words, W, b) ** 2)


def add_up(tree, words, W):
    h = np.tanh(words[tree.word] @ W)
    for child in tree.children:
        h = h + add_up(child, words, W)
    return h


def children(words, W, tree):
    return np.sum(add_up(tree, words, W))


def stacked(tree, words, W):
    if not tree.children:
        return words[tree.word]
    hs = np.stack([stacked(c, words, W) for c in tree.children])
    return np.tanh(np.mean(hs, axis=0) @ W)


def stacks(words, W, tree):
    return np.sum(stacked(tree, words, W))


def swapped(n, u, v):
    if n == 0:
        return np.sum(u * u * v)
    return np.sum(u * v) + swapped(n - 1, v, u)


def swaps(u, v):
    return swapped(5, u, v)


def scaled(n, w, x):
    if n == 0:
        return np.sum(w * x)
    return np.sum(w) + scaled(n - 1, 0.5 * w, x)


def scales(w, x):
    return scaled(4, w, x)


def gathered(n, words, ids):
    if n == 0:
        return np.sum(words[ids] ** 2)
    return np.sum(words[ids] * words[n]) + gathered(n - 1, words, ids)


def gathers(words):
    return gathered(3, words, np.array([0, 1, 1, 4]))


def even(n, w, x):
    return np.sum(w @ x) if n == 0 else odd(n - 1, w, np.tanh(w @ x))


def odd(n, w, x):
    return np.sum(w) if n == 0 else even(n - 1, w, np.tanh(x @ w))


def alternates(w, x):
    return even(5, w, x) + odd(3, w, x)


def long_chain(n, W, x):
    if n == 0:
        return x
    return np.tanh(long_chain(n - 1, W, x) @ W)


def chain(W, x):
    return np.sum(long_chain(150, W, x))


def unread(n, w, x):
    if n == 0:
        return np.sum(x * x)
    unread(n - 1, 2 * w, x)
    return np.sum(w) * unread(n - 1, w, x)


def unreads(w, x):
    return unread(3, w, x)


def several(tree, words, W, b):
    total = 0.0
    for k in range(3):
        total = total + np.sum(encode(tree, words, W * k, b) * k)
    return total


def forest(words, W, b, tree):
    return several(tree, words, W, b) + np.sum(W)


def sometimes(n, w, x):
    """What a branch adds is made before the branch."""
    if n == 0:
        return np.sum(w * x)
    v = w if n % 2 else x + 1.0
    return np.sum(w * w) + 2.0 * sometimes(n - 1, v, x)


def sometimes_handed_on(w, x):
    return sometimes(5, w, x)


def many_times(words, W, b, tree):
    """What a loop adds is made before the loop."""
    total = 0.0
    h = np.sum(encode(tree, words, W, b))
    for k in range(3):
        total = total + k * h * np.sum(W)
    return total


SQUARE = normal(3, 4, 4) / 3
PROGRAMS = {
    "pairs": (pairs, (WORDS, W, B, LEFT)),
    "children": (children, (WORDS, normal(4, 3, 3), MANY)),
    "stacks": (stacks, (WORDS, normal(4, 3, 3), MANY)),
    "swaps": (swaps, (normal(5, 3), normal(6, 3))),
    "scales": (scales, (normal(5, 3), normal(6, 3))),
    "gathers": (gathers, (WORDS,)),
    "alternates": (alternates, (SQUARE, normal(7, 4))),
    "chain": (chain, (SQUARE, normal(7, 4))),
    "unreads": (unreads, (normal(5, 3), normal(6, 3))),
    "forest": (forest, (WORDS, W, B, LEFT)),
    "many times": (many_times, (WORDS, W, B, LEFT)),
}


def assert_same(found, expected, rtol=1e-12):
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        assert np.shape(a) == np.shape(b)
        assert np.asarray(a).dtype == np.asarray(b).dtype
        scale = np.max(np.abs(b)) + 1e-300
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * scale)


def after(name, *passes):
    """The text of a gradient after passes that leave its value as it is."""
    function, args = PROGRAMS[name]
    graph = gradient(function, args)
    expected = compile_graph(graph, "before")[0](*args)
    graph = clone_graph(graph)
    for run in passes:
        verify(run(graph))
    assert_same(compile_graph(graph, "after")[0](*args), expected)
    return print_graph(graph)


@pytest.mark.parametrize("name", PROGRAMS)
def test_sums_are_accumulated(name):
    text = after(name, accumulate_through_calls)
    backward = text[text.index("_backward(saved") :]
    assert "∂" in backward[: backward.index("\n")]
    assert "setitem" in backward


def test_branches_add_what_was_made_before_them_if_they_are_taken():
    w, x = normal(5, 3), normal(6, 3)
    found = ad.grad(sometimes_handed_on)(w, x)
    for k, d in enumerate(1e-6 * np.eye(3)):
        ends = sometimes_handed_on(w + d, x), sometimes_handed_on(w - d, x)
        slope = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(found[k], slope, rtol=1e-6, atol=1e-8)


def test_what_is_no_plain_sum_stays():
    text = after("scales", accumulate_through_calls)
    assert "setitem(∂x" in text
    assert "setitem(∂w" not in text


def test_leaves_make_no_zeros():
    text = after("pairs", accumulate_through_calls)
    assert text.count("zeros") == 3
    assert "zeros" not in text[text.index("graph encode_backward") :]


@pytest.mark.parametrize("name", ["pairs", "alternates", "chain", "forest"])
def test_products_are_added_by_the_dozen(name):
    passes = (accumulate_through_calls, accumulate_products, defer_products)
    text = after(name, *passes)
    assert "outer" not in text[text.index("_backward(saved") :]
    assert "_rows" in text


def test_products_stay_where_the_array_is_read():
    def reads(n, w, x):
        if n == 0:
            return x
        w += np.outer(x, x)
        return reads(n - 1, w, np.tanh(w @ x))

    def program(w, x):
        w = w * 1.0
        return np.sum(reads(3, w, x)) + np.sum(w)

    args = (SQUARE, normal(7, 4))
    graph = optimize(read(program, args, {}).graph)
    expected = compile_graph(clone_graph(graph), "before")[0](*args)
    text = print_graph(verified(defer_products(accumulate_products(graph))))
    assert "add_product" in text
    assert "_rows" not in text
    assert_same(compile_graph(graph, "after")[0](*args), expected)


def test_products_with_a_part_of_the_array_are_computed_first():
    def grow(w):
        w = w * 1.0
        w += np.outer(w[0], w[1])
        return np.sum(w)

    graph = optimize(read(grow, (SQUARE,), {}).graph)
    assert "add_product" not in print_graph(verified(accumulate_products(graph)))
    assert_same(ad.jit(grow)(SQUARE), grow(SQUARE))


def verified(graph):
    verify(graph)
    return graph


@pytest.mark.parametrize("name", PROGRAMS)
def test_native_gradients_are_the_same(name):
    function, args = PROGRAMS[name]
    argnums = tuple(k for k, a in enumerate(args) if isinstance(a, np.ndarray))
    expected = compile_graph(gradient(function, args), "plain")[0](*args)
    derived = ad.value_and_grad(function, argnums)
    if len(argnums) == 1:
        expected = (expected[0], (expected[1],))
    assert_same(derived(*args), expected)
    assert_same(ad.jit(derived)(*args), expected)


@pytest.mark.parametrize("name", PROGRAMS)
def test_single_precision(name):
    function, args = PROGRAMS[name]
    small = [a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in args]
    argnums = tuple(k for k, a in enumerate(args) if isinstance(a, np.ndarray))
    derived = ad.value_and_grad(function, argnums)
    value, gradients = derived(*small)
    assert value.dtype == np.float32
    assert all(g.dtype == np.float32 for g in gradients)
    assert_same(ad.jit(derived)(*small), (value, gradients), 1e-5)


@pytest.mark.parametrize("name", ["pairs", "children", "chain", "alternates"])
def test_second_derivatives(name):
    function, args = PROGRAMS[name]
    at = 0 if name in ("chain", "alternates") else 1
    v = normal(9, *args[at].shape)

    def slope(*args):
        return np.sum(ad.grad(function, at)(*args) * v)

    found = ad.grad(slope, at)(*args)
    step = 1e-5

    def moved(s):
        given = list(args)
        given[at] = args[at] + s * v
        return ad.grad(function, at)(*given)

    numeric = (moved(step) - moved(-step)) / (2 * step)
    np.testing.assert_allclose(found, numeric, rtol=1e-6, atol=1e-7)


def test_gradients_are_not_shared_between_calls():
    function, args = PROGRAMS["pairs"]
    derived = ad.jit(ad.grad(function, 1))
    first = derived(*args)
    kept = first.copy()
    second = derived(*args)
    assert not np.shares_memory(first, second)
    np.testing.assert_array_equal(first, kept)
