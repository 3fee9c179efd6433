def program(w, x):
    g = itertools.zip_longest([1.0, 2.0], w, fillvalue=0)
    pairs = list(zip(g, g))
    c = itertools.combinations(w, 2)
    first = next(c)
    return x * len(pairs) + sum(1 for _ in g) + first[0] + len(list(c)) + len(list(c))


def arguments():
    return laid("C", "float64", (4,), 1), number("float", 0.5)
