"""Leaving early: break, continue, loop else, several returns."""

import numpy as np
from corpus.registry import add, program


def vector(rng):
    return (rng.normal(size=5),)


def matrix(rng):
    return (rng.normal(size=(3, 4)),)


def positive(rng):
    return (rng.uniform(0.5, 1.5, size=5),)


@program(positive)
def break_on_total(x):
    total = 0.0
    for v in x:
        total += v * v
        if total > 2.0:
            break
    return total * x[0]


@program(positive)
def break_before_update(x):
    total = 0.0
    for v in x:
        if total + v > 2.5:
            break
        total = total + np.sin(v)
    return total + x[0]


@program(lambda rng: (rng.uniform(0.2, 0.9),))
def break_in_while_true(x):
    n = 0
    y = x
    while True:
        y = y * 1.5 + x
        n += 1
        if y > 6:
            break
    return y / n


@program(positive)
def two_breaks_in_one_loop(x):
    s = 1.0
    for i, v in enumerate(x):
        if s > 2.0:
            break
        s = s * (0.7 + v)
        if i == 3:
            s = s * 10.0
            break
    return s


@program(matrix)
def break_inner_loop_only(a):
    total = 0.0
    for row in a:
        part = 0.0
        for v in row:
            part += v * v
            if part > 1.0:
                break
        total += part * row[0]
    return total


@program(lambda rng: (rng.uniform(0.2, 1.0, size=(3, 3)),))
def break_both_loops_with_flag(a):
    total, done = 0.0, False
    for row in a:
        for v in row:
            total += v**2
            if total > 1.5:
                done = True
                break
        if done:
            break
    return total + a.sum()


@program(positive)
def break_in_while_with_index(x):
    i, p = 0, 1.0
    while i < len(x):
        p *= x[i] + 0.5
        if p > 2.2:
            break
        i += 1
    return p * p + x[2]


@program(vector)
def continue_in_for(x):
    total = 0.0
    for v in x:
        if v < 0:
            continue
        total += np.sqrt(v + 1.0)
    return total + x[0]


@program(vector)
def continue_keeps_earlier_update(x):
    total, last = 0.0, 1.0
    for v in x:
        total += v * last
        if v > 0.2:
            continue
        last = v
    return total * last


@program(vector)
def continue_in_while(x):
    i, s = 0, 0.5
    while i < 5:
        i += 1
        if i % 2 == 0:
            continue
        s = s * np.cos(x[i - 1])
    return s


@program(vector)
def continue_and_break(x):
    s = 0.0
    for i, v in enumerate(x):
        if i == 1:
            continue
        if i == 4:
            break
        s += v**3
    return s


@program(matrix)
def continue_in_nested_loops(a):
    s = 0.0
    for i in range(3):
        if i == 1:
            continue
        for j in range(4):
            if i == j:
                continue
            s += a[i, j] ** 2 * (j + 1)
    return s


@program(vector)
def continue_twice(x):
    s = 0.0
    for v in x:
        if v > 1.0:
            s += v
            continue
        t = v * v
        if t < 0.1:
            s -= v
            continue
        s += t
    return s


@program(positive)
def for_else_not_broken(x):
    s = 0.0
    for v in x:
        s += v * v
        if s > 100:
            break
    else:
        s = s * x[0]
    return s


@program(positive)
def for_else_broken(x):
    for i, v in enumerate(x):
        if i == 2:
            s = v * v * x[0]
            break
    else:
        s = x.sum()
    return s


@program(vector)
def for_else_depends_on_data(x):
    for v in x:
        if v > 0.9:
            y = v * 2.0
            break
    else:
        y = (x**2).sum()
    return y * y


@program(lambda rng: (rng.uniform(0.3, 0.9),))
def while_else(x):
    n = 0
    while n < 3:
        x = x * x + 0.3
        if x > 5:
            break
        n += 1
    else:
        x = np.sin(x)
    return x


@program(matrix)
def nested_loop_else_continue(a):
    total = 0.0
    for row in a:
        for v in row:
            if v > 0.9:
                break
        else:
            total += (row**2).sum()
            continue
        total += row.sum()
    return total


@program(vector, tags=["tricky"])
def else_of_zero_trip_loop(x):
    for v in x[:0]:
        y = v
    else:
        y = x[1]
    return y**2


@program(lambda rng: (rng.uniform(-2, 2), rng.uniform(-2, 2)))
def early_return(x, y):
    if x > 0:
        return x * y
    z = np.exp(y)
    return z * x


@program(lambda rng: (rng.uniform(-2, 2), rng.uniform(-2, 2)))
def guard_clauses(x, y):
    if x > 1:
        return x**2
    if y > 1:
        return y * x
    if x + y < -1:
        return np.sin(x * y)
    return x - y + x * y


@program(lambda rng: (rng.uniform(-2, 2), rng.uniform(-2, 2)))
def return_in_every_nested_branch(x, y):
    if x > 0:
        if y > 0:
            return x * y
        else:
            return x / (1 + y * y)
    elif y > 0:
        return np.exp(x) * y
    return x * x * y


@program(lambda rng: (rng.uniform(-2, 2), rng.uniform(-2, 2)))
def code_after_partly_returning_branch(x, y):
    z = x
    if x > 0:
        z = z * y
        if y > 0:
            return z
        z = z + 1
    else:
        z = z - y
    return z * z + x


