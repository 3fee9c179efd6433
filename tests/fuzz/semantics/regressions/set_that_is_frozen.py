def program(y):
    kept = frozenset([1, 2])
    return y * len(kept), kept, kept | {3}, set([1])


def arguments():
    y = laid("C", "float64", (3,), 1)
    return (y,)
