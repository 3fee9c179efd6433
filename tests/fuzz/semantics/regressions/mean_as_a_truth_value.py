def program(x):
    return np.mean(x, dtype=bool)


def arguments():
    x = laid("C", "float64", (2, 3), 1)
    return (x,)
