"""Small programs about equality, membership and objects as keys."""

from differential import Table
from object_classes import C, D, E, F, N, Ordered, P, T, shared, three

case = Table()


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
    return x if D(x, 0.0) == Ordered(x, 0.0) else 2 * x


@case()
def dataclass_order(x):
    return (x if Ordered(x) < Ordered(2 * x) else 2 * x) + (
        x if Ordered(x, 1.0) >= Ordered(x, 2.0) else 3 * x
    )


@case()
def dataclasses_sorted(x):
    os = sorted([Ordered(3 * x), Ordered(x, 2.0), Ordered(x, 1.0)])
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
