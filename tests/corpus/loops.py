"""Loops that run to their end: for over everything, while, nested loops."""

import numpy as np
from corpus.registry import add, program


def vector(rng):
    return (rng.normal(size=4),)


def matrix(rng):
    return (rng.normal(size=(3, 4)),)


def matrix_and_vector(rng):
    return rng.normal(size=(3, 4)), rng.normal(size=4)


@program(lambda rng: (rng.normal(),), tags=["float32"])
def for_range(x):
    y = x
    for i in range(4):
        y = np.sin(y) * x
    return y


@program(vector, tags=["float32"])
def for_range_indexing(x):
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] ** 2 * i
    return total


@program(vector, tags=["float32"])
def for_range_start_stop_step(x):
    total = 1.0
    for i in range(1, len(x), 2):
        total = total * x[i] + x[i - 1]
    return total


@program(vector, tags=["float32"])
def for_range_downwards(x):
    acc = 0.0
    for i in range(len(x) - 1, -1, -1):
        acc = acc * 0.5 + x[i] * (1 + acc)
    return acc


@program(vector, tags=["float32"])
def for_range_negative_step_of_two(x):
    acc = x[0]
    for i in range(3, 0, -2):
        acc = acc * x[i]
    return acc


@program(lambda rng: (rng.normal(), 5), tags=["float32"])
def for_range_of_argument(x, n):
    y = 1.0
    for i in range(n):
        y = y + x ** (i + 1) / (i + 1)
    return y


@program(lambda rng: (rng.normal(), 0), tags=["tricky"])
def zero_trip_loop(x, n):
    y = x * x
    for i in range(n):
        y = y * np.nan
    return y


@program(lambda rng: (rng.normal(size=(0, 3)), rng.normal(size=3)), tags=["tricky"])
def loop_over_empty_array(rows, x):
    y = np.tanh(x)
    for row in rows:
        y = y * row
    return y.sum()


@program(matrix_and_vector, tags=["float32"])
def for_over_rows(a, w):
    h = np.zeros_like(w)
    for row in a:
        h = np.tanh(h + row * w)
    return h.sum()


@program(vector, tags=["float32"])
def for_over_array_elements(x):
    p = 1.0
    for v in x:
        p *= 1 + v * v
    return np.log(p)


@program(lambda rng: (rng.normal(size=(2, 3, 2)),))
def for_over_matrices(a):
    m = np.eye(2)
    for layer in a:
        for row in layer:
            m = m + np.outer(row, row)
    return np.linalg.det(m)


@program(lambda rng: ([rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)],))
def for_over_list_of_arrays(xs):
    total = 0.0
    previous = np.ones(3)
    for x in xs:
        total += (x * previous).sum()
        previous = np.sin(x)
    return total


@program(lambda rng: ((rng.normal(), rng.normal(), rng.normal()),))
def for_over_tuple_of_floats(t):
    y = 0.0
    for v in t:
        y = v + np.sin(y)
    return y


@program(vector, tags=["float32"])
def for_over_constant_list(x):
    y = 0.0
    for k in [0, 3, 3, 1]:
        y = y * 0.3 + x[k] ** 2
    return y


@program(matrix_and_vector, tags=["float32"])
def for_zip(a, w):
    total = 0.0
    for row, v in zip(a, w):
        total += np.tanh(row.sum() * v)
    return total


@program(
    lambda rng: (rng.normal(size=3), rng.normal(size=3), rng.normal(size=5)),
    tags=["float32"],
)
def for_zip_three_of_unequal_length(x, y, z):
    total = 0.0
    for a, b, c in zip(x, y, z):
        total = total * a + b * c
    return total


@program(vector, tags=["float32"])
def for_zip_of_shifted_slices(x):
    energy = 0.0
    for left, right in zip(x[:-1], x[1:]):
        energy += (right - left) ** 2 * left
    return energy


@program(vector, tags=["float32"])
def for_enumerate(x):
    total = 0.0
    for i, v in enumerate(x):
        total += v ** (i + 1)
    return total


@program(vector, tags=["float32"])
def for_enumerate_with_start(x):
    total = 0.0
    for k, v in enumerate(x, 1):
        total += np.sin(k * v) / k
    return total


@program(matrix_and_vector, tags=["float32"])
def for_enumerate_zip(a, w):
    total = 0.0
    for i, (row, v) in enumerate(zip(a, w)):
        total += row[i] * v**2
    return total


@program(vector, tags=["float32"])
def for_reversed(x):
    y = 0.0
    for v in reversed(x):
        y = np.tanh(y + v)
    return y


