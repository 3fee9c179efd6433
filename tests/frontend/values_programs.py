"""Functions, matches, library types and copies as values of a program.

Each function takes a vector of four numbers and returns one.
"""

from __future__ import annotations

import collections
import copy
import itertools
import operator
from dataclasses import dataclass

import numpy as np

PROGRAMS = []


def program(function):
    """Enter a program to be read and differentiated."""
    PROGRAMS.append(function)
    return function


@dataclass
class Pt:
    a: float
    b: float


@program
def match_tuples_with_text(x):
    s = 0.0
    for item in [("add", x[0], x[1]), ("neg", x[2], 0.0), ("nop", 1.0, 1.0)]:
        match item:
            case ("add", a, b):
                s += a * b
            case ("neg", a, _):
                s -= a * a
            case _:
                s *= x[3]
    return s


@program
def match_class_with_guard(x):
    p = Pt(x[0], x[1])
    match p:
        case Pt(a, b=b) if a > b:
            return a * b * x[2]
        case Pt():
            return x[3]


@program
def match_alternatives_and_guards(x):
    k = 3 if x[0] > 0 else 7
    match k:
        case 1 | 2:
            y = x[1]
        case 3 if x[1] > 100:
            y = 0.0
        case n if n > 2:
            y = x[2] * n
        case _:
            y = 0.0
    return y


@program
def match_list_with_star(x):
    xs = [x[0], x[1], x[2]]
    match xs:
        case []:
            return 0.0
        case [a, *rest]:
            return a * sum(rest)


@program
def match_mapping(x):
    d = {"kind": "c", "r": x[0]}
    match d:
        case {"kind": "s", "w": w}:
            return w
        case {"kind": "c", "r": r}:
            return r * r * 3
    return 1.0


@program
def deque_with_length(x):
    q = collections.deque([x[0]], maxlen=3)
    for v in x:
        q.append(v * 2)
        q.appendleft(v)
    q.rotate(1)
    return sum(q) * q[0] + q.popleft() * q.pop() + len(q)


@program
def defaultdict_of_sums(x):
    g = collections.defaultdict(float)
    for i, v in enumerate(x):
        g[i % 2] += v * v
    t = 0.0
    for k, v in g.items():
        t += v * (k + 1)
    return t * g[0]


@program
def itemgetter_and_pairwise(x):
    pairs = sorted(zip(x, range(4)), key=operator.itemgetter(0))
    return pairs[0][0] * pairs[1][0] + sum(a * b for a, b in itertools.pairwise(x))


@program
def permutations_combinations_islice(x):
    s = 0.0
    for i, j in itertools.permutations(range(3), 2):
        s += x[i] * x[j] ** 2 * (i + 1)
    for a, b, c in itertools.combinations(x, 3):
        s += a * b * c
    return s + sum(v for v in itertools.islice(x, 1, 3))


@program
def closures_collected_in_a_list(x):
    fs = []
    for k in range(3):
        fs.append(lambda t, k=k: t * x[k] + k)
    r = 1.0
    for f in fs:
        r = f(r)
    return r + fs[-1](x[0])


@program
def function_or_none(x):
    g = np.sin if x[0] > 0 else (lambda t: t * x[1])
    h = None
    if x[1] > 0:
        h = np.exp
    r = g(x[2])
    if h is not None:
        r = h(r)
    return r


@program
def table_of_functions(x):
    ops = {"a": lambda u, v: u + v, "m": lambda u, v: u * v}
    r = x[0]
    for c in ["a", "m", "a"]:
        r = ops[c](r, x[1])
    return r


class Layer:
    def __init__(self, w, act):
        self.w = w
        self.act = act

    def __call__(self, u):
        return self.act(self.w * u)


@program
def functions_in_attributes(x):
    layers = [Layer(v, np.tanh) for v in x]
    u = 0.3
    for l in layers:
        u = l(u) + 0.1
    return u


@program
def closures_carried_by_a_loop(x):
    def make(k):
        def f(t):
            return t * k

        return f

    f = make(x[0])
    for v in x:
        g = make(v)
        f = g if v > 0 else f
    return f(x[1])


@program
def recursion_with_nonlocals(x):
    count = 0
    acc = 0.0

    def rec(i):
        nonlocal count, acc
        count += 1
        if i < 4:
            acc += x[i] * count
            rec(i + 1)

    rec(0)
    rec(2)
    return acc * count


@program
def deepcopy_of_nested_containers(x):
    p = {"w": x * 2.0, "l": [x[0], [x[1]]]}
    q = copy.deepcopy(p)
    q["w"][0] = 3.0
    q["l"][1][0] = x[2] ** 2
    return (p["w"] * q["w"]).sum() + p["l"][1][0] * q["l"][1][0]


@program
def list_that_changes_its_type(x):
    xs = [0]
    for v in x:
        xs.append(xs[-1] * 2 + v)
    return xs[-1] * xs[2]


@program
def none_until_found(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best * best


@program
def stars_of_unknown_length(x):
    def f(a, b, *r, k=1.0):
        return a * b * k + sum(r)

    rows = [(v, v * 2) for v in x]
    p, q = zip(*rows)
    return f(*x) + f(*[x[0], x[1]], k=x[2]) + sum(p) * max(*q)


class Linear:
    """Multiplies by a weight."""

    def __init__(self, w):
        self.w = w

    def __call__(self, v):
        return self.w * v


class Squashed(Linear):
    """Multiplies by a weight and squashes."""

    def __call__(self, v):
        return np.tanh(self.w * v)


@program
def class_chosen_at_run_time(x):
    kind = Squashed if x[0] > 0 else Linear
    return kind(x[1])(x[2])


@program
def object_of_one_of_two_classes(x):
    layer = Squashed(x[0]) if x[1] > 0 else Linear(x[1])
    return layer(x[2]) * layer.w


@program
def list_of_objects_of_two_classes(x):
    layers = []
    for i in range(4):
        if i % 2:
            layers.append(Squashed(x[i]))
        else:
            layers.append(Linear(x[i]))
    return sum([layer(1.5) for layer in layers])


@program
def dictionaries_merged_by_operators(x):
    d = {"a": x[0], "b": x[1]} | {"b": x[2]}
    d |= {"c": x[3]}
    return d["a"] * d["b"] * d["c"]


@program
def number_that_becomes_an_array_in_a_log(x):
    total, log = 0, []
    for v in x:
        total += v * x
        log.append(total)
    return sum([np.sum(t * x) for t in log])


@program
def argument_or_number_that_is_updated(x):
    y = x if x[0] > 0 else 1.0
    y += 2.0 * x[1]
    return np.sum(y * y) + x[0]


@program
def array_or_number_of_a_tuple(x):
    k = int(x[0] > 0)
    items = (x, x[1] * x[2])
    x[3] = x[0] * 2.0
    return np.sum(items[k] * x[1]) + np.sum(items[k - 2])


@program
def list_array_or_tuple_of_a_tuple(x):
    items = ([x[0], x[0] * x[1]], x, (1.0, x[2]))
    total = 0.0
    for k in range(3):
        for v in items[k]:
            total += v * x[3] * k
    return total
