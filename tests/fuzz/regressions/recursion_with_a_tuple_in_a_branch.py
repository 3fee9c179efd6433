POINT = 2035

import numpy as np


def helper1(p2, p3, p4, n):
    if n <= 0:
        return (p3, p4)
    r6 = helper1(p2, p2, p4, n - 1)
    return r6


def helper7(p8):
    if p8[0] < 5.0:
        w9, v10 = helper1(np.sin(p8), np.full((2, 3), 0.5), p8, 3)


def program(x, y, m, s):
    v16 = {"p": x, "q": x}
    helper7(v16["q"][::-1])
    return s * s
