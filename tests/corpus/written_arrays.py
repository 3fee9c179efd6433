"""Arrays written down as lists of lists, lists among arrays, axes that vanish."""

import numpy as np
from corpus.registry import program


def three(rng):
    return (rng.uniform(0.2, 0.9, size=3),)


def row_and_table(rng):
    return rng.normal(size=3), rng.normal(size=(2, 3))


@program(three)
def rotations(x):
    point = np.array([1.0, 2.0, 3.0])
    for angle in x:
        c, s = np.cos(angle), np.sin(angle)
        point = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ point
    return point[0] * point[1] + point[2]


@program(three)
def numbers_of_both_kinds(x):
    return np.sum(np.array([[x[0], x[1]], [x[1], 1]]) @ np.array([[1, 2], [3, 4]]))


@program(three)
def three_levels(x):
    a = np.array([[[x[0], 1], [2, x[1]]], [[x[2], x[0] * x[1]], [3.0, 4]]])
    return np.sum(a**2 * np.arange(8.0).reshape(2, 2, 2))


@program(three)
def padded_by_lists(x):
    return np.sum(np.concatenate([[0.0], x, [1, 2]]) ** 2 * np.arange(6.0))


@program(three)
def padded_differences(x):
    force = np.concatenate([np.diff(x), [0.0]]) - np.concatenate([[0.0], np.diff(x)])
    return np.sum(force**2 * np.roll(x, 1))


@program(row_and_table)
def one_below_the_other(x, m):
    return np.sum(np.vstack([x, 2 * x]) ** 2) + np.sum(np.vstack((m, x[None])) ** 3)


@program(row_and_table)
def side_by_side(x, m):
    return np.sum(np.hstack([x, x * x, [1.0]]) ** 2) + np.sum(np.hstack((m * x, m)))


@program(row_and_table)
def as_columns(x, m):
    left = np.column_stack([x, x**2]) @ np.array([[1.0, 2.0], [3.0, 4.0]])
    return np.sum(left) + np.sum(np.column_stack((m * x[0], m**2)))


@program(three)
def rows_of_a_comprehension(x):
    return np.sum(np.vstack([x**k for k in range(4)]) ** 2)


def log_sum_exp(x, axis=None):
    top = np.max(x, axis=axis, keepdims=True)
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return np.squeeze(total, axis=axis)


@program(row_and_table)
def squeezed_to_a_number(x, m):
    return log_sum_exp(x) * log_sum_exp(m) + np.sum(log_sum_exp(m, 1))


@program(row_and_table)
def squeezed_without_an_axis(x, m):
    return np.sum(np.squeeze(x[:, None] * 2) * x) + np.sum(np.squeeze(m) ** 2)


@program(lambda rng: (rng.normal(size=(1, 3)), rng.normal(size=(2, 1))))
def squeezed_arguments(x, y):
    return np.sum(np.outer(x.squeeze(), np.squeeze(y)) ** 2)


@program(lambda rng: (rng.normal(size=(1, 1)),), tags=["tricky"])
def squeezed_away(x):
    return np.squeeze(x * 2) ** 2
