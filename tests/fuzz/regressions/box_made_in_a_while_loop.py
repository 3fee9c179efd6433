POINT = 6111

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a


def helper1(p2, p3):
    k5 = 0
    while k5 < 2:
        k5 += 1
        v6 = Box(np.sin(p3), p3)
        if p2[0, 0] < 5.0:
            p2[1] = v6.a


def program(x, y, m, s):
    helper1(m, x)
    return m
