"""Common Python outside the promised language: to be right or to be refused by name."""

import collections
import copy
import functools
import itertools
import math

import numpy as np
from corpus.registry import program

BEYOND = ["beyond"]
WRITES = ["beyond", "writes"]


def vector(rng):
    return (rng.normal(size=4),)


def matrix(rng):
    return (rng.normal(size=(3, 4)),)


def point(rng):
    return rng.normal(), rng.normal()


@program(lambda rng: (rng.normal(size=3), "cube"), tags=BEYOND)
def match_statement(x, kind):
    match kind:
        case "square":
            y = x**2
        case "cube":
            y = x**3
        case _:
            y = x
    return y.sum()


@program(vector, tags=BEYOND)
def errstate_context(x):
    with np.errstate(divide="ignore"):
        y = x / (1 + x * x)
    return y.sum()


@program(vector, tags=BEYOND)
def itertools_product_and_combinations(x):
    s = 0.0
    for i, j in itertools.combinations(range(4), 2):
        s += x[i] * x[j] ** 2
    for u, v in itertools.product(x[:2], x[2:]):
        s += np.sin(u * v)
    return s


@program(vector, tags=BEYOND)
def itertools_chain_and_accumulate(x):
    parts = list(itertools.accumulate(x, lambda a, b: a * 0.5 + b))
    return sum(v * v for v in itertools.chain(parts, x[:2]))


@program(matrix, tags=BEYOND)
def ndindex_and_ndenumerate(a):
    s = 0.0
    for i, j in np.ndindex(a.shape):
        s += a[i, j] * (i + j)
    for (i, j), v in np.ndenumerate(a):
        s += v * v * i
    return s


@program(vector, tags=WRITES)
def defaultdict_and_counter(x):
    groups = collections.defaultdict(list)
    for i, v in enumerate(x):
        groups[i % 2].append(v)
    return sum(groups[0]) * sum(groups[1])


@program(vector, tags=WRITES)
def deque_as_window(x):
    window = collections.deque(maxlen=2)
    s = 0.0
    for v in x:
        window.append(v)
        s += window[0] * window[-1]
    return s


@program(point, tags=BEYOND)
def lru_cache_on_inner_function(x, y):
    @functools.lru_cache(maxsize=None)
    def f(n):
        return x if n == 0 else f(n - 1) * y + n

    return f(3) + f(2)


class Lazy:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def energy(self):
        return (self.x**2).sum()


@program(vector, tags=WRITES)
def cached_property(x):
    lazy = Lazy(x)
    return lazy.energy * lazy.energy


@program(vector, tags=BEYOND)
def iter_and_next(x):
    it = iter(x)
    s = next(it)
    for v in it:
        s = s * 0.5 + v
    return s * next(it, x[0])


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


@program(vector, tags=WRITES)
def user_defined_iterator(x):
    s = 0.0
    for i in Countdown(4):
        s = s * 0.5 + x[i] ** 2
    return s


class Scope:
    def __init__(self):
        self.depth = 0

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, *error):
        self.depth -= 1
        return False


@program(point, tags=WRITES)
def user_defined_context_manager(x, y):
    scope = Scope()
    with scope as s:
        z = x * y * s.depth
    return z * z + scope.depth


@program(vector, tags=BEYOND)
def deepcopy_of_structure(x):
    p = {"w": x * 1.0, "b": [x[0]]}
    q = copy.deepcopy(p)
    q["w"][0] = 5.0
    return (p["w"] * q["w"]).sum() * q["b"][0]


@program(vector, tags=BEYOND)
def vectorize_and_apply_along_axis(x):
    f = np.vectorize(lambda v: v * v if v > 0 else -v)
    m = np.outer(x, x)
    return f(x).sum() + np.apply_along_axis(lambda r: r[0] * r[1], 1, m).sum()


@program(vector, tags=BEYOND)
def polyval_and_interp(x):
    p = np.polyval([1.0, -2.0, x[0]], x[1])
    q = np.interp(x[2], [-3.0, 0.1, 3.0], [x[3], 1.0, 2.0])
    return p * q + np.trapezoid(x)


@program(vector, tags=BEYOND)
def math_prod_fsum_dist(x):
    return math.prod(x) + math.fsum(x) * math.dist(x[:2], x[2:])


@program(vector, tags=WRITES)
def flat_iterator(x):
    m = np.outer(x, x)
    m.flat[3] = x[0] ** 3
    return sum(v for v in m.flat) * m.flat[3]


@program(vector, tags=WRITES)
def strided_view(x):
    y = x * 1.0
    w = np.lib.stride_tricks.sliding_window_view(y, 2)
    return (w.prod(axis=1) ** 2).sum()


@program(point, tags=BEYOND)
def type_call_and_dunder(x, y):
    a = [x, y]
    b = type(a)((y, x))
    return a.__getitem__(0) * b.__len__() + float.__mul__(float(x), float(y))


@program(point, tags=BEYOND)
def star_expression_in_index_and_return(x, y):
    def pair():
        rest = [y, x * y]
        return x, *rest

    a, b, c = pair()
    m = np.outer([a, b], [b, c])
    return m[(*[0], 1)] + m[1, 0]


@program(point, tags=BEYOND)
def zip_strict_and_starred_zip(x, y):
    pairs = [(x, y), (y, x * y)]
    left, right = zip(*pairs, strict=True)
    return left[0] * right[1] + sum(left)


class Meta(type):
    def __call__(cls, *args):
        obj = super().__call__(*args)
        obj.scale = 2.0
        return obj


class Made(metaclass=Meta):
    def __init__(self, v):
        self.v = v


@program(point, tags=WRITES)
def metaclass(x, y):
    m = Made(x * y)
    return m.v * m.scale


class Descriptor:
    def __get__(self, obj, kind=None):
        return obj._v * 3

    def __set__(self, obj, v):
        obj._v = v * v


class Described:
    v = Descriptor()


@program(point, tags=WRITES)
def descriptor(x, y):
    d = Described()
    d.v = x
    return d.v * y


class Proxy:
    def __init__(self, table):
        self._table = table

    def __getattr__(self, name):
        return self._table[name]


@program(point, tags=BEYOND)
def attribute_hook(x, y):
    p = Proxy({"a": x, "b": y})
    return p.a * p.b + p.a


class Slotted:
    __slots__ = ("u", "v")

    def __init__(self, u, v):
        self.u = u
        self.v = v


@program(point, tags=WRITES)
def class_with_slots(x, y):
    s = Slotted(x, y)
    s.u = s.u * s.v
    return s.u + s.v


@program(vector, tags=BEYOND)
def array_of_objects(x):
    items = np.empty(2, dtype=object)
    items[0] = x[:2]
    items[1] = x[2:] * 2
    return (items[0] * items[1]).sum()


@program(vector, tags=BEYOND)
def structured_numbers_through_strings(x):
    parts = [float(f"{2.5:.2f}"), float("1e-1")]
    return (x**2).sum() * parts[0] + parts[1] * x[0]
