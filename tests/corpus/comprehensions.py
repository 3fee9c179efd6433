"""List, dict and set comprehensions, generator expressions inside calls."""

import numpy as np
from corpus.registry import add, program


def vector(rng):
    return (rng.normal(size=4),)


def matrix(rng):
    return (rng.normal(size=(3, 4)),)


def matrix_and_vector(rng):
    return rng.normal(size=(3, 4)), rng.normal(size=4)


@program(vector)
def list_comprehension(x):
    ys = [v * v for v in x]
    return ys[0] * ys[1] + sum(ys)


@program(vector)
def list_comprehension_with_condition(x):
    return sum([np.exp(v) for v in x if v < 1]) + x[0]


@program(vector)
def list_comprehension_with_ternary(x):
    return np.sum([v if v > 0 else 0.1 * v * v for v in x])


@program(vector)
def generator_in_sum(x):
    return sum(v**3 for v in x) * x[1]


@program(vector)
def generator_with_index_in_sum(x):
    return sum(x[i] * x[i + 1] for i in range(3)) + sum(v for v in x if v > 0)


@program(vector)
def generator_in_max_min_list_tuple(x):
    a = max(v * v for v in x)
    b = min(v for v in x)
    c = list(v * 2 for v in x)
    d = tuple(np.sin(v) for v in x)
    return a * b + c[0] * d[1]


@program(vector)
def generator_in_any_all_steers(x):
    if any(v > 1.5 for v in x) or all(v < 0 for v in x):
        return x.sum()
    return (x**2).sum()


@program(matrix)
def nested_comprehension(a):
    t = [[a[i, j] for i in range(3)] for j in range(4)]
    return sum([row[0] * row[2] for row in t])


@program(lambda rng: (rng.normal(size=3), rng.normal(size=2)))
def comprehension_with_two_fors(x, y):
    return sum([u * np.sin(v) for u in x for v in y])


@program(lambda rng: (rng.normal(size=4),))
def comprehension_with_two_fors_and_conditions(x):
    return sum(
        [x[i] * x[j] for i in range(4) if i != 1 for j in range(i) if (i + j) % 2]
    )


@program(matrix)
def comprehension_over_rows_and_stack(a):
    b = np.stack([np.tanh(row) / (1 + i) for i, row in enumerate(a)])
    return (b @ b.T).sum()


@program(matrix_and_vector)
def comprehension_over_zip(a, w):
    return sum([(row * v).sum() ** 2 for row, v in zip(a, w)])


@program(matrix)
def comprehension_unpacks_rows(a):
    return sum([p * q - r * s for p, q, r, s in a])


@program(lambda rng: ({"a": rng.normal(), "b": rng.normal(), "c": rng.normal()},))
def dict_comprehension_with_condition(p):
    q = {k: v**2 for k, v in p.items() if k != "b"}
    r = {k + k: q[k] * p["b"] for k in q}
    return r["aa"] * r["cc"] + len(q)


@program(vector)
def set_comprehension_steers(x):
    keep = {i % 3 for i in range(6) if i > 1}
    return sum([x[i] ** 2 for i in sorted(keep)]) * len(keep)


@program(vector)
def comprehension_in_loop(x):
    s = 0.0
    for k in range(1, 4):
        s += sum([v**k for v in x[:k]])
    return s


@program(vector)
def comprehension_rebuilt_in_loop(x):
    layer = [v for v in x]
    while len(layer) > 1:
        layer = [np.sin(a) * b + a for a, b in zip(layer, layer[1:])]
    return layer[0]


@program(vector)
def comprehension_in_branch(x):
    if x[0] > 0:
        ys = [v * x[0] for v in x]
    else:
        ys = [np.cos(v) for v in x if v < 0.5]
    return sum(ys) * ys[0]


@program(vector)
def comprehension_in_closure(x):
    def powers(v):
        return [v**k for k in range(1, 4)]

    return sum([sum(powers(v)) for v in x])


class Bank:
    def __init__(self, filters):
        self.filters = filters

    def respond(self, x):
        return [np.tanh(f @ x) for f in self.filters]

    def energy(self, x):
        return sum(r**2 for r in self.respond(x) if r > -0.9)


@program(matrix_and_vector)
def comprehension_in_method(filters, x):
    return Bank(filters).energy(x) + x[0]


@program(vector)
def comprehension_calls_helper_and_lambda(x):
    twice = lambda v: 2 * v + x[0]
    return sum([twice(v) * twice(-v) for v in x])


@program(matrix)
def comprehension_of_comprehension_result(a):
    norms = [np.sqrt((row**2).sum()) for row in a]
    units = [row / n for row, n in zip(a, norms)]
    return sum([u @ v for u in units for v in units[1:]])


@program(vector, tags=["tricky"])
def comprehension_variable_does_not_leak(x):
    v = x[0]
    ys = [v * v for v in x[1:]]
    return v * sum(ys)


@program(vector, tags=["tricky"])
def comprehension_shadows_argument(x):
    total = sum([x * x for x in x])
    return total * x[2]


@program(vector, tags=["tricky"])
def comprehension_sees_enclosing_loop_variable(x):
    fs = 0.0
    for i in range(3):
        fs += sum([x[i] * x[j] for j in range(i + 1)])
    return fs


@program(vector, tags=["tricky"])
def empty_comprehension(x):
    none = [v for v in x if v > 1e9]
    return sum(none) + np.sum([v * v for v in x]) + len(none)


@program(vector, tags=["tricky"])
def list_of_closures_late_binding(x):
    fs = [lambda v: v * x[i] for i in range(3)]
    return fs[0](x[3]) + fs[1](1.0) ** 2


@program(vector, tags=["tricky"])
def list_of_closures_default_binding(x):
    fs = [lambda v, i=i: v * x[i] for i in range(3)]
    return fs[0](x[3]) + fs[1](1.0) ** 2 + fs[2](x[0])


add(
    "comprehensions.lambda_with_comprehension", lambda x: sum([v**3 for v in x]), vector
)
add("comprehensions.lambda_with_generator", lambda x: sum(v * v for v in x), vector)
