def program(w, x):
    g = map(lambda q: q + x, w)
    try:
        v = next(g) and next(g)
    except StopIteration:
        v = x
    h = (np.sum(q) for q in g)
    s = 0.0
    for q in h:
        s = s + np.sum(q)
        s = s + next(h, 0.5)
    return np.sum(w) + s + x


def arguments():
    return laid("C", "float64", (0, 3), 1), number("float", 1.5)
