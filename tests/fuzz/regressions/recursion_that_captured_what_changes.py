POINT = 3

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def program(x, y, m, s):
    b = Box(x, s)
    d = {"s": s}
    v = s

    def g():
        return v * y[0]

    def h(n):
        if n <= 0:
            return b.s
        return h(n - 1) * b.s + np.sum(b.a) + d["s"] * g()

    r = h(2)
    for _ in range(2):
        b.s = b.s * 0.5
        d["s"] = d["s"] + s
        r += h(2)
        b.a = b.a * s
        v = v * 0.7
    return r + h(1)
