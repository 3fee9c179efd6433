POINT = 6639


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def helper1(p2, p3, p4, n):
    if n <= 0:
        return p2
    if p3.s < 1.4:
        p3, p4 = p4, p3
    p2[1:] -= p4.s
    r6 = helper1(p2, p4, p4, n - 1)
    return r6


def program(x, y, m, s):
    return helper1(y, Box(x, s), Box(x, 0.5), 1)
