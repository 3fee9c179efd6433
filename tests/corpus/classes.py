"""Objects: attributes, methods, properties, inheritance, operators."""

import numpy as np
from corpus.registry import add, program

WRITES = ["writes"]


def vector(rng):
    return (rng.normal(size=4),)


def point(rng):
    return rng.normal(), rng.normal()


class Counter:
    def __init__(self, start):
        self.total = start
        self.count = 0

    def add(self, v):
        self.total = self.total * 0.5 + v * v
        self.count += 1


@program(vector, tags=WRITES)
def attribute_updated_in_loop(x):
    c = Counter(x[0])
    for v in x[1:]:
        c.add(v)
    return c.total * c.count


@program(vector, tags=WRITES)
def attribute_updated_from_outside(x):
    c = Counter(0.0)
    for i, v in enumerate(x):
        c.total = c.total + v * i
        if v > 0:
            c.count = c.count + 1
            c.total *= v
    return c.total + c.count * x[0]


class Cell:
    def __init__(self, w, u):
        self.w = w
        self.u = u
        self.h = np.zeros(2)

    def step(self, x):
        self.h = np.tanh(self.w @ x + self.u @ self.h)
        return self.h

    def run(self, xs):
        for x in xs:
            self.step(x)
        return self.h


def cell_arguments(rng):
    return rng.normal(size=(2, 3)), rng.normal(size=(2, 2)), rng.normal(size=(4, 3))


@program(cell_arguments, tags=WRITES)
def recurrent_cell_keeps_state(w, u, xs):
    cell = Cell(w, u)
    return (cell.run(xs) ** 2).sum()


@program(cell_arguments, tags=WRITES)
def two_instances_do_not_share_state(w, u, xs):
    a, b = Cell(w, u), Cell(w * 2, u)
    total = 0.0
    for x in xs:
        total += a.step(x) @ b.step(x)
    return total


@program(
    lambda rng: (
        Cell(rng.normal(size=(2, 3)), rng.normal(size=(2, 2))),
        rng.normal(size=(2, 3)),
    ),
    tags=["writes", "arguments", "object"],
)
def object_as_argument(cell, xs):
    return cell.run(xs).sum()


class Linear:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return self.w @ x + self.b


class Tanh(Linear):
    def __call__(self, x):
        return np.tanh(super().__call__(x))


class Scaled(Tanh):
    factor = 1.5

    def __init__(self, w, b, power):
        super().__init__(w, b)
        self.power = power

    def __call__(self, x):
        return self.factor * super().__call__(x) ** self.power


def layer_arguments(rng):
    return rng.normal(size=(2, 4)), rng.normal(size=2), rng.normal(size=4)


@program(layer_arguments)
def callable_object(w, b, x):
    return (Linear(w, b)(x) ** 2).sum()


@program(layer_arguments)
def inheritance_and_super(w, b, x):
    return Tanh(w, b)(x).sum() + Scaled(w, b, 2)(x).sum()


@program(layer_arguments)
def list_of_objects_with_different_classes(w, b, x):
    layers = [Linear(w, b), Tanh(w, b), Scaled(w, b, 3)]
    total = 0.0
    for layer in layers:
        total += (layer(x) ** 2).sum()
    return total


@program(layer_arguments)
def class_chosen_by_data(w, b, x):
    kind = Tanh if x[0] > 0 else Linear
    return kind(w, b)(x).prod()


@program(
    lambda rng: (
        Linear(rng.normal(size=(2, 2)), rng.normal(size=2)),
        rng.normal(size=2),
    ),
    tags=["object"],
)
def layer_as_argument(layer, x):
    return (layer(layer(x)) ** 2).sum()


class Network:
    def __init__(self, sizes, weights):
        self.layers = []
        for n, m in zip(sizes, sizes[1:]):
            count = n * m
            self.layers.append(weights[:count].reshape(m, n))
            weights = weights[count:]

    def forward(self, x):
        for w in self.layers:
            x = np.tanh(w @ x)
        return x

    def loss(self, x, y):
        return ((self.forward(x) - y) ** 2).mean()


@program(lambda rng: (rng.normal(size=12), rng.normal(size=2), rng.normal(size=2)))
def network_built_from_flat_weights(weights, x, y):
    return Network([2, 3, 2], weights).loss(x, y)


class Circle:
    def __init__(self, radius):
        self.radius = radius

    @property
    def area(self):
        return np.pi * self.radius**2

    @property
    def diameter(self):
        return 2 * self.radius

    @diameter.setter
    def diameter(self, value):
        self.radius = value / 2

    @staticmethod
    def unit():
        return Circle(1.0)

    @classmethod
    def from_area(cls, area):
        return cls(np.sqrt(area / np.pi))

    def scaled(self, factor):
        return Circle(self.radius * factor)


