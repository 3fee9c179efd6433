def program(x, c, k):
    if k > 2:
        ~x
    if k > 1:
        c % 2
    np.flip(x, 1)
    return np.sum(x)


def arguments():
    x = laid("C", "float64", (3,), 1)
    c = laid("C", "complex128", (3,), 2)
    return x, c, 1
