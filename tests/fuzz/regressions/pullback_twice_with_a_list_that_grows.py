POINT = 87

import numpy as np


def program(x, y, m, s):
    v14 = [y, y]
    v14.append(np.sin(y))
    return m * v14[-1][0]
