def program(x, y):
    z = y
    y *= 2
    y[0] = 7.0
    return z, x


def arguments():
    return number("float", 2.0), [number("float", 0.5), number("float", 1.5)]
