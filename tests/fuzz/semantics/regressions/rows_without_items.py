def program(x, y):
    sums = np.apply_along_axis(np.sum, 0, x)
    return sums, np.resize(y, 3)


def arguments():
    x = laid("C", "float64", (0, 3), 1)
    y = laid("C", "float64", (0,), 1)
    return x, y
