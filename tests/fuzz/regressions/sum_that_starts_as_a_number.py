POINT = 6263

import numpy as np


def program(x, y, m, s):
    v3 = 0.0
    for e4 in m:
        v3 = v3 + e4
    return np.sum(v3)