@program(vector, tags=["float32"])
def for_reversed_range(x):
    y = 1.0
    for i in reversed(range(len(x))):
        y = y * 0.9 + x[i] * y
    return y


@program(lambda rng: ([rng.normal(), rng.normal(), rng.normal()],))
def for_reversed_list(xs):
    y = 0.0
    for v in reversed(xs):
        y = v * np.cos(y)
    return y


@program(vector, tags=["float32"])
def for_over_reversed_slice(x):
    y = 0.0
    for v in x[::-1]:
        y = y * v + v
    return y


@program(lambda rng: ({"a": rng.normal(), "b": rng.normal(size=3)},), tags=["float32"])
def for_dict_items(p):
    total = 1.0
    for name, value in p.items():
        total = total * np.sum(value**2)
    return total


@program(
    lambda rng: ({"a": rng.normal(), "b": rng.normal(), "c": rng.normal()},),
    tags=["float32"],
)
def for_dict_keys_and_values(p):
    s = 0.0
    for key in p.keys():
        s += np.sin(p[key])
    for value in p.values():
        s *= 1 + value**2
    return s


@program(lambda rng: ({"x": rng.normal(), "y": rng.normal()},), tags=["float32"])
def for_over_dict(p):
    s = 1.0
    for key in p:
        s = s * p[key] + (0.5 if key == "x" else 0.25)
    return s


@program(lambda rng: (rng.normal(size=(3, 3)),), tags=["float32"])
def nested_for(a):
    total = 0.0
    for i in range(3):
        for j in range(3):
            total += a[i, j] * a[j, i] * (i - j + 0.5)
    return total


@program(lambda rng: (rng.normal(size=(4, 4)),), tags=["float32"])
def triangular_nested_for(a):
    total = 0.0
    for i in range(4):
        for j in range(i):
            total += np.sin(a[i, j]) * a[j, j]
    return total


@program(
    lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(3, 2))), tags=["float32"]
)
def triple_loop_matmul(a, b):
    n, k = a.shape
    m = b.shape[1]
    total = 0.0
    for i in range(n):
        for j in range(m):
            dot = 0.0
            for l in range(k):
                dot += a[i, l] * b[l, j]
            total += dot**2
    return total


@program(lambda rng: (rng.normal(size=4),), tags=["float32"])
def inner_loop_carries_across_outer(x):
    state = 0.1
    for i in range(3):
        for v in x:
            state = np.tanh(state * v + i)
        state = state * 2.0
    return state


@program(lambda rng: (rng.uniform(0.5, 2.0),), tags=["float32"])
def while_counter(x):
    i, y = 0, x
    while i < 4:
        y = y * np.cos(x) + i
        i += 1
    return y


@program(lambda rng: (rng.uniform(5.0, 9.0),), tags=["float32"])
def while_data_dependent(x):
    y = x
    while y > 1.0:
        y = y * 0.6
    return y**2


@program(lambda rng: (rng.uniform(1.0, 3.0, size=3),), tags=["float32"])
def while_data_dependent_array(x):
    steps = 0
    while np.sum(x**2) > 0.7:
        x = 0.75 * np.sin(x)
        steps += 1
    return x.sum() * steps


@program(lambda rng: (rng.uniform(0.5, 2.0), rng.uniform(0.3, 0.6)), tags=["float32"])
def while_until_small_change(x, rate):
    old, new = 0.0, x
    while abs(new - old) > 1e-1:
        old = new
        new = new - rate * (new - np.cos(new))
    return new


@program(lambda rng: (rng.uniform(0.5, 2.0),), tags=["tricky"])
def while_zero_trips(x):
    while x < 0:
        x = x + 1.0
    return x * x


@program(lambda rng: (rng.uniform(0.5, 2.0, size=3),), tags=["float32"])
def nested_while(x):
    total, i = 0.0, 0
    while i < len(x):
        v = x[i]
        while v < 3.0:
            v = v * 1.7
        total += v * x[0]
        i += 1
    return total


@program(lambda rng: (rng.uniform(0.5, 2.0, size=3),), tags=["float32"])
def while_inside_for(x):
    total = 0.0
    for v in x:
        n = 0
        while v > 0.4:
            v = v / 2
            n += 1
        total += v * n
    return total


@program(vector, tags=["float32"])
def for_inside_while(x):
    k, s = 0, 1.0
    while k < 2:
        for v in x:
            s = np.sin(s + v)
        k += 1
    return s


@program(vector, tags=["float32"])
def for_inside_branch(x):
    if x[0] > 0:
        s = 0.0
        for v in x:
            s += v**2
    else:
        s = 1.0
        for i in range(2):
            s *= x[i]
    return s


