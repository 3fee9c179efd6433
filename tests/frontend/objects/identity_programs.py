"""Small programs about identity, equality and containers of objects."""

from dataclasses import dataclass, field

import numpy as np

PROGRAMS = []


def case(*makers):
    """A program of a number and of what the makers make, anew for each run."""

    def register(function):
        PROGRAMS.append((function, makers))
        return function

    return register


class P:
    """Without equality of its own."""

    def __init__(self, v, other=None):
        self.v = v
        self.other = other


class E:
    """Equal by value, and hashed by it."""

    def __init__(self, v, tag=0):
        self.v = v
        self.tag = tag

    def __eq__(self, other):
        return isinstance(other, E) and self.v == other.v

    def __hash__(self):
        return hash(self.v)


class T:
    """Equal by tag."""

    def __init__(self, v, tag):
        self.v = v
        self.tag = tag

    def __eq__(self, other):
        if not isinstance(other, T):
            return NotImplemented
        return self.tag == other.tag

    def __lt__(self, other):
        return self.tag < other.tag


@dataclass
class D:
    a: float
    b: float = 2.0


@dataclass(order=True)
class O:
    a: float
    b: float = 0.0


@dataclass(frozen=True)
class F:
    a: float
    k: int = 0


@dataclass
class L:
    items: list = field(default_factory=list)
    scale: float = 1.0


@dataclass
class C:
    a: float
    note: float = field(default=0.0, compare=False)


@dataclass(eq=False)
class N:
    a: float


def three():
    return [P(1.0), P(2.0), P(3.0)]


def shared():
    p = P(1.0)
    return [p, P(2.0), p]


# Identity


@case(three)
def pairs_of_objects(x, bs):
    s = 0.0
    for p in bs:
        for q in bs:
            if p is q:
                continue
            s += x * p.v * q.v
    return s


@case(three)
def pairs_by_is_not(x, bs):
    return sum(x * p.v * q.v for p in bs for q in bs if p is not q)


@case(three)
def pairs_by_index(x, bs):
    s = 0.0
    for i in range(len(bs)):
        for j in range(len(bs)):
            if bs[i] is not bs[j]:
                s += x * bs[i].v * bs[j].v
    return s


@case(three)
def one_of_a_list(x, bs):
    first = bs[0]
    s = 0.0
    for p in bs:
        s += x * p.v if p is first else x
    return s


@case(three)
def first_is_itself(x, bs):
    return x if bs[0] is bs[0] else 2 * x


@case(shared)
def one_object_twice(x, bs):
    return x if bs[0] is bs[2] else 2 * x


@case(shared)
def two_objects(x, bs):
    return x if bs[0] is bs[1] else 2 * x


@case(shared)
def a_shared_object_is_changed(x, bs):
    bs[0].v = x * x
    return bs[2].v * x


@case()
def made_here_is_itself(x):
    p = P(x)
    q = p
    return p.v if p is q else 2 * p.v


@case()
def made_here_are_two(x):
    p, q = P(x), P(x)
    return p.v if p is q else 2 * p.v


@case()
def made_here_in_a_list(x):
    ps = [P(x), P(2 * x), P(3 * x)]
    s = 0.0
    for p in ps:
        for q in ps:
            if p is not q:
                s += p.v * q.v
    return s


@case()
def comprehension_of_objects(x):
    ps = [P(x * k) for k in range(3)]
    return sum(p.v * q.v for p in ps for q in ps if p is q)


@case(three)
def ids_are_equal(x, bs):
    return sum(x * p.v for p in bs for q in bs if id(p) == id(q))


@case(three)
def ids_in_a_set(x, bs):
    seen = set()
    s = 0.0
    for p in bs + bs:
        if id(p) in seen:
            continue
        seen.add(id(p))
        s += x * p.v
    return s


@case(three)
def ids_as_keys(x, bs):
    table = {id(p): p.v for p in bs}
    return x * sum(table[id(p)] for p in bs)


@case()
def lists_are_not_the_same(x):
    a, b = [x], [x]
    return x if a is b else 2 * x


@case()
def lists_that_are_the_same(x):
    a = [x]
    b = a
    b.append(x)
    return x * len(a) if a is b else 2 * x


@case(lambda: [[1.0], [2.0]])
def inner_lists_are_themselves(x, ls):
    return sum(x * a[0] for a in ls for b in ls if a is b)


@case(lambda: (lambda m: [m, m])(np.ones(2)))
def one_array_twice(x, arrays):
    return x if arrays[0] is arrays[1] else 2 * x


