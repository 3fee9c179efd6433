"""Numbers that become arrays in the first turn of a loop, and sums of comprehensions."""

import numpy as np
from corpus.registry import program


def rows(rng):
    return (rng.normal(size=(4, 3)),)


def rows_and_count(count):
    def sample(rng):
        return rng.normal(size=(4, 3)), count

    return sample


@program(rows)
def total_from_zero(x):
    total = 0.0
    for t in range(len(x)):
        total = total + np.tanh(x[t])
    return np.sum(total * total)


@program(rows)
def total_from_whole_zero(x):
    total = 0
    for row in x:
        total += np.sin(row)
    return np.sum(total**2)


@program(rows_and_count(0))
def total_of_no_turns(x, count):
    total = 0.0
    for t in range(count):
        total = total + x[t]
    return np.sum(total) + np.sum(x)


@program(rows_and_count(1))
def total_of_one_turn(x, count):
    total = 2.0
    for t in range(count):
        total = total * x[t]
    return np.sum(total)


@program(rows)
def totals_within_totals(x):
    outer = 0.0
    for i in range(3):
        inner = 0.0
        for j in range(len(x) - i):
            inner = inner + x[j] * (i + 1)
        outer = outer + inner[:, None] * inner
    return np.sum(outer * outer)


@program(rows)
def weighted_backwards(x):
    state, count = 1.0, 0
    for t in range(3, -1, -1):
        state = 0.5 * state + x[t] * x[t]
        count += 1
    return np.sum(state) * count


@program(rows, tags=["tricky"])
def larger_at_every_turn(x):
    state = 0.0
    for t in range(3):
        state = np.sum(state) + x[: t + 1, :]
    return np.sum(state**2)


@program(rows, tags=["tricky"])
def states_remembered(x):
    state, seen = 0.0, []
    for t in range(len(x)):
        seen.append(np.sum(state))
        state = state + x[t]
    return np.sum(np.array(seen) ** 2) + np.sum(state)


@program(rows)
def sum_of_a_generator(x):
    return np.sum(sum(np.exp(row) for row in x) ** 2)


@program(rows)
def sum_of_a_list(x):
    return np.sum(sum([np.exp(x[t]) * t for t in range(len(x))]))


@program(rows)
def sum_of_pairs(x):
    return sum(a @ b for a in x for b in x) + sum([v for v in x[0]], 3.0)


@program(rows_and_count(0), tags=["tricky"])
def sum_of_nothing(x, count):
    return np.sum(sum(x[i] for i in range(count)) + x)


@program(rows, tags=["tricky"])
def sum_with_a_name_inside(x):
    total = sum((last := v * v) for v in x[0])
    return total + last


@program(rows)
def sum_under_a_condition(x):
    return sum(v * v for v in x[0] if v > 0) + sum(v for row in x for v in row if v < 0)


@program(rows, tags=["tricky"])
def sum_of_sums(x):
    return sum(sum(v * w for v in row) for row in x for w in (1.0, 2.0))


@program(rows)
def total_of_a_while_loop(x):
    total, t = 0.0, 0
    while t < len(x):
        total = total + x[t] ** 2
        t += 1
    return np.sum(np.sqrt(total))


@program(rows_and_count(0), tags=["tricky"])
def total_of_a_while_loop_that_does_not_turn(x, count):
    total, t = 1.0, 0
    while t < count:
        total = total * x[t]
        t += 1
    return np.sum(total * x)


@program(rows, tags=["tricky"])
def until_it_is_small(x):
    step, total = 1.0, 0.0
    while np.sum(np.abs(step)) > 0.5:
        step = step * 0.4 * np.tanh(x[0])
        total = total + step
    return np.sum(total**2)