@program(matrix_and_vector, tags=["float32"])
def for_inside_closure(a, w):
    def score(gain):
        s = 0.0
        for row in a:
            s = np.tanh(gain * s + row @ w)
        return s

    return score(0.5) + score(1.5) * 2


@program(lambda rng: (rng.uniform(3, 5), rng.uniform(1.3, 1.8)), tags=["float32"])
def while_inside_closure(x, q):
    def shrink(limit):
        y = x
        while y > limit:
            y = y / q
        return y

    return shrink(1.0) * shrink(0.1)


class Smoother:
    def __init__(self, alpha):
        self.alpha = alpha

    def run(self, x):
        level = x[0]
        for v in x[1:]:
            level = self.alpha * v + (1 - self.alpha) * level
        return level

    def settle(self, x):
        level, n = x.sum(), 0
        while n < 3:
            level = level * (1 - self.alpha)
            n += 1
        return level


@program(lambda rng: (rng.uniform(0.2, 0.8), rng.normal(size=4)), tags=["float32"])
def for_inside_method(alpha, x):
    return Smoother(alpha).run(x)


@program(lambda rng: (rng.uniform(0.2, 0.8), rng.normal(size=4)), tags=["float32"])
def while_inside_method(alpha, x):
    smoother = Smoother(alpha)
    return smoother.settle(x) * smoother.run(x)


@program(matrix, tags=["jacobian"])
def loop_returning_array(a):
    h = np.zeros(4)
    for row in a:
        h = np.sin(h + row)
    return h


@program(vector, tags=["float32"])
def several_carried_variables(x):
    a, b, c = 0.0, 1.0, x[0]
    for v in x:
        a, b, c = b, c, a + v * b
    return a * b + c


@program(vector, tags=["tricky"])
def loop_variable_after_loop(x):
    for i, v in enumerate(x):
        y = v * v
    return y * v + i * x[0]


@program(vector, tags=["tricky"])
def loop_variable_shadows_argument(x):
    total = 0.0
    y = x
    for x in y:
        total += np.sin(x)
    return total * x


@program(vector, tags=["tricky"])
def loop_variable_reassigned_in_body(x):
    total = 0.0
    for v in x:
        v = v * 2
        total += v * v
        v = 0.0
    return total


@program(vector, tags=["tricky"])
def range_evaluated_once(x):
    n = 3
    total = 0.0
    for i in range(n):
        n = n - 1
        total += x[i] * n
    return total * x[n]


@program(vector, tags=["tricky"])
def list_grows_but_range_does_not(x):
    parts = [x[0], x[1]]
    for i in range(len(parts)):
        parts.append(parts[i] * x[2])
    return sum(parts) * parts[-1]


@program(vector, tags=["tricky"])
def rebinding_iterable_in_loop(x):
    items = x
    s = 0.0
    for v in items:
        items = items * 2
        s += v * items[0]
    return s


@program(vector, tags=["tricky"])
def inner_loop_reuses_index_name(x):
    s = 0.0
    for i in range(3):
        for i in range(2):
            s += x[i] * x[3]
        s += x[i] ** 2
    return s


@program(vector, tags=["tricky"])
def name_defined_only_in_loop(x):
    for v in x:
        last = v * v * x[0]
    return last


@program(vector, tags=["tricky"])
def type_changes_in_first_iteration(x):
    total = 0
    for v in x:
        total = total + v * v
    return total


@program(vector, tags=["tricky"])
def none_until_first_iteration(x):
    best = None
    for v in x:
        if best is None:
            best = v
        else:
            best = best * 0.5 + v * v
    return best


@program(lambda rng: (rng.normal(size=3),), tags=["tricky"])
def array_grows_each_iteration(x):
    y = x
    for k in range(3):
        y = np.concatenate([y, y[-2:] * 0.5])
    return (y**2).sum()


def make_repeater(times):
    def repeat(x):
        for _ in range(times):
            x = np.sin(x) + 0.1 * x
        return x.sum()

    return repeat


add("loops.repeater_0", make_repeater(0), vector, tags=["tricky"])
add("loops.repeater_1", make_repeater(1), vector)
add("loops.repeater_5", make_repeater(5), vector)


@program(lambda rng: (rng.uniform(0.5, 1.5, size=6),))
def while_a_list_has_items_and_there_is_more(x):
    waiting, total, k = [x[0]], 0.0, 1
    while waiting and k < len(x):
        a = waiting.pop()
        total = total * 0.5 + a
        if a > 0.6 or not waiting:
            waiting.append(a * x[k])
        k += 1
    return total + sum(v for v in waiting if waiting and v > 0)
