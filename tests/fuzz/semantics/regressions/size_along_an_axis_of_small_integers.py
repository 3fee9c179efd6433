def program(x, k):
    return np.size(x, axis=-1), np.size(x, k), np.size(x)


def arguments():
    x = laid("C", "uint16", (2, 3), 1)
    return x, 0
