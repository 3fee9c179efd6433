POINT = 6646

import numpy as np


def program(x, y, m, s):
    for e27 in m:
        v26 = e27
    if x[1] > 1.0:
        return np.sum(v26)
    return s
