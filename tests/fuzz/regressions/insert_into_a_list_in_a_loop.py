POINT = 4502

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a


def helper1(p2):
    if np.tanh(p2[0][0]) > -2.0:
        p2.insert(0, np.sin(p2[0]))


def program(x, y, m, s):
    v28 = [Box(x, 0.5)]
    for i29 in range(2):
        if i29 == 1:
            m *= m
        else:
            helper1([x, v28[0].a])
    return np.sum(m)
