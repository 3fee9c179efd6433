POINT = 4750

import numpy as np


def program(x, y, m, s):
    v1 = x.copy()
    try:
        raise ValueError
    except ValueError:
        x[:] = 0.5
    v4 = [x]
    v4.append(v1[[0, 2, 2]])
    return np.sum(np.sin(v4[-1]))
