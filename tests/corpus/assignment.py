"""Binding names: unpacking, stars, augmented assignment, walrus, del, pass."""

import numpy as np
from corpus.registry import program


def vector(rng):
    return (rng.normal(size=4),)


def point(rng):
    return rng.normal(), rng.normal()


@program(point)
def chained_assignment(x, y):
    a = b = x * y
    a = a + b
    return a * b


@program(point)
def tuple_swap(x, y):
    x, y = y, x * y
    return x - y**2


@program(vector)
def unpack_array(x):
    a, b, c, d = x
    return a * b + c * np.sin(d)


@program(lambda rng: (rng.normal(size=(2, 3)),))
def unpack_rows(m):
    top, bottom = m
    return top @ bottom + top[0]


@program(lambda rng: (((rng.normal(), rng.normal()), rng.normal()),))
def nested_unpacking(t):
    (a, b), c = t
    return a * b * c + a


@program(lambda rng: ([rng.normal(), [rng.normal(), rng.normal()]],))
def unpack_into_list_pattern(t):
    [a, [b, c]] = t
    return a * b - c**2


@program(lambda rng: ([rng.normal(), rng.normal(), rng.normal(), rng.normal()],))
def star_unpacking(xs):
    first, *middle, last = xs
    return first * last + sum([m**2 for m in middle])


@program(vector)
def star_unpacking_of_array(x):
    head, *tail = x
    s = head
    for v in tail:
        s = s * v + head
    return s


@program(lambda rng: ([rng.normal(), rng.normal()],), tags=["tricky"])
def star_takes_nothing(xs):
    a, *rest, b = xs
    return a * b + len(rest)


@program(lambda rng: ([rng.normal(size=2), rng.normal(size=2)], rng.normal(size=2)))
def star_in_list_display(xs, y):
    both = [*xs, y, *xs[:1]]
    return np.sum(np.stack(both) ** 3)


@program(lambda rng: ((rng.normal(), rng.normal()), rng.normal()))
def star_in_tuple_and_dict_display(t, z):
    u = (*t, z)
    d = {**{"a": u[0]}, "b": u[1] * u[2]}
    return d["a"] * d["b"]


@program(lambda rng: ([(rng.normal(), rng.normal()), (rng.normal(), rng.normal())],))
def unpacking_in_loop(pairs):
    s = 1.0
    for a, b in pairs:
        s = s * a + b
    return s


@program(lambda rng: ([(0, rng.normal(size=2)), (1, rng.normal(size=2))],))
def nested_unpacking_in_loop(items):
    s = 0.0
    for k, (a, b) in items:
        s += a * b * (k + 1)
    return s


@program(lambda rng: ([[rng.normal(), rng.normal(), rng.normal()], [rng.normal()]],))
def star_unpacking_in_loop(rows):
    s = 0.0
    for first, *rest in rows:
        s += first**2
        for v in rest:
            s *= v
    return s


@program(point)
def unpacking_inside_branch(x, y):
    if x > y:
        a, (b, c) = x, (y, x * y)
    else:
        (a, b), c = (y, x), x + y
    return a * b + c


@program(point)
def unpacking_inside_closure(x, y):
    def split(t):
        a, b = t, x
        a, b = b, a * y
        return a, b

    p, q = split(x)
    return p * q


@program(vector, tags=["writes"])
def unpack_into_subscripts(x):
    out = np.zeros(3)
    out[0], out[1] = x[0] * x[1], x[2]
    (out[2], out[0]) = out[0], out[1] * x[3]
    return out @ np.array([1.0, 2.0, 3.0]) * out[2]


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def swap(self):
        self.a, self.b = self.b, self.a

    def mix(self):
        a, b = self.a, self.b
        return a**2 * b


@program(point, tags=["writes"])
def unpack_into_attributes(x, y):
    pair = Pair(x, y)
    pair.swap()
    first = pair.mix()
    pair.a, pair.b = first, pair.a
    return pair.mix() + x * y


@program(vector)
def unpack_shape(x):
    (n,) = x.shape
    m = np.outer(x, x)
    rows, cols = m.shape
    return m.sum() / (rows * cols) + n * x[0]


@program(point)
def augmented_all_scalar_operators(x, y):
    z = x
    z += y
    z -= 0.5 * x
    z *= y
    z /= 2 + x * x
    z **= 2
    return z


@program(lambda rng: (rng.uniform(2.1, 2.9), rng.uniform(0.3, 0.4)))
def augmented_floordiv_and_modulo(x, y):
    a = x
    a %= 1.0
    b = x * 3.0
    b //= 1.0
    return a * y + b * y * x


@program(lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(3, 3))))
def augmented_matmul(a, b):
    c = a
    c = c @ b
    c @= b
    return (c * a).sum()


@program(vector)
def augmented_integer_operators_for_control(x):
    k = 1
    k <<= 2
    k |= 1
    k &= 7
    k ^= 2
    k >>= 1
    return x[k % 4] ** 2 * k


@program(vector)
def augmented_in_loop(x):
    s, p = 0.0, 1.0
    for v in x:
        s += v
        p *= s
        s /= 2
        p -= v
    return p


