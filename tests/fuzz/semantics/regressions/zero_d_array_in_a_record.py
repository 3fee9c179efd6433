def program(x, y):
    first = Pair(1.5, x)
    second = Pair(x, 1.0) if y > 0 else Pair(1.0, x)
    return first, [Pair(x, (x, 2))], {"a": (x, Point(x, y))}, second


def arguments():
    x = laid("C", "float64", (), 1)
    y = number("float", 0.5)
    return x, y
