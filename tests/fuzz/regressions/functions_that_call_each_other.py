POINT = 2

import numpy as np


def outer(p, n, k):
    if n <= 0:
        return p * k
    return inner(p, 2, n, k)


def inner(p, j, n, k):
    if j <= 0:
        return p * k
    return inner(p * 0.5, j - 1, n, k) + outer(p, n - 1, k)


def program(x, y, m, s):
    scale = s * 2

    def first(p, n):
        def second(q, j):
            if j <= 0:
                return q * scale
            return second(q * 0.5, j - 1) + first(q, n - 1)

        if n <= 0:
            return p * s
        return second(p, 2)

    v = inner(1, 2, 2, s) * x + outer(x, 2, s)
    return np.sum(first(x, 2)) + np.sum(v)
