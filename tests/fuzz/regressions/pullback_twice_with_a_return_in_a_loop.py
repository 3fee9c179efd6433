POINT = 2188

import numpy as np


def program(x, y, m, s):
    m[:] -= x
    for e5, e6 in zip(x, m):
        if e5 > -2.0:
            return np.sum(e6) + e5
    return s
