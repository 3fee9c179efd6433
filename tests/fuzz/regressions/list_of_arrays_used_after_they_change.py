POINT = 239

import numpy as np


def program(x, y, m, s):
    v19 = x
    v20 = v19
    w26 = [x, v20]
    v20[0] = 0.5
    return np.sin(w26)
