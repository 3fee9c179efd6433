POINT = 22

import numpy as np


def program(x, y, m, s):
    v1 = x
    v2 = s
    v3 = v2
    while (v3 if np.sum(v1) < 1.2 else 1) < 0.9:
        v3, v7 = (v7, v3)
    return v3
