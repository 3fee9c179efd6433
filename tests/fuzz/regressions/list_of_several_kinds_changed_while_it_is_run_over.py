POINT = 14


class Box:
    def __init__(self, a, s):
        self.s = s


def program(x, y, m, s):
    v10 = m
    w13 = 0.5
    v14 = [w13, Box(x, x), Box(v10, 0.5)]
    for i16, e17 in enumerate(v14):
        v14[-1] = e17
    w33 = v14[-1].s
    return w33
