"""Lists that are changed after they were made, and then read as a whole.

What a list was made of says nothing of what NumPy finds in it later: how many rows, of
which lengths, which axes, where to cut.
"""

import numpy as np
from corpus.registry import program


def four(rng):
    return (rng.uniform(0.5, 1.5, size=4),)


@program(four, tags=["tricky", "writes"])
def rows_appended_before_the_array_is_made(x):
    rows = [x]
    rows.append(2 * x)
    return np.sum(np.array(rows) * np.ones((2, 4)))


@program(four, tags=["tricky", "writes"])
def states_of_a_simulation(x):
    states = [x]
    for _ in range(3):
        states.append(states[-1] * x)
    return 0.5 * np.sum((np.log(np.array(states)) - np.ones((4, 4))) ** 2)


@program(four, tags=["tricky", "writes"])
def row_exchanged_before_joining(x):
    rows = [x[:1]]
    rows[0] = x
    return np.sum(np.concatenate(rows) * np.arange(4.0))


@program(four, tags=["tricky", "writes"])
def rows_exchanged_before_stacking(x):
    rows = [x[:1], x[:1]]
    rows[0] = x[:2]
    rows[1] = x[2:] ** 2
    return np.sum(np.stack(rows) * np.array([[1.0, 2.0], [3.0, 4.0]]))


@program(four, tags=["tricky", "writes"])
def row_appended_by_a_closure(x):
    rows = [x]

    def add(row):
        rows.append(row)

    add(x * x)
    add(x)
    return np.sum(np.array(rows) ** 3 * np.ones((3, 1)))


@program(four, tags=["tricky", "writes"])
def row_put_in_front(x):
    rows = [x]
    rows.insert(0, x * x)
    cube = np.array(rows, ndmin=3)
    return np.sum(cube * cube * np.ones((1, 2, 1)))


@program(four, tags=["tricky", "writes"])
def rows_added_by_an_operator(x):
    rows = [x]
    rows += [x * x]
    return np.sum(np.stack(rows, axis=1) * np.arange(8.0).reshape(4, 2))


@program(four, tags=["tricky", "writes"])
def rows_extended(x):
    rows = [x[:1]]
    rows.extend([x[1:2], x[2:3] ** 2])
    return np.sum(np.vstack(rows) * np.arange(3.0)[:, None])


@program(four, tags=["tricky", "writes"])
def arrays_before_and_after(x):
    rows = [x]
    before = np.array(rows)
    rows.append(x * x)
    return np.sum(before * np.array(rows))


@program(four, tags=["tricky", "writes"])
def row_taken_off(x):
    rows = [x, x * x]
    rows.pop()
    return np.sum(np.array(rows) * np.ones((3, 1)))


@program(four, tags=["tricky", "writes"])
def row_that_is_there_sometimes(x):
    rows = [x]
    if x[0] > 0:
        rows.append(x * x)
    return np.sum(np.array(rows) * np.ones((2, 4)))


@program(four, tags=["tricky", "writes"])
def numbers_appended_to_a_row(x):
    rows = [[x[0]]]
    rows[0].append(x[1] ** 2)
    return np.sum(np.array(rows) * np.array([[1.0, 2.0]]))


@program(four, tags=["tricky", "writes"])
def places_to_cut_appended(x):
    places = [1]
    places.append(3)
    parts = np.split(x * x, places)
    return np.sum(parts[0]) + 2 * np.sum(parts[1]) + 3 * np.sum(parts[2])


@program(four, tags=["tricky", "writes"])
def places_to_cut_exchanged(x):
    places = [1, 2]
    places[1] = 3
    a, b, c = np.split(x * x, places)
    return np.sum(a) + 2 * np.sum(b) + 3 * np.sum(c)


@program(four, tags=["tricky", "writes"])
def shape_that_grows(x):
    shape = [2]
    shape.append(2)
    return np.sum(np.reshape(x * x, shape) * np.array([[1.0, 2.0], [3.0, 4.0]]))


@program(four, tags=["tricky", "writes"])
def axes_exchanged(x):
    axes = [0, 1]
    axes[0], axes[1] = 1, 0
    y = np.outer(x, x * x)
    return np.sum(np.tensordot(y, y * y, axes=(axes, [0, 1])))