@program(vector)
def return_inside_for(x):
    s = 0.0
    for v in x:
        s += v * v
        if s > 3.0:
            return s * v
    return s + x[0]


@program(lambda rng: (rng.uniform(0.5, 1.5, size=(3, 3)),))
def return_inside_nested_for(a):
    s = 0.0
    for i in range(3):
        for j in range(3):
            s = s + a[i, j] * (i + j)
            if s > 7.5:
                return s * a[i, j]
        s = s * 0.5
    return s


@program(lambda rng: (rng.uniform(1.0, 2.0),))
def return_inside_while(x):
    y = x
    while True:
        y = y * x + 0.5
        if y > 20:
            return np.log(y)


@program(lambda rng: (rng.uniform(1.0, 2.0), 6))
def return_inside_while_inside_for(x, n):
    y = x
    for i in range(n):
        while y < 3 + i:
            y = y * 1.4
            if y > 7:
                return y * x
        y = y - 1.0
    return y


@program(vector)
def return_from_different_places_of_one_loop(x):
    s = x[0]
    for i in range(1, 5):
        if x[i] > 1.0:
            return s
        s = s * 0.5 + x[i]
        if s < -1.0:
            return s * s
    return s**3


@program(vector)
def return_loop_variable_expression(x):
    for i, v in enumerate(x):
        if i == 3:
            return v * x[i - 1] + np.sin(v)
    return x[0]


@program(positive)
def return_from_loop_in_branch(x):
    if x[0] > 0.8:
        for v in x[1:]:
            if v > 1.2:
                return v * v
        return x[0] * x[1]
    return x.sum()


@program(positive)
def return_after_inner_break(x):
    for v in x[:2]:
        t = v
        for k in range(4):
            t = t * 1.3
            if t > 3:
                break
        if t > 3:
            return t * v
    return t


@program(vector)
def break_inside_closure(x):
    def until(limit):
        s = 0.0
        for v in x:
            s += v * v
            if s > limit:
                break
        return s

    return until(0.5) * until(2.0)


@program(vector)
def return_inside_closure_loop(x):
    def first_above(limit):
        for v in x:
            if v > limit:
                return v
        return x[0] * limit

    return first_above(0.0) + first_above(0.7) ** 2


class Search:
    def __init__(self, limit):
        self.limit = limit

    def first(self, x):
        for v in x:
            if v * v > self.limit:
                return v / self.limit
        return self.limit

    def sum_until(self, x):
        s = 0.0
        for v in x:
            if s > self.limit:
                break
            if v < 0:
                continue
            s += v
        else:
            s = s * self.limit
        return s


@program(lambda rng: (rng.uniform(0.5, 1.0), rng.normal(size=5)))
def return_inside_method_loop(limit, x):
    return Search(limit).first(x) * limit


@program(lambda rng: (rng.uniform(0.5, 1.0), rng.normal(size=5)))
def break_continue_else_inside_method(limit, x):
    return Search(limit).sum_until(x) + limit * x[0]


@program(vector, tags=["tricky"])
def break_before_variable_is_defined(x):
    s = 0.0
    for i, v in enumerate(x):
        s += v
        if i == 0:
            continue
        t = s * v
        if i == 2:
            break
    return t * s


@program(vector, tags=["tricky"])
def return_value_built_before_loop_end(x):
    best = x[0] * 2
    for v in x:
        best = best + v
        if best > 0.5:
            return best * v
        best = best - v * 0.5
    else:
        best = best * x[1]
    return best


@program(vector, tags=["tricky"])
def unreachable_code_after_return(x):
    return (x * x).sum()
    y = x / 0
    return y


@program(vector, tags=["tricky"])
def unreachable_code_after_break(x):
    s = 0.0
    for v in x:
        s += v * v
        break
        s = s / 0
    return s


@program(vector, tags=["tricky"])
def loop_always_returns_in_first_iteration(x):
    for v in x:
        if v > 0:
            return v * v
        else:
            return np.exp(v)


@program(positive, tags=["tricky"])
def flag_loop_instead_of_break(x):
    going = True
    i, s = 0, 0.0
    while going:
        s += x[i] ** 2
        i += 1
        going = s < 2 and i < len(x)
    return s * i


@program(vector, tags=["tricky"])
def break_carries_different_value_than_end(x):
    y = 0.0
    for v in x:
        y = v * v
        if y > 0.8:
            y = y * 100
            break
        y = y - v
    return y


@program(vector, tags=["tricky"])
def search_index_then_use_it(x):
    k = -1
    for i in range(len(x)):
        if x[i] < 0:
            k = i
            break
    if k < 0:
        return x.sum()
    return x[k] * x[k - 1]


def raise_all(items):
    for _, _ in zip(items[0] * 1, np.full(3, 1.5)):
        items[0][:] += 0.5
    return 1.0


@program(vector)
def items_that_only_count_the_turns_in_a_try_block(x):
    y, z = x * 1.0, x * 2.0
    try:
        z[:] += raise_all([y])
        for _ in y * 1.0:
            z *= 1.5
    except ValueError:
        z[:] = 2.0
    return np.sum(np.sin(y) * z)


def make_exit(step):
    def walk(x):
        for k in range(0, 5, step):
            if x[k] > 0.3:
                return x[k] ** 2
        return x[0] - x[4] * step

    return walk


add("exits.walk_1", make_exit(1), vector)
add("exits.walk_2", make_exit(2), vector)
