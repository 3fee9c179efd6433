def program(y):
    same = y.T is y, y[:] is y, y.reshape(-1) is y, np.asarray(y) is y, y.squeeze() is y
    new = y.ravel() is y, y + 0 is y, np.transpose(y) is y, y.copy() is not y
    return same, new, np.sum(y)


def arguments():
    y = laid("C", "float64", (3,), 1)
    return (y,)
