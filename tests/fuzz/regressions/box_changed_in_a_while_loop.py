POINT = 2741

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def program(x, y, m, s):
    v1 = m.copy()
    v2 = Box(m[-1, :], s)
    v3 = v2.s
    k14 = 0
    while k14 < 3:
        k14 += 1
        v3 = np.sin(v3 - 1.4)
        v2.a += np.cos(v2.a) * v2.a
    return np.sum(np.sin(v1) * 0.8) + np.sin(v2.s)
