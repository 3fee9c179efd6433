"""What loops run over: parts of `itertools`, and classes of the user's own."""

import collections
import collections.abc
import itertools
import math

import numpy as np

from corpus.registry import program


def five(rng):
    return (rng.permutation(5) * 0.7 + rng.uniform(0.2, 0.5, size=5),)


@program(five)
def rows_of_unequal_length(x):
    total = 0.0
    for a, b in itertools.zip_longest(x[:2], x, fillvalue=x[1]):
        total += a * b
    for a, b in itertools.zip_longest([1.0, 2.0, 3.0], [x[0]], fillvalue=0.5):
        total += a * b
    return total


@program(five)
def taken_and_dropped(x):
    small = itertools.takewhile(lambda v: v < 3.7, x)
    large = itertools.dropwhile(lambda v: v < 1.7, x)
    return sum(small) * sum(large)


@program(five)
def chosen_items(x):
    low = sum(itertools.filterfalse(lambda v: v > 1.2, x))
    return low + sum(itertools.compress(x, [1, 0, 1, 0, 0])) ** 2


@program(five)
def all_choices(x):
    fours = sum(a * b * c * d for a, b, c, d in itertools.combinations(x, 4))
    pairs = sum(a * b for a, b in itertools.combinations_with_replacement(x, 2))
    threes = sum(p[0] * p[1] - p[2] for p in itertools.permutations(x, 3))
    return fours + pairs + threes


@program(five)
def runs_of_large_and_small(x):
    total = 0.0
    for large, run in itertools.groupby(x, key=lambda v: v > 1.2):
        members = list(run)
        total += (sum(members) / len(members)) ** 2 * (2.0 if large else 1.0)
    return total


@program(five)
def greatest_or_a_default(x):
    found = max([v for v in x if v > 1.2], default=0.5)
    return found**2 + min((v for v in x if v > 30), default=x[0]) ** 3


@program(five, tags=["tricky"])
def keys_of_a_default_dict(x):
    groups = collections.defaultdict(list)
    for i, v in enumerate(x):
        groups[i % 3].append(v)
    total = 0.0
    for k in sorted(groups, reverse=True):
        total += math.prod(groups[k]) * (k + 1)
    return total + sum(groups[k][0] for k in list(groups))


class Doubled:
    def __iter__(self):
        return iter([2.0 * v for v in self.items])


class Bag(Doubled):
    """Its iterator is inherited, and is not what its places hold."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return self.items[k]


@program(five, tags=["tricky"])
def inherited_iterator(x):
    bag = Bag([v * v for v in x])
    return sum(list(bag)) * bag[1] + max(bag) + len(bag)


class Scaled(collections.abc.Sequence):
    def __init__(self, items, factor):
        self.items = items
        self.factor = factor

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return self.items[k] * self.factor


@program(five, tags=["tricky"])
def abstract_sequence(x):
    total = 0.0
    scaled = Scaled([v for v in x], x[0])
    for v in scaled:
        total += v**2
    for k, v in enumerate(reversed(scaled)):
        total += k * v
    return total


@program(five)
def conditions_beside_functions(x):
    total = 0.0
    for below, function in zip([x < 0.6, x > 1.2], [np.sin, np.cos, np.tan]):
        total = total + np.where(below, function(x), 0.1 * x).sum()
    return total
