def program(x, y):
    v = x & y
    return np.sum(x)


def arguments():
    x = laid("C", "float64", (2,), 1)
    y = laid("C", "float64", (2,), 1)
    return x, y
