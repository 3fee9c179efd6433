POINT = 5

import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def program(x, y, m, s):
    v = [x[k:] for k in range(2)]
    x[1] = s * s
    v[1][0] = s * v[0][0]
    w = [Box(y * k, s * k) for k in range(3)]
    w[1].s = s * s
    u = [b for b in w]
    u[2].a[0] = x[0]
    r = list(m)
    r[0][1] = s
    return (
        sum(np.sum(e * e) for e in v)
        + sum(b.s * np.sum(b.a) for b in w)
        + np.sum(np.sin(m))
    )