@program(lambda rng: (rng.uniform(1, 2),))
def property_read(r):
    c = Circle(r)
    return c.area / c.diameter + c.scaled(2.0).area


@program(lambda rng: (rng.uniform(1, 2),), tags=WRITES)
def property_setter(r):
    c = Circle(r)
    c.diameter = r * r
    c.diameter *= 1.5
    return c.area


@program(lambda rng: (rng.uniform(1, 2),))
def static_and_class_methods(r):
    return Circle.from_area(r).radius + Circle.unit().scaled(r).area


class Vec:
    def __init__(self, *values):
        self.values = values

    def __add__(self, other):
        return Vec(*[a + b for a, b in zip(self.values, other.values)])

    def __mul__(self, scale):
        return Vec(*[a * scale for a in self.values])

    __rmul__ = __mul__

    def __neg__(self):
        return Vec(*[-a for a in self.values])

    def __sub__(self, other):
        return self + (-other)

    def __matmul__(self, other):
        return sum([a * b for a, b in zip(self.values, other.values)])

    def __getitem__(self, i):
        return self.values[i]

    def __len__(self):
        return len(self.values)

    def __abs__(self):
        return np.sqrt(self @ self)


@program(vector)
def operator_overloading(x):
    a = Vec(x[0], x[1])
    b = Vec(x[2], x[3])
    return (a + b * 2.0 - a * x[0]) @ (0.5 * b) + abs(a)


@program(vector)
def getitem_and_len(x):
    v = Vec(*x)
    s = 0.0
    for i in range(len(v)):
        s += v[i] ** 2 * v[-1]
    return s


class Buffer:
    def __init__(self, n):
        self.data = [0.0] * n

    def __setitem__(self, i, v):
        self.data[i % len(self.data)] = v

    def __getitem__(self, i):
        return self.data[i % len(self.data)]

    def __iadd__(self, v):
        self.data = [d + v for d in self.data]
        return self

    def __contains__(self, i):
        return 0 <= i < len(self.data)


@program(vector, tags=WRITES)
def setitem_iadd_contains(x):
    b = Buffer(3)
    for i in range(5):
        b[i] = x[i % 4] * (b[i - 1] + 1)
    b += x[0]
    return b[0] * b[1] + (b[2] if 2 in b else 0.0)


class Temperature:
    offset = 32.0
    ratio = 9.0 / 5.0

    def __init__(self, celsius):
        self.celsius = celsius

    def fahrenheit(self):
        return self.celsius * self.ratio + Temperature.offset

    def __lt__(self, other):
        return self.celsius < other.celsius

    def __eq__(self, other):
        return self.celsius == other.celsius


@program(point)
def class_constants(x, y):
    return Temperature(x * y).fahrenheit() * x


@program(point)
def comparison_operators_of_class(x, y):
    a, b = Temperature(x), Temperature(y)
    if a < b and not a == b:
        a, b = b, a
    return a.celsius**2 - b.celsius


@program(point)
def getattr_setattr_hasattr(x, y):
    c = Counter(x)
    setattr(c, "extra", y * x)
    name = "total"
    bonus = getattr(c, "missing", 2.0)
    return getattr(c, name) * c.extra * bonus if hasattr(c, "extra") else x


class Chain:
    def __init__(self, value):
        self.value = value

    def add(self, v):
        return Chain(self.value + v)

    def mul(self, v):
        return Chain(self.value * v)

    def apply(self, f):
        return Chain(f(self.value))


@program(point)
def fluent_interface(x, y):
    return Chain(x).add(y).mul(x).apply(np.sin).add(1.0).apply(lambda v: v * y).value


class Link:
    def __init__(self, value, rest=None):
        self.value = value
        self.rest = rest


@program(vector)
def linked_list_traversal(x):
    head = None
    for v in x:
        head = Link(v * v, head)
    total, node = 0.5, head
    while node is not None:
        total = total * 0.5 + np.sin(node.value)
        node = node.rest
    return total


@program(vector, tags=WRITES)
def linked_list_changed_in_place(x):
    last = Link(x[2])
    head = Link(x[0], Link(x[1], last))
    head.rest.value *= x[3]
    last.value = head.rest.value * head.value
    head.rest.rest.value += x[1]
    return head.value + head.rest.value * last.value


class Stack:
    def __init__(self):
        self._items = []

    def push(self, v):
        self._items.append(v)

    def pop(self):
        return self._items.pop()

    @property
    def top(self):
        return self._items[-1]

    def __bool__(self):
        return len(self._items) > 0


@program(vector, tags=WRITES)
def stack_class(x):
    s = Stack()
    for v in x:
        s.push(v * (s.top if s else 1.0))
    total = 0.0
    while s:
        total += s.pop() ** 2
    return total


