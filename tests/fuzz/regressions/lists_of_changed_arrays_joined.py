POINT = 200

import numpy as np


def helper(p, q, n):
    if n <= 0:
        return q[0]
    p.extend([q, q])
    r = helper(p + [q], q, n - 1)
    return r * p[-1][1]


def program(x, y, m, s):
    v = [x, m[0]]
    w = helper(v, m[1], 2)
    u = v[1:] + v[:1]
    u.append(x)
    m[1] += w * s
    x[0] = s
    return np.sum(np.sin(m)) + sum(np.sum(e * e) for e in u)
