"""Lists and tuples of numbers where NumPy takes arrays, whole numbers among them."""

import numpy as np
from corpus.registry import program


def two(rng):
    return (rng.uniform(0.2, 0.4, size=2) + np.array([0.0, 0.4]),)


@program(two)
def products_with_lists(x):
    a = np.dot([x[0], x[1]], [1, 2]) + np.dot([1, 2], x) * np.inner([1, 2], x)
    b = np.matmul([[1, 2], [3, 4]], x).sum() + np.outer([1, 2], x).sum()
    c = np.tensordot([[1, 2], [3, 4]], x, 1).prod() + np.vdot([1, 2], x) ** 2
    return a + b + c + np.kron([1, 2], x).prod() + np.convolve([1, 2], x).prod()


@program(two)
def einsum_with_a_list(x):
    return np.einsum("ij,i,j->", [[1, 2], [3, 4]], x, x)


@program(two)
def systems_given_as_lists(x):
    solved = np.linalg.solve([[x[0], 2], [3, 4]], [1, x[1]])
    det = np.linalg.det([[x[0], 1], [2, x[1]]])
    return solved.prod() + det**2 + np.linalg.inv([[x[0], 1], [2, x[1]]]).sum()


@program(two)
def elementwise_with_lists(x):
    a = np.add([1, 2], x) * [3, 4] + np.power([1.5, 2], x)
    b = np.where([True, False], x, [1, 2]) * np.maximum([0.5, 0.3], x)
    return (a * b).sum() + np.hypot([x[0], 1], [2, x[1]]).prod()


@program(two)
def reductions_of_lists(x):
    a = np.sum([x[0], x[1], 2]) * np.mean((x[0], 2)) * np.prod([x[0], x[1], 2])
    b = np.median([x[0], x[1], 5]) + np.std([x[0], x[1], 5]) ** 2
    c = np.max([x[0], x[1], 0]) * np.sort([x[0], x[1], 0])[1]
    return a + b + c + np.linalg.norm([x[0], x[1], 1])


@program(two)
def calculus_on_lists(x):
    a = np.trapezoid([x[0], x[1], 1.0], dx=0.5) + np.cumsum([x[0], x[1]])[1] ** 2
    b = np.diff([x[0] ** 2, x[1], 2]).prod() + np.interp(0.3, [0, 1], [x[0], x[1]])
    return a + b + np.average(x, weights=[1, 2]) ** 2 + np.polyval([1, 2, 3], x).sum()


@program(two)
def joined_lists_and_arrays(x):
    a = np.stack([x, [1, 2]]) @ x
    b = np.concatenate([x, [1.0]]) * np.hstack([[2], x**2])
    return a.sum() + b.sum() + (np.vstack([x, [3, 4]]) ** 2).sum()


@program(two)
def table_made_in_a_loop(x):
    rows = []
    for k in range(3):
        rows.append([k, x[0] * k, x[1] ** k])
    rows[1][0] = 7
    return (np.array(rows) @ [1, x[0], 2]).prod() + np.array(rows).T[1].sum()


@program(two)
def nested_tuples(x):
    return np.sum(((x[0], 2), (3, 4))) * np.linalg.det(((x[0], 1), (2, x[1] ** 2)))


@program(two)
def brackets_that_join(x):
    row = np.r_[0, x, x**2, 1:3]
    table = np.c_[x, np.ones(2), x**3]
    return (row * np.arange(7)).sum() ** 2 + (table[0] * table[1]).sum()


@program(two)
def pieces(x):
    a = np.piecewise(x, [x < 0.5, x >= 0.5], [lambda v: v**2, lambda v: 3 * v])
    b = np.piecewise(x, [x < 0.1, x > 0.5], [-1.0, np.sin, lambda v: v**3])
    return a.prod() + b.sum()


@program(two)
def pieces_that_see_what_was_chosen(x):
    y = np.concatenate([x, -x, 2 * x])
    chosen = [y < 0, y > 0.9]
    found = np.piecewise(y, chosen, [lambda v: v * v.sum(), len, lambda v: v - v[0]])
    return (found * np.arange(6)).sum() ** 2


@program(two)
def pieces_in_a_loop(x):
    for k in range(3):
        x = np.piecewise(x, [x < 0.5], [lambda v, k=k: np.sin(v) * (k + 1), np.sqrt])
    return x.prod()
