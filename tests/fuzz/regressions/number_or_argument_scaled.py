POINT = 5

import numpy as np


def helper(p, a, b):
    if a[0] < 0.0:
        p = b
    p *= a[1]
    return p


def program(x, y, m, s):
    v1 = helper(x, y, s) if s < 0.5 else y
    v2 = helper(s, y, m)
    x[0] += np.sum(v2)
    return np.sum(np.sin(v1)) + np.sum(x * x) + np.sum(np.cos(m)) + np.sum(v2)
