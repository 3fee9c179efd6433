POINT = 2346

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def helper1(p2):
    try:
        v6 = np.array([np.sin(e) for e in p2.a])
    except ValueError:
        return (p2.a, p2.s)
    return (p2.a, p2.s)


def program(x, y, m, s):
    w22, v23 = helper1(Box(x, s))
    w32 = [x, w22]
    return np.sum(np.sin(w32))
