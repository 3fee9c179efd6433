"""Small programs in which several protocols of objects meet."""

import functools
import operator

import numpy as np
from differential import Table
from travelling_programs import Body

case = Table()

# Protocols that combine


class Poly:
    def __init__(self, cs):
        self.cs = list(cs)

    def __call__(self, x):
        return functools.reduce(lambda a, c: a * x + c, self.cs, 0.0)

    def __add__(self, o):
        if isinstance(o, Poly):
            return Poly([a + b for a, b in zip(self.cs, o.cs)])
        return Poly([*self.cs[:-1], self.cs[-1] + o])

    def __radd__(self, o):
        return self + o

    def __eq__(self, o):
        return isinstance(o, Poly) and self.cs == o.cs

    def __len__(self):
        return len(self.cs)

    def __getitem__(self, k):
        return self.cs[k]

    def __setitem__(self, k, v):
        self.cs[k] = v

    def __iter__(self):
        return iter(self.cs)

    def __bool__(self):
        return any(c != 0 for c in self.cs)


@case()
def polynomial(x):
    p = Poly([1.0, x, 2.0])
    return (p + p)(x) + (p + 3.0)(x) + (3.0 + p)(2.0)


@case()
def sum_of_objects(x):
    return sum([Poly([x, 1.0]), Poly([2.0, x])])(x)


@case()
def sum_with_start(x):
    return sum([Poly([x, 1.0])], Poly([1.0, 1.0]))(x)


@case()
def polynomial_is_changed(x):
    p = Poly([1.0, 2.0])
    p[0] = x
    p[1] += x
    return p(x) * len(p) if p else x


@case()
def polynomial_of_zeros(x):
    return x if Poly([0.0, 0.0]) else 2 * x


@case()
def polynomials_are_equal(x):
    return (x if Poly([x]) == Poly([x]) else 2 * x) + (
        x if Poly([x]) != Poly([x]) else 4 * x
    )


@case(lambda: Poly([1.0, 2.0]))
def given_polynomial(x, p):
    p[0] = x * x
    return p(x) + sum(p)


@case()
def reduce_with_operator(x):
    ps = [Poly([x, 1.0]), Poly([1.0, 2.0]), Poly([3.0, x])]
    return functools.reduce(operator.add, ps)(x)


class Sub(Poly):
    def __add__(self, o):
        return Poly([100.0])

    def __radd__(self, o):
        return Poly([1000.0])


@case()
def reflected_of_a_subclass_comes_first(x):
    return (Poly([x]) + Sub([x]))(x) * x


@case()
def left_of_a_subclass(x):
    return (Sub([x]) + Poly([x]))(x) * x


class Comparable:
    def __init__(self, v):
        self.v = v

    def __lt__(self, o):
        return self.v < o.v

    def __gt__(self, o):
        return False


class SubComparable(Comparable):
    def __gt__(self, o):
        return True


@case()
def comparison_of_a_subclass_comes_first(x):
    return x if Comparable(5.0) < SubComparable(1.0) else 2 * x


@functools.total_ordering
class Total:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        return self.v == o.v

    def __lt__(self, o):
        return self.v < o.v


@case()
def total_ordering(x):
    return (x if Total(x) >= Total(x) else 2 * x) + (
        x if Total(x) > Total(x + 1) else 4 * x
    )


class Context:
    depth = 0

    def __init__(self):
        self.log = []

    def __enter__(self):
        self.log.append(1.0)
        return self

    def __exit__(self, *args):
        self.log.append(2.0)


@case()
def context_manager(x):
    c = Context()
    with c as d:
        y = x * len(d.log)
    return y + sum(c.log)


class Mixin:
    def describe(self):
        return self.value() * 2


class Impl(Mixin):
    def __init__(self, v):
        self._v = v

    def value(self):
        return self._v


@case()
def mixin(x):
    return Impl(x).describe()


class Chain:
    def __init__(self, v=1.0):
        self.v = v

    def times(self, k):
        self.v = self.v * k
        return self

    def plus(self, k):
        return Chain(self.v + k)


@case()
def chained_methods(x):
    c = Chain()
    d = c.times(x).plus(1.0).times(x)
    return d.v + c.v


class Deep:
    def __init__(self, k):
        self.inner = Deep(k - 1) if k else None
        self.k = k

    def total(self, x):
        return x * self.k + (self.inner.total(x) if self.inner else 0.0)


@case(lambda: Deep(3))
def nested_objects(x, d):
    return d.total(x)


class PropBase:
    def __init__(self, v):
        self._v = v

    @property
    def v(self):
        return self._v


class PropMid(PropBase):
    @property
    def v(self):
        return super().v * 2


class PropLeaf(PropMid):
    pass


@case()
def property_with_super_inherited(x):
    return PropLeaf(x).v


class MakeBase:
    def __init__(self, v):
        self.v = v

    @classmethod
    def make(cls, v):
        return cls(v)


class MakeMid(MakeBase):
    @classmethod
    def make(cls, v):
        return super().make(v * 2)


class MakeLeaf(MakeMid):
    pass


@case()
def class_method_with_super_inherited(x):
    return MakeLeaf.make(x).v + (1.0 if type(MakeLeaf.make(x)) is MakeLeaf else 2.0)


@case()
def class_method_of_an_instance(x):
    return MakeLeaf(x).make(x).v


class InitBase:
    def __init__(self, v):
        self.v = v


