"""Functions that call themselves are handed the fields of records."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from gradient_graphs import gradient

import anadrome as ad
from anadrome.ir.printer import print_graph
from anadrome.optimize.memory.accumulators import accumulate_through_calls


@dataclass
class Tree:
    word: int
    left: Tree | None = None
    right: Tree | None = None


@dataclass(frozen=True)
class Params:
    words: np.ndarray
    W: np.ndarray
    b: np.ndarray


@dataclass(frozen=True)
class Cell:
    W: np.ndarray
    b: np.ndarray


@dataclass(frozen=True)
class Nested:
    words: np.ndarray
    cell: Cell
    name: str = "nested"


@dataclass
class Mutable:
    words: np.ndarray
    W: np.ndarray
    b: np.ndarray

    def encode(self, tree):
        if tree.left is None:
            return self.words[tree.word]
        return join(self.encode(tree.left), self.encode(tree.right), self.W, self.b)


class Named(NamedTuple):
    words: np.ndarray
    W: np.ndarray
    b: np.ndarray


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


WORDS, W, B = normal(0, 5, 3), normal(1, 6, 3) / 2, normal(2, 3)
TREE = Tree(
    -1, Tree(-1, Tree(0), Tree(1)), Tree(-1, Tree(3), Tree(-1, Tree(1), Tree(4)))
)
TREES = [TREE, Tree(2), Tree(-1, Tree(2), Tree(0)), TREE]


def join(left, right, W, b):
    return np.tanh(np.concatenate((left, right)) @ W + b)


def by_fields(p, tree):
    if tree.left is None:
        return p.words[tree.word]
    return join(by_fields(p, tree.left), by_fields(p, tree.right), p.W, p.b)


def by_keywords(tree, *, p, scale=1.0):
    if tree.left is None:
        return scale * p.words[tree.word]
    left = by_keywords(tree.left, p=p, scale=scale)
    right = by_keywords(tree.right, scale=2 * scale, p=p)
    return join(left, right, p.W, p.b)


def by_items(p, tree):
    words, W, b = p
    if tree.left is None:
        return words[tree.word]
    return join(by_items(p, tree.left), by_items(p, tree.right), W, b)


def by_keys(p, tree):
    if tree.left is None:
        return p["words"][tree.word]
    return join(by_keys(p, tree.left), by_keys(p, tree.right), p["W"], p["b"])


def by_paths(p, tree):
    if tree.left is None:
        return p.words[tree.word]
    left, right = by_paths(p, tree.left), by_paths(p, tree.right)
    return in_cell(p.cell, left, right)


def in_cell(cell, left, right):
    return join(left, right, cell.W, cell.b)


def changed(p, tree):
    """The record is another one at every level."""
    if tree.left is None:
        return p.words[tree.word]
    below = dataclasses.replace(p, W=0.5 * p.W)
    return join(changed(below, tree.left), changed(p, tree.right), p.W, p.b)


def rebuilt(p, tree):
    words, W, b = p
    if tree.left is None:
        return words[tree.word]
    left = rebuilt((words, W, b + 1.0), tree.left)
    return join(left, rebuilt(p, tree.right), W, b)


def even(p, tree):
    if tree.left is None:
        return p.words[tree.word]
    return join(odd(tree.left, p), odd(tree.right, p), p.W, p.b)


def odd(tree, p):
    if tree.left is None:
        return np.sin(p.words[tree.word])
    return even(p, tree.left) * even(p, tree.right) + p.b


def exchanged(p, q, tree):
    if tree.left is None:
        return p.words[tree.word] * q.b
    left, right = exchanged(q, p, tree.left), exchanged(p, q, tree.right)
    return join(left, right, p.W, q.b)


def handed_back(p, n):
    """A record is what the function returns."""
    if n == 0:
        return Cell(p.W * 2.0, p.b)
    below = handed_back(p, n - 1)
    return Cell(below.W + p.W * below.b, np.tanh(below.b))


def as_it_is(p, n):
    if n == 0:
        return p
    below = as_it_is(p, n - 1)
    return Params(below.words * 0.5, p.W, below.b + p.b)


def perhaps(p, q, tree):
    """One of the records may be missing."""
    if tree.left is None:
        return p.words[tree.word] if q is None else q.words[tree.word]
    left, right = perhaps(p, None, tree.left), perhaps(p, q, tree.right)
    return join(left, right, p.W, p.b)


def chosen(p, q, n):
    """Which of two records is handed on depends on the data."""
    if n == 0:
        return np.sum(p.b * q.W)
    r = p if n % 2 else q
    return np.sum(p.b * p.b) + 2.0 * chosen(r, q, n - 1)


def counted(p, state, n):
    """A state of which a part is no array goes along."""
    h, k = state
    if n == 0:
        return h * k
    return counted(p, (np.tanh(h @ p.W[:3] + p.b), k + 1), n - 1)


def remembered(p, tree, seen):
    seen.append(tree.word)
    if tree.left is None:
        return p.words[tree.word] * len(seen)
    left, right = remembered(p, tree.left, seen), remembered(p, tree.right, seen)
    return join(left, right, p.W, p.b)


def overwritten(p, n):
    """The record is changed in place along the way."""
    if n == 0:
        return np.sum(p.W * p.W)
    p.b = np.tanh(p.b)
    return np.sum(p.b * p.W[0]) + overwritten(p, n - 1)


def stored(p, n):
    """An array of the record is changed in place along the way."""
    if n == 0:
        return np.sum(p.W * p.b)
    p.W[n] *= p.b
    return np.sum(p.W[n] ** 2) + stored(p, n - 1)


def sum_of_squares(p, tree):
    return np.sum(by_fields(p, tree) ** 2)


def forest(p, trees):
    total = 0.0
    for k, tree in enumerate(trees):
        total += (k + 1) * sum_of_squares(p, tree)
    return total


def forest_of_some(p, trees):
    total = np.sum(p.words)
    for tree in trees:
        if tree.left is not None:
            total = total * 0.9 + sum_of_squares(p, tree)
        else:
            total += p.words[tree.word, 0]
    return total


def forests(p, trees):
    total = 0.0
    for k in range(2):
        for tree in trees:
            total += np.sum(by_fields(p, tree) * p.b * k)
        total = total * total
    return total


def forest_of_phrases(p, trees):
    """The weights are read before and after branches, too."""
    total = 0.0
    for tree in trees:
        h = p.words[0] * p.b
        if tree.left is not None:
            h = h + by_fields(p, tree) * p.b
            if tree.word < 0:
                h = h * p.b + by_fields(p, tree.left)
        else:
            h = h + by_fields(p, tree)
        total = total + np.sum(h * p.b)
    return total


def outer(p, q, n, x):
    """Of two functions one calls the other with either record, or with one twice."""
    if n <= 0:
        return np.tanh(q.W @ x) * q.words[np.array([0, n % 2, 0])].sum(axis=0)
    y = nested((p if n % 2 else q), (p if n % 2 else q), n - 1, 0.5 * x) * p.b
    state = np.tanh(p.W @ p.words[np.array([0, n % 2, 0])].sum(axis=0))
    return state + outer(Params(q.words, q.W * 0.9, q.b), q, n - 1, (y * y) * 0.5)


def nested(p, q, n, x):
    if n <= 0:
        return x
    y = x * x
    return (np.tanh(q.W @ q.b) + x) + nested(p, p, n - 1, y * 0.5)


def two_functions(words, W, b, more, U, d, x):
    p, q = Params(words, W, b), Params(more, U, d)
    total = 0.0
    for k in range(3):
        total = total + np.sum(outer(p, q, k, x * 0.5))
        if k % 2:
            total = total + np.sum(nested(q, p, 1, x) * b)
    return total


def closure(p, tree):
    def encode(tree):
        if tree.left is None:
            return p.words[tree.word]
        return join(encode(tree.left), encode(tree.right), p.W, p.b)

    return np.sum(encode(tree) ** 2)


def checkpointed(p, tree):
    def encode(p, tree):
        if tree.left is None:
            return p.words[tree.word]
        return step(p, encode(p, tree.left), encode(p, tree.right))

    step = ad.checkpoint(lambda p, left, right: join(left, right, p.W, p.b))
    return np.sum(encode(p, tree) ** 2)


PLAIN = Params(WORDS, W, B)
OTHER = Params(normal(3, 5, 3), normal(4, 6, 3) / 2, normal(5, 3))
PROGRAMS = {
    "fields": (sum_of_squares, (PLAIN, TREE)),
    "mutable": (sum_of_squares, (Mutable(WORDS, W, B), TREE)),
    "named": (sum_of_squares, (Named(WORDS, W, B), TREE)),
    "method": (lambda p, t: np.sum(p.encode(t)), (Mutable(WORDS, W, B), TREE)),
    "items": (lambda p, t: np.sum(by_items(p, t)), ((WORDS, W, B), TREE)),
    "items of named": (lambda p, t: np.sum(by_items(p, t)), (Named(WORDS, W, B), TREE)),
    "keys": (
        lambda p, t: np.sum(by_keys(p, t)),
        ({"words": WORDS, "W": W, "b": B}, TREE),
    ),
    "paths": (lambda p, t: np.sum(by_paths(p, t)), (Nested(WORDS, Cell(W, B)), TREE)),
    "keywords": (lambda p, t: np.sum(by_keywords(t, p=p)), (PLAIN, TREE)),
    "changed": (lambda p, t: np.sum(changed(p, t)), (PLAIN, TREE)),
    "rebuilt": (lambda p, t: np.sum(rebuilt(p, t)), ((WORDS, W, B), TREE)),
    "even": (lambda p, t: np.sum(even(p, t)), (PLAIN, TREE)),
    "exchanged": (lambda p, q, t: np.sum(exchanged(p, q, t)), (PLAIN, OTHER, TREE)),
    "handed back": (lambda p: np.sum(handed_back(p, 3).W), (PLAIN,)),
    "as it is": (lambda p: np.sum(as_it_is(p, 3).words ** 2), (PLAIN,)),
    "perhaps": (lambda p, q, t: np.sum(perhaps(p, q, t)), (PLAIN, OTHER, TREE)),
    "chosen": (lambda p, q: chosen(p, q, 5), (PLAIN, OTHER)),
    "counted": (lambda p: np.sum(counted(p, (p.b, 1), 4)), (PLAIN,)),
    "remembered": (lambda p, t: np.sum(remembered(p, t, [])), (PLAIN, TREE)),
    "overwritten": (
        lambda p: overwritten(Mutable(p.words, p.W, p.b * 1.0), 3),
        (PLAIN,),
    ),
    "stored": (
        lambda p: stored(Mutable(p.words, p.W * 1.0, p.b), 3),
        (PLAIN,),
    ),
    "forest": (forest, (PLAIN, TREES)),
    "forest of some": (forest_of_some, (PLAIN, TREES)),
    "forests": (forests, (PLAIN, TREES)),
    "forest of phrases": (forest_of_phrases, (PLAIN, TREES)),
    "two functions": (
        two_functions,
        (WORDS, W[:3], B, normal(3, 5, 3), W[3:], normal(5, 3), normal(6, 3)),
    ),
    "closure": (closure, (PLAIN, TREE)),
    "checkpointed": (checkpointed, (PLAIN, TREE)),
}


def arrays(value):
    """The arrays of a record, in order."""
    if isinstance(value, np.ndarray):
        return [value]
    if dataclasses.is_dataclass(value):
        value = [getattr(value, f.name) for f in dataclasses.fields(value)]
    elif isinstance(value, dict):
        value = value.values()
    return [a for v in value if not isinstance(v, str | None) for a in arrays(v)]


def with_arrays(value, new):
    """A record like another one with other arrays."""
    new = iter(new) if isinstance(new, list) else new
    if isinstance(value, np.ndarray):
        return next(new)
    if isinstance(value, dict):
        return {k: with_arrays(v, new) for k, v in value.items()}
    if isinstance(value, str):
        return value
    if dataclasses.is_dataclass(value):
        names = [f.name for f in dataclasses.fields(value)]
        return type(value)(*(with_arrays(getattr(value, n), new) for n in names))
    items = [with_arrays(v, new) for v in value]
    return type(value)(*items) if isinstance(value, Named) else tuple(items)


@pytest.mark.parametrize("name", PROGRAMS)
def test_slopes(name):
    function, args = PROGRAMS[name]
    records = [k for k, a in enumerate(args) if not isinstance(a, Tree | list)]
    derived = ad.grad(function, tuple(records))
    gradients = derived(*args)
    native = ad.jit(derived)
    rng = np.random.default_rng(7)
    for k, g in zip(records, gradients, strict=True):
        assert type(g) is type(args[k])
        parts = [rng.normal(size=a.shape) for a in arrays(args[k])]
        base = arrays(args[k])

        ends = []
        for s in (1e-6, -1e-6):
            moved = with_arrays(args[k], [a + s * d for a, d in zip(base, parts)])
            ends.append(function(*args[:k], moved, *args[k + 1 :]))
        slope = (ends[0] - ends[1]) / 2e-6
        found = sum(np.sum(a * d) for a, d in zip(arrays(g), parts, strict=True))
        np.testing.assert_allclose(found, slope, rtol=1e-6, atol=1e-8)
    for _ in range(2):
        for a, b in zip(native(*args), gradients, strict=True):
            for x, y in zip(arrays(a), arrays(b), strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(
    "name",
    ["fields", "mutable", "named", "items", "keys", "paths", "method", "closure"],
)
def test_no_call_makes_a_gradient_of_the_record(name):
    function, args = PROGRAMS[name]
    graph = accumulate_through_calls(gradient(function, args))
    text = print_graph(graph)
    backward = text[text.index("_backward(saved") :]
    backward = backward[: backward.find("graph")]
    assert "(None, None, None)" in backward
    assert "zeros" not in backward
    assert "record" not in backward


@pytest.mark.parametrize(
    "name", ["forest", "forest of some", "forests", "forest of phrases"]
)
def test_loops_hand_their_gradients_down(name):
    function, args = PROGRAMS[name]
    graph = accumulate_through_calls(gradient(function, args))
    text = print_graph(graph)
    main = text[: text.index("graph by_fields")]
    lines = [n for n in main.split("\n") if "by_fields_backward" in n]
    assert lines
    assert all("∂words" in n for n in lines)
    assert all(not n.startswith("    ") for n in main.split("\n") if "zeros_like" in n)


@pytest.mark.parametrize("name", ["fields", "items", "even", "forest", "closure"])
def test_second_derivatives(name):
    function, args = PROGRAMS[name]
    p, rest = args[0], args[1:]
    rng = np.random.default_rng(7)
    base = arrays(p)
    parts = [rng.normal(size=a.shape) for a in base]
    v = with_arrays(p, parts)

    def slopes(s):
        given = with_arrays(p, [a + s * d for a, d in zip(base, parts)])
        return arrays(ad.grad(function)(given, *rest))

    found = ad.hvp(function)(p, *rest, v)
    for a, high, low in zip(arrays(found), slopes(1e-5), slopes(-1e-5), strict=True):
        np.testing.assert_allclose(a, (high - low) / 2e-5, rtol=1e-6, atol=1e-7)
