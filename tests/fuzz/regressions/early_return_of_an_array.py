POINT = 26

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a


def program(x, y, m, s):
    if s > 0.9:
        pass
    elif s > 0.5:
        return m
    v24 = Box(m + 0.5, s)
    return np.sin(v24.a)
