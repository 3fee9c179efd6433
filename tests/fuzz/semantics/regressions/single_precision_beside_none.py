def program(x, k):
    r = None
    if k:
        r = np.fmax(x, 2)
    return np.sum(r)


def arguments():
    return laid("C", "float32", (3,), 1), number("int", 1)
