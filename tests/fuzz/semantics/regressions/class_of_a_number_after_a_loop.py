def program(a, b, k):
    x = a
    for _ in range(k):
        x = b
    return isinstance(x, float), isinstance(x, int), float(x), x


def arguments():
    return 1.5, 3, 1
