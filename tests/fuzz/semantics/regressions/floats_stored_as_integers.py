def program(x, n):
    n[0] = x[1]
    n[1:] = x[2] * 2
    return n


def arguments():
    x = laid("C", "float64", (3,), 1)
    n = laid("C", "int64", (3,), 2)
    return x, n
