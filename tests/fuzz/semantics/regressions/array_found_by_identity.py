def program(y):
    return np.sum(y) if y in [y, 1.0] else 0.0


def arguments():
    y = laid("C", "float64", (4,), 1)
    return (y,)
