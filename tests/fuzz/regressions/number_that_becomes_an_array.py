POINT = 29

import numpy as np


def program(x, y, m, s):
    v7 = 0.0
    for e8 in m:
        v7 = v7 + e8
    return np.sum(np.sin(v7))