@case(lambda: [np.ones(2), np.ones(2)])
def two_arrays(x, arrays):
    return x if arrays[0] is arrays[1] else 2 * x


@case(lambda: [np.ones(2), np.ones(2)])
def arrays_of_a_loop(x, arrays):
    return sum(x * np.sum(a) for a in arrays for b in arrays if a is b)


@case(lambda: {"a": P(1.0), "b": P(2.0)})
def objects_of_a_dictionary(x, d):
    return sum(x * p.v for p in d.values() for q in d.values() if p is not q)


@case()
def attribute_is_an_object(x):
    p = P(x)
    q = P(2 * x, p)
    return q.other.v if q.other is p else q.v


@case()
def object_that_holds_itself(x):
    p = P(x)
    p.other = p
    return p.other.v * 3 if p.other is p else x


@case(lambda: P(1.0))
def argument_is_none(x, p):
    return x if p.other is None else 2 * x


@case(lambda: P(1.0, P(2.0)))
def argument_is_not_none(x, p):
    return x if p.other is None else 2 * x * p.other.v


@case(lambda: P(1.0))
def an_attribute_that_was_none(x, p):
    p.other = P(x)
    return p.other.v * x


@case(lambda: [P(1.0), P(2.0, P(3.0))])
def none_on_some(x, ps):
    return sum(x * (p.v if p.other is None else p.other.v) for p in ps)


@case()
def best_object_starts_as_none(x):
    best = None
    for p in [P(x), P(3 * x), P(2 * x)]:
        if best is None or p.v > best.v:
            best = p
    return best.v * x


@case(three)
def best_of_given_objects(x, bs):
    best = None
    for p in bs:
        if best is None or p.v > best.v:
            best = p
    return sum(x if p is best else x * p.v for p in bs)


@case()
def bound_methods_are_made_anew(x):
    p = E(x)
    return x if p.__eq__ is p.__eq__ else 2 * x


@case()
def functions_are_themselves(x):
    def f(v):
        return v * 2

    g = f
    return f(x) if g is f else x


@case()
def numbers_from_one_name(x):
    y = x
    return x if y is x else 2 * x


@case()
def class_of_object(x):
    return x if type(P(x)) is P else 2 * x


@case()
def classes_of_objects_differ(x):
    return x if type(P(x)) is type(E(x)) else 2 * x


@case(three)
def identity_after_sorting(x, bs):
    top = sorted(bs, key=lambda p: -p.v)[0]
    return sum(x * p.v for p in bs if p is not top)


@case(three)
def identity_after_max(x, bs):
    top = max(bs, key=lambda p: p.v)
    return sum(x * p.v for p in bs if p is not top) + x * x * top.v


@case(three)
def identity_after_min(x, bs):
    low = min(bs, key=lambda p: (p.v - 2.0) ** 2)
    return sum(x * p.v for p in bs if p is not low)


@case()
def max_of_objects_made_here(x):
    ps = [P(x), P(3 * x), P(2 * x)]
    return max(ps, key=lambda p: p.v).v * x


@case()
def max_gives_the_first_of_equals(x):
    ps = [T(x, 1), T(2 * x, 2), T(3 * x, 2)]
    return max(ps, key=lambda p: p.tag).v


@case()
def min_gives_the_first_of_equals(x):
    ps = [T(x, 2), T(2 * x, 1), T(3 * x, 1)]
    return min(ps, key=lambda p: p.tag).v


@case()
def max_with_default(x):
    return max([], key=lambda p: p.v, default=P(x)).v


@case()
def max_of_nothing(x):
    return max([], key=lambda p: p.v).v * x


@case()
def sorting_is_stable(x):
    ps = [T(x, 1), T(2 * x, 0), T(3 * x, 1), T(4 * x, 0)]
    ps.sort(key=lambda p: p.tag)
    return sum((k + 1) * p.v for k, p in enumerate(ps))


@case()
def sorting_by_less_than(x):
    ps = sorted([T(x, 3), T(2 * x, 1), T(3 * x, 2)])
    return sum((k + 1) * p.v for k, p in enumerate(ps))


@case()
def max_by_less_than(x):
    return min([T(x, 3), T(2 * x, 1), T(3 * x, 2)]).v


# Equality


@case()
def default_equality_is_identity(x):
    p, q = P(x), P(x)
    return (1.0 if p == q else 2.0) * x + (4.0 if p == p else 8.0) * x


