def program(w, x):
    for _ in range(2):
        g = (q * 2 for q in w)
        x = x + next(g)

    def rest(a):
        for q in g:
            yield q * a

    return x + sum(rest(2.0))


def arguments():
    return laid("C", "float64", (3,), 1), number("float", 0.5)
