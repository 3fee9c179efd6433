POINT = 93

import numpy as np


def helper1(p2):
    p2.extend([p2[0], np.sin(p2[0])])


def program(x, y, m, s):
    v = [x]
    helper1(v)
    return np.sum(v[-1]) + s