class Parameters:
    pass


@program(vector, tags=WRITES)
def empty_class_as_namespace(x):
    p = Parameters()
    p.w = x[:2]
    p.b = x[2]
    p.b = p.b * x[3]
    return (p.w * p.b).sum() + p.w[0]


class Parent:
    def score(self, v):
        return self.gain() * v + self.bias(v)

    def gain(self):
        return 2.0

    def bias(self, v):
        return 0.0


class Child(Parent):
    def __init__(self, g):
        self.g = g

    def gain(self):
        return self.g * super().gain()


class Grandchild(Child):
    def bias(self, v):
        return np.sin(v) * self.g


@program(point)
def template_method(x, y):
    return Child(x).score(y) * Grandchild(y).score(x) + Parent().score(x)


class Mixin:
    def penalty(self):
        return (self.w**2).sum()


class Regularised(Mixin, Linear):
    def loss(self, x):
        return self(x).sum() + 0.1 * self.penalty()


@program(layer_arguments)
def multiple_inheritance(w, b, x):
    return Regularised(w, b).loss(x)


class Physics:
    def __init__(self, position, velocity):
        self.position = position
        self.velocity = velocity
        self.history = [position]

    def force(self):
        return -self.position - 0.1 * self.velocity**3

    def step(self, dt):
        self.velocity = self.velocity + dt * self.force()
        self.position = self.position + dt * self.velocity
        self.history.append(self.position)


@program(point, tags=WRITES)
def simulation_object(x, v):
    p = Physics(x, v)
    for _ in range(4):
        p.step(0.2)
    return p.position * p.velocity + sum(p.history)


class Accumulator:
    def __init__(self, n):
        self.sums = np.zeros(n)
        self.log = {}

    def visit(self, i, v):
        self.sums[i] += v
        self.log[i] = self.log.get(i, 1.0) * v

    def result(self):
        return (self.sums**2).sum() + sum([v for v in self.log.values()])


@program(vector, tags=WRITES)
def containers_in_attributes(x):
    a = Accumulator(2)
    for i, v in enumerate(x):
        a.visit(i % 2, v)
    return a.result()


@program(point)
def class_defined_inside_function(x, y):
    class Point:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def dot(self, other):
            return self.a * other.a + self.b * other.b

    return Point(x, y).dot(Point(y, x * x))


@program(point)
def bound_method_as_value(x, y):
    c = Chain(x)
    f = c.add
    g = Chain.mul
    return f(y).value * g(c, y).value


@program(vector)
def bound_methods_in_map(x):
    gate = Temperature(x[0])
    rows = list(map(Chain, x))
    return sum([r.mul(gate.celsius).value ** 2 for r in rows])


@program(point, tags=["tricky", "writes"])
def instance_attribute_hides_class_attribute(x, y):
    t = Temperature(x)
    before = t.fahrenheit()
    t.ratio = y
    return before * t.fahrenheit()


@program(point, tags=["tricky", "writes"])
def object_alias(x, y):
    a = Chain(x)
    b = a
    b.value = b.value * y
    c = a.add(x)
    c.value *= 2
    return a.value * c.value


@program(vector, tags=["tricky", "writes"])
def object_in_list_changed_through_name(x):
    items = [Chain(x[0]), Chain(x[1])]
    first = items[0]
    first.value = first.value * x[2]
    for item in items:
        item.value += x[3] ** 2
    return first.value * items[1].value


@program(point, tags=["tricky", "writes"])
def conditional_object(x, y):
    a, b = Chain(x), Chain(y)
    target = a if x > y else b
    target.value = x * y
    return a.value**2 + b.value * 3


@program(point, tags=["tricky", "writes"])
def object_changed_by_helper(x, y):
    def damp(obj, factor):
        obj.value = obj.value * factor

    c = Chain(x)
    damp(c, y)
    damp(c, c.value)
    return c.value + x


@program(vector, tags=["tricky", "writes"])
def attribute_set_in_one_branch_only(x):
    p = Parameters()
    p.scale = x[0]
    if x[1] > 0:
        p.shift = x[2] ** 2
    y = p.scale * x[3]
    if hasattr(p, "shift"):
        y = y + p.shift
    return y * y


class Model:
    def __init__(self, rng):
        self.w = rng.normal(size=3)

    def loss(self, x):
        return np.tanh(x @ self.w) + (x**2).sum()

    def __call__(self, x):
        return np.sin(x * self.w).sum()


MODEL = Model(np.random.default_rng(7))

add("classes.bound_method", MODEL.loss, lambda rng: (rng.normal(size=3),))
add("classes.callable_instance", MODEL, lambda rng: (rng.normal(size=3),))
