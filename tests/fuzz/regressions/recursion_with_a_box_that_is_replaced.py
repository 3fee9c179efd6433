POINT = 6318


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def helper11(p12, p13, p14, n):
    if n <= 0:
        return p14.s
    p12[:] = 0.5
    if p14.s > 0.7:
        pass
    else:
        p14 = Box(p13, 0.5)
    r17 = helper11(p12, p12, p14, n - 1)
    return p14.s * r17


def program(x, y, m, s):
    v31 = helper11(m, m, Box(m, s), 3)
    return v31 * x