@case()
def default_inequality(x):
    p, q = P(x), P(x)
    return (1.0 if p != q else 2.0) * x + (4.0 if p != p else 8.0) * x


@case(three)
def default_equality_of_given(x, bs):
    return sum(x * p.v * q.v for p in bs for q in bs if p == q)


@case(three)
def default_inequality_of_given(x, bs):
    return sum(x * p.v * q.v for p in bs for q in bs if p != q)


@case()
def own_equality(x):
    return x if E(x) == E(x) else 2 * x


@case()
def own_inequality_follows(x):
    return (x if E(x) != E(x) else 2 * x) + (x if E(x) != E(x + 1) else 4 * x)


@case()
def own_equality_with_a_number(x):
    return x if E(x) == x else 2 * x


@case()
def number_with_own_equality(x):
    return x if x == E(x) else 2 * x


@case()
def not_implemented_falls_back(x):
    t = T(x, 1)
    return (x if t == 1 else 2 * x) + (x if t == t else 4 * x)


@case()
def not_implemented_inequality(x):
    return x if T(x, 1) != T(x, 2) else 2 * x


@case()
def object_and_none(x):
    return x if P(x) == None else 2 * x  # noqa: E711


@case()
def own_equality_and_none(x):
    return x if E(x) == None else 2 * x  # noqa: E711


@case()
def dataclass_equality(x):
    return (x if D(x) == D(x) else 2 * x) + (x if D(x) == D(x, 3.0) else 4 * x)


@case()
def dataclass_inequality(x):
    return (x if D(x) != D(x) else 2 * x) + (x if D(x) != D(x, 3.0) else 4 * x)


@case(lambda: [D(1.0), D(2.0), D(1.0)])
def dataclass_equality_of_given(x, ds):
    return sum(x * a.a for a in ds for b in ds if a == b)


@case()
def dataclass_of_another_class(x):
    return x if D(x, 0.0) == O(x, 0.0) else 2 * x


@case()
def dataclass_order(x):
    return (x if O(x) < O(2 * x) else 2 * x) + (x if O(x, 1.0) >= O(x, 2.0) else 3 * x)


@case()
def dataclasses_sorted(x):
    os = sorted([O(3 * x), O(x, 2.0), O(x, 1.0)])
    return sum((k + 1) * (o.a + x * o.b) for k, o in enumerate(os))


@case()
def dataclass_field_not_compared(x):
    return x if C(x, 1.0) == C(x, 2.0) else 2 * x


@case()
def dataclass_without_equality(x):
    n = N(x)
    return (x if n == N(x) else 2 * x) + (x if n == n else 4 * x)


@case()
def frozen_as_keys(x):
    d = {F(1.0, 1): x, F(2.0, 2): x * x}
    return d[F(2.0, 2)] + d[F(1.0, 1)] * 3


@case()
def frozen_is_frozen(x):
    f = F(x)
    f.a = 2.0
    return f.a


@case()
def frozen_is_caught(x):
    f = F(x)
    try:
        f.a = 2.0
    except AttributeError:
        return 3 * x
    return f.a


@case()
def lists_of_objects_are_equal(x):
    return (x if [E(x)] == [E(x)] else 2 * x) + (x if [P(x)] == [P(x)] else 4 * x)


@case()
def tuples_of_objects_are_equal(x):
    p = P(x)
    return (x if (p, 1) == (p, 1) else 2 * x) + (x if (p,) == (P(x),) else 4 * x)


@case()
def dicts_of_objects_are_equal(x):
    p = P(x)
    a, b = {"p": p}, {"p": p}
    return x if a == b else 2 * x


@case()
def lists_compared(x):
    return (x if [1, 2] == [1, 2] else 2 * x) + (x if [x, 1.0] == [x, 2.0] else 4 * x)


@case()
def nan_is_not_equal(x):
    n = float("nan")
    return x if n == n else 2 * x


@case()
def nan_is_in_its_list(x):
    n = float("nan")
    return x if n in [n] else 2 * x


@case(lambda: float("nan"))
def given_nan_is_in_its_list(x, n):
    return (x if n in [n] else 2 * x) + (x if [n] == [n] else 4 * x)


@case(lambda: [float("nan"), 1.0])
def nan_of_a_list(x, ns):
    return (x if ns[0] in ns else 2 * x) + (x if ns.count(ns[0]) == 1 else 4 * x)


@case(lambda: [float("nan"), 1.0])
def another_nan(x, ns):
    return x if float("nan") in ns else 2 * x


