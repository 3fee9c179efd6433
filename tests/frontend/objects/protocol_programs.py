"""Small programs about attributes, classes and the protocols of objects."""

import abc
import functools
from dataclasses import InitVar, dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

PROGRAMS = []


def case(*makers):
    """A program of a number and of what the makers make, anew for each run."""

    def register(function):
        PROGRAMS.append((function, makers))
        return function

    return register


# Private names


class Base:
    __k = 2.0

    def __init__(self, v):
        self.__v = v

    def base(self):
        return self.__v * self.__k

    def __hidden(self):
        return self.__v + 1.0

    def call_hidden(self):
        return self.__hidden()


class Derived(Base):
    __k = 3.0

    def __init__(self, v):
        super().__init__(v)
        self.__v = 10.0 * v

    def derived(self):
        return self.__v * self.__k

    def __hidden(self):
        return 0.0


class _Under:
    def __init__(self, v):
        self.__v = v

    def get(self):
        return self.__v


class Counted:
    def __init__(self, x):
        self.x = x

    def run(self):
        __local = self.x * 2
        return [__local * k for k in (1, 2)][1]

    def keyword(self, *, __a=3.0):
        return self.x * __a

    def call_keyword(self):
        return self.keyword(__a=4.0)


@case()
def private_of_base_and_derived(x):
    d = Derived(x)
    return d.base() + 100 * d.derived()


@case()
def private_method(x):
    return Derived(x).call_hidden()


@case()
def private_by_its_long_name(x):
    d = Derived(x)
    return d._Base__v + 100 * d._Derived__v + d._Base__k


@case()
def private_from_outside(x):
    d = Derived(x)
    return d.__v


@case()
def private_of_a_class_with_underscore(x):
    return _Under(x).get() + _Under(x)._Under__v


@case(lambda: Derived(3.0))
def private_of_a_given_object(x, d):
    return x * (d.base() + 100 * d.derived())


@case()
def private_local(x):
    return Counted(x).run()


@case()
def private_keyword(x):
    return Counted(x).call_keyword() + Counted(x).keyword()


@case()
def private_of_a_local_class(x):
    class A:
        def __init__(self):
            self.__v = x

        def get(self):
            return self.__v

    class B(A):
        def __init__(self):
            super().__init__()
            self.__v = 5 * x

    return B().get()


@case()
def private_assigned_in_place(x):
    class A:
        def __init__(self):
            self.__n = 0.0

        def add(self, v):
            self.__n += v
            return self

        def get(self):
            return self.__n

    return A().add(x).add(2 * x).get()


# Slots


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class SlottedMore(Slotted):
    __slots__ = ("c",)

    def __init__(self, a, c):
        super().__init__(a)
        self.c = c


class SlottedPrivate:
    __slots__ = ("__v", "w")

    def __init__(self, v):
        self.__v = v
        self.w = 2.0

    def get(self):
        return self.__v * self.w


class SlottedOpen(Slotted):
    pass


@dataclass(slots=True)
class SlottedData:
    a: float
    b: float = 3.0


@case()
def slots(x):
    s = SlottedMore(x, 2 * x)
    s.b = 3 * x
    return s.a * s.b + s.c


@case()
def slot_that_is_not_set(x):
    return Slotted(x).b


@case()
def slot_that_is_not_there(x):
    s = Slotted(x)
    s.z = 1.0
    return s.z * x


@case(lambda: Slotted(1.0))
def slot_that_is_not_there_of_given(x, s):
    s.z = x
    return s.z


@case(lambda: Slotted(1.0))
def slot_of_given_set_later(x, s):
    s.b = x * x
    return s.a * s.b


@case()
def slots_opened_by_a_subclass(x):
    s = SlottedOpen(x)
    s.z = 2 * x
    return s.z + s.a


@case(lambda: SlottedPrivate(3.0))
def private_slots_of_given(x, s):
    return s.get() * x


@case()
def private_slots(x):
    return SlottedPrivate(x).get()


@case()
def slotted_dataclass(x):
    s = SlottedData(x)
    return s.a * s.b


@case()
def slotted_dataclass_has_no_others(x):
    s = SlottedData(x)
    s.c = 1.0
    return s.c * x


# Class attributes


class Config:
    rate = 2.0
    names = ("a", "b")
    table = {"a": 3.0}
    values = [1.0, 2.0]

    def scaled(self, x):
        return self.rate * x


class SubConfig(Config):
    rate = 5.0


