POINT = 203

import numpy as np


def program(x, y, m, s):
    v1 = x
    x = x + np.full((3, 2), 1.4).sum(axis=1)
    v1 -= m[0, 2]
    return x
