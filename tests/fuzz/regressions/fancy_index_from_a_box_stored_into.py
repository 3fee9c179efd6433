POINT = 6485


class Box:
    def __init__(self, a, s):
        self.a = a


def helper12(p13):
    return (p13.a[[0, 2, 2]], p13.a.mean())


def program(x, y, m, s):
    w16, v17 = helper12(Box(x, s))
    w16[::2] = y
    return w16 * v17
