"""Small programs about identity that travels through containers, calls and loops."""

import copy
import dataclasses
from dataclasses import dataclass

import numpy as np
from differential import Table

case = Table()


class P:
    def __init__(self, v, tag=0):
        self.v = v
        self.tag = tag


class Q(P):
    pass


class W:
    """Holds an array."""

    def __init__(self, v):
        self.w = np.full(2, v)


@dataclass
class Body:
    x: float
    m: float = 1.0


@dataclass(frozen=True)
class Key:
    k: int


@dataclass(order=True)
class Item:
    cost: float
    name: str = dataclasses.field(compare=False, default="")


def three():
    return [P(1.0, 0), P(2.0, 1), P(3.0, 2)]


GLOBAL = P(5.0)


def _other(p):
    return GLOBAL if p.v > 2 else p


# Identity that travels


@case()
def invariant_objects_are_many(x):
    ps = [P(x) for _ in range(3)]
    return sum(p.v for p in ps for q in ps if p is q)


@case()
def invariant_objects_appended(x):
    ps = []
    for _ in range(3):
        ps.append(P(1.0))
    return x * sum(1.0 for p in ps for q in ps if p is q)


@case()
def repeated_object_is_one(x):
    ps = [P(x)] * 3
    return sum(p.v for p in ps for q in ps if p is q)


@case()
def repeated_list_is_one(x):
    ls = [[x]] * 3
    return sum(a[0] for a in ls for b in ls if a is b)


@case()
def lists_of_a_comprehension_are_many(x):
    ls = [[x] for _ in range(3)]
    return sum(a[0] for a in ls for b in ls if a is b)


@case()
def invariant_lists_are_many(x):
    ls = [[1.0] for _ in range(3)]
    return x * sum(1.0 for a in ls for b in ls if a is b)


@case(three)
def identity_in_a_function(x, ps):
    def same(a, b):
        return a is b

    return sum(x * p.v for p in ps for q in ps if same(p, q))


@case(three)
def identity_in_recursion(x, ps):
    def count(k, p):
        if k == len(ps):
            return 0.0
        return (x * p.v if ps[k] is p else x) + count(k + 1, p)

    return count(0, ps[1])


@case(three)
def identity_in_a_closure(x, ps):
    chosen = ps[2]

    def weight(p):
        return 10.0 if p is chosen else 1.0

    return sum(x * weight(p) for p in ps)


@case(lambda: [P(1.0), GLOBAL])
def identity_of_a_global(x, ps):
    return sum(x * p.v for p in ps if p is not GLOBAL)


@case(lambda: P(3.0))
def identity_of_a_chosen_global(x, p):
    return x if _other(p) is GLOBAL else 2 * x


@case(three)
def identity_after_pop(x, ps):
    p = ps[-1]
    return x * 3 if ps.pop() is p else x


@case(three)
def identity_after_swap(x, ps):
    a = ps[0]
    ps[0], ps[2] = ps[2], ps[0]
    return x * 3 if ps[2] is a else x


@case(three)
def identity_after_slice(x, ps):
    return x * 3 if ps[1:][0] is ps[1] else x


@case(three)
def identity_after_reverse(x, ps):
    back = list(reversed(ps))
    return x * 3 if back[0] is ps[2] else x


@case(three)
def identity_in_a_tuple(x, ps):
    pair = (ps[0], ps[1])
    return x * 3 if pair[0] is ps[0] and pair[1] is not ps[0] else x


@case(three)
def identity_in_a_dict(x, ps):
    d = {"a": ps[0], "b": ps[1]}
    return x * 3 if d["a"] is ps[0] and d.get("b") is ps[1] else x


@case(three)
def identity_in_a_while_loop(x, ps):
    k, s = 0, 0.0
    current = ps[0]
    while k < 3:
        if current is ps[0]:
            s += x * current.v
        k += 1
        current = ps[k % 3]
    return s


@case(three)
def identity_of_a_join(x, ps):
    p = ps[0] if x > 0 else ps[1]
    return x * 3 if p is ps[0] else x


@case()
def identity_of_a_join_made_here(x):
    a, b = P(x), P(2 * x)
    p = a if x > 0 else b
    return p.v * 3 if p is a else p.v


@case()
def identity_of_a_join_in_a_loop(x):
    a, b = P(x), P(2 * x)
    p, s = a, 0.0
    for _ in range(4):
        s += p.v if p is a else p.v * 10
        p = b if p is a else a
    return s


@case(three)
def objects_that_interact(x, ps):
    fs = []
    for p in ps:
        f = 0.0
        for q in ps:
            if q is not p:
                f += x * q.v / (p.v - q.v) ** 2
        fs.append(f)
    return sum(f * p.v for f, p in zip(fs, ps))


@case(three)
def objects_that_interact_and_move(x, ps):
    for _ in range(2):
        for p in ps:
            for q in ps:
                if p is not q:
                    p.v = p.v + 0.1 * x * (q.v - p.v)
    return sum(p.v**2 for p in ps)


