def program(y):
    v = y - 1.0
    vs = [v, v]
    s = 0.0
    for p in vs:
        if p in vs:
            continue
        s += 1.0
    return np.sum(y) + s


def arguments():
    y = laid("C", "float64", (4,), 1)
    return (y,)
