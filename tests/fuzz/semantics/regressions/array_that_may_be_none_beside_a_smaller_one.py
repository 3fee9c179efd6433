def program(x, n):
    c = None
    if n > 1:
        c = np.arange(6.0).reshape(2, 3)
    y = x + c
    return np.sum(y**2)


def arguments():
    return laid("C", "float64", (3,), 5), 3