@case()
def class_attribute(x):
    return Config().scaled(x) + SubConfig().scaled(x) + Config.rate * x


@case()
def instance_hides_class(x):
    c, d = Config(), Config()
    c.rate = 10.0 * x
    return c.scaled(x) + d.scaled(x) + Config.rate


@case()
def augmented_class_attribute(x):
    c = Config()
    c.rate += x
    return c.rate + Config.rate * x


@case()
def class_attribute_by_type(x):
    return type(SubConfig()).rate * x + SubConfig.__mro__[1].rate


@case()
def class_containers(x):
    c = Config()
    return c.table["a"] * x + c.values[1] * x * x + len(c.names)


@case(Config)
def class_attribute_of_given(x, c):
    c.rate = x
    return c.scaled(x)


@case()
def has_attribute(x):
    c = Config()
    return (
        x * hasattr(c, "rate") + 10 * x * hasattr(c, "none") + getattr(c, "none", 3.0)
    )


@case()
def missing_attribute(x):
    return Config().none * x


@case()
def missing_attribute_is_caught(x):
    try:
        return Config().none * x
    except AttributeError:
        return 7 * x


@case()
def attribute_set_on_one_path(x):
    c = Config()
    if x > 100:
        c.extra = 1.0
    return c.extra * x


@case()
def attribute_by_setattr(x):
    c = Config()
    setattr(c, "rate", 3 * x)
    return getattr(c, "rate") * x


@case()
def deleted_attribute(x):
    c = Config()
    c.rate = x
    del c.rate
    return c.rate * x


@case()
def attribute_of_a_number(x):
    x.y = 3.0
    return x


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


# super and inheritance


class A:
    def f(self, x):
        return x

    def g(self, x):
        return self.f(x) * 2


class B(A):
    def f(self, x):
        return super().f(x) + 1.0


class Cc(A):
    def f(self, x):
        return super().f(x) * 3.0


class Dd(B, Cc):
    def f(self, x):
        return super().f(x) + 0.5


@case()
def diamond(x):
    return Dd().g(x)


@case()
def explicit_super(x):
    return super(B, Dd()).f(x)


@case()
def super_in_class_method(x):
    class P:
        @classmethod
        def make(cls, v):
            return v * 2

    class Q(P):
        @classmethod
        def make(cls, v):
            return super().make(v) + 1.0

    return Q.make(x)


@case()
def super_of_nothing(x):
    class P:
        def f(self):
            return super().f()

    return P().f() * x


@case(lambda: [A(), B(), Cc(), Dd()])
def objects_of_several_classes(x, os):
    return sum(o.g(x) for o in os)


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...


class Square(Shape):
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a**2


@case()
def abstract_base(x):
    s = Square(x)
    return s.area() * (1 + isinstance(s, Shape)) * (1 + issubclass(Square, Shape))


@case()
def abstract_class_is_made(x):
    return Shape().area() * x


class Quacks(abc.ABC):
    @classmethod
    def __subclasshook__(cls, c):
        return hasattr(c, "quack")


class Duck:
    def quack(self):
        return 1.0


@case()
def subclass_hook(x):
    return x * isinstance(Duck(), Quacks) + 2 * x * isinstance(A(), Quacks)


@case()
def isinstance_of_tuple_of_classes(x):
    return x * isinstance(B(), (Cc, A)) + 2 * x * isinstance(A(), B)


@case(lambda: [A(), B()])
def isinstance_of_several(x, os):
    return sum(x * 2 if isinstance(o, B) else x for o in os)


@case()
def isinstance_of_callable(x):
    from collections.abc import Callable, Sized

    return x * isinstance(Vec(x, x), Callable) + 2 * x * isinstance(Vec(x, x), Sized)


# Functions in attributes


class Layer:
    def __init__(self, act):
        self.act = act

    def __call__(self, x):
        return self.act(x)


class WithClassFunction:
    act = np.tanh
    own = lambda self, x: 2 * x  # noqa: E731


@case()
def function_in_attribute(x):
    return Layer(np.tanh)(x) + Layer(lambda v: v * v)(x)


@case(lambda: Layer(np.tanh))
def function_in_attribute_of_given(x, layer):
    return layer(x) + layer.act(x)


@case(lambda: Layer(A().g))
def bound_method_in_attribute(x, layer):
    return layer(x)


@case(lambda: [Layer(np.tanh), Layer(np.sin)])
def functions_in_attributes_of_a_list(x, layers):
    for layer in layers:
        x = layer(x)
    return x


