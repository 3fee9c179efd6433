def program(w, x, u):
    if u[0] <= 0.25:
        n = len(x)
    else:
        n = np.sum(w)
    if u[1] <= 2.0:
        raise KeyError
    return [n, 0.25, n]


def arguments():
    w = laid("C", "uint8", (3,), 1)
    x = laid("C", "float64", (0,), 1)
    return w, x, (-0.75, 200)
