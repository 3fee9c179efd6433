"""Programs with iterators and generators: each with the argument it is run on.

What they compute depends on when items are made, who asks for them and how often.
"""

import itertools

import numpy as np

XS = np.array([1.5, -0.5, 2.5, 0.7])
PROGRAMS = []


def program(argument):
    def enter(function):
        PROGRAMS.append((function, argument))
        return function

    return enter


@program(2.0)
def bound_late(x):
    k = 1.0
    g = (v * k for v in [x])
    k = 10.0
    return sum(g)


@program(2.0)
def consumed_once(x):
    g = (v * 2.0 for v in [x, x * 3])
    return sum(g) + sum(g)


@program(XS)
def neighbours(xs):
    steps = iter(xs)
    total = 0.0
    for a, b in zip(steps, steps):
        total = total + a * b
    return total


@program(2.0)
def grown_after_zip(x):
    items = [x]
    pairs = zip(items, [2.0, 3.0])
    items.append(x * 5)
    total = 0.0
    for a, b in pairs:
        total += a * b
    return total


@program(2.0)
def dict_view_is_live(x):
    d = {"a": x}
    view = d.values()
    d["b"] = x * x
    return sum(view) + len(view)


@program(2.0)
def any_stops(x):
    calls = []

    def f(v):
        calls.append(v)
        return v > 0

    found = any(f(v) for v in [x, x, x])
    return x * len(calls) * found


@program(2.0)
def all_stops(x):
    calls = []

    def f(v):
        calls.append(v)
        return v > 3

    found = all(map(f, [x, x, x]))
    return x * len(calls) + found


@program(2.0)
def counted_yields(x):
    def powers(n):
        for i in range(n):
            yield x**i

    total = 0.0
    for v in powers(4):
        total += v
    return total


@program(2.0)
def endless_until_break(x):
    def powers():
        v = x
        while True:
            yield v
            v = v * x

    total = 0.0
    for v in powers():
        if v > 50.0:
            break
        total += v
    return total


@program(2.0)
def asked_three_times(x):
    def powers():
        v = x
        while True:
            yield v
            v = v * x

    steps = powers()
    a = next(steps)
    b = next(steps)
    c = next(steps)
    return a + 10 * b + 100 * c


@program(2.0)
def asked_in_a_loop(x):
    def powers():
        v = x
        while True:
            yield v
            v = v * x

    steps = powers()
    total = 0.0
    for i in range(4):
        total += next(steps) * (i + 1)
    return total


@program(2.0)
def two_places_to_go_on(x):
    def values(n):
        for i in range(n):
            yield x * i
        yield 100 * x

    steps = values(3)
    total = 0.0
    for _ in range(4):
        total += next(steps)
    return total


@program(2.0)
def result_of_yield_from(x):
    def inner(n):
        for i in range(n):
            yield x * i
        return 7.0

    def outer():
        r = yield from inner(3)
        yield r * x

    return sum(outer())


@program(XS)
def collected(xs):
    def squares():
        for v in xs:
            if v > 0:
                yield v * v

    return sum(list(squares()))


@program(XS)
def rest_after_next(xs):
    steps = iter(xs)
    first = next(steps)
    total = first
    for i, v in enumerate(steps):
        total += i * v
    return total


@program(XS)
def defaults_at_the_end(xs):
    large = (v for v in xs if v > 1.0)
    return next(large, 0.0) + 10 * next(large, 5.0) + 100 * next(large, 3.0)


@program(XS)
def chained(xs):
    total = 0.0
    for i, v in enumerate(itertools.chain(xs, [1.0, 2.0], xs)):
        total += v * i
    return total


@program(XS)
def cycled(xs):
    total = 0.0
    for v, w in zip(xs, itertools.cycle([1.0, 2.0])):
        total += v * w
    return total


@program(XS)
def counted(xs):
    total = 0.0
    for i, v in zip(itertools.count(1), xs):
        total += v * i
    return total


@program(XS)
def left_and_gone_on(xs):
    steps = iter(xs)
    total = 0.0
    for v in steps:
        total += v
        if total > 1.0:
            break
    return total + 100 * sum(steps)


@program(XS)
def filtered(xs):
    return sum(filter(lambda v: v > 0, xs))


@program(2.0)
def looked_for(x):
    steps = iter([1.0, 2.0, 3.0, 4.0])
    found = 2.0 in steps
    return x * sum(steps) + found


