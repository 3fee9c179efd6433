class Var:
    def __init__(self, v, parents=()):
        self.v = v
        self.parents = parents
        self.g = 0.0

    def __mul__(self, other):
        return Var(self.v * other.v, [(self, other.v), (other, self.v)])

    def __add__(self, other):
        return Var(self.v + other.v, [(self, 1.0), (other, 1.0)])

    def backward(self, g):
        self.g = self.g + g
        for parent, d in self.parents:
            parent.backward(g * d)


def program(a, b):
    x, y = Var(a), Var(b)
    z = x * y + x * x
    z.backward(1.0)
    return x.g * 2 + y.g


def arguments():
    return number("float", 1.25), number("float", 0.5)
