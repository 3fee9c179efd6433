def program(x, y, n):
    return np.prod(x) / n, np.divide(y, n), np.mean(x[:n]), np.var(x[:n])


def arguments():
    x = laid("C", "float64", (3,), 1)
    y = number("float", 0.5)
    n = number("int", 0)
    return x, y, n
