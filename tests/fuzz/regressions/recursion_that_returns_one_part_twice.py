POINT = 2001

import numpy as np


def helper1(p2, n):
    if n <= 0:
        return (np.full((3,), 0.2), (3,))
    r3 = helper1(p2, n - 1)
    return (r3[0], r3[0])


def program(x, y, m, s):
    w12, v13 = helper1(s, 3)
    w12 *= 0.5
    return x
