POINT = 4137

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a


def helper1(p2, p3):
    for e5 in p3[-1]:
        p3[0][...] = p2.a
        p3[-1][::2] = e5
    return p2.a


def program(x, y, m, s):
    v16 = 0
    for e17 in m:
        v16 = e17
    w23 = helper1(Box(x, np.sum), [v16])
    w24 = [x, v16, w23]
    return np.sin(w24)
