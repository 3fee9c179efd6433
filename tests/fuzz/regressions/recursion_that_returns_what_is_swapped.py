POINT = 2279

import numpy as np


def helper1(p2, n):
    if n <= 0:
        return (p2[-1], 0.5)
    r4 = helper1(p2, n - 1)
    return r4


def program(x, y, m, s):
    v5 = x
    v5[[0, 2]] = s
    w7, v8 = helper1([m[0]], 3)
    for e18 in x:
        w7, x = x, w7
    return np.sum(np.sin(w7))