@case()
def function_attribute_of_class(x):
    return WithClassFunction().act(x) + WithClassFunction().own(x)


@case()
def instance_function_does_not_bind(x):
    a = A()
    a.f = lambda v: v * 10
    return a.g(x)


@case(A)
def instance_function_of_given(x, a):
    a.f = lambda v: v * 10
    return a.g(x)


@case()
def special_methods_of_instances_do_not_count(x):
    s = Sized([])
    s.__bool__ = lambda: True
    return x if s else 2 * x


@case()
def partial_in_attribute(x):
    layer = Layer(functools.partial(np.power, 2.0))
    return layer(x)


# Dataclasses


@dataclass
class Post:
    a: float
    b: float = field(init=False)
    items: list = field(default_factory=list)
    total: ClassVar[float] = 9.0

    def __post_init__(self):
        self.b = self.a * 2


@dataclass
class Init:
    a: float
    k: InitVar[float] = 3.0

    def __post_init__(self, k):
        self.a = self.a * k


@dataclass
class SubPost(Post):
    c: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        self.c = self.b * 3


@dataclass(kw_only=True)
class KwOnly:
    a: float
    b: float = 2.0


class Pair(NamedTuple):
    a: float
    b: float = 2.0

    def total(self):
        return self.a + self.b


@case()
def post_init(x):
    return Post(x).b + Post.total * x


@case()
def init_only_variables(x):
    return Init(x).a + Init(x, 5.0).a


@case()
def default_factories_are_not_shared(x):
    p, q = Post(x), Post(x)
    p.items.append(x)
    return len(p.items) * x + 10 * len(q.items) * x


@case()
def derived_dataclass(x):
    return SubPost(x).c


@case()
def keyword_only_fields(x):
    return KwOnly(a=x).a * KwOnly(a=x, b=x).b


@case()
def keyword_only_by_position(x):
    return KwOnly(x).a


@case()
def missing_field(x):
    return Post().a * x


@case()
def named_tuple(x):
    p = Pair(x)
    a, b = p
    return p.total() * a + p[1] * b + p._replace(b=x).b


@case()
def named_tuple_equals_tuple(x):
    return (x if Pair(x, 1.0) == (x, 1.0) else 2 * x) + (
        x if Pair(1.0, x) < (2.0, x) else 4 * x
    )


# Mutable defaults, dictionaries that grow, exceptions


@case(lambda: {"a": 1.0, "b": 2.0})
def dict_grows_while_iterated(x, d):
    s = 0.0
    for k in d:
        s += x * d[k]
        d[k + "x"] = 1.0
    return s


@case()
def own_dict_grows_while_iterated(x):
    d = {"a": x}
    s = 0.0
    for k in d:
        s += d[k]
        d["b"] = 2 * x
    return s


@case(lambda: {1: 1.0, 2: 2.0})
def dict_grows_while_items_are_iterated(x, d):
    s = 0.0
    for k, v in d.items():
        s += x * v
        d[k + 10] = v
    return s


@case(lambda: {1: 1.0, 2: 2.0})
def dict_shrinks_while_iterated(x, d):
    s = 0.0
    for k in d:
        s += x * d[k]
        del d[k]
    return s


@case(lambda: {1: 1.0, 2: 2.0})
def dict_changes_values_while_iterated(x, d):
    for k in d:
        d[k] = d[k] * x
    return sum(d.values())


@case(lambda: {1: 1.0, 2: 2.0})
def dict_iterated_over_a_copy(x, d):
    for k in list(d):
        d[k + 10] = d[k] * x
    return sum(d.values())


@case(lambda: {1: 1.0})
def dict_grows_in_the_last_iteration(x, d):
    for k in d:
        d[5] = x
        break
    return sum(d.values())


@case(lambda: {1, 2})
def set_grows_while_iterated(x, s):
    for k in s:
        s.add(k + 10)
    return x * len(s)


@case()
def list_grows_while_iterated(x):
    xs = [x, 2 * x]
    for v in xs:
        if len(xs) < 5:
            xs.append(v * 2)
    return sum(xs)


@case()
def context_of_an_exception(x):
    try:
        try:
            raise ValueError("a")
        except ValueError:
            raise KeyError("b")
    except KeyError as e:
        return x if isinstance(e.__context__, ValueError) else 2 * x


@case()
def cause_of_an_exception(x):
    try:
        try:
            raise ValueError("a")
        except ValueError as e:
            raise KeyError("b") from e
    except KeyError as e:
        return x if isinstance(e.__cause__, ValueError) else 2 * x


