POINT = 1684

import numpy as np


def program(x, y, m, s):
    v1 = 0.0
    for e2 in m:
        v1 = e2
    v3 = [x, v1]
    v1 += v1
    return np.sum(np.sin(v3))
