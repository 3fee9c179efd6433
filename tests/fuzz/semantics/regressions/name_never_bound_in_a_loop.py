def program(v, n):
    last = None
    for _ in range(n):
        w = w + v
        last = w
    return last, n


def arguments():
    return laid("C", "float64", (2,), 1), 0
