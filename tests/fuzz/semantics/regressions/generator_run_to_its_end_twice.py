def program(z, w):
    def scaled(items, a):
        for q in items:
            yield q * a

    g = scaled(z, 3.0)
    first, rest = next(g), list(g)
    h = scaled(w, 2.0)
    return first, rest, list(g), all(h), list(h), sum(g)


def arguments():
    return laid("C", "float64", (3,), 1), laid("C", "float64", (0,), 1)
