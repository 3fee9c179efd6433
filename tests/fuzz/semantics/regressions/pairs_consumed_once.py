def program(x):
    g = itertools.zip_longest(x, x[:2], fillvalue=0.5)
    a = next(g)
    p = itertools.combinations(x, 2)
    b = next(p)
    s = sum(u * v for u, v in p) + sum(u * v for u, v in g)
    return a, b, s, list(p), list(g)


def arguments():
    x = laid("C", "float64", (3,), 1)
    return (x,)
