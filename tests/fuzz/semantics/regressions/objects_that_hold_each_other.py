class Var:
    def __init__(self, value, parents=()):
        self.value = value
        self.parents = parents
        self.grad = 0.0

    def __add__(self, other):
        return Var(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        return Var(self.value * other.value, ((self, other.value), (other, self.value)))

    def squared(self):
        return Var(self.value**2, ((self, 2 * self.value),))

    def tanh(self):
        t = np.tanh(self.value)
        return Var(t, ((self, 1 - t * t),))


def program(a, b):
    x, y = Var(a), Var(b)
    z = (x * y + x.tanh()).squared()
    order, seen = [], set()

    def visit(v):
        if id(v) in seen:
            return
        seen.add(id(v))
        for parent, _ in v.parents:
            visit(parent)
        order.append(v)

    visit(z)
    z.grad = 1.0
    for v in reversed(order):
        for parent, slope in v.parents:
            parent.grad += slope * v.grad
    return z.value + 0.5 * x.grad + 0.25 * y.grad


def arguments():
    a = number("float", 0.7)
    b = number("float", -1.25)
    return a, b
