POINT = 2652


class Box:
    def __init__(self, a, s):
        self.a = a


def helper1(p3, n):
    if n <= 0:
        return p3.a
    r4 = helper1(Box(p3.a[[0, 2, 2]], 0.0), n - 1)
    return r4


def program(x, y, m, s):
    v13 = x * 1.0
    x -= x * s
    return helper1(Box(x, s), 2) + v13
