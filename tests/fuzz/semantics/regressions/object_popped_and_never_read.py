class Pair:
    def __init__(self, a, s):
        self.a = a
        self.s = s


def program(x, z):
    items = [1, Pair(x, 0.5)]
    items.pop()
    rest = [1, [x, z]]
    rest.pop()
    steps = iter([x, z])
    largest = max(steps)
    try:
        functools.reduce(operator.add, steps)
    except TypeError:
        return x * largest + z
    return x


def arguments():
    return number("float", 0.5), number("float", 2.0)
