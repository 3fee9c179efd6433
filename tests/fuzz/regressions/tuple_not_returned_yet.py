POINT = 97

import numpy as np


def helper5(p6):
    v7 = p6
    if v7[0] < 0.7:
        return (0.5, 1)
    elif v7[0] < 1.1:
        if not v7[1] < 0.9:
            return (p6, 0.1)
    return (0.3, 0.2)


def program(x, y, m, s):
    w14, v15 = helper5(x)
    return w14
