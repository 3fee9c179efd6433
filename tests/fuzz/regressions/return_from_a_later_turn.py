POINT = 36

import numpy as np


def program(x, y, m, s):
    for i in range(2):
        if i != 0:
            return np.sin(s)
