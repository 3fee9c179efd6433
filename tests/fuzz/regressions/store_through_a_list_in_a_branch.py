POINT = 4128


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def helper5(p6, p7):
    b = Box(p7[0], 2.0)
    if b.s < 0.9:
        pass
    else:
        for e9 in p7:
            p7[0][::1] *= e9


def program(x, y, m, s):
    for i14, e15 in enumerate(m):
        helper5(y, [x[:]])
    return x
