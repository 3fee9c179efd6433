POINT = 442

import numpy as np


def program(x, y, m, s):
    v11 = x
    v21 = [v11, v11]
    v21.reverse()
    x += [True, True, False]
    return np.sum(v21)
