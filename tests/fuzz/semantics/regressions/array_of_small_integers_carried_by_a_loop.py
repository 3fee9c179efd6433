def program(x, n):
    c = x.clip(0, 1)
    for _ in range(n):
        c = np.column_stack([c, c])
    return c


def arguments():
    x = laid("C", "int8", (2, 2, 2), 1)
    return x, 2
