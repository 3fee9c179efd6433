POINT = 6335

import numpy as np


def helper5(p8, f):
    p8 += f(1.0)
    return p8[0, 0]


def program(x, y, m, s):
    while helper5(m, np.sin) < 0.5:
        pass
    return m
