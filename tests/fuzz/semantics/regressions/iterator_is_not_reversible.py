def program(x, d):
    g = enumerate(x, 1)
    first = next(g)
    try:
        rest = list(reversed(g))
    except TypeError:
        rest = list(reversed(d.values()))
    return first[1], rest[0], rest[-1]


def arguments():
    return laid("C", "float64", (3,), 1), {"a": 1.5, "b": 2.5}
