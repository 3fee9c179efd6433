POINT = 4

import numpy as np


def program(x, y, m, s):
    v = s
    for e in y[:, None]:
        v = v + e * v
    v[:] *= v
    w = [s * s]
    for _ in range(3):
        w[0] = w[0] + y * s
        w[0][0] = s * w[0][1]
    return v[0] * s + np.sum(w[0])
