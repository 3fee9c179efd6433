def program(x, n, k):
    both = [n, x]
    both[k][0] = 2.0
    return n, x, both[0][0]


def arguments():
    x = laid("C", "float64", (3,), 1)
    n = laid("C", "int64", (3,), 2)
    return x, n, 0
