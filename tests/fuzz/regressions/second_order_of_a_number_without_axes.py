POINT = 2900

class Box:

    def __init__(self, a, s):
        self.a = a
        self.s = s

def helper1(p2, p3, p4, f, scale=0.2):
    w5 = f(p2.a)
    w5 -= p4.a
    raise ValueError

def program(x, y, m, s):
    v14 = m
    for e16 in v14:
        v19 = Box(m, sum([1, s]))
        try:
            w20 = helper1(v19, m.sum, Box([4, s, v19.s], 0.5), lambda u: u * v19.s, scale=v14)
        except ValueError:
            return s