@program(XS)
def sliced(xs):
    return sum(itertools.islice(xs, 1, 3))


@program(2.0)
def nested_expression(x):
    return sum(a * b for a in [x, 2 * x] for b in [1.0, x] if b < 5)


class Tree:
    def __init__(self, value, children):
        self.value, self.children = value, children

    def __iter__(self):
        yield self.value
        for child in self.children:
            yield child.value


@program(2.0)
def method_that_yields(x):
    total = 0.0
    for v in Tree(x, [Tree(x * 2, []), Tree(x * 3, [])]):
        total += v * v
    return total


@program(XS)
def running_sums(xs):
    total = 0.0
    for v in itertools.accumulate(xs):
        total += v * v
    return total


@program(XS)
def else_of_a_loop_over_a_generator(xs):
    def values():
        yield from xs

    total = 0.0
    for v in values():
        if v > 10.0:
            break
        total += v
    else:
        total = total * 3.0
    return total


@program(XS)
def continued(xs):
    total = 0.0
    for v in (w * w for w in xs if w < 2.0):
        if v < 0.3:
            continue
        total += v
    return total


@program(2.0)
def returns_from_the_loop(x):
    def powers():
        v = x
        while True:
            yield v
            v = v * x

    def first_above(bound):
        for v in powers():
            if v > bound:
                return v
        return 0.0

    return first_above(10.0) + first_above(3.0)


@program(2.0)
def advanced_inside_its_own_loop(x):
    steps = iter([x, 2.0, 3.0 * x, 4.0])
    total = 0.0
    for a in steps:
        total += a * next(steps)
    return total


@program(2.0)
def sent_values(x):
    def running():
        total = 0.0
        while True:
            v = yield total
            total = total + v * x

    steps = running()
    next(steps)
    steps.send(1.0)
    return steps.send(x)


@program(XS)
def generator_as_argument(xs):
    def weighted(values):
        total = 0.0
        for k, v in enumerate(values):
            total += k * v
        return total

    return weighted(v * v for v in xs) + weighted(iter(xs))


@program(XS)
def unpacked(xs):
    a, b, *rest = (v * 2.0 for v in xs)
    return a * b + sum(rest)


@program(2.0)
def mapped_late(x):
    scale = [1.0]
    doubled = map(lambda v: v * scale[0], [x, 3.0])  # noqa: C417
    scale[0] = 5.0
    return sum(doubled)


@program(XS)
def members_of_ranges(xs):
    n = len(xs)
    found = [k in range(n) for k in (0, 3, 4, -1)] + [
        2.0 in range(n),
        1 in range(n, 0, -2),
    ]
    return xs[0] * sum(found)


@program(XS)
def arrays_asked_until_one_fits(xs):
    asked = []

    def fits(v):
        asked.append(np.sum(v))
        return np.sum(v) > 5.0

    found = any(map(fits, [xs, xs * xs, xs + 1.0, xs * 3.0]))
    return found + len(asked) * 10.0 + sum(asked)


@program(XS)
def arrays_asked_in_pairs(xs):
    count = np.zeros(1)

    def fits(pair):
        count[0] += np.sum(pair[0])
        return np.sum(pair[0] * pair[1]) > 9.0

    items = [xs, xs * xs, xs + 1.0]
    found = all(not fits(p) for p in zip(items, reversed(items)))
    return found + count[0]


@program(XS)
def next_of_arrays_and_numbers(xs):
    asked = []

    def known(v):
        asked.append(1.0)
        return np.sum(v)

    made = map(known, [xs, xs[0], xs * xs])
    total = 0.0
    for _ in range(2):
        total += next(made)
    return total + len(asked) * 10.0


@program(XS)
def part_of_a_chain(xs):
    total = 0.0
    for k, v in enumerate(itertools.islice(itertools.chain(xs, xs[::-1]), 1, 6)):
        total += v * k
    return total


@program(XS)
def one_iterator_several_times(xs):
    pairs = zip(*[iter(list(xs))] * 2)
    sums = map(lambda a, b: a * b, *(iter([xs[0], xs[1], xs[2]]),) * 2)
    return sum(a * b for a, b in pairs) + sum(sums)


@program(2.0)
def dictionaries_of_pairs(x):
    d = dict([["a", x], ("b", x * x), ("last", x)])
    key, value = d.popitem()
    d.update(zip("bc", [3.0 * x, x]))
    return d["a"] * d["b"] + value * len(key) + len(d)