@case()
def no_cause(x):
    try:
        raise KeyError("b")
    except KeyError as e:
        return (x if e.__cause__ is None else 2 * x) + (
            x if e.__context__ is None else 4 * x
        )


@case()
def cause_none(x):
    try:
        try:
            raise ValueError("a")
        except ValueError:
            raise KeyError("b") from None
    except KeyError as e:
        return (x if e.__cause__ is None else 2 * x) + (
            x if e.__context__ is None else 4 * x
        )


@case()
def arguments_of_an_exception(x):
    try:
        raise ValueError("a", 3)
    except ValueError as e:
        return x * e.args[1]


class Custom(Exception):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


@case()
def attributes_of_an_exception(x):
    try:
        raise Custom(3)
    except Custom as e:
        return x * e.code


def _drain(xs):
    if not xs:
        return 0.0
    v = xs.pop()
    return v * v + _drain(xs)


@case(lambda: [1.0, 2.0, 3.0])
def list_emptied_by_recursion(x, xs):
    return x * _drain(xs)


def _default(x, acc=[]):  # noqa: B006
    acc.append(x)
    return len(acc)


@case()
def keyword_only_default(x):
    def f(v, *, k=2.0):
        return v * k

    return f(x) + f(x, k=x)


class Stack:
    def __init__(self):
        self.items = []

    def push(self, v):
        self.items.append(v)
        return self

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)


@case()
def stack(x):
    s = Stack().push(x).push(2 * x).push(3 * x)
    total = 0.0
    while s:
        total = total * 2 + s.pop()
    return total


@case(Stack)
def given_stack(x, s):
    s.push(x).push(x * x)
    return s.pop() * len(s)


class Node:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right

    def total(self, x):
        s = self.v * x
        if self.left:
            s += self.left.total(x) * 2
        if self.right is not None:
            s += self.right.total(x) * 3
        return s

    def insert(self, v):
        if v < self.v:
            if self.left is None:
                self.left = Node(v)
            else:
                self.left.insert(v)
        elif self.right is None:
            self.right = Node(v)
        else:
            self.right.insert(v)


@case(lambda: Node(1.0, Node(2.0), Node(3.0, Node(4.0))))
def tree(x, n):
    return n.total(x)


@case(lambda: Node(2.0))
def tree_grows(x, n):
    for v in (1.0, 3.0, 0.5):
        n.insert(v)
    return n.total(x)


@case()
def tree_made_here(x):
    n = Node(x, Node(2 * x), Node(3.0))
    return n.total(x)


class Meta(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.extra = 4.0
        return made


class Made(metaclass=Meta):
    def __init__(self, v):
        self.v = v


class OwnNew:
    def __new__(cls, v):
        made = super().__new__(cls)
        made.w = 3.0
        return made

    def __init__(self, v):
        self.v = v


@case()
def metaclass_call(x):
    m = Made(x)
    return m.v * m.extra


@case()
def own_new(x):
    m = OwnNew(x)
    return m.v * m.w


class Registry:
    count = 0

    def __init__(self):
        Registry.count += 1


@case()
def class_attribute_is_assigned(x):
    Registry.count = 0
    Registry()
    Registry()
    return x * Registry.count


@case()
def object_repr(x):
    return x * len(repr(D2(2.0))) + x * len(str(D2(1.0))) + x * len(f"{D2(1.0)}")


@dataclass
class D2:
    a: float


@case()
def vars_of_object(x):
    return x * len(vars(D2(2.0)))


@case()
def dict_of_object(x):
    return x * D2(2.0).__dict__["a"]


@case()
def hash_of_equal_objects(x):
    return x if hash(Pair(1.0)) == hash(Pair(1.0)) else 2 * x


@case()
def class_name(x):
    return x * len(type(Config()).__name__) + x * len(Config().__class__.__name__)


@case()
def init_returns_early(x):
    class Q:
        def __init__(self, v):
            self.v = v
            if v > 0:
                return
            self.v = 0.0

    return Q(x).v * x


@case()
def wrong_number_of_arguments(x):
    return Config().scaled() * x


@case()
def no_such_item(x):
    return Config()[0] * x


@case()
def not_callable(x):
    return Config()(x)


@case()
def not_iterable(x):
    return sum(v for v in Config()) * x


@case()
def no_length(x):
    return len(Config()) * x


@case()
def not_comparable(x):
    return x if Config() < Config() else 2 * x


@case()
def not_a_container(x):
    return x if 1.0 in Config() else 2 * x
