"""Decisions: if, elif, else, conditional expressions, and/or/not, comparisons."""

import numpy as np
from corpus.registry import add, program


def vector(rng):
    return (rng.normal(size=4),)


def two_vectors(rng):
    return rng.normal(size=3), rng.normal(size=3)


def point(rng):
    return rng.normal(), rng.normal()


@program(point)
def if_else(x, y):
    if x > y:
        z = x * x * y
    else:
        z = np.sin(x) - y**3
    return z


@program(point)
def if_without_else(x, y):
    z = x * y
    if z > 0:
        z = np.log(1.0 + z)
    return z * z


@program(lambda rng: (rng.uniform(-3, 3),))
def elif_chain(x):
    if x < -2:
        return x**2
    elif x < -0.5:
        return -4.0 * x
    elif x < 1:
        return np.exp(x) * x
    else:
        return np.sqrt(x)


@program(lambda rng: (rng.uniform(0.1, 3.0), rng.normal(size=3)))
def elif_chain_binding_several_names(t, v):
    if t < 1:
        a, b = t, v.sum()
    elif t < 2:
        a, b = t * t, v[0]
    else:
        a = 3.0
        b = np.cos(v).sum() * t
    return a * b + b


@program(point)
def nested_ifs(x, y):
    if x > 0:
        if y > 0:
            r = x * y
        else:
            r = x - y**2
    else:
        if y > 0:
            r = np.exp(x) + y
        else:
            r = x**2 * y**2
    return r * 2.0


@program(vector)
def if_inside_for(x):
    total = 0.0
    for v in x:
        if v > 0:
            total += v * v
        else:
            total -= np.sin(v)
    return total


@program(vector)
def elif_inside_for_with_carried_state(x):
    state = 1.0
    for v in x:
        if v > 0.5:
            state = state * v
        elif v > -0.5:
            state = np.tanh(state + v)
        else:
            state = state - v
    return state


@program(lambda rng: (rng.normal(size=(3, 4)),))
def if_on_row_sum_in_nested_loop(a):
    total = 0.0
    for row in a:
        if row.sum() > 0:
            for v in row:
                if v > 0:
                    total += v**3
        else:
            total += np.exp(row).mean()
    return total


@program(two_vectors)
def if_inside_closure(x, y):
    def pick(k):
        if x[k] > y[k]:
            return x[k] ** 2
        return np.sin(y[k]) * x[k]

    return pick(0) + pick(1) * pick(2)


class Rectifier:
    def __init__(self, slope):
        self.slope = slope

    def one(self, v):
        if v > 0:
            return v
        else:
            return self.slope * v

    def total(self, x):
        return sum([self.one(v) ** 2 for v in x])


@program(lambda rng: (rng.uniform(0.1, 0.5), rng.normal(size=4)))
def if_inside_method(slope, x):
    return Rectifier(slope).total(x)


@program(point)
def ternary(x, y):
    return x * y if x > y else np.cos(x) + y


@program(vector)
def ternary_in_loop(x):
    s = 0.0
    for v in x:
        s = s + (v if v > 0 else 0.1 * v) * np.cos(s)
    return s


@program(point)
def nested_ternary(x, y):
    z = x if x > 1 else y if y > 0 else x * y
    return z**2 + x


@program(two_vectors)
def ternary_choosing_arrays(x, y):
    big = x if x.sum() > y.sum() else y
    return (big**2).sum() + (x * y).sum()


@program(point)
def ternary_choosing_functions(x, y):
    f = np.sin if x > 0 else np.tanh
    return f(y) * f(x * y)


@program(vector)
def ternary_in_index(x):
    k = 0 if x[1] > x[2] else -1
    return x[k] ** 2 * x[3]


@program(two_vectors)
def ternary_inside_closure(x, y):
    flip = lambda t: t if t < 0 else -t
    return flip(x[0]) * y.sum() + flip(y[1])


class Clipped:
    limit = 0.7

    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        z = x @ self.w
        return z if abs(z) < self.limit else self.limit * np.tanh(z)


@program(two_vectors)
def ternary_inside_method(w, x):
    return Clipped(w)(x) + Clipped(2 * w)(x)


@program(lambda rng: (rng.uniform(-1, 2), rng.uniform(-1, 2)))
def and_condition(x, y):
    if x > 0 and y > 0:
        return x * y
    return x - 2 * y * x


@program(point)
def or_not_condition(x, y):
    if not (x > 0) or y > 1:
        z = x + y * y
    else:
        z = x * np.exp(y)
    return z


@program(vector)
def short_circuit_guards_index(x):
    i = 0
    while i < len(x) and x[i] < 1.0:
        i += 1
    head = x[:i]
    return (head**2).sum() + x.sum() * 0.5


