POINT = 4627

import numpy as np


class Box:
    def __init__(self, a, s):
        self.s = s


def helper1(p2, p3):
    if p3.s > 3.0:
        pass
    elif p3.s < 2.0:
        return [e for e in p2]
    r6 = [np.sin(e) for e in p2]
    return r6


def program(x, y, m, s):
    w15 = helper1([x, x], Box(1, s))
    return np.sum(np.cos(w15))
