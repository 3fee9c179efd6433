class Money:
    def __init__(self, v, n):
        self.v, self.n = v, n

    def __round__(self, digits=0):
        return self.v * 10 + digits

    def __divmod__(self, other):
        return self.v, other

    def __rdivmod__(self, other):
        return other, self.v

    def __index__(self):
        return self.n

    def __contains__(self, item):
        return self.v * item


def program(x):
    m = Money(x, 1)
    held = 1.0 in m, 0.0 in m, 0.0 not in m
    counted = [k * x for k in range(m)], [1.0, x, 3.0][m]
    return round(m), round(m, 2), divmod(m, 2.0), divmod(2.0, m), held, counted


def arguments():
    return (number("float", 1.5),)
