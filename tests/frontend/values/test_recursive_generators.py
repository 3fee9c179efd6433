"""Generators that run over themselves, to depths that are known only at run time."""

from __future__ import annotations

from typing import Any

import pytest

import anadrome as ad


class Tree:
    def __init__(self, value, branches):
        self.value, self.branches = value, branches

    def all(self):
        yield self
        for b in self.branches:
            yield from b.all()

    def values(self):
        for b in self.branches:
            for v in b.values():
                yield v * 2
        yield self.value

    def spoken(self):
        print("here")
        yield self.value
        for b in self.branches:
            yield from b.spoken()


def planted(n, x):
    if n <= 0:
        return Tree(x, [])
    return Tree(x * n, [planted(n - 1, x * x), planted(n - 2, x + 1)])


def flat(items):
    for i in items:
        if isinstance(i, (list, tuple)):
            yield from flat(i)
        else:
            yield i


def subsets(items):
    if not items:
        yield []
    else:
        for s in subsets(items[1:]):
            yield s
            yield [items[0], *s]


def values(x, n):
    return x + sum(k * v for k, v in enumerate(planted(n, x).values()))


def changes_values(x, n):
    tree = planted(n, x)
    for t in tree.all():
        t.value *= 2
    return sum(tree.values())


def leaves_early(x, n):
    total = 0.0
    for v in planted(n, x).values():
        total += v
        if total > 2:
            break
    else:
        total += 50
    return total


def of_parts(x, n):
    return x + sum(x * v for v in flat([1.0, [2.0, [x]], 4.0][:n]))


def of_lists(x, n):
    return x + sum(x * sum(s) * len(s) for s in subsets([x, 2.0, 3.0][:n]))


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize(
    "f", [values, changes_values, leaves_early, of_parts, of_lists]
)
def test_as_python_does(f: Any, n: int) -> None:
    slope = (f(0.5 + 1e-6, n) - f(0.5 - 1e-6, n)) / 2e-6
    assert ad.jit(f)(0.5, n) == pytest.approx(f(0.5, n))
    assert ad.grad(f)(0.5, n) == pytest.approx(slope)
    assert ad.jit(ad.grad(f))(0.5, n) == pytest.approx(slope)


def speaks(x, n):
    for _ in planted(n, x).spoken():
        print("there")
    return x


def prunes(x, n):
    tree = planted(n, x)
    for t in tree.all():
        t.branches = []
    return sum(tree.values())


def feeds_back(x, n):
    tree = planted(n, x)
    for v in tree.values():
        tree.value += v
    return tree.value


@pytest.mark.parametrize("f", [speaks, prunes, feeds_back])
def test_refuses_what_tells_when_items_are_made(f: Any) -> None:
    with pytest.raises(ad.AnadromeError, match="runs over itself"):
        ad.jit(f)(0.5, 3)


def test_native_gradients_of_trees_of_several_depths() -> None:
    def leaves(tree):
        if isinstance(tree, list):
            for part in tree:
                yield from leaves(part)
        else:
            yield tree

    def total(tree):
        return sum(v * v for v in leaves(tree))

    native = ad.jit(ad.grad(total))([1.0, [2.0, [3.0]], 4.0])
    assert native == [2.0, [4.0, [6.0]], 8.0]
