POINT = 4699

import numpy as np


def program(x, y, m, s):
    x[1] *= s
    w26 = [x, x[[0, 2, 2]]]
    return np.sum(w26)
