def program(x, y):
    np.fill_diagonal(y, [1.0, 2.0])
    np.fill_diagonal(x, 2.0)
    return np.sum(x)


def arguments():
    x = laid("C", "float64", (3,), 1)
    y = laid("C", "float64", (3, 3), 1)
    return x, y
