"""Small programs about special methods, attribute hooks and properties."""

import functools

import numpy as np
from attribute_programs import Config, SubConfig
from differential import Table

case = Table()

# Special methods


class Vec:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, o):
        return Vec(self.a + o.a, self.b + o.b)

    def __mul__(self, k):
        return Vec(self.a * k, self.b * k)

    __rmul__ = __mul__

    def __neg__(self):
        return Vec(-self.a, -self.b)

    def __getitem__(self, k):
        return (self.a, self.b)[k]

    def __len__(self):
        return 2

    def __iter__(self):
        return iter((self.a, self.b))

    def __abs__(self):
        return np.sqrt(self.a**2 + self.b**2)

    def __float__(self):
        return float(self.a)

    def __call__(self, x):
        return self.a * x + self.b

    def __contains__(self, v):
        return v == self.a or v == self.b

    def __iadd__(self, o):
        self.a += o.a
        return self

    def __sub__(self, o):
        return NotImplemented

    def __rsub__(self, o):
        return 3.0

    def __matmul__(self, o):
        return self.a * o.a + self.b * o.b


class Truthy:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        return self.v > 0


class Sized:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)


class Sequence:
    def __init__(self, n):
        self.n = n

    def __getitem__(self, k):
        if k >= self.n:
            raise IndexError(k)
        return 2.0 * k


@case()
def operators(x):
    v = Vec(x, 2.0) + 3.0 * Vec(1.0, x) * 2.0
    return v[0] * v[1] + abs(-v) + v(x)


@case()
def in_place_operator(x):
    v = Vec(x, 1.0)
    w = v
    v += Vec(x, 1.0)
    return w.a * v.b if v is w else x


@case()
def in_place_falls_back(x):
    v = Vec(x, 1.0)
    w = v
    v *= 3.0
    return w.a + 10 * v.a


@case()
def reflected_after_not_implemented(x):
    return (Vec(x, 1.0) - Vec(x, 2.0)) * x


@case()
def not_implemented_at_all(x):
    return (Vec(x, 1.0) - 1.0) * x


@case()
def unpacked_object(x):
    a, b = Vec(x, 2.0)
    return a * b


@case()
def iterated_object(x):
    return sum(v * v for v in Vec(x, 2.0))


@case()
def old_iteration(x):
    return x * sum(v for v in Sequence(3))


@case()
def membership_by_method(x):
    return (x if x in Vec(x, 2.0) else 2 * x) + (x if 5.0 in Vec(x, 2.0) else 4 * x)


@case()
def membership_by_iteration(x):
    return (x if 4.0 in Sequence(3) else 2 * x) + (x if 5.0 in Sequence(3) else 4 * x)


@case()
def float_of_object(x):
    return float(Vec(x, 1.0)) * x


@case()
def matrix_product(x):
    return Vec(x, 2.0) @ Vec(x, 3.0)


@case()
def truth_by_bool(x):
    return (x if Truthy(x) else 2 * x) + (x if not Truthy(-x) else 4 * x)


@case()
def truth_by_length(x):
    return (x if Sized([x]) else 2 * x) + (x if Sized([]) else 4 * x)


@case()
def truth_of_plain(x):
    return x if Config() else 2 * x


@case()
def or_of_objects(x):
    return (Truthy(-x) or Truthy(2 * x)).v


@case()
def and_of_objects(x):
    return (Truthy(-x) and Truthy(2 * x)).v


@case()
def bool_of_object(x):
    return x * (bool(Truthy(x)) + 2 * bool(Truthy(-x)) + 4 * bool(Sized([])))


@case(lambda: [Truthy(1.0), Truthy(-1.0), None])
def filter_by_truth(x, ts):
    return sum(x * t.v for t in ts if t)


@case(lambda: [Sized([1.0]), Sized([]), Sized([2.0])])
def any_and_all(x, ss):
    return x * any(ss) + 2 * x * all(ss)


# Attribute hooks


class Hooked:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        if name.startswith("twice_"):
            return 2 * getattr(self, name[6:])
        raise AttributeError(name)


class HookedSimple:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        return self.v * 3


class Delegating:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Logged:
    def __init__(self, v):
        self.v = v

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


class Everything:
    def __init__(self, v):
        self.v = v

    def __getattribute__(self, name):
        return 5.0


@case()
def getattr_hook(x):
    return Hooked(x).twice_v


@case()
def getattr_hook_raises(x):
    return Hooked(x).other


@case()
def getattr_hook_of_any_name(x):
    h = HookedSimple(x)
    return h.anything + h.v


@case()
def delegation(x):
    return Delegating(Config()).rate * x


@case()
def setattr_hook(x):
    return Logged(x).v


@case(lambda: Logged(1.0))
def setattr_hook_of_given(x, logged):
    logged.v = x
    return logged.v


@case()
def getattribute_hook(x):
    return Everything(x).v * x


@case(lambda: Everything(1.0))
def getattribute_hook_of_given(x, e):
    return e.v * x


# Properties and descriptors


class Temp:
    def __init__(self, c):
        self._c = c

    @property
    def f(self):
        return self._c * 1.8 + 32.0

    @f.setter
    def f(self, v):
        self._c = (v - 32.0) / 1.8

    @property
    def read_only(self):
        return self._c

    @functools.cached_property
    def cached(self):
        return self._c * 2

    @classmethod
    def make(cls, v):
        return cls(v)

    @staticmethod
    def double(v):
        return 2 * v


class SubTemp(Temp):
    @property
    def f(self):
        return super().f + 1.0


class Descriptor:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        return 3.0

    def __set__(self, obj, value):
        raise ValueError("read only")


class WithDescriptor:
    d = Descriptor()


@case()
def properties(x):
    t = Temp(x)
    t.f = t.f * 2
    return t.f * t._c


@case()
def property_without_setter(x):
    t = Temp(x)
    t.read_only = 3.0
    return t._c


@case()
def property_without_setter_is_caught(x):
    t = Temp(x)
    try:
        t.read_only = 3.0
    except AttributeError:
        t.f = 50.0 * x
    return t._c


@case()
def property_of_subclass(x):
    return SubTemp(x).f


@case(lambda: SubTemp(2.0))
def property_of_given(x, t):
    t._c = x
    return t.f


@case()
def cached_property_is_kept(x):
    t = Temp(x)
    a = t.cached
    t._c = 10 * x
    return a + 100 * t.cached


@case(lambda: Temp(3.0))
def cached_property_of_given(x, t):
    a = t.cached * x
    t._c = 10.0
    return a + x * t.cached


@case()
def class_method(x):
    return Temp.make(x).f + SubTemp.make(x).f + Temp(x).make(2 * x)._c


@case()
def static_method(x):
    return Temp.double(x) + Temp(x).double(x)


@case()
def method_of_the_class(x):
    return Config.scaled(SubConfig(), x)


@case()
def descriptor(x):
    return WithDescriptor().d * x


@case()
def descriptor_is_set(x):
    w = WithDescriptor()
    w.d = x
    return x
