"""Small programs about containers that change, exceptions and how objects are made."""

from dataclasses import dataclass

from attribute_programs import Config
from class_programs import Pair
from differential import Table

case = Table()

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
    for _ in d:
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
            raise KeyError("b")  # noqa: B904
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
