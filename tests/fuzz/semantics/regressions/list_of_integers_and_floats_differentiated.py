def program(x):
    y = np.array([1, 2, 3])
    y[0] = -1
    both = [y, x[0]]
    return np.sum(both[1]) * both[0][1]


def arguments():
    x = [laid("C", "float64", (3,), 1), laid("padded", "int64", (2,), 2)]
    return (x,)