@program(lambda rng: (rng.normal(), rng.normal(size=3)))
def short_circuit_guards_division(d, x):
    total = 0.0
    for v in [0.0, d, 2.0]:
        if v != 0 and (x / v).sum() > -1e6:
            total += (x / v).sum() + v
    return total


@program(lambda rng: (None, rng.normal(size=3)))
def or_supplies_default(w, x):
    scale = w or 2.0
    return scale * (x * x).sum()


@program(lambda rng: (rng.uniform(1, 2), rng.normal()), tags=["tricky"])
def or_returns_operand(x, y):
    z = x or y
    return z * z + y


@program(lambda rng: (rng.uniform(1, 2), rng.normal()), tags=["tricky"])
def and_returns_operand(x, y):
    z = x and y * 3.0
    return z * x


@program(lambda rng: (rng.uniform(-2, 2),))
def chained_comparison(x):
    if -1 < x <= 1:
        return x**3
    return x * 2 - np.sin(x)


@program(vector)
def chained_comparison_in_loop(x):
    count, total = 0, 0.0
    for v in x:
        if -0.8 < v < 0.8 != 0:
            count += 1
            total += v * v
    return total / (count + 1) + x[0]


@program(vector)
def boolean_variable_steers_later(x):
    up = x[0] > 0
    down = not up
    y = x * 2.0
    if down:
        y = y + x**2
    if up and not down:
        y = y * y
    return y.sum()


@program(vector)
def counts_of_conditions_scale_result(x):
    positives = int((x > 0).sum())
    scale = 1.0 + positives
    return scale * np.sum(x**2)


@program(vector)
def any_and_all(x):
    if np.all(x > 0):
        return x.sum()
    if np.any(x > 0.3):
        return (x * x).sum()
    return np.exp(x).sum()


@program(vector)
def builtin_any_all(x):
    if all([v > -5 for v in x]) and any([v > -0.5 for v in x]):
        return np.sin(x).sum()
    return x.prod()


@program(lambda rng: (rng.normal(size=3), "tanh"))
def branch_on_string(x, kind):
    if kind == "relu":
        y = np.maximum(x, 0)
    elif kind in ("tanh", "sigmoid"):
        y = np.tanh(x)
    else:
        y = x
    return (y * x).sum()


@program(lambda rng: (rng.normal(size=3), None))
def branch_on_none(x, bias):
    z = x * x
    if bias is not None:
        z = z + bias
    return z.sum()


@program(lambda rng: (rng.normal(size=(2, 3)),))
def branch_on_shape(a):
    if a.ndim == 2 and a.shape[0] < a.shape[1]:
        a = a.T
    return (a @ a.T).sum()


@program(lambda rng: (rng.normal(size=3), [rng.normal(size=3)]))
def branch_on_isinstance(x, extra):
    if isinstance(extra, list):
        extra = extra[0]
    if isinstance(x, np.ndarray) and not isinstance(extra, float):
        return x @ extra
    return x.sum()


@program(point, tags=["tricky"])
def undefined_on_one_path_but_never_read_there(x, y):
    if x > 0:
        bonus = y * y
    z = x * y
    if x > 0:
        z = z + bonus
    return z * 1.5


@program(point, tags=["tricky"])
def different_types_on_different_paths(x, y):
    if x > y:
        z = [x, y]
    else:
        z = x * y
    if isinstance(z, list):
        return z[0] ** 2 * z[1]
    return np.sin(z) + z


@program(vector, tags=["tricky"])
def shape_differs_between_branches(x):
    if x[0] > 0:
        y = x[:2]
    else:
        y = x[1:] * 2
    return (y * y).sum() + len(y) * x[3]


@program(point, tags=["tricky"])
def condition_reassigned_in_branch(x, y):
    flag = x > 0
    if flag:
        flag = False
        x = x * y
    if not flag:
        x = x + y**2
    return x


@program(point, tags=["tricky"])
def branch_that_does_nothing(x, y):
    if x > 0:
        pass
    else:
        pass
    z = x
    if y > 100:
        z = y
    return z * z * y


@program(point, tags=["tricky"])
def swap_in_branch(x, y):
    if x < y:
        x, y = y, x
    return x**2 - y**3


@program(point, tags=["tricky"])
def same_branch_twice(x, y):
    for _ in range(2):
        if x > 0:
            x = x - y * y
        else:
            x = x * y
    return x


def make_gate(threshold):
    def gate(x):
        if x.sum() > threshold:
            return (x**2).sum()
        return np.exp(0.5 * x).sum()

    return gate


add("branches.gate_low", make_gate(-10.0), vector)
add("branches.gate_high", make_gate(10.0), vector)
add("branches.lambda_ternary", lambda x, y: x * y if x > y else x - y**2, point)
