def program(x):
    v = x and 1.0
    return np.sum(x)


def arguments():
    x = laid("C", "float64", (2,), 1)
    return (x,)
