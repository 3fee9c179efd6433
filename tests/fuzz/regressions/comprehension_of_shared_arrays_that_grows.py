POINT = 366

import numpy as np


def program(x, y, m, s):
    v19 = [y, y]
    v19 = [e for e in v19]
    w21 = m
    w21 -= 3
    try:
        v19.append(y)
        raise ValueError
    except ValueError:
        v30 = [0, m, y]
    return np.sum(v19)
