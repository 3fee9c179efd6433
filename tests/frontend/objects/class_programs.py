"""Small programs about inheritance, functions in attributes and dataclasses."""

import abc
import functools
from dataclasses import InitVar, dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from differential import Table
from special_method_programs import Sized, Vec

case = Table()

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


class Quacks(abc.ABC):  # noqa: B024
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


class Recorded:
    def __init__(self, value):
        self.value = value
        self.back = lambda: None

    def times(self, other):
        out = Recorded(self.value * other.value)

        def back():
            return out.value + self.value

        out.back = back
        return out


@case()
def object_that_its_own_function_holds(x):
    made = Recorded(x).times(Recorded(3.0))
    again = [made, made.times(made)]
    return made.back() + again[1].back()


@case()
def functions_in_attributes_capture_different_things(x):
    first, second = Recorded(x), Recorded(x)
    first.back = lambda: first.value * x
    second.back = lambda: 3.0
    both = [first, second]
    return both[0].back() + both[1].back()


@case(lambda: 1)
def functions_in_pairs_chosen(x, k):
    pairs = [("a", lambda v: v * x), ("b", lambda v: v + 1.0)]
    return sum(f(x) for _, f in pairs) + pairs[k][1](x)


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
