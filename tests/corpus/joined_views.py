"""Views of arrays that are changed in place, put into tuples and joined again.

On the way back each part must reach the array that it is a view of, also where that
way is differentiated once more.
"""

import numpy as np
from corpus.registry import program


def three(rng):
    return (rng.uniform(0.5, 1.5, size=3),)


def table(rng):
    return (rng.uniform(0.5, 1.5, size=(3, 4)),)


@program(table, tags=["tricky", "writes"])
def columns_around_a_channel(x):
    u = x.copy()
    for _ in range(3):
        left = np.concatenate((u[:, -1:], u[:, :-1]), axis=1)
        right = np.concatenate((u[:, 1:], u[:, :1]), axis=1)
        u[1:-1] = 0.5 * u[1:-1] * left[1:-1] + 0.1 * right[:-2] * right[2:]
    return np.sum(u * u)


@program(table, tags=["tricky", "writes"])
def columns_around_a_channel_until_it_rests(x):
    u, change = x.copy(), 1.0
    while change > 1e-2:
        before = u.copy()
        left = np.concatenate((u[:, -1:], u[:, :-1]), axis=1)
        u[1:] = 0.4 * (left[1:] + before[:-1])
        change = np.max(np.abs(u - before))
    return np.sum(u**2 * np.arange(12.0).reshape(3, 4))


@program(three, tags=["tricky", "writes"])
def pairs_within_a_tuple(x):
    u = x.copy()
    whole = u, (u[1:], u[:-1])
    y = np.concatenate(whole[1]) + np.concatenate((whole[0], whole[0]))[:-2]
    u[...] = y[:3]
    return np.sum(y * u[0]) + np.sum(u**2)


@program(three, tags=["tricky", "writes"])
def arrays_in_either_order(x):
    u, v = x.copy(), 2 * x
    pair = (u, v) if x[0] > 1.0 else (v, u)
    pair[0][0] = x[1] * x[1]
    table = np.stack(pair, axis=1)
    pair[1][1] += np.sum(table)
    return np.sum(u * v)


@program(three, tags=["tricky", "writes"])
def joined_with_its_transpose(x):
    u = np.broadcast_to(x, (3, 3)).copy()
    u[0] = x**2
    pair = u.T, u
    return np.sum(np.hstack((pair[0], pair[0]))) + np.sum(np.vstack(pair) ** 2)


@program(three, tags=["tricky", "writes"])
def changed_between_making_and_joining(x):
    u, v = x.copy(), 2 * x
    parts = u[1:], u[:-1]
    u[0] = v[1] * 3
    joined = np.concatenate(parts)
    u *= 2
    return np.sum(joined * joined) + np.sum(u)


@program(three, tags=["tricky", "writes"])
def beside_things_without_derivatives(x):
    u = x.copy()
    record = u, 3, None, "three"
    record[0][1:] *= record[1]

    def doubled(p):
        p[0][0] *= 2
        return np.sum(p[0] ** 2)

    return doubled(record) + np.sum(u)


@program(lambda rng: (rng.uniform(0.5, 1.5, size=3), True), tags=["tricky", "writes"])
def a_pair_or_nothing(x, wanted):
    u = x.copy()
    pair = (u, u[1:]) if wanted else None
    u[0] = 3 * u[1]
    found = 0.0
    if pair is not None:
        found = np.sum(np.concatenate(pair) ** 2)
    u *= 2
    return found + np.sum(u)
