def program(x, n):
    s = 0
    for _ in range(n):
        s = s + x
    return s, np.sum(s), s / 2


def arguments():
    return laid("C", "float64", (2,), 1), 0
