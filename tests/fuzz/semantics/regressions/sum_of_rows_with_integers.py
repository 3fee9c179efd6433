def program(w):
    s = 0.0
    for row in itertools.product(w, [1, 2]):
        s = s + np.sum(row)
    return s


def arguments():
    w = laid("C", "float64", (2,), 1)
    return (w,)
