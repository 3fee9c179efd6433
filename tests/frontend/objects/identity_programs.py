"""Small programs about which object a value is."""

import numpy as np
from differential import Table
from object_classes import E, P, T, shared, three

case = Table()


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
