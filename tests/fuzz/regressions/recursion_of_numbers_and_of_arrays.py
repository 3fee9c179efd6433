POINT = 1

import numpy as np


def doubled(p, n):
    if n <= 0:
        return p
    return doubled(p, n - 1) * 2.0


def halved(p, n):
    if n <= 0:
        return p
    p *= 0.5
    return halved(p, n - 1)


def program(x, y, m, s):
    v = 0
    for _ in range(3):
        v = doubled(v, 2) + x
    w = x * 1.0
    halved(w, 2)
    return doubled(s, 2) * s + np.sum(doubled(x, 3) * v) + halved(s, 2) * np.sum(w)
