POINT = 42

import numpy as np


def program(x, y, m, s):
    v15 = x[[0, 2, 2]]
    v15 *= 0.5
    return np.sum(np.sin(v15))
