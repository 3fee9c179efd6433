def program(x, n):
    x[0] = range(3)
    x[:, 1] += range(2)
    x[1, :n] = range(5, 5 - n, -1)
    items = [1.0, 2.0]
    items[:0] = range(n)
    return x, items, x[1] - range(3), range(3) == x[0], np.maximum(x, range(3))


def arguments():
    return laid("C", "float64", (2, 3), 5), 2
