POINT = 6258

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a


def helper1(p2, p3):
    p3[...] = np.full((2, 3), 0.6) @ (p2.a[[0, 2, 2]] if p3[1] < 0.7 else p2.a)


def program(x, y, m, s):
    x[[0, 2]] += y
    helper1(Box(x, s), y)
    return np.sum(y)
