POINT = 134


class Box:
    def __init__(self, a, s):
        self.a = a


def helper7(p8):
    k9 = 0
    while k9 < 4:
        k9 += 1
        p8.a = p8.a
        p8 = p8


def program(x, y, m, s):
    helper7(Box(x, s))
    return s * s
