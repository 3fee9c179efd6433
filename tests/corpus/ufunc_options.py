"""What every ufunc takes besides its arguments: `out`, `where` and `dtype`."""

import numpy as np
from corpus.registry import program


def mixed(rng):
    return (np.array([0.7, -0.4, 0.3]) + rng.uniform(0.0, 0.05, size=3),)


@program(mixed, tags=["writes"])
def quotients_where_they_exist(x):
    return np.sum(np.divide(1.0, x, out=np.zeros_like(x), where=x > 0) ** 2)


@program(mixed, tags=["tricky", "writes"])
def quotients_by_zero_left_out(x):
    y = x * np.array([1.0, 0.0, 2.0])
    return np.sum(np.divide(x, y, out=x * x, where=y != 0) * x)


FACTORS = np.array([1.0, 0.0, 2.0])


@program(mixed, tags=["tricky", "writes"])
def quotients_by_constants_in_a_loop(x):
    total = 0.0
    for _ in range(2):
        out = np.ones_like(x)
        total = total + np.divide(x, FACTORS, out=out, where=FACTORS != 0) * x
    return np.sum(total)


@program(mixed, tags=["tricky", "writes"])
def logarithms_of_what_is_positive(x):
    out = 2 * x
    np.log(x, out=out, where=x > 0)
    return np.sum(out * out)


@program(mixed, tags=["tricky", "writes"])
def slopes_that_are_infinite_left_out(x):
    y = x * np.array([0.0, 1.0, 1.0])
    roots = np.sqrt(y, out=x.copy(), where=y > 0)
    angles = np.arcsin(y * 2, out=np.ones(3), where=np.abs(y) < 0.37)
    return np.sum(roots * angles) + np.sum(np.arccosh(2 * x, np.zeros(3), where=x > 0.6))


@program(mixed, tags=["tricky", "writes"])
def mask_of_more_rows(x):
    out = np.ones((2, 3))
    np.multiply(x, x, out=out, where=np.array([[True], [False]]))
    return np.sum(out * np.arange(6.0).reshape(2, 3))


@program(mixed, tags=["writes"])
def out_in_a_tuple(x):
    u = 1.5 * x
    np.exp(x, out=(u,))
    return np.sum(u * x)


@program(mixed)
def everywhere(x):
    return np.sum(np.power(x, 2, where=True) * np.negative(x, where=True))


@program(mixed)
def double_all_the_way(x):
    return np.sum(np.multiply(x, x, dtype=np.float64) * np.exp(x, dtype="float64"))


@program(mixed)
def limited_on_one_side(x):
    return np.sum(x.clip(0) ** 2 * x.clip(max=0.5)) + np.sum(x.clip(None, 0.1))


@program(mixed, tags=["writes"])
def stored_by_name(x):
    u = x.copy()
    u.__setitem__(0, u[1] * u.__getitem__(2))
    return np.sum(u * u)
