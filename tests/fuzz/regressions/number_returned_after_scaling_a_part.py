POINT = 530

import numpy as np


def program(x, y, m, s):
    y[1:] *= s
    return np.sum(s)
