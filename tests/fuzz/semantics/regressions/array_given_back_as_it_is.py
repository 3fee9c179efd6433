def program(x, y, m):
    v = np.diff(y, n=0)
    y[0] = x
    p = np.linalg.matrix_power(m, 1)
    p[0, 0] = x
    return np.sum(v * v), np.sum(m * p)


def arguments():
    x = number("float", 0.5)
    return x, laid("C", "float64", (3,), 1), laid("C", "float64", (2, 2), 2)
