POINT = 212


class Box:
    def __init__(self, a, s):
        self.a = a


def program(x, y, m, s):
    v6 = [0.5, 0.5, Box(x, s)]
    v6.reverse()
    return s * 0.5
