def program(x, n):
    r = 0
    for _ in range(n):
        r = x[True]
    return r


def arguments():
    x = laid("C", "float64", (), 1)
    return x, 2
