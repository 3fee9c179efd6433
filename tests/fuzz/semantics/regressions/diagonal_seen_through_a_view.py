def program(x):
    v = np.diag(x, 1)
    x[0, 1] = 9.0
    return np.sum(v * v)


def arguments():
    x = laid("C", "float64", (2, 2), 1)
    return (x,)
