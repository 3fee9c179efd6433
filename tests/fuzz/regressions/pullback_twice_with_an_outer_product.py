POINT = 51

import numpy as np


def program(x, y, m, s):
    v2 = np.outer(x, y)
    x[::1] = m[0, ::1]
    return v2
