def program(x, n, m):
    r = range(n)
    kinds = isinstance(r, range), isinstance(r, list), type(r) is range
    return len(r), bool(r), len(range(m)), 1 if range(0, n) else 2, kinds, x * len(r)


def arguments():
    return number("float", 1.5), -3, np.int8(5)
