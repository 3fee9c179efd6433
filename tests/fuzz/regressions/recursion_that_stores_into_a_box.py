POINT = 4376

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def helper1(p3, n):
    if n <= 0:
        return (p3.a, p3.s)
    p3.a[[0, 2]] = p3.s
    r7 = helper1(p3, n - 1)
    return r7


def program(x, y, m, s):
    w26, v27 = helper1(Box(x, s), 3)
    return np.sum(np.sin(w26)) * v27
