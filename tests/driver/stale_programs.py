"""Programs that depend on functions and classes which are replaced later."""

import abc
import functools
import types
from dataclasses import dataclass

import numpy as np


def double(x):
    return 2.0 * x


def with_default(x, k=2.0):
    return x * k


def with_integer_default(x, k=2):
    return x**k


def with_keyword_default(x, *, k=2.0):
    return x * k


class Base:
    rate = 2.0
    power = 2

    def f(self, x):
        return x * 2.0

    @property
    def p(self):
        return 2.0

    @staticmethod
    def s(x):
        return x * 2.0

    @classmethod
    def c(cls, x):
        return x * cls.rate

    def __mul__(self, other):
        return other * 2.0

    def __call__(self, x):
        return x * 2.0


class Other:
    def f(self, x):
        return x * 7.0


class Model(Base):
    def __init__(self, w=1.0):
        self.w = w

    def loss(self, x):
        return self.f(x) * self.w


@dataclass
class Point:
    a: float
    b: float = 2.0


class Shape(abc.ABC):  # noqa: B024
    pass


class Square:
    pass


module = types.ModuleType("stale_module")
module.helper = double
functions = {"f": double}
bound = functools.partial(with_default, k=3.0)


weights = np.array([3.0])
weighted = functools.partial(lambda w, x: w[0] * x, weights)


def of_array(x):
    return weighted(x)


def calls(x):
    return double(x)


def takes_default(x):
    return with_default(x)


def takes_integer_default(x):
    return with_integer_default(x)


def takes_keyword_default(x):
    return with_keyword_default(x)


def own_default(x, k=2.0):
    return x * k


def method(x):
    return Model(3.0).f(x)


def inherited(x):
    return Model(3.0).loss(x)


def property_(x):
    return Model().p * x


def static(x):
    return Model.s(x)


def class_method(x):
    return Model.c(x)


def operator_(x):
    return Model() * x


def called(x):
    return Model()(x)


def rate(x):
    return Model().rate * x


def power(x):
    return x**Model.power


def truth(x):
    return x if Model() else 2.0 * x


def field(x):
    return Model(3.0).w * x


def made(x):
    return Model(3.0).w * x


def dataclass_(x):
    return Point(x).b * x


def has(x):
    return x if hasattr(Model(), "extra") else 2.0 * x


def instance(x):
    return x if isinstance(Model(), Other) else 2.0 * x


def registered(x):
    return x if isinstance(Square(), Shape) else 2.0 * x


def of_module(x):
    return module.helper(x)


def of_table(x):
    return functions["f"](x)


def of_partial(x):
    return bound(x)


def given(x, m):
    return m.f(x) * m.w


captured = Model(3.0)


def global_object(x):
    return captured.f(x) + np.sin(x) * captured.w


def local_class(x):
    class Local:
        def f(self, v):
            return double(v) * rate_of_local

    return Local().f(x)


rate_of_local = 2.0


def triple(x):
    return 3.0 * x


def set_(owner, name, value):
    """A change of an attribute."""
    return lambda patch: patch.setattr(owner, name, value, raising=False)


def _init(self, w=1.0):
    self.w = 10.0 * w


class _Bases:
    """A patch of the base classes, which cannot be deleted before they are set."""

    def __call__(self, patch):
        kept = Model.__bases__
        Model.__bases__ = (Other, Base)
        return lambda: setattr(Model, "__bases__", kept)


bases = _Bases()


def _weights(patch):
    weights[0] = 5.0
    return lambda: weights.fill(3.0)


class _Data(property):
    pass


CHANGES = [
    (calls, set_(double, "__code__", triple.__code__)),
    (takes_default, set_(with_default, "__defaults__", (5.0,))),
    (takes_default, set_(with_default, "__code__", (lambda x, k=2.0: x + k).__code__)),
    (takes_integer_default, set_(with_integer_default, "__defaults__", (3,))),
    (takes_keyword_default, set_(with_keyword_default, "__kwdefaults__", {"k": 5.0})),
    (own_default, set_(own_default, "__defaults__", (5.0,))),
    (method, set_(Base, "f", lambda self, x: x * 5.0)),
    (method, set_(Model, "f", lambda self, x: x * 5.0)),
    (method, set_(Base.f, "__code__", (lambda self, x: x * 5.0).__code__)),
    (method, bases),
    (inherited, set_(Base, "f", lambda self, x: x * 5.0)),
    (inherited, set_(Model, "loss", lambda self, x: x * 5.0)),
    (property_, set_(Base, "p", property(lambda self: 5.0))),
    (property_, set_(Base, "p", 5.0)),
    (static, set_(Base, "s", staticmethod(lambda x: x * 5.0))),
    (class_method, set_(Base, "c", classmethod(lambda cls, x: x * 5.0))),
    (class_method, set_(Base, "rate", 5.0)),
    (operator_, set_(Base, "__mul__", lambda self, other: other * 5.0)),
    (called, set_(Base, "__call__", lambda self, x: x * 5.0)),
    (rate, set_(Base, "rate", 5.0)),
    (rate, set_(Model, "rate", 5.0)),
    (power, set_(Base, "power", 3)),
    (truth, set_(Base, "__bool__", lambda self: False)),
    (truth, set_(Model, "__len__", lambda self: 0)),
    (field, set_(Model, "w", _Data(lambda self: 5.0, lambda self, v: None))),
    (made, set_(Model, "__init__", _init)),
    (has, set_(Base, "extra", 1.0)),
    (instance, bases),
    (of_module, set_(module, "helper", triple)),
    (of_table, lambda patch: patch.setitem(functions, "f", triple)),
    (of_partial, set_(with_default, "__code__", (lambda x, k=2.0: x - k).__code__)),
    (of_partial, lambda patch: patch.setitem(bound.keywords, "k", 7.0)),
    (dataclass_, set_(Point, "b", property(lambda s: 5.0, lambda s, v: None))),
    (of_array, _weights),
    (given, set_(Base, "f", lambda self, x: x * 5.0)),
    (given, set_(Model, "w", _Data(lambda self: 5.0, lambda self, v: None))),
    (global_object, set_(Base, "f", lambda self, x: x * 5.0)),
    (local_class, lambda patch: patch.setitem(globals(), "rate_of_local", 5.0)),
    (local_class, lambda patch: patch.setitem(globals(), "double", triple)),
]
