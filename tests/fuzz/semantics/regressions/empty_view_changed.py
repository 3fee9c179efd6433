def program(x):
    v = np.atleast_2d(x)
    np.squeeze(v)[...] = 2
    return np.sum(x)


def arguments():
    return (laid("C", "float64", (0,), 1),)