@program(point)
def augmented_in_branch(x, y):
    z = x * y
    if x > 0:
        z += y
        z *= z
    else:
        z -= x
        z /= 1 + y**2
    return z


@program(vector)
def augmented_with_self_reference(x):
    y = x[0]
    y += y
    y *= y
    y -= y * x[1]
    return y


@program(vector, tags=["writes"])
def augmented_subscript_all_operators(x):
    a = x * 1.0
    a[0] += a[1]
    a[1] -= a[2] * a[0]
    a[2] *= a[0]
    a[3] /= 2 + a[1] ** 2
    a[0] **= 2
    return a.sum() * a[3]


@program(vector, tags=["writes"])
def augmented_list_element(x):
    items = [x[0], x[1]]
    items[0] += x[2]
    items[1] *= items[0]
    items[-1] -= x[3]
    return items[0] * items[1]


@program(vector, tags=["writes"])
def augmented_dict_element(x):
    d = {"s": 0.0, "p": 1.0}
    for v in x:
        d["s"] += v
        d["p"] *= d["s"] + 2 * v
    return d["p"]


class Account:
    def __init__(self, value):
        self.value = value
        self.steps = 0

    def grow(self, rate):
        self.value *= 1 + rate
        self.value += rate**2
        self.steps += 1


@program(lambda rng: (rng.normal(), rng.uniform(0.1, 0.3, size=3)), tags=["writes"])
def augmented_attribute(value, rates):
    account = Account(value)
    for r in rates:
        account.grow(r)
    account.value -= account.steps * value
    return account.value


@program(vector)
def augmented_nonlocal(x):
    total = 0.0

    def take(v):
        nonlocal total
        total += v
        total *= 1 + v * v

    for v in x:
        take(v)
    return total


@program(vector, tags=["tricky", "writes"])
def augmented_array_mutates_alias(x):
    a = x * 2
    b = a
    a += x
    return (b**2).sum()


@program(vector, tags=["tricky", "writes"])
def plain_assignment_does_not_mutate_alias(x):
    a = x * 2
    b = a
    a = a + x
    return (a * b).sum()


@program(vector, tags=["tricky", "writes"])
def augmented_list_mutates_alias(x):
    a = [x[0], x[1]]
    b = a
    a += [x[2] * x[3]]
    return sum(b) * len(b) * b[-1]


@program(vector, tags=["tricky", "writes"])
def augmented_assignment_evaluates_index_once(x):
    a = x * 1.0
    calls = []

    def where():
        calls.append(1)
        return len(calls)

    a[where()] *= 3.0
    return (a**2).sum() * len(calls)


@program(vector)
def walrus_in_condition(x):
    if (s := (x**2).sum()) > 2:
        return np.sqrt(s)
    return s * x[0]


@program(lambda rng: (rng.uniform(4, 6),))
def walrus_in_while(x):
    y = x
    while (z := y * 0.7) > 1.0:
        y = z - 0.1 * x / 5
    return y * z


@program(vector)
def walrus_in_expression(x):
    return (a := x[0] * x[1]) * a + np.sin(a)


@program(vector)
def walrus_in_comprehension(x):
    big = [s for v in x if (s := v * v) > 0.1]
    return sum(big) * s


@program(vector)
def annotated_assignments(x):
    total: float = 0.0
    y: np.ndarray = x * 2
    for v in y:
        total += v**2
    return total


@program(vector)
def del_names(x):
    y = np.sin(x)
    z = y * x
    del y
    total = z.sum()
    del z, x
    return total**2


@program(vector, tags=["writes"])
def del_list_and_dict_elements(x):
    items = [x[0], x[1] * x[2], x[3]]
    del items[0]
    table = {"a": items[0], "b": items[1]}
    del table["b"]
    table["c"] = x[0]
    return table["a"] * table["c"] * len(items)


@program(vector, tags=["tricky"])
def del_in_loop_then_rebind(x):
    s = 0.0
    for v in x:
        t = v * v
        s += t
        del t
    t = s
    return t * x[0]


@program(point, tags=["tricky"])
def right_side_before_left(x, y):
    a = x
    a, b = a * y, a + y
    b, a = a, b
    return a * b * b


@program(vector, tags=["tricky"])
def rotate_three(x):
    a, b, c, d = x
    for _ in range(4):
        a, b, c = b, c, a * d
    return a * b + c


@program(vector, tags=["tricky", "writes"])
def index_assigned_in_same_statement(x):
    a = np.zeros(3)
    i = 0
    i, a[i] = 2, x[0]
    a[i] = x[1]
    return a @ np.array([1.0, 5.0, 2.0]) * x[2]


@program(point, tags=["tricky"])
def shadowed_builtin_names(x, y):
    sum = x * y
    list = [sum, y]
    max = lambda a, b: a * b
    return max(list[0], list[1])


@program(point, tags=["tricky"])
def names_that_look_generated(x, y):
    dx = x * y
    _x = dx + y
    x_ = _x * x
    dz, z = x_, dx
    return dz * z
