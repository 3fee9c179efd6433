POINT = 353

import numpy as np


def helper(p):
    p.insert(0, np.sum(np.array(p), axis=0))


def program(x, y, m, s):
    v = [np.sin(x) * s, x]
    helper(v)
    x[0] = s
    return np.sum(v[0] * v[1]) + np.sum(np.sin(x))