class InitMid(InitBase):
    def __init__(self, v):
        InitBase.__init__(self, v)
        self.w = 2 * v


class InitLeaf(InitMid):
    def __init__(self, v):
        InitMid.__init__(self, v)
        super().__init__(v * 3)


@case()
def explicit_base_init(x):
    i = InitLeaf(x)
    return i.v * i.w


class Mul1:
    def f(self, x):
        return super().f(x) * 2


class Add1:
    def f(self, x):
        return super().f(x) + 1


class Root:
    def f(self, x):
        return x


class Both(Mul1, Add1, Root):
    pass


@case()
def cooperative_mixins(x):
    return Both().f(x)


class __Priv:
    def __init__(self, v):
        self.__v = v

    def get(self):
        return self.__v


@case()
def private_of_a_class_named_with_underscores(x):
    return __Priv(x).get() + __Priv(x)._Priv__v


class PrivInner:
    __shared = 3.0

    def run(self, x):
        def inner(v):
            return v * self.__shared

        return inner(x) + sum(v * self.__shared for v in [x, 2 * x])

    def lam(self, x):
        return (lambda v: v * PrivInner.__shared)(x)

    def attr(self, x):
        self.__tmp = x
        del x
        return self.__tmp * 2

    def by_getattr(self, x):
        return self._PrivInner__shared * x

    def try_(self, x):
        try:
            return x * self.__missing
        except AttributeError:
            return 5 * x

    @staticmethod
    def __helper(x):
        return x * 7

    def use(self, x):
        return self.__helper(x) + PrivInner.__helper(x)

    @property
    def __p(self):
        return 2.0

    def prop(self, x):
        return x * self.__p

    def __dunder__(self):
        return 4.0

    def nested(self, x):
        def __f(v):
            return v * 2

        return __f(x)


@case()
def private_in_nested_functions(x):
    p = PrivInner()
    return p.run(x) + p.lam(x) * 10 + p.attr(x)


@case()
def private_in_other_places(x):
    p = PrivInner()
    return p.by_getattr(x) + p.try_(x) + p.use(x) + p.prop(x) + p.__dunder__()


@case()
def private_nested_function(x):
    return PrivInner().nested(x)


def _drained(xs, x):
    if not xs:
        return 0.0
    return x * xs.pop() + _drained(xs, x)


@case(lambda: [1.0, 2.0])
def drained_twice(x, xs):
    return _drained(xs, x) + _drained(xs, x) * 10 + len(xs)


@case(lambda: {"a": 1.0, "b": 2.0})
def enumerated_dict_grows(x, d):
    s = 0.0
    for i, k in enumerate(d):
        s += x * d[k]
        d["c"] = 1.0 * i
    return s


@case(lambda: {"a": 1.0, "b": 2.0})
def dict_grows_in_a_function(x, d):
    def put(k):
        d[k + k] = x

    for k in d:
        put(k)
    return sum(d.values())


@case(lambda: {"a": [1.0], "b": [2.0]})
def values_of_a_dict_grow(x, d):
    for k in d:
        d[k].append(x)
    return sum(sum(v) for v in d.values())


class Acc:
    total = 0.0
    seen: list = []  # noqa: RUF012

    def add(self, v):
        self.total += v
        return self


@case()
def class_default_becomes_instance(x):
    a, b = Acc(), Acc()
    a.add(x).add(2 * x)
    return a.total + 10 * b.total + Acc.total


class Lazy:
    def __init__(self, v):
        self.v = v
        self._cache = None

    @property
    def squared(self):
        if self._cache is None:
            self._cache = self.v**2
        return self._cache


@case()
def lazy_attribute(x):
    z = Lazy(x)
    a = z.squared
    z.v = 10.0
    return a + z.squared * x


@case(lambda: Lazy(2.0))
def lazy_attribute_of_given(x, z):
    a = z.squared
    z.v = x
    return a * x + z.squared * x


class Switch:
    def __init__(self, n):
        self.n = n

    def __getattr__(self, name):
        raise AttributeError(name)


@case()
def getattr_hook_that_is_not_needed(x):
    return Switch(2.0).n * x


@case()
def hasattr_with_a_hook(x):
    s = Switch(x)
    return x if hasattr(s, "m") else 2 * x * s.n


@case()
def getattr_default_with_a_hook(x):
    return getattr(Switch(x), "m", 3.0) * x


class EqArray:
    def __init__(self, w):
        self.w = w

    def __eq__(self, o):
        return bool(np.all(self.w == o.w))


@case(lambda: [EqArray(np.ones(2)), EqArray(np.ones(2)), EqArray(np.zeros(2))])
def equality_by_arrays(x, es):
    return x * es.count(es[0]) + x * es.index(es[2]) + x * (es[1] == es[0])


@case(lambda: [Body(1.0), Body(2.0), Body(1.0)])
def dataclasses_in_lists(x, bs):
    return x * bs.count(Body(1.0)) + x * bs.index(Body(2.0)) + x * (Body(3.0) in bs)


@case(lambda: Body(float("nan")))
def dataclass_with_nan(x, b):
    return x if b == b else 2 * x


@case(lambda: [1.0, 2.0, 3.0])
def numbers_in_lists(x, ns):
    return x * (2.0 in ns) + 10 * x * (x in ns) + x * ns.index(3.0) + x * ns.count(1.0)
