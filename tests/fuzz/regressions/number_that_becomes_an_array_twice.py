POINT = 60

import numpy as np


def program(x, y, m, s):
    v16 = 0
    for e17 in m.T:
        v16 += e17
    v18 = v16[:, None]
    return np.sum(np.sin(v16)) + np.sum(np.sin(v18))