@case(lambda: [float("nan"), 1.0])
def index_of_nan(x, ns):
    return x * (1 + ns.index(ns[0]))


@case()
def nan_made_by_arithmetic(x):
    n = x * float("inf") * 0.0
    return (x if n in [n] else 2 * x) + (x if (n,) == (n,) else 4 * x)


@case()
def nan_in_a_tuple(x):
    n = x * float("nan")
    return x if n in (1.0, n) else 2 * x


# Membership


@case(three)
def object_in_list(x, bs):
    return (x if bs[1] in bs else 2 * x) + (x if P(2.0) in bs else 4 * x)


@case(three)
def object_not_in_slice(x, bs):
    return (x if bs[0] not in bs[1:] else 2 * x) + (x if bs[2] in bs[1:] else 4 * x)


@case()
def equal_object_in_list(x):
    return (x if E(1.0) in [E(2.0), E(1.0)] else 2 * x) + (
        x if E(3.0) in [E(2.0), E(1.0)] else 4 * x
    )


@case()
def dataclass_in_list(x):
    return (x if D(1.0) in [D(1.0)] else 2 * x) + (x if D(x) in [D(2 * x)] else 4 * x)


@case(three)
def index_of_object(x, bs):
    return x * (1 + bs.index(bs[2]))


@case(three)
def index_of_object_that_is_not_there(x, bs):
    return x * bs.index(P(1.0))


@case()
def index_of_equal_object(x):
    return x * (1 + [E(1.0), E(2.0)].index(E(2.0)))


@case(shared)
def count_of_object(x, bs):
    return x * (bs.count(bs[0]) + 10 * bs.count(P(1.0)))


@case(three)
def remove_object(x, bs):
    bs.remove(bs[1])
    return sum(x * p.v for p in bs)


@case(shared)
def remove_takes_the_first(x, bs):
    bs.remove(bs[2])
    return sum((k + 1) * x * p.v for k, p in enumerate(bs))


@case()
def remove_equal_object(x):
    es = [E(1.0), E(2.0), E(1.0)]
    es.remove(E(1.0))
    return sum((k + 1) * x * e.v for k, e in enumerate(es))


@case()
def remove_what_is_not_there(x):
    ps = [P(x)]
    ps.remove(P(x))
    return ps[0].v


@case()
def index_made_here(x):
    p = P(x)
    ps = [P(1.0), p, P(2.0)]
    return x * ps.index(p)


@case()
def objects_as_keys(x):
    p, q = P(x), P(2 * x)
    d = {p: 2.0, q: 3.0}
    return d[p] * x + d[q] * x * x


@case(three)
def given_objects_as_keys(x, bs):
    d = {p: p.v * x for p in bs}
    return sum(d[p] * p.v for p in bs)


@case(three)
def key_that_is_not_there(x, bs):
    d = {p: p.v for p in bs}
    return x if P(1.0) in d else 2 * x


@case()
def equal_objects_as_keys(x):
    d = {E(1.0): x}
    d[E(1.0)] = 2 * x
    d[E(2.0)] = 3 * x
    return len(d) * d[E(1.0)] * d[E(2.0)]


@case()
def objects_in_a_set(x):
    p, q = P(x), P(x)
    s = {p, q, p}
    return x * len(s) + (x if p in s else 2 * x) + (x if P(x) in s else 4 * x)


@case()
def equal_objects_in_a_set(x):
    s = {E(1.0), E(1.0), E(2.0)}
    return x * len(s) + (x if E(2.0) in s else 2 * x)


@case(three)
def visited_objects(x, bs):
    seen = set()
    s = 0.0
    for p in [*bs, *bs]:
        if p not in seen:
            seen.add(p)
            s += x * p.v
    return s


@case()
def unhashable_in_a_set(x):
    return x * len({D(x)})


@case()
def unhashable_as_key(x):
    d = {}
    d[T(x, 1)] = x
    return x


@case()
def list_as_key(x):
    d = {}
    d[[1]] = x
    return x


@case()
def tuples_of_objects_as_keys(x):
    p, q = P(x), P(x)
    d = {(p, 1): x, (q, 1): 2 * x}
    return d[p, 1] + 3 * d[q, 1]


@case(lambda: (lambda p: P(1.0, P(2.0, p)))(P(3.0)))
def linked_list(x, p):
    s, k = 0.0, 1
    while p is not None:
        s += k * x * p.v
        p = p.other
        k += 1
    return s
