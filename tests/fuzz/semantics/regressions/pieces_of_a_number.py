def program(x, y, n):
    first = np.piecewise(x, [x > 0, x > 2], [lambda v: v * v, 7.0, -1.0])
    second = np.piecewise(y, y > 0, [lambda v: v * 3, lambda v: -v])
    return first, second, np.piecewise(n, n > 5, [2]), np.broadcast_to(y[0], ())


def arguments():
    return number("float", 1.5), laid("C", "float64", (3,), 4), number("int8", 3)