@case(lambda: [Body(1.0), Body(2.0), Body(4.0, 2.0)])
def dataclasses_that_interact(x, bs):
    return sum(x * a.m * b.m / abs(a.x - b.x) for a in bs for b in bs if a is not b)


@case(lambda: [W(1.0), W(2.0)])
def objects_with_arrays(x, ws):
    return sum(x * np.sum(a.w * b.w) for a in ws for b in ws if a is not b)


@case(lambda: [W(1.0), W(2.0)])
def arrays_in_objects(x, ws):
    w = ws[0].w
    return sum(x * np.sum(a.w) for a in ws if a.w is w)


@case()
def copies_are_others(x):
    p = P(x)
    q = copy.copy(p)
    return p.v if p is q else 2 * q.v


@case(lambda: P(2.0))
def copies_of_given_are_others(x, p):
    q = copy.copy(p)
    return x if p is q else 2 * x * q.v


@case(lambda: Body(2.0))
def replaced_are_others(x, b):
    c = dataclasses.replace(b, x=x)
    return x if b is c else 2 * c.x


@case(lambda: Body(2.0))
def replaced_may_be_equal(x, b):
    c = dataclasses.replace(b)
    return x * (3 if b == c else 1) * (5 if b is c else 7)


@case(lambda: [P(1.0), Q(2.0), P(3.0)])
def identity_of_two_classes(x, ps):
    return sum(x * p.v for p in ps for q in ps if p is q)


@case(lambda: [P(1.0), Q(2.0), P(3.0)])
def classes_of_a_list(x, ps):
    return sum(x * p.v for p in ps if type(p) is Q) + sum(x for p in ps if type(p) is P)


@case(lambda: [P(1.0), None, P(3.0)])
def identity_with_none(x, ps):
    first = ps[0]
    return sum(x for p in ps if p is not None and p is not first)


@case()
def optional_object_of_a_loop(x):
    last = None
    s = 0.0
    for p in [P(x), P(2 * x), P(3 * x)]:
        if last is not None:
            s += p.v * last.v
        last = p
    return s


@case(three)
def found_object(x, ps):
    found = None
    for p in ps:
        if p.tag == 1:
            found = p
            break
    if found is None:
        return x
    return x * found.v * (10 if found is ps[1] else 1)


@case(three)
def next_object_with_default(x, ps):
    p = [q for q in ps if q.tag == 5]
    return x if not p else p[0].v


@case(three)
def remove_while_copying(x, ps):
    for p in list(ps):
        if p.tag == 1:
            ps.remove(p)
    return sum(x * p.v for p in ps)


@case(three)
def filter_by_membership(x, ps):
    some = [ps[0], ps[2]]
    return sum(x * p.v for p in ps if p in some)


@case(three)
def index_in_a_loop(x, ps):
    return sum(x * p.v * ps.index(p) for p in ps)


@case(three)
def enumerate_and_identity(x, ps):
    s = 0.0
    for i, p in enumerate(ps):
        for j, q in enumerate(ps):
            assert (i == j) == (p is q)
            s += x * (i + 1) * (j + 1) if p is q else x
    return s


@case()
def ids_differ(x):
    p, q = P(x), P(x)
    return x * len({id(p), id(q), id(p)})


@case()
def ids_of_numbers(x):
    y = x + 0.0
    return x if id(x) == id(y) else 2 * x


@case()
def identity_of_numbers(x):
    y = x * 1.0
    return x if x is y else 2 * x


@case()
def identity_of_true(x):
    flag = x > 0
    return x if flag is True else 2 * x


@case()
def identity_of_a_numpy_truth(x):
    flag = np.float64(x) > 0
    return x if flag is True else 2 * x


@case()
def identity_of_tuples(x):
    a = (x, 1.0)
    b = (x, 1.0)
    return x if a is b else 2 * x


@case()
def frozen_keys_from_numbers(x):
    d = {Key(k): float(k) for k in range(3)}
    return x * d[Key(2)]


@case()
def sorted_dataclasses_ignore_fields(x):
    items = sorted([Item(2.0, "b"), Item(1.0, "a"), Item(2.0, "a")])
    return x * sum((k + 1) * len(i.name) * i.cost for k, i in enumerate(items))


@case()
def heap_of_dataclasses(x):
    items = [Item(2.0 * x), Item(1.0 * x), Item(3.0 * x)]
    best = min(items)
    return best.cost * x


@case()
def max_of_dataclasses(x):
    return max(Item(2.0 * x), Item(1.0 * x)).cost


class Link:
    def __init__(self, v):
        self.v = v
        self.other = None


@case()
def two_that_hold_each_other(x):
    a, b = Link(x), Link(2.0)
    a.other, b.other = b, a
    c = b if x > 1 else a
    c.v += 3
    return c.v * a.other.other.v
