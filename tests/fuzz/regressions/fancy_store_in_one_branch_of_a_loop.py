POINT = 4343

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def helper1(p2, p3):
    for i4, e5 in enumerate(p3[1]):
        w7 = p2
        if i4 == 0:
            w7 += w7
        else:
            p3[0][[0, 2]] += e5


def program(x, y, m, s):
    v18 = [Box(y, 2.0)]
    helper1(v18[0].a, [np.append(y, v18[-1].s), m[0, ::1]])
    return m * y[0]
