"""Python as people write it: classes, closures, loops, containers.

Each function takes a vector of four numbers and returns one.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import logging
import operator
from typing import NamedTuple

import numpy as np

PROGRAMS = []


def program(function):
    """Enter a program to be read and differentiated."""
    PROGRAMS.append(function)
    return function


class A:
    scale = 2.0

    def __init__(self, v):
        self.v = v

    def f(self, t):
        return self.v * t * self.scale

    @classmethod
    def make(cls, v):
        return cls(v * 2)

    @staticmethod
    def g(t):
        return t * t

    def clone(self):
        return type(self)(self.v + 1)


class B(A):
    def f(self, t):
        return super().f(t) + 1


@program
def class_methods_and_super(x):
    b = B.make(x[0])
    return b.clone().f(x[1]) + A.g(x[2])


@program
def objects_of_two_classes(x):
    objs = [A(x[0]), B(x[1])]
    return sum([o.f(x[2]) for o in objs])


@program
def dictionary_with_computed_keys(x):
    d = {}
    for i in range(3):
        d[f"k{i}"] = x[i] ** 2
    t = 0.0
    for k in d:
        t += d[k] * len(k)
    return t + d.get("zz", x[3]) + d.pop("k1")


@program
def dictionary_with_integer_keys(x):
    d = {0: x[0], 1: x[1]}
    return d[0] * d[1] + sum(d.values()) + sum(k for k in d)


@program
def counter_in_a_closure(x):
    n = 0

    def inc(v):
        nonlocal n
        n += 1
        return v * n

    return sum([inc(v) for v in x]) * n


@program
def local_class_sees_argument(x):
    class Acc:
        def __init__(self):
            self.t = 0.0

        def add(self, v):
            self.t += v * x[0]
            return self

    return Acc().add(x[1]).add(x[2]).t


@program
def insert_append_and_continue(x):
    r = [1.0]
    for v in x:
        if v < 0:
            r.append(v)
            continue
        r.insert(0, v * r[-1])
    return r[0] * len(r) + sum(r)


@program
def nested_unpacking(x):
    y, *rest = x
    a, (b, c) = x[0], (x[1], x[2])
    return y * rest[1] + a * b * c


@program
def partial_and_reduce(x):
    f = functools.partial(lambda a, b, c=1.0: a * b + c, x[0], c=x[1])
    return functools.reduce(lambda p, q: p + f(q), x, 1.0)


@program
def while_true_with_continue(x):
    i = 0
    while True:
        i += 1
        if i == 2:
            continue
        if i > 5:
            break
        x = x * 0.9 + i
    else:
        x = x * 0
    return x.sum()


@program
def for_else_with_break(x):
    for i, v in enumerate(x):
        if v > 2:
            r = v * i
            break
    else:
        r = 0.0
    return r


@program
def stores_of_all_kinds(x):
    m = np.outer(x, x)
    m[0, :] = x
    m[:, 1] *= 2.0
    m[[0, 2], [1, 3]] += x[0]
    m[m < 0] = 0.5
    return (m**2).sum()


@program
def stack_of_tuples(x):
    stack = [(x[0], 0), (x[1], 1)]
    t = 0.0
    while stack:
        v, d = stack.pop()
        t += v * v
        if d < 2:
            stack.append((v * 0.5, d + 1))
    return t


@program
def fibonacci_by_recursion(x):
    def fib(n):
        return x[0] if n < 2 else fib(n - 1) * x[1] + fib(n - 2)

    return fib(5)


@program
def mutual_recursion(x):
    def even(n):
        return x[0] if n == 0 else odd(n - 1) * 2

    def odd(n):
        return x[1] if n == 0 else even(n - 1) + 1

    return even(5) * odd(3)


@program
def chained_assignment_and_comparison(x):
    a = b = x[0]
    a += x[1]
    return a * b if a > 0 > b or b < 5 else b


@program
def context_managers(x):
    s = 0.0
    with np.errstate(all="ignore"):
        s = np.log(np.abs(x)).sum()
    with contextlib.suppress(ZeroDivisionError):
        s = s * 2
    return s


@program
def alias_and_copy_of_a_list(x):
    xs = list(x)
    ys = xs
    ys[0] = 5.0
    zs = xs[:]
    zs[1] = 7.0
    return xs[0] * xs[1] + sum(zs)


@program
def nested_loops_with_exits(x):
    t = 0.0
    for i in range(3):
        for j in range(3):
            if j == i:
                continue
            if j > 1:
                break
            t += x[i] * x[j] * (i - j)
        else:
            t += 1
    return t


@program
def nested_lists(x):
    g = [[0.0] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            g[i][j] = x[i] * x[j + 2]
    return sum(map(sum, g)) + g[1][1]


@program
def arguments_passed_on(x):
    def apply(f, *a, **k):
        return f(*a, **k)

    return apply(lambda p, q=1.0: p * q, x[0], q=x[1]) + apply(max, x[2], x[3])


@program
def merged_dictionaries(x):
    s = {"w": x[0], "h": {"a": x[1]}}
    s["h"]["a"] *= 3
    s = {**s, "z": x[2]}
    return s["w"] * s["h"]["a"] + s["z"]


@program
def keys_and_quantifiers(x):
    return min(x, key=lambda v: abs(v)) + sorted(x, reverse=True)[0] * any(
        v > 2 for v in x
    )


@program
def optional_in_a_loop(x):
    z = None
    for v in x:
        if z is None:
            z = v
        elif v > z:
            z = z * v
    return z


@program
def closure_with_state(x):
    def outer():
        total = x[0]

        def add(v):
            nonlocal total
            total = total * v
            return total

        return add

    f = outer()
    f(x[1])
    f(2.0)
    return f(x[2])


class Vector(NamedTuple):
    x: float
    y: float

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def __rmul__(self, factor):
        return self * factor

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __abs__(self):
        return np.sqrt(self @ self)

    def __bool__(self):
        return bool(self.x > 0)

    def __call__(self, t):
        return self.x * t + self.y

    @property
    def squared(self):
        return self @ self

    @staticmethod
    def unit():
        return Vector(1.0, 0.0)


class Shifted(Vector):
    def __add__(self, other):
        return Shifted(self.x + other.x + 1.0, self.y)


@program
def operators_of_a_named_tuple(x):
    p, q = Vector(x[0], x[1]), Vector(x[2], x[3])
    s = Vector.unit()
    for k in range(3):
        s = s + 2.0 * p * k
    s += -q
    return abs(s) * (p @ q) + s.squared + p(x[3])


@program
def sums_of_named_tuples(x):
    p, q = Vector(x[0], x[1]), Vector(x[2], x[3])
    total = sum([p, q, p])
    folded = functools.reduce(operator.add, [p, q * 2.0])
    return total.x * folded.y + operator.mul(p, 3.0).x


@program
def truth_of_a_named_tuple(x):
    p, q = Vector(x[0], x[1]), Vector(x[2], x[3])
    return (x[0] if p else x[1]) * (x[2] if q else x[3])


@program
def inherited_operators_of_a_named_tuple(x):
    s = Shifted(x[0], x[1]) + Vector(x[2], x[3])
    return s.squared * (s * 2.0).x + s.unit().x


class Length:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        if not isinstance(other, Length):
            return NotImplemented
        return Length(self.v + other.v)


class Offset:
    def __init__(self, v):
        self.v = v

    def __radd__(self, other):
        return Length(other.v * self.v)


@program
def operators_that_are_not_implemented(x):
    return (Length(x[0]) + Offset(x[1]) + Length(x[2])).v


@program
def joined_by_functions(x):
    joined = operator.add([x[0], x[1]], [x[2]]) + operator.mul([x[3]], 2)
    return joined[2] * joined[4]


class Doubled:
    def __init__(self, v):
        self.v = v

    @functools.cached_property
    def twice(self):
        return self.v * 2


@program
def cached_property_is_read_once(x):
    d = Doubled(x[0])
    first = d.twice
    d.v = x[1]
    return first * d.twice


class Unit(enum.Enum):
    METRE = 1.0
    FOOT = 0.3048

    def convert(self, length):
        return length * self.value


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


@program
def enumerations(x):
    factors = {Unit.METRE: x[1], Unit.FOOT: x[2]}
    total = Unit.FOOT.convert(x[0]) * Level.HIGH + x[Level.LOW]
    for unit in Unit:
        if unit is Unit.METRE or unit.name == "FOOT":
            total = total + factors[unit] * unit.value
    return total


@program
def parts_of_words(x):
    word = "abcd"
    return x[0] * (word[::-1] == "dcba") + x[1] * (word[1:3] == "bc")


@program
def members_that_are_known_later(x):
    unit, names = Unit.METRE, []
    for v in x:
        if v > 1.0:
            unit = Unit.FOOT
        names.append(unit.name)
    return x[0] * unit.value + x[1] * names.count("FOOT")


@program
def attributes_with_a_default(x):
    a = A(x[0])
    return getattr(a, "v", 3.0) * getattr(a, "w", x[1])


log = logging.getLogger("anadrome.tests")


@program
def values_that_are_logged(x):
    own = logging.getLogger()
    for v in x:
        log.info("value %.2f", v)
        own.log(logging.DEBUG, f"{v}")
    return x[0] * x[1]
