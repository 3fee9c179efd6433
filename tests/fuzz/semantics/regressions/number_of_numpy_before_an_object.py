class Dual:
    def __init__(self, a, b=0.0):
        self.a = a
        self.b = b

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a + other.a, self.b + other.b)

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    __radd__ = __add__
    __rmul__ = __mul__


def program(x, y):
    d = Dual(x, 1.0)
    e = 3 * d * d + y * d + 1
    return e.a, e.b


def arguments():
    return number("float", 1.73), np.float32(0.58)
