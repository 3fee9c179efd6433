POINT = 6229

import numpy as np


class Box:
    def __init__(self, a, s):
        self.s = s


def helper4(p5, n):
    if n <= 0:
        return (np.array([p5.s, p5.s, p5.s]), p5.s)
    r7 = helper4(p5, n - 1)
    return r7


def program(x, y, m, s):
    w12, v13 = helper4(Box(x, s), 2)
    w12 *= 0.5
    return w12 * v13
