POINT = 6566

import numpy as np


def helper1(p2, p3, n):
    if n <= 0:
        return 1
    p2 *= -1
    r4 = helper1(p2, p3, n - 1)
    return p2[0, 0] + r4


def helper5(p6, p7, n):
    if n <= 0:
        return 1
    r8 = helper5(1, p7, n - 1)
    return helper1(r8 * np.full((2, 3), 1.5), p7, 3)


def program(x, y, m, s):
    v10 = y
    w12 = helper5(x, v10, 1)
    w28 = m
    w28[:] += [1, w12, 1]
    return w28
