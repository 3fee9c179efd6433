def program(x, n):
    c = x
    for _ in range(n):
        c = c.astype(np.float32)
    return c, np.asarray(c), c.ravel(), np.sum(c)


def arguments():
    x = laid("C", "float64", (2, 3), 1)
    return x, 1
