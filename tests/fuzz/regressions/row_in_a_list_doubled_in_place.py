POINT = 3

import numpy as np


def program(x, y, m, s):
    v1 = m[-1]
    v2 = [x, v1]
    v1 += v1
    return np.sum(np.sin(v2))
