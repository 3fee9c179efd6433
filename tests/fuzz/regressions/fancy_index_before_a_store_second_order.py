POINT = 4230

import numpy as np


def program(x, y, m, s):
    m += x[[0, 2, 2]]
    w6 = m
    x[::1] *= 0.5
    return np.sum(np.sin(w6))
